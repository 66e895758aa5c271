"""Layouts and types of tensors by the public functions. Tensors of torch have the layout ND here."""

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


# Whatever order their dimensions are said to have, elements of these lie as those of ND.
_CONSECUTIVE = (Format.UNDEFINED, Format.NCHW, Format.NHWC, Format.ND, Format.NCDHW, Format.NCL)


def npu_format_cast(tensor: torch.Tensor, acl_format: int) -> torch.Tensor:
    """Tensors of torch have the layout ND (2) here. Raises RuntimeError for another."""
    if acl_format not in _CONSECUTIVE:
        raise RuntimeError(f"davsim: tensors of torch have the layout ND; found format {acl_format}")
    return tensor


npu_format_cast_ = npu_format_cast


def get_npu_format(tensor: torch.Tensor) -> int:
    return Format.ND


def empty_with_format(size: Any, dtype: Any = None, device: Any = "npu", acl_format: int = 2,
                      **ignored: Any) -> torch.Tensor:
    return npu_format_cast(torch.empty(size, dtype=dtype, device=device), acl_format)


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
