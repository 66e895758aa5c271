"""Layouts and types of tensors by the public functions. Tensors lie in ND, and matrices in FRACTAL_NZ
if a program asks for it."""

from __future__ import annotations

import enum
from typing import Any

import torch

from davsim import _patch


class Format(enum.IntEnum):
    """Layouts by their numbers in AscendCL."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47


def npu_format_cast(tensor: torch.Tensor, acl_format: Any) -> torch.Tensor:
    """The tensor itself if it lies in this layout, else a copy. Layouts are ND (2), those that lie as ND,
    and for tensors of two dimensions and more FRACTAL_NZ (29), in fractals of 16 rows by 32 bytes. Raises
    RuntimeError for another. acl_format may be a tensor, whose layout counts."""
    if torch.is_tensor(acl_format):
        acl_format = get_npu_format(acl_format)
    return torch.ops.davsim_torch.format_cast(tensor, int(acl_format))


def npu_format_cast_(tensor: torch.Tensor, acl_format: Any) -> torch.Tensor:
    """Gives the tensor itself another layout."""
    cast = npu_format_cast(tensor.detach(), acl_format)
    if get_npu_format(cast) != get_npu_format(tensor):
        tensor.data = cast
    return tensor


def get_npu_format(tensor: torch.Tensor) -> int:
    """2 for ND, 29 for FRACTAL_NZ."""
    return Format(torch.ops.davsim_torch.format_of(tensor))


def require_consecutive(tensor: torch.Tensor, what: str) -> torch.Tensor:
    """The tensor. Raises RuntimeError if it lies in FRACTAL_NZ, for those who need its memory in order."""
    if tensor.device.type == "npu" and get_npu_format(tensor) == Format.FRACTAL_NZ:
        raise RuntimeError(f"davsim: {what} takes no tensor in the layout FRACTAL_NZ (29); "
                           "npu_format_cast(tensor, 2) gives one in ND")
    return tensor


def empty_with_format(size: Any, dtype: Any = None, device: Any = "npu", acl_format: int = 2,
                      **ignored: Any) -> torch.Tensor:
    return npu_format_cast(torch.empty(size, dtype=dtype, device=device), acl_format)


def empty_with_swapped_memory(size: Any, *, dtype: Any = None, device: Any = "npu") -> torch.Tensor:
    """A tensor in the memory that device and host share: all memory of the simulated device is so."""
    return torch.empty(size, dtype=dtype, device=device or "npu")


def npu_dtype_cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype)


def npu_dtype_cast_(tensor: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Puts the elements of `other` into `tensor`, in the tensor's own type."""
    return tensor.copy_(other)


def register() -> None:
    """The same as torch.ops.npu.*."""
    for schema, function in (
            ("npu_format_cast(Tensor self, int acl_format) -> Tensor", npu_format_cast),
            ("npu_dtype_cast(Tensor self, ScalarType dtype) -> Tensor", npu_dtype_cast),
            ("get_npu_format(Tensor self) -> int", get_npu_format)):
        _patch.register_operator(schema, function)
