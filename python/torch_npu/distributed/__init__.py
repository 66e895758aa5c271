"""torch.distributed with the backend hccl, for a process that is the only one of its group: what
collective operations give is then what they were given.

Several dies have programs of AscendCL with a thread for each (docs/systems.md) and davsim.System.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
import torch.distributed as dist

__all__ = ["is_hccl_available"]


def is_hccl_available() -> bool:
    return dist.is_available()


def install() -> None:
    if not dist.is_available():
        return
    from .process_group import ProcessGroupHCCL

    keywords = {}
    if "devices" in inspect.signature(dist.Backend.register_backend).parameters:  # torch 2
        keywords["devices"] = ["npu"]
    dist.Backend.register_backend("hccl", _made, **keywords)
    dist.ProcessGroupHCCL = ProcessGroupHCCL
    dist.is_hccl_available = is_hccl_available


def _made(store: Any, rank: int, size: int, timeout: Any) -> Any:
    from .process_group import ProcessGroupHCCL

    if size != 1:
        raise RuntimeError(
            f"davsim: torch.distributed with hccl is for one process (world size 1); found {size}. "
            "Several dies are there for davsim.System, and for programs of AscendCL with a thread "
            "for each device")
    return ProcessGroupHCCL(store, rank, size, timeout)
