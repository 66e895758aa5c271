"""The group of one process."""

from __future__ import annotations

from typing import Any, Sequence

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Work, _create_work_from_future

_Tensors = Sequence[torch.Tensor]


def _done(tensors: _Tensors) -> Work:
    """Work that has ended; what the device still does is ordered by its stream. The object is one of
    C++, because torch keeps no reference to the part in Python of a class derived from Work."""
    devices = sorted({str(tensor.device) for tensor in tensors} - {"cpu"})
    future = torch.futures.Future(devices=[torch.device(name) for name in devices])
    future.set_result(list(tensors))
    return _create_work_from_future(future)


def _copied(targets: _Tensors, sources: _Tensors) -> Work:
    for target, source in zip(targets, sources):
        target.copy_(source.view(target.shape))
    return _done(targets)


class ProcessGroupHCCL(dist.ProcessGroup):
    def __init__(self, store: Any, rank: int, size: int, timeout: Any = None) -> None:
        super().__init__(rank, size)

    def getBackendName(self) -> str:
        return "hccl"

    def name(self) -> str:
        return "hccl"

    def allreduce(self, tensors: Any, opts: Any = None) -> Work:
        return _done([tensors] if isinstance(tensors, torch.Tensor) else tensors)

    allreduce_coalesced = broadcast = reduce = allreduce

    def allgather(self, outputs: Sequence[_Tensors], inputs: _Tensors, opts: Any = None) -> Work:
        return _copied([parts[0] for parts in outputs], inputs)

    gather = allgather

    def allgather_coalesced(self, outputs: Sequence[_Tensors], inputs: _Tensors,
                            opts: Any = None) -> Work:
        return _copied(outputs[0], inputs)

    def reduce_scatter(self, outputs: _Tensors, inputs: Sequence[_Tensors],
                       opts: Any = None) -> Work:
        return _copied(outputs, [parts[0] for parts in inputs])

    scatter = reduce_scatter

    def _allgather_base(self, output: torch.Tensor, input: torch.Tensor, *opts: Any) -> Work:
        return _copied([output], [input])

    _reduce_scatter_base = alltoall_base = _allgather_base

    def alltoall(self, outputs: _Tensors, inputs: _Tensors, opts: Any = None) -> Work:
        return _copied(outputs, inputs)

    def barrier(self, opts: Any = None) -> Work:
        torch.npu.synchronize()
        return _done([])

    def send(self, tensors: _Tensors, rank: int, tag: int) -> Work:
        raise RuntimeError("davsim: hccl has one process here, which cannot send to itself")

    def recv(self, tensors: _Tensors, rank: int, tag: int) -> Work:
        raise RuntimeError("davsim: hccl has one process here, which cannot receive from itself")
