"""Norms that are fused with what stands before or behind them, softmax with a mask, and losses."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from . import _checks as checks
from ._checks import require
from .elementwise import npu_rms_norm

SCHEMAS = (
    "npu_gemma_rms_norm(Tensor self, Tensor gamma, float epsilon=1e-06) -> (Tensor, Tensor)",
    "npu_add_rms_norm_cast(Tensor x1, Tensor x2, Tensor gamma, float epsilon=1e-06) -> "
    "(Tensor, Tensor, Tensor, Tensor)",
    "npu_rms_norm_backward(Tensor dy, Tensor self, Tensor gamma, Tensor rstd) -> (Tensor, Tensor)",
    "npu_add_layer_norm(Tensor x1, Tensor x2, Tensor gamma, Tensor beta, float epsilon=1e-05, "
    "bool additional_output=False) -> (Tensor, Tensor, Tensor, Tensor)",
    "npu_deep_norm(Tensor x, Tensor gx, Tensor beta, Tensor gamma, float alpha=0.3, "
    "float epsilon=1e-06) -> (Tensor, Tensor, Tensor)",
    "npu_layer_norm_eval(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
    "float eps=1e-05) -> Tensor",
    "npu_group_norm_silu(Tensor input, Tensor? weight, Tensor? bias, int group, float eps=0.00001) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_group_norm_swish(Tensor input, int num_groups, Tensor weight, Tensor bias, float? eps=1e-5, "
    "float? swish_scale=1.0) -> (Tensor, Tensor, Tensor)",
    "npu_scaled_masked_softmax(Tensor x, Tensor mask, Scalar scale=1, bool fixed_triu_mask=False) -> "
    "Tensor",
    "npu_masked_softmax_with_rel_pos_bias(Tensor x, Tensor? atten_mask, Tensor relative_pos_bias, "
    "float scale_value=1.0, int inner_precision_mode=0) -> Tensor",
    "npu_attn_softmax_(Tensor(a!) self) -> Tensor(a!)",
    "npu_cross_entropy_loss(Tensor input, Tensor target, Tensor? weight=None, str reduction='mean', "
    "int ignore_index=-100, float label_smoothing=0.0, float lse_square_scale_for_zloss=0.0, "
    "bool return_zloss=False) -> (Tensor, Tensor, Tensor, Tensor)",
    "npu_softmax_cross_entropy_with_logits(Tensor self, Tensor labels) -> Tensor",
)


def npu_gemma_rms_norm(self: torch.Tensor, gamma: torch.Tensor,
                       epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """npu_rms_norm with 1 + gamma in place of gamma."""
    return npu_rms_norm(self, gamma.float() + 1, epsilon)


def npu_add_rms_norm_cast(x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor,
                          epsilon: float = 1e-6) -> tuple[torch.Tensor, ...]:
    """npu_add_rms_norm, whose result comes in float32 too: float32, the type of x1, rstd, x1 + x2."""
    total = x1 + x2
    y, factor = npu_rms_norm(total, gamma, epsilon)
    return y.float(), y, factor, total


def npu_rms_norm_backward(dy: torch.Tensor, self: torch.Tensor, gamma: torch.Tensor,
                          rstd: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of npu_rms_norm for self, in its type, and for gamma, in float32."""
    dims = tuple(range(-gamma.dim(), 0))
    wide, given = self.float() * rstd, dy.float() * gamma.float()
    of_self = (given - wide * (given * wide).mean(dims, keepdim=True)) * rstd
    of_gamma = dy.float() * wide
    others = tuple(range(self.dim() - gamma.dim()))
    return of_self.to(self.dtype), of_gamma.sum(others) if others else of_gamma


def _standard(x: torch.Tensor, dims: Any, epsilon: float) -> tuple[torch.Tensor, ...]:
    """Of float32: with mean 0 and variance 1 over dims; the mean; the reciprocal of the deviation."""
    mean = x.mean(dims, keepdim=True)
    factor = torch.rsqrt((x - mean).pow(2).mean(dims, keepdim=True) + epsilon)
    return (x - mean) * factor, mean, factor


def npu_add_layer_norm(x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor,
                       epsilon: float = 1e-5,
                       additional_output: bool = False) -> tuple[torch.Tensor, ...]:
    """The layer norm of x1 + x2, its mean and reciprocal deviation in float32, and x1 + x2, which has
    no elements unless additional_output asks for it."""
    dims = tuple(range(-gamma.dim(), 0))
    total = x1.float() + x2.float()
    normed, mean, factor = _standard(total, dims, epsilon)
    kept = total.to(x1.dtype) if additional_output else total.new_empty(0, dtype=x1.dtype)
    return (normed * gamma.float() + beta.float()).to(x1.dtype), mean, factor, kept


def npu_deep_norm(x: torch.Tensor, gx: torch.Tensor, beta: torch.Tensor, gamma: torch.Tensor,
                  alpha: float = 0.3, epsilon: float = 1e-6) -> tuple[torch.Tensor, ...]:
    """The layer norm of alpha * x + gx: its mean and reciprocal deviation in float32, and itself."""
    dims = tuple(range(-gamma.dim(), 0))
    normed, mean, factor = _standard(x.float() * alpha + gx.float(), dims, epsilon)
    return mean, factor, (normed * gamma.float() + beta.float()).to(x.dtype)


def npu_layer_norm_eval(input: torch.Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None,
                        eps: float = 1e-5) -> torch.Tensor:
    wide = F.layer_norm(input.float(), list(normalized_shape), None if weight is None else weight.float(),
                        None if bias is None else bias.float(), eps)
    return wide.to(input.dtype)


