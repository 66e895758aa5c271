"""torch.distributed with the backend hccl. Each process has a device of its own of the system that
DAVSIM_SYSTEM names (docs/systems.md)."""

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
    from ..npu import device_count
    from .process_group import ProcessGroupHCCL

    if size > device_count():
        raise RuntimeError(
            f"davsim: {size} processes of hccl have {device_count()} device(s); DAVSIM_SYSTEM names "
            "a system of more, such as atlas_a2_server, and each process sets a device of its own")
    return ProcessGroupHCCL(store, rank, size, timeout)
