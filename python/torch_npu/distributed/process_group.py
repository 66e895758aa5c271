"""The groups of torch.distributed, over the collective operations of the runtime."""

from __future__ import annotations

from typing import Any, Sequence

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Work, _create_work_from_future

from ._communicator import Communicator

_Tensors = Sequence[torch.Tensor]
_SUM = 0
# HcclReduceOp. What AVG gives is the sum divided by the number of ranks.
_OPS = {"SUM": _SUM, "PRODUCT": 1, "MAX": 2, "MIN": 3, "AVG": _SUM}


def _op(opts: Any) -> tuple[str, int]:
    wanted = getattr(opts, "reduceOp", dist.ReduceOp.SUM)
    for name, number in _OPS.items():
        if wanted == getattr(dist.ReduceOp, name):
            return name, number
    raise RuntimeError(f"davsim: hccl has sums, products, maxima, minima and averages; not {wanted}")


def _done(tensors: _Tensors) -> Work:
    """Work that is queued: whoever reads the tensors waits for the device. The object is one of
    C++, because torch keeps no reference to the part in Python of a class derived from Work."""
    devices = sorted({str(tensor.device) for tensor in tensors} - {"cpu"})
    future = torch.futures.Future(devices=[torch.device(name) for name in devices])
    future.set_result(list(tensors))
    return _create_work_from_future(future)


def _on_npu(tensor: torch.Tensor) -> torch.Tensor:
    """Elements one behind the other in the device's memory: the tensor itself, or a copy."""
    return tensor.detach().npu().contiguous()


def _put_back(tensor: torch.Tensor, used: torch.Tensor) -> None:
    if used.data_ptr() != tensor.data_ptr():
        tensor.detach().copy_(used.view(tensor.shape))


def _flat(tensors: _Tensors) -> torch.Tensor:
    return torch.cat([_on_npu(tensor).view(-1) for tensor in tensors])


def _deal(tensors: _Tensors, flat: torch.Tensor) -> None:
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors])):
        tensor.detach().copy_(part.view(tensor.shape))


class ProcessGroupHCCL(dist.ProcessGroup):
    def __init__(self, store: Any, rank: int, size: int, timeout: Any = None) -> None:
        super().__init__(rank, size)
        self._store = store
        self._made: Communicator | None = None

    @property
    def _communicator(self) -> Communicator:
        """The ranks meet at their first operation: until then a process may choose its device."""
        if self._made is None:
            self._made = Communicator(self._store, self.rank(), self.size())
        return self._made

    def getBackendName(self) -> str:
        return "hccl"

    def name(self) -> str:
        return "hccl"

    def allreduce(self, tensors: Any, opts: Any = None) -> Work:
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
        name, number = _op(opts)
        for tensor in tensors:
            used = _on_npu(tensor)
            self._communicator.all_reduce(used, number)
            if name == "AVG":
                used.div_(self.size())
            _put_back(tensor, used)
        return _done(tensors)

    allreduce_coalesced = allreduce

    def reduce(self, tensors: _Tensors, opts: Any = None) -> Work:
        """The sum of all is put into the tensor of one rank; those of others stay as they are."""
        name, number = _op(opts)
        used = _on_npu(tensors[0]).clone()
        self._communicator.all_reduce(used, number)
        if name == "AVG":
            used.div_(self.size())
        if self.rank() == opts.rootRank:
            _put_back(tensors[0], used)
        return _done(tensors)

    def broadcast(self, tensors: _Tensors, opts: Any = None) -> Work:
        for tensor in tensors:
            used = _on_npu(tensor)
            self._communicator.broadcast(used, opts.rootRank)
            _put_back(tensor, used)
        return _done(tensors)

    def allgather(self, outputs: Sequence[_Tensors], inputs: _Tensors, opts: Any = None) -> Work:
        for parts, tensor in zip(outputs, inputs):
            used = _on_npu(tensor)
            flat = torch.empty(self.size() * used.numel(), dtype=used.dtype, device=used.device)
            self._communicator.all_gather(flat, used)
            _deal(parts, flat)
        return _done(outputs[0])

    def gather(self, outputs: Sequence[_Tensors], inputs: _Tensors, opts: Any = None) -> Work:
        parts = outputs[0] if outputs else [torch.empty_like(inputs[0]) for _ in range(self.size())]
        return self.allgather([parts], inputs)

    def reduce_scatter(self, outputs: _Tensors, inputs: Sequence[_Tensors],
                       opts: Any = None) -> Work:
        for tensor, parts in zip(outputs, inputs):
            self._reduce_scatter_base(tensor, _flat(parts), opts)
        return _done(outputs)

    def scatter(self, outputs: _Tensors, inputs: Sequence[_Tensors], opts: Any = None) -> Work:
        flat = torch.empty(self.size() * outputs[0].numel(), dtype=outputs[0].dtype, device="npu")
        if self.rank() == opts.rootRank:
            flat.copy_(_flat(inputs[0]))
        self._communicator.broadcast(flat, opts.rootRank)
        _put_back(outputs[0], flat.chunk(self.size())[self.rank()])
        return _done(outputs)

    def _allgather_base(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Work:
        used = _on_npu(output)
        self._communicator.all_gather(used, _on_npu(input))
        _put_back(output, used)
        return _done([output])

    def _reduce_scatter_base(self, output: torch.Tensor, input: torch.Tensor,
                             opts: Any = None) -> Work:
        name, number = _op(opts)
        used = _on_npu(output)
        self._communicator.reduce_scatter(used, _on_npu(input), number)
        if name == "AVG":
            used.div_(self.size())
        _put_back(output, used)
        return _done([output])

    def alltoall_base(self, output: torch.Tensor, input: torch.Tensor, output_sizes: Sequence[int],
                      input_sizes: Sequence[int], opts: Any = None) -> Work:
        def elements(tensor: torch.Tensor, rows: Sequence[int]) -> list[int]:
            if not rows:
                return [tensor.numel() // self.size()] * self.size()
            return [count * (tensor[0].numel() if len(tensor) else 0) for count in rows]

        used = _on_npu(output)
        self._communicator.all_to_all(used, _on_npu(input), elements(output, output_sizes),
                                      elements(input, input_sizes))
        _put_back(output, used)
        return _done([output])

    def alltoall(self, outputs: _Tensors, inputs: _Tensors, opts: Any = None) -> Work:
        flat = torch.empty(sum(tensor.numel() for tensor in outputs), dtype=outputs[0].dtype,
                           device="npu")
        self._communicator.all_to_all(flat, _flat(inputs), [tensor.numel() for tensor in outputs],
                                      [tensor.numel() for tensor in inputs])
        _deal(outputs, flat)
        return _done(outputs)

    def barrier(self, opts: Any = None) -> Work:
        self._communicator.barrier()
        return _done([])

    def send(self, tensors: _Tensors, rank: int, tag: int) -> Work:
        self._communicator.send(_on_npu(tensors[0]), rank)
        return _done(tensors)

    def recv(self, tensors: _Tensors, rank: int, tag: int) -> Work:
        used = _on_npu(tensors[0])
        self._communicator.recv(used, rank)
        _put_back(tensors[0], used)
        return _done(tensors)