def _grouped(name: str, input: torch.Tensor, weight: Any, bias: Any, groups: int,
             eps: float) -> tuple[torch.Tensor, ...]:
    require(name, input.dim() >= 2 and groups > 0 and input.shape[1] % groups == 0,
            f"{groups} groups do not divide the channels of {list(input.shape)}")
    parts = input.float().reshape(input.shape[0], groups, -1)
    normed, mean, factor = _standard(parts, -1, eps)
    normed = normed.view(input.shape)
    along = (1, -1) + (1,) * (input.dim() - 2)
    if weight is not None:
        normed = normed * weight.float().view(along)
    if bias is not None:
        normed = normed + bias.float().view(along)
    return normed, mean.squeeze(-1), factor.squeeze(-1)


def npu_group_norm_silu(input: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None,
                        group: int, eps: float = 1e-5) -> tuple[torch.Tensor, ...]:
    """SiLU of the group norm of [n, c, ...], and mean and reciprocal deviation, [n, group]."""
    normed, mean, factor = _grouped("npu_group_norm_silu", input, weight, bias, group, eps)
    return F.silu(normed).to(input.dtype), mean.to(input.dtype), factor.to(input.dtype)


def npu_group_norm_swish(input: torch.Tensor, num_groups: int, weight: torch.Tensor, bias: torch.Tensor,
                         eps: float | None = 1e-5,
                         swish_scale: float | None = 1.0) -> tuple[torch.Tensor, ...]:
    """y * sigmoid(swish_scale * y) for the group norm y, and mean and reciprocal deviation."""
    normed, mean, factor = _grouped("npu_group_norm_swish", input, weight, bias, num_groups,
                                    1e-5 if eps is None else eps)
    scale = 1.0 if swish_scale is None else swish_scale
    out = normed * torch.sigmoid(scale * normed)
    return out.to(input.dtype), mean.to(weight.dtype), factor.to(weight.dtype)


def npu_scaled_masked_softmax(x: torch.Tensor, mask: torch.Tensor, scale: Any = 1,
                              fixed_triu_mask: bool = False) -> torch.Tensor:
    """The softmax of x * scale over the last dimension, where elements that the mask has count as
    -10000. mask: bool, in a shape that spreads to that of x. fixed_triu_mask must be False."""
    name = "npu_scaled_masked_softmax"
    require(name, not fixed_triu_mask, "fixed_triu_mask is reserved and must be False")
    checks.require_type(name, "mask", mask, torch.bool)
    checks.require_type(name, "x", x, torch.float16, torch.bfloat16, torch.float32)
    return torch.softmax((x.float() * float(scale)).masked_fill(mask, -10000.0), -1).to(x.dtype)


def npu_masked_softmax_with_rel_pos_bias(
        x: torch.Tensor, atten_mask: torch.Tensor | None, relative_pos_bias: torch.Tensor,
        scale_value: float = 1.0, inner_precision_mode: int = 0) -> torch.Tensor:
    """The softmax of x * scale_value + atten_mask + relative_pos_bias.

    x: [b, w, n, s1, s2] or [b w, n, s1, s2]; atten_mask: [w, s1, s2] or [w, 1, s1, s2], added;
    relative_pos_bias: [n, s1, s2]."""
    name = "npu_masked_softmax_with_rel_pos_bias"
    checks.require_dim(name, "x", x, 4, 5)
    wide = x.float() * scale_value + relative_pos_bias.float()
    if atten_mask is not None:
        windows = atten_mask.numel() // (x.shape[-1] * x.shape[-2])
        mask = atten_mask.float().reshape(windows, 1, *x.shape[-2:])
        wide = (wide.reshape(-1, windows, *x.shape[-3:]) + mask).reshape(x.shape)
    return torch.softmax(wide, -1).to(x.dtype)


def npu_attn_softmax_(self: torch.Tensor) -> torch.Tensor:
    return self.copy_(torch.softmax(self.float(), -1))


def npu_cross_entropy_loss(
        input: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None,
        reduction: str = "mean", ignore_index: int = -100, label_smoothing: float = 0.0,
        lse_square_scale_for_zloss: float = 0.0,
        return_zloss: bool = False) -> tuple[torch.Tensor, ...]:
    """The loss, [n] without reduction, else [1]; the logarithms of the softmax [n, c]; and two tensors
    without elements, for the loss of the scale, which is reserved.

    input: [n, c]; target: int64 [n]; weight: float32 [c]."""
    name = "npu_cross_entropy_loss"
    checks.lacks(name, lse_square_scale_for_zloss=bool(lse_square_scale_for_zloss),
                 return_zloss=return_zloss)
    require(name, reduction in ("mean", "sum", "none"),
            f"reduction is {reduction!r}, allowed are 'mean', 'sum' and 'none'")
    checks.require_dim(name, "input", input, 2)
    checks.require_shape(name, "target", target, input.shape[:1])
    wide = input.float()
    # A number below 0 names no class to leave out.
    loss = F.cross_entropy(wide, target, None if weight is None else weight.float(), reduction=reduction,
                           ignore_index=ignore_index, label_smoothing=label_smoothing)
    loss = loss if reduction == "none" else loss.reshape(1)
    nothing = torch.empty(0, dtype=input.dtype, device=input.device)
    return loss.to(input.dtype), torch.log_softmax(wide, -1).to(input.dtype), nothing, nothing.clone()


def npu_softmax_cross_entropy_with_logits(self: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The cross entropy of each row with shares, [n]. self, labels: [n, c]."""
    checks.require_shape("npu_softmax_cross_entropy_with_logits", "labels", labels, self.shape)
    return -(labels.float() * torch.log_softmax(self.float(), -1)).sum(-1).to(self.dtype)
