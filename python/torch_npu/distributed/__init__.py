"""torch.distributed with the backend hccl. Ranks are processes of this machine, each with a device of
its own: DAVSIM_SYSTEM names a system of so many (docs/systems.md).
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
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
    _of_c(ProcessGroupHCCL)
    dist.is_hccl_available = is_hccl_available
    if int(torch.__version__.split(".")[0]) < 2:
        dist.barrier = dist.distributed_c10d.barrier = _wrap_barrier(dist.barrier)


def _of_c(group: type) -> None:
    """Programs that set options of a group name torch_npu._C._distributed_c10d.ProcessGroupHCCL."""
    from .. import _C

    part = types.ModuleType("torch_npu._C._distributed_c10d")
    part.ProcessGroupHCCL = group
    _C._distributed_c10d = sys.modules[part.__name__] = part


def _wrap_barrier(of_torch: Any) -> Any:
    """torch 1.13 takes device_ids for groups of nccl only. A rank of hccl has one device."""

    @functools.wraps(of_torch)
    def barrier(group: Any = dist.group.WORLD, async_op: bool = False,
                device_ids: Any = None) -> Any:
        member = not dist.distributed_c10d._rank_not_in_group(group)
        if member and device_ids is not None and dist.get_backend(group) == "hccl":
            if not isinstance(device_ids, list):
                raise RuntimeError("Invalid function argument: device_ids type should be List[int]")
            device_ids = None
        return of_torch(group, async_op, device_ids)

    return barrier


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
