"""Functions that torch has under other names."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from . import _checks as checks
from ._checks import require

_CONVOLUTION = ("Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
                "int groups")
SCHEMAS = (
    "npu_transpose(Tensor self, int[] perm, bool require_contiguous=True) -> Tensor",
    "npu_reshape(Tensor self, int[] shape, bool can_refresh=False) -> Tensor",
    "npu_broadcast(Tensor self, int[] size) -> Tensor",
    "npu_slice(Tensor self, int[] offsets, int[] size) -> Tensor",
    "npu_pad(Tensor input, int[] paddings) -> Tensor",
    "npu_one_hot(Tensor self, int num_classes=-1, int depth=1, Scalar on_value=1, Scalar off_value=0) "
    "-> Tensor",
    "npu_max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    "npu_min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    "npu_sort_v2(Tensor self, int dim=-1, bool descending=False) -> Tensor",
    "npu_mish(Tensor self) -> Tensor",
    "npu_silu_(Tensor(a!) self) -> Tensor(a!)",
    "npu_gelu_mul(Tensor input, *, str approximate='none') -> Tensor",
    "npu_geglu(Tensor self, int dim=-1, int approximate=1, bool activate_left=False) -> (Tensor, Tensor)",
    "npu_clipped_swiglu(Tensor x, *, Tensor? group_index=None, int dim=-1, float alpha=1.702, "
    "float limit=7.0, float bias=1.0, bool interleaved=True) -> Tensor",
    f"npu_conv2d({_CONVOLUTION}) -> Tensor",
    f"npu_conv3d({_CONVOLUTION}) -> Tensor",
    f"npu_convolution({_CONVOLUTION}) -> Tensor",
    "npu_conv_transpose2d(Tensor input, Tensor weight, Tensor? bias, int[] padding, "
    "int[] output_padding, int[] stride, int[] dilation, int groups) -> Tensor",
    "npu_scatter(Tensor self, Tensor indices, Tensor updates, int dim) -> Tensor",
    "npu_prefetch(Tensor self, Tensor? dependency, int max_size, int offset=0) -> ()",
)


def npu_transpose(self: torch.Tensor, perm: Any, require_contiguous: bool = True) -> torch.Tensor:
    return self.permute(*perm).contiguous()


def npu_reshape(self: torch.Tensor, shape: Any, can_refresh: bool = False) -> torch.Tensor:
    return self.reshape(*shape).clone()


def npu_broadcast(self: torch.Tensor, size: Any) -> torch.Tensor:
    return self.expand(*size).contiguous()


def npu_slice(self: torch.Tensor, offsets: Any, size: Any) -> torch.Tensor:
    """The part of `size` elements from `offsets` on, -1 for all that are left."""
    for dim, (first, count) in enumerate(zip(offsets, size)):
        self = self.narrow(dim, first, self.shape[dim] - first if count == -1 else count)
    return self.contiguous()


def npu_pad(input: torch.Tensor, paddings: Any) -> torch.Tensor:
    """With zeros: how many before and behind, from the first dimension on."""
    require("npu_pad", len(paddings) == 2 * input.dim(),
            f"paddings has {len(paddings)} numbers, expected are {2 * input.dim()}")
    pairs = list(zip(paddings[::2], paddings[1::2]))
    return F.pad(input, [number for pair in reversed(pairs) for number in pair])


def npu_one_hot(self: torch.Tensor, num_classes: int = -1, depth: int = 1, on_value: Any = 1,
                off_value: Any = 0) -> torch.Tensor:
    """float32 with one more dimension of `depth`: on_value at the number of each element."""
    places = torch.arange(depth, device=self.device)
    hot = self.long()[..., None] == places
    return torch.where(hot, torch.tensor(float(on_value), device=self.device),
                       torch.tensor(float(off_value), device=self.device))


def npu_max(self: torch.Tensor, dim: int, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = self.max(dim, keepdim)
    return values, indices.int()


def npu_min(self: torch.Tensor, dim: int, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = self.min(dim, keepdim)
    return values, indices.int()


def npu_sort_v2(self: torch.Tensor, dim: int = -1, descending: bool = False) -> torch.Tensor:
    return self.sort(dim, descending)[0]


def npu_mish(self: torch.Tensor) -> torch.Tensor:
    return F.mish(self.float()).to(self.dtype)


def npu_silu_(self: torch.Tensor) -> torch.Tensor:
    return self.copy_(F.silu(self.float()))


def npu_gelu_mul(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU of the first half of the last dimension times the second half."""
    first, second = input.float().chunk(2, -1)
    return (F.gelu(first, approximate=approximate) * second).to(input.dtype)


def npu_geglu(self: torch.Tensor, dim: int = -1, approximate: int = 1,
              activate_left: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """One half times GELU of the other, the first with activate_left, and that GELU."""
    first, second = self.float().chunk(2, dim)
    inner, outer = (first, second) if activate_left else (second, first)
    gelu = F.gelu(inner, approximate="tanh" if approximate else "none")
    return (gelu * outer).to(self.dtype), gelu.to(self.dtype)


def npu_clipped_swiglu(x: torch.Tensor, *, group_index: torch.Tensor | None = None, dim: int = -1,
                       alpha: float = 1.702, limit: float = 7.0, bias: float = 1.0,
                       interleaved: bool = True) -> torch.Tensor:
    """a * sigmoid(alpha * a) * (b + bias), where a is at most `limit` and b within it on both sides.

    a and b are the elements of even and odd places along dim, or its halves if not interleaved."""
    name = "npu_clipped_swiglu"
    checks.lacks(name, group_index=group_index)
    last = dim in (-1, x.dim() - 1)
    require(name, last or not interleaved, "interleaved goes with the last dimension")
    wide = x.float()
    first, second = (wide[..., ::2], wide[..., 1::2]) if interleaved else wide.chunk(2, dim)
    first, second = first.clamp(max=limit), second.clamp(-limit, limit)
    return (first * torch.sigmoid(alpha * first) * (second + bias)).to(x.dtype)


def _convolved(input: torch.Tensor, weight: torch.Tensor, bias: Any, stride: Any, padding: Any,
               dilation: Any, groups: int) -> torch.Tensor:
    return torch.convolution(input, weight, bias, list(stride), list(padding), list(dilation), False,
                             [0] * len(stride), groups)


npu_conv2d = npu_conv3d = npu_convolution = _convolved


def npu_conv_transpose2d(input: torch.Tensor, weight: torch.Tensor, bias: Any, padding: Any,
                         output_padding: Any, stride: Any, dilation: Any, groups: int) -> torch.Tensor:
    return torch.convolution(input, weight, bias, list(stride), list(padding), list(dilation), True,
                             list(output_padding), groups)


def npu_scatter(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor, dim: int) -> torch.Tensor:
    """A copy of self, in which the element that `indices` names along dim is that of updates."""
    places = indices.long()
    if places.dim() < self.dim():
        places, updates = places.unsqueeze(dim), updates.unsqueeze(dim)
    return self.scatter(dim, places, updates)


def npu_prefetch(self: torch.Tensor, dependency: torch.Tensor | None, max_size: int,
                 offset: int = 0) -> None:
    """Weights on the way to L2: without effect here."""
    require("npu_prefetch", max_size > 0 and offset >= 0, f"max_size is {max_size}, offset {offset}; they are "
            "above 0 and at least 0")
