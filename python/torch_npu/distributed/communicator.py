"""A communicator of HCCL for the ranks of a group of torch, which are processes of this machine."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator

import torch

from .._formats import require_consecutive
from ..npu import Stream, current_stream, device, stream
from ..npu._library import call

_ROOT_BYTES = 4108  # HCCL_ROOT_INFO_BYTES of hccl/hccl_types.h
_NAME_BYTES = 128  # COMM_NAME_MAX_LENGTH
# HcclDataType; of bool, one byte is moved.
_TYPES = {torch.int8: 0, torch.int16: 1, torch.int32: 2, torch.float16: 3, torch.float32: 4,
          torch.int64: 5, torch.uint8: 7, torch.bool: 7, torch.float64: 10, torch.bfloat16: 11}


class Communicator:
    """Made when a tensor is there, on whose device this rank is then. Its calls are named as those
    of HCCL and queue on the device's current stream; tensors are contiguous."""

    def __init__(self, store: Any, rank: int, size: int, where: torch.device) -> None:
        root = ctypes.create_string_buffer(_ROOT_BYTES)
        if rank == 0:
            call("HcclGetRootInfo", root)
            store.set("hccl_root", root.raw.hex())
        else:
            root.raw = bytes.fromhex(store.get("hccl_root").decode())
        self.rank, self.size, self.device = rank, size, where
        self._streams: dict[tuple[str, int], Stream] = {}
        self._handle = ctypes.c_void_p()
        with device(where):
            current_stream()
            call("HcclCommInitRootInfo", size, root, rank, ctypes.byref(self._handle))

    def name(self) -> str:
        text = ctypes.create_string_buffer(_NAME_BYTES)
        call("HcclGetCommName", self._handle, text)
        return text.value.decode()

    def handle(self) -> int:
        return self._handle.value or 0

    def _queue(self, name: str, *arguments: Any) -> None:
        with device(self.device):
            call(name, *arguments, self._handle, current_stream()._as_parameter_)

    def all_reduce(self, tensor: torch.Tensor, op: int) -> None:
        self._queue("HcclAllReduce", _at(tensor), _at(tensor), _count(tensor), _type(tensor), op)

    def reduce(self, tensor: torch.Tensor, op: int, root: int) -> None:
        self._queue("HcclReduce", _at(tensor), _at(tensor), _count(tensor), _type(tensor), op, root)

    def broadcast(self, tensor: torch.Tensor, root: int) -> None:
        self._queue("HcclBroadcast", _at(tensor), _count(tensor), _type(tensor), root)

    def all_gather(self, output: torch.Tensor, input: torch.Tensor) -> None:
        self._queue("HcclAllGather", _at(input), _at(output), _count(input), _type(input))

    def reduce_scatter(self, output: torch.Tensor, input: torch.Tensor, op: int) -> None:
        self._queue("HcclReduceScatter", _at(input), _at(output), _count(output), _type(input), op)

    def scatter(self, output: torch.Tensor, input: torch.Tensor, root: int) -> None:
        self._queue("HcclScatter", _at(input), _at(output), _count(output), _type(output), root)

    def all_to_all(self, output: torch.Tensor, input: torch.Tensor, received: list[int],
                   sent: list[int]) -> None:
        """Elements of each rank, one behind the other."""
        self._queue("HcclAlltoAllV", _at(input), _words(sent), _words(_starts(sent)), _type(input),
                    _at(output), _words(received), _words(_starts(received)), _type(output))

    @contextlib.contextmanager
    def messages(self, direction: str, rank: int) -> Iterator[None]:
        """Messages "to" or "from" a rank follow each other on a stream of their own, behind what the
        current stream has by now, so that a rank may queue one that it sends before one that it
        receives."""
        if (direction, rank) not in self._streams:
            self._streams[direction, rank] = Stream(self.device)
        own = self._streams[direction, rank]
        own.wait_stream(current_stream(self.device))
        with stream(own):
            yield

    def send(self, tensor: torch.Tensor, rank: int) -> None:
        self._queue("HcclSend", _at(tensor), _count(tensor), _type(tensor), rank)

    def receive(self, tensor: torch.Tensor, rank: int) -> None:
        self._queue("HcclRecv", _at(tensor), _count(tensor), _type(tensor), rank)

    def barrier(self) -> None:
        self._queue("HcclBarrier")


def _at(tensor: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(require_consecutive(tensor, "hccl").data_ptr())


def _count(tensor: torch.Tensor) -> ctypes.c_uint64:
    return ctypes.c_uint64(tensor.numel())


def _type(tensor: torch.Tensor) -> int:
    if tensor.dtype not in _TYPES:
        raise RuntimeError(f"hccl has no data type {tensor.dtype}")
    return _TYPES[tensor.dtype]


def _words(numbers: list[int]) -> Any:
    return (ctypes.c_uint64 * len(numbers))(*numbers)


def _starts(counts: list[int]) -> list[int]:
    return [sum(counts[:i]) for i in range(len(counts))]
