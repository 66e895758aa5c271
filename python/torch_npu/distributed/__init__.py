"""torch.distributed with the backend hccl. Ranks are processes of this machine, each with a device of
its own: DAVSIM_SYSTEM names a system of so many (docs/systems.md).
"""

from __future__ import annotations

import inspect
import os
from typing import Any

import torch
import torch.distributed as dist

__all__ = ["is_hccl_available"]


def is_hccl_available() -> bool:
    return dist.is_available()


def install() -> None:
    if not dist.is_available():
        return
    from . import batch_norm
    from .process_group import ProcessGroupHCCL

    batch_norm.install()
    keywords = {}
    if "devices" in inspect.signature(dist.Backend.register_backend).parameters:  # torch 2
        keywords["devices"] = ["npu"]
    dist.Backend.register_backend("hccl", _made, **keywords)
    dist.ProcessGroupHCCL = ProcessGroupHCCL
    dist.is_hccl_available = is_hccl_available


def _made(store: Any, rank: int, size: int, timeout: Any) -> Any:
    from ..npu import device_count
    from .process_group import ProcessGroupHCCL

    there = torch.npu.device_count()
    # A process may be shown a part of the system's devices; then the communicator tells what lacks.
    if size > there and not os.environ.get("ASCEND_RT_VISIBLE_DEVICES"):
        raise RuntimeError(
            f"davsim: a group of hccl has {size} ranks, the process {there} device"
            f"{'s' if there > 1 else '; with DAVSIM_SYSTEM=atlas_a2_server it has eight'}")
    return ProcessGroupHCCL(store, rank, size, timeout)
