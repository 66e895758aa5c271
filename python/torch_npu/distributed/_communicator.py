"""Collective operations of the runtime (hccl/hccl.h) on tensors."""

from __future__ import annotations

import ctypes
from typing import Any, Sequence

import torch

from ..npu import current_stream
from ..npu._library import call

_ROOT_INFO_BYTES = 4108
# HcclDataType
_TYPES = {torch.int8: 0, torch.int16: 1, torch.int32: 2, torch.float16: 3, torch.float32: 4,
          torch.int64: 5, torch.uint8: 7, torch.float64: 10, torch.bfloat16: 11, torch.bool: 7}


def _place(tensor: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())


def _type(tensor: torch.Tensor) -> int:
    if tensor.dtype not in _TYPES:
        raise TypeError(f"Unsupported data type for HCCL process group: {tensor.dtype}")
    return _TYPES[tensor.dtype]


class Communicator:
    """One for each group of processes. The ranks meet in the constructor, by the store of the group."""

    def __init__(self, store: Any, rank: int, size: int) -> None:
        info = ctypes.create_string_buffer(_ROOT_INFO_BYTES)
        torch.npu.init()
        if rank == 0:
            call("HcclGetRootInfo", info)
            store.set("hccl_root", info.raw.hex())
        else:
            info.raw = bytes.fromhex(store.get("hccl_root").decode())
        self._handle = ctypes.c_void_p()
        call("HcclCommInitRootInfo", ctypes.c_uint32(size), info, ctypes.c_uint32(rank),
              ctypes.byref(self._handle))

    def _run(self, name: str, *arguments: Any) -> None:
        call(name, *arguments, self._handle, current_stream()._as_parameter_)

    def _counted(self, name: str, tensor: torch.Tensor, *buffers: torch.Tensor,
                 more: Sequence[int] = ()) -> None:
        """Operations that take the number of elements of `tensor` and its type behind buffers."""
        self._run(name, *(_place(buffer) for buffer in buffers), ctypes.c_uint64(tensor.numel()),
                  _type(tensor), *(ctypes.c_uint32(number) for number in more))

    def all_reduce(self, tensor: torch.Tensor, op: int) -> None:
        self._counted("HcclAllReduce", tensor, tensor, tensor, more=[op])

    def broadcast(self, tensor: torch.Tensor, root: int) -> None:
        self._counted("HcclBroadcast", tensor, tensor, more=[root])

    def all_gather(self, output: torch.Tensor, input: torch.Tensor) -> None:
        self._counted("HcclAllGather", input, input, output)

    def reduce_scatter(self, output: torch.Tensor, input: torch.Tensor, op: int) -> None:
        self._counted("HcclReduceScatter", output, input, output, more=[op])

    def send(self, tensor: torch.Tensor, peer: int) -> None:
        self._counted("HcclSend", tensor, tensor, more=[peer])

    def recv(self, tensor: torch.Tensor, peer: int) -> None:
        self._counted("HcclRecv", tensor, tensor, more=[peer])

    def all_to_all(self, output: torch.Tensor, input: torch.Tensor, received: Sequence[int],
                   sent: Sequence[int]) -> None:
        """`sent` and `received` are numbers of elements, of the part for and from each rank."""

        def lists(counts: Sequence[int]) -> list[Any]:
            numbers = ctypes.c_uint64 * len(counts)
            begins = [sum(counts[:i]) for i in range(len(counts))]
            return [numbers(*counts), numbers(*begins)]

        self._run("HcclAlltoAllV", _place(input), *lists(sent), _type(input), _place(output),
                  *lists(received), _type(output))

    def barrier(self) -> None:
        self._run("HcclBarrier")
        torch.npu.synchronize()
