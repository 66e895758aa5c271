"""Norms, activations and rotary positions."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

SCHEMAS = (
    "npu_rms_norm(Tensor self, Tensor gamma, float epsilon=1e-06) -> (Tensor, Tensor)",
    "npu_add_rms_norm(Tensor x1, Tensor x2, Tensor gamma, float epsilon=1e-06) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_swiglu(Tensor self, int dim=-1) -> Tensor",
    "npu_gelu(Tensor self, *, str approximate='none') -> Tensor",
    "npu_fast_gelu(Tensor self) -> Tensor",
    "fast_gelu(Tensor self) -> Tensor",
    "npu_silu(Tensor self) -> Tensor",
    "npu_rotary_mul(Tensor self, Tensor r1, Tensor r2, str rotary_mode='half') -> Tensor",
    "npu_linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    "npu_confusion_transpose(Tensor self, int[] perm, int[] shape, bool transpose_first) -> Tensor",
)


def npu_rms_norm(self: torch.Tensor, gamma: torch.Tensor,
                 epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """self * rstd * gamma, in the shape and type of self, and rstd, the reciprocal of the root of the
    mean square over the dimensions of gamma, in float32 with sizes of 1 there. Raises RuntimeError if
    gamma has not the last dimensions of self."""
    dims = tuple(range(-gamma.dim(), 0))
    if self.shape[self.dim() - gamma.dim():] != gamma.shape:
        raise RuntimeError(f"npu_rms_norm: gamma is {list(gamma.shape)}, which are not the last "
                           f"dimensions of {list(self.shape)}")
    wide = self.float()
    factor = torch.rsqrt(wide.pow(2).mean(dims, keepdim=True) + epsilon)
    return (wide * factor * gamma.float()).to(self.dtype), factor


def npu_add_rms_norm(x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor,
                     epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    total = x1 + x2
    y, factor = npu_rms_norm(total, gamma, epsilon)
    return y, factor, total


def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    first, second = self.float().chunk(2, dim)
    return (F.silu(first) * second).to(self.dtype)


def npu_gelu(self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    return F.gelu(self.float(), approximate=approximate).to(self.dtype)


def npu_fast_gelu(self: torch.Tensor) -> torch.Tensor:
    wide = self.float()
    return (wide * torch.sigmoid(1.702 * wide)).to(self.dtype)


fast_gelu = npu_fast_gelu


def npu_silu(self: torch.Tensor) -> torch.Tensor:
    return F.silu(self.float()).to(self.dtype)


def npu_rotary_mul(self: torch.Tensor, r1: torch.Tensor, r2: torch.Tensor,
                   rotary_mode: str = "half") -> torch.Tensor:
    wide = self.float()
    if rotary_mode == "half":
        first, second = wide.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    elif rotary_mode == "interleave":
        turned = torch.stack((-wide[..., 1::2], wide[..., ::2]), -1).flatten(-2)
    else:
        raise RuntimeError(f"npu_rotary_mul: rotary_mode is {rotary_mode!r}, allowed are 'half' and "
                           "'interleave'")
    return (wide * r1.float() + turned * r2.float()).to(self.dtype)


def npu_linear(input: torch.Tensor, weight: torch.Tensor,
               bias: torch.Tensor | None = None) -> torch.Tensor:
    return F.linear(input, weight, bias)


def npu_confusion_transpose(self: torch.Tensor, perm: Any, shape: Any,
                            transpose_first: bool) -> torch.Tensor:
    if transpose_first:
        return self.permute(*perm).contiguous().view(*shape)
    return self.view(*shape).permute(*perm)
