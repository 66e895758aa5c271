"""The groups of torch.distributed with the backend hccl."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Work, _create_work_from_future

from ..npu import current_device
from .communicator import Communicator

_Tensors = Sequence[torch.Tensor]
# HcclReduceOp. A mean is a sum, divided by the number of ranks.
_OPS = {dist.ReduceOp.SUM: 0, dist.ReduceOp.AVG: 0, dist.ReduceOp.PRODUCT: 1, dist.ReduceOp.MAX: 2,
        dist.ReduceOp.MIN: 3}


def _done(tensors: _Tensors) -> Work:
    """Work that is queued on the current stream; wait() lets its caller's stream follow. The object is
    one of C++, because torch keeps no reference to the part in Python of a class derived from Work."""
    devices = sorted({str(tensor.device) for tensor in tensors} - {"cpu"})
    future = torch.futures.Future(devices=[torch.device(name) for name in devices])
    future.set_result(list(tensors))
    return _create_work_from_future(future)


def _op(opts: Any) -> Any:
    kind = getattr(opts, "reduceOp", dist.ReduceOp.SUM)
    kind = getattr(kind, "op", kind)
    for known in _OPS:
        if getattr(known, "op", known) == kind:
            return known
    raise RuntimeError(f"hccl has no reduction {kind}; it has SUM, AVG, PRODUCT, MAX and MIN")


def _number(op: Any, tensor: torch.Tensor) -> int:
    """Of bool, a sum is "any" and a product is "all"."""
    if tensor.dtype == torch.bool:
        return _OPS[dist.ReduceOp.MAX if _OPS[op] in (0, 2) else dist.ReduceOp.MIN]
    return _OPS[op]


class ProcessGroupHCCL(dist.ProcessGroup):
    """Each rank is a process of this machine with a device of its own. Tensors of the host go
    through the device."""

    class Options:
        """Options of the vendor's groups. They are kept and change nothing."""

        def __init__(self, is_high_priority_stream: bool = False) -> None:
            self.is_high_priority_stream = is_high_priority_stream
            self.op_timeout: Any = None
            self.hccl_config: dict[str, Any] = {}
            self.global_ranks_in_group: list[int] = []
            self.group_id = ""

    def __init__(self, store: Any, rank: int, size: int, timeout: Any = None) -> None:
        super().__init__(rank, size)
        self._store, self._own, self._ranks = store, rank, size
        self._communicator: Communicator | None = None

    def getBackendName(self) -> str:
        return "hccl"

    def name(self) -> str:
        return "hccl"

    def _get_backend(self, device: Any) -> ProcessGroupHCCL:
        return self  # torch 2 has a backend for each kind of device

    def get_hccl_comm_name(self, rank: int, init_comm: bool = True) -> str:
        """What operators know the group by. Its communicator is made if there is none, for which
        all ranks have to ask; with init_comm False the name is empty then."""
        if self._communicator is None and not init_comm:
            return ""
        return self._on().name()

    def get_hccl_comm(self, rank: int) -> int:
        """The HcclComm of this process, for calls in C++."""
        return self._on().handle()

    def _on(self, *tensors: torch.Tensor) -> Communicator:
        if self._communicator is None:
            named = [tensor.device for tensor in tensors if tensor.device.type == "npu"]
            where = named[0] if named else torch.device("npu", current_device())
            self._communicator = Communicator(self._store, self._own, self._ranks, where)
        for tensor in tensors:
            if tensor.device.type == "npu" and tensor.device != self._communicator.device:
                raise RuntimeError(f"the group's rank {self._own} is on "
                                   f"{self._communicator.device}, a tensor on {tensor.device}")
        return self._communicator

    def _sent(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().to(self._on(tensor).device).contiguous()

    def _flat(self, tensors: _Tensors) -> torch.Tensor:
        return torch.cat([self._sent(tensor).reshape(-1) for tensor in tensors])

    def _filled(self, tensors: _Tensors, fill: Callable[[torch.Tensor], None]) -> Work:
        """What `fill` writes to a tensor on the device ends up in `tensors`, one behind the other."""
        self._on(*tensors)
        whole = len(tensors) == 1 and tensors[0].is_npu and tensors[0].is_contiguous()
        made = tensors[0].detach() if whole else self._flat(tensors)
        fill(made)
        if not whole:
            with torch.no_grad():
                sizes = [tensor.numel() for tensor in tensors]
                for tensor, part in zip(tensors, made.reshape(-1).split(sizes)):
                    tensor.copy_(part.view(tensor.shape))
        return _done(tensors)

    def _reduced(self, tensors: _Tensors, op: Any, fill: Callable[[torch.Tensor], None]) -> Work:
        def mean(made: torch.Tensor) -> None:
            fill(made)
            if op == dist.ReduceOp.AVG:
                made.div_(self._ranks)

        return self._filled(tensors, mean)

    # --- in place

    def allreduce(self, tensors: Any, opts: Any = None) -> Work:
        tensors, op = [tensors] if isinstance(tensors, torch.Tensor) else tensors, _op(opts)
        return self._reduced(tensors, op, lambda made: self._on().all_reduce(made, _number(op, made)))

    allreduce_coalesced = allreduce

    def broadcast(self, tensors: Any, opts: Any = None) -> Work:
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
        root = getattr(opts, "rootRank", 0)
        return self._filled(tensors, lambda made: self._on().broadcast(made, root))

    def reduce(self, tensors: _Tensors, opts: Any = None) -> Work:
        root, op = getattr(opts, "rootRank", 0), _op(opts)

        def fill(made: torch.Tensor) -> None:
            self._on().reduce(made, _number(op, made), root)

        if self._own == root:
            return self._reduced(tensors, op, fill)
        return self._filled(tensors, fill)

    # --- from one tensor to another

    def allgather(self, outputs: Sequence[_Tensors], inputs: _Tensors, opts: Any = None) -> Work:
        sent = self._sent(inputs[0])
        return self._filled(outputs[0], lambda made: self._on().all_gather(made, sent))

    def allgather_coalesced(self, outputs: Sequence[_Tensors], inputs: _Tensors,
                            opts: Any = None) -> Work:
        for rank_outputs, given in zip(zip(*outputs), inputs):
            self.allgather([list(rank_outputs)], [given])
        return _done([tensor for tensors in outputs for tensor in tensors])

    def _allgather_base(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Work:
        return self.allgather([[output]], [input])

    def gather(self, outputs: Sequence[_Tensors], inputs: _Tensors, opts: Any = None) -> Work:
        """All get what the root keeps: HCCL has no operation of this kind."""
        kept = outputs[0] if outputs else [torch.empty_like(inputs[0]) for _ in range(self._ranks)]
        return self.allgather([kept], inputs)

    def reduce_scatter(self, outputs: _Tensors, inputs: Sequence[_Tensors],
                       opts: Any = None) -> Work:
        sent, op = self._flat(inputs[0]), _op(opts)
        return self._reduced(outputs, op, lambda made: self._on().reduce_scatter(
            made, sent, _number(op, made)))

    def _reduce_scatter_base(self, output: torch.Tensor, input: torch.Tensor,
                             opts: Any = None) -> Work:
        return self.reduce_scatter([output], [[input]], opts)

    def scatter(self, outputs: _Tensors, inputs: Sequence[_Tensors], opts: Any = None) -> Work:
        root = getattr(opts, "rootRank", 0)
        sent = self._flat(inputs[0]) if self._own == root else self._sent(outputs[0])
        return self._filled(outputs, lambda made: self._on().scatter(made, sent, root))

    def alltoall_base(self, output: torch.Tensor, input: torch.Tensor, output_sizes: list[int],
                      input_sizes: list[int], opts: Any = None) -> Work:
        def elements(tensor: torch.Tensor, rows: list[int]) -> list[int]:
            if not rows:
                return [tensor.numel() // self._ranks] * self._ranks
            of_row = tensor[0].numel() if tensor.shape[0] > 0 else 0
            return [row * of_row for row in rows]

        sent = self._sent(input)
        return self._filled([output], lambda made: self._on().all_to_all(
            made, sent, elements(output, output_sizes), elements(input, input_sizes)))

    def alltoall(self, outputs: _Tensors, inputs: _Tensors, opts: Any = None) -> Work:
        sent = self._flat(inputs)
        return self._filled(outputs, lambda made: self._on().all_to_all(
            made, sent, [tensor.numel() for tensor in outputs],
            [tensor.numel() for tensor in inputs]))

    # --- between two

    def send(self, tensors: _Tensors, rank: int, tag: int) -> Work:
        with self._on(*tensors).messages("to", rank):
            for tensor in tensors:
                self._on().send(self._sent(tensor), rank)
            return _done(tensors)

    def recv(self, tensors: _Tensors, rank: int, tag: int) -> Work:
        with self._on(*tensors).messages("from", rank):
            return self._filled(tensors, lambda made: self._on().receive(made, rank))

    def barrier(self, opts: Any = None) -> Work:
        self._on().barrier()
        torch.npu.synchronize()
        return _done([])
