"""Activations and norms whose results are numbers of 8 bits."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from . import _checks as checks
from ._checks import require, to_int8
from .elementwise import npu_rms_norm
from .quantise import as_stored, limits_of, npu_dynamic_quant, safe

WHOLE = (
    "npu_swiglu_quant(Tensor x, *, Tensor? smooth_scales=None, Tensor? offsets=None, "
    "Tensor? group_index=None, bool activate_left=False, int quant_mode=0, int group_list_type=0, "
    "ScalarType? dst_type=None) -> (Tensor, Tensor)",
    "npu_dequant_swiglu_quant(Tensor x, *, Tensor? weight_scale=None, Tensor? activation_scale=None, "
    "Tensor? bias=None, Tensor? quant_scale=None, Tensor? quant_offset=None, Tensor? group_index=None, "
    "bool activate_left=False, int quant_mode=0, int? dst_type=None, int? round_mode=None, "
    "int? activate_dim=None, int swiglu_mode=0, float clamp_limit=7.0, float glu_alpha=1.702, "
    "float glu_bias=1.0) -> (Tensor, Tensor)",
    "npu_dequant_bias(Tensor x, Tensor weight_scale, Tensor? activation_scale, Tensor? bias, *, "
    "ScalarType? output_dtype=None) -> Tensor",
    "npu_add_rms_norm_quant(Tensor x1, Tensor x2, Tensor gamma, Tensor scales1, "
    "Tensor? zero_points1, Tensor? beta=None, Tensor? scales2=None, Tensor? zero_points2=None, *, "
    "int axis=-1, float epsilon=1e-06, bool div_mode=True, int? dst_type=None) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_rms_norm_quant(Tensor x, Tensor gamma, Tensor beta, Tensor scale, Tensor offset, "
    "float epsilon=1e-06) -> Tensor",
    "npu_add_rms_norm_dynamic_quant(Tensor x1, Tensor x2, Tensor gamma, *, Tensor? smooth_scale1=None, "
    "Tensor? smooth_scale2=None, Tensor? beta=None, float epsilon=1e-6, bool[]? output_mask=None) -> "
    "(Tensor, Tensor, Tensor, Tensor, Tensor)",
)


def _gated(x: torch.Tensor, left: bool) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return F.silu(first) * second if left else F.silu(second) * first


def _stored_by(name: str, values: torch.Tensor, mode: int, scales: torch.Tensor | None,
               offsets: torch.Tensor | None, limits: tuple[int, int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Of rows with a factor and an offset each. mode: 0 static, 1 with a scale of each row."""
    if scales is not None:
        values = values * scales
    if mode == 0:
        require(name, scales is not None, "static quantisation needs scales")
        values = values if offsets is None else values + offsets
        return as_stored(name, values, limits), torch.zeros(values.shape[:-1])
    scale = values.abs().amax(-1) / limits[1]
    return as_stored(name, values / safe(scale)[..., None], limits), scale


def _of_rows(values: torch.Tensor | None, sizes: list[int] | None, rows: int) -> torch.Tensor | None:
    """A row, or one number, for each row; rows behind the last group have those of the last."""
    if values is None:
        return None
    wide = values.float()
    if sizes is None:
        return wide.reshape(1, -1)
    wide = wide.reshape(len(sizes), -1)
    counts = torch.tensor([*sizes[:-1], sizes[-1] + rows - sum(sizes)])
    return wide.repeat_interleave(counts, 0)


def npu_swiglu_quant(x: torch.Tensor, *, smooth_scales: torch.Tensor | None = None,
                     offsets: torch.Tensor | None = None, group_index: torch.Tensor | None = None,
                     activate_left: bool = False, quant_mode: int = 0, group_list_type: int = 0,
                     dst_type: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
    """SiLU of one half of the last dimension times the other, times smooth_scales, and int8.

    x: [..., 2 n]; smooth_scales, offsets: float32 [g, n] or [g], one for each group of rows;
    group_index: int32 [g], ends, or sizes with group_list_type 1. activate_left: SiLU of the first
    half. quant_mode: 0 static, 1 dynamic. Returns int8 [..., n] (or int4 in int32 words) and the
    scales float32 [...], which are 0 without quant_mode 1."""
    name = "npu_swiglu_quant"
    require(name, quant_mode in (0, 1), f"quant_mode is {quant_mode}, allowed are 0 and 1")
    limits = (-8, 7) if checks.type_of(dst_type) == torch.quint4x2 else limits_of(name, dst_type)
    require(name, x.dim() > 1 and x.shape[-1] % 2 == 0, "x has at least 2 dimensions, the last is even")
    values = _gated(x.float(), activate_left).reshape(-1, x.shape[-1] // 2)
    sizes = None
    if group_index is not None:
        sizes = checks.group_sizes(name, group_index, group_list_type, values.shape[0])
    scales, shifts = (_of_rows(tensor, sizes, values.shape[0]) for tensor in (smooth_scales, offsets))
    out, scale = _stored_by(name, values, quant_mode, scales, shifts, limits)
    return out.view(*x.shape[:-1], -1), scale.view(x.shape[:-1])


def npu_dequant_swiglu_quant(
        x: torch.Tensor, *, weight_scale: Any = None, activation_scale: Any = None, bias: Any = None,
        quant_scale: Any = None, quant_offset: Any = None, group_index: Any = None,
        activate_left: bool = False, quant_mode: int = 0, dst_type: Any = None, round_mode: Any = None,
        activate_dim: Any = None, swiglu_mode: int = 0, clamp_limit: float = 7.0,
        glu_alpha: float = 1.702, glu_bias: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """(x + bias) * weight_scale * activation_scale, SiLU of one half times the other, times
    quant_scale, and int8.

    x: int32 [m, 2 n] with both scales, or float16 or bfloat16; weight_scale: float32 [g, 2 n];
    activation_scale: float32 [m]; quant_scale: [g, n]; group_index: int64 [g], sizes of groups of
    rows. quant_mode: 0 static, 1 dynamic. Returns int8 [m, n] and float32 [m]. Rows behind the last
    group have the scales of the last. Raises RuntimeError where a scale lacks."""
    name = "npu_dequant_swiglu_quant"
    checks.lacks(name, swiglu_mode=bool(swiglu_mode))
    require(name, quant_mode in (0, 1), f"quant_mode is {quant_mode}, allowed are 0 and 1")
    checks.require_type(name, "x", x, torch.int32, torch.bfloat16, torch.float16)
    require(name, x.shape[-1] % 2 == 0, "the last dimension of x is even")
    require(name, x.dtype != torch.int32 or weight_scale is not None, "x of int32 needs weight_scale")
    require(name, dst_type in (None, 0, 1, 2), f"dst_type is {dst_type}, allowed is int8")
    require(name, activate_dim in (None, -1, x.dim() - 1), "activate_dim is the last")
    rows = x.reshape(-1, x.shape[-1])
    sizes = None
    if group_index is not None:
        require(name, quant_mode == 1, "with group_index quant_mode is 1")
        sizes = checks.group_sizes(name, group_index, 1, rows.shape[0])
    wide = rows.double()
    if bias is not None:
        wide = wide + bias.double().reshape(1, -1)
    values = wide.float()
    if weight_scale is not None:
        values = values * _of_rows(weight_scale, sizes, rows.shape[0])
    if activation_scale is not None:
        values = values * activation_scale.float().reshape(-1, 1)
    scales = _of_rows(quant_scale, sizes, rows.shape[0])
    shifts = _of_rows(quant_offset, sizes, rows.shape[0])
    out, scale = _stored_by(name, _gated(values, activate_left), quant_mode, scales, shifts, (-128, 127))
    return out.view(*x.shape[:-1], -1), scale.view(x.shape[:-1])


def npu_dequant_bias(x: torch.Tensor, weight_scale: torch.Tensor, activation_scale: torch.Tensor | None,
                     bias: torch.Tensor | None, *, output_dtype: Any = None) -> torch.Tensor:
    """(x + bias) * weight_scale * activation_scale for a bias of int32, else with bias added in the end.

    x: int32 [m, n]; weight_scale: [n]; activation_scale: [m]; output_dtype: float16 (None), bfloat16."""
    name = "npu_dequant_bias"
    checks.require_type(name, "x", x, torch.int32)
    checks.require_shape(name, "weight_scale", weight_scale, x.shape[-1:])
    wide = x.double()
    if bias is not None and bias.dtype == torch.int32:
        wide, bias = wide + bias.double(), None
    result = wide.float() * weight_scale.float()
    if activation_scale is not None:
        result = result * activation_scale.float().reshape(-1, 1)
    if bias is not None:
        result = result + bias.float()
    return result.to(checks.type_of(output_dtype) or torch.float16)


def _normed(x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor | None,
            epsilon: float) -> tuple[torch.Tensor, torch.Tensor]:
    """In float32, and the sum in the type of x1."""
    total = x1.float() + x2.float()
    normed = npu_rms_norm(total, gamma.float(), epsilon)[0]
    return (normed if beta is None else normed + beta.float()), total.to(x1.dtype)


def npu_add_rms_norm_quant(
        x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, scales1: torch.Tensor,
        zero_points1: torch.Tensor | None, beta: Any = None, scales2: Any = None, zero_points2: Any = None,
        *, axis: int = -1, epsilon: float = 1e-6, div_mode: bool = True,
        dst_type: Any = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """npu_add_rms_norm, whose result / scales1 + zero_points1 is rounded to int8; * scales1 without
    div_mode. Returns int8 [..., n], a tensor without elements, and x1 + x2."""
    name = "npu_add_rms_norm_quant"
    checks.reserved(name, scales2=scales2, zero_points2=zero_points2)
    require(name, axis in (-1, x1.dim() - 1), "axis is -1")
    require(name, dst_type in (None, 1, 2), f"dst_type is {dst_type}, allowed is int8")
    normed, total = _normed(x1, x2, gamma, beta, epsilon)
    factor = scales1.float()
    values = normed / factor if div_mode else normed * factor
    if zero_points1 is not None:
        values = values + zero_points1.float()
    return to_int8(values), torch.empty(0, dtype=torch.int8), total


def npu_add_rms_norm_dynamic_quant(
        x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, *, smooth_scale1: Any = None,
        smooth_scale2: Any = None, beta: Any = None, epsilon: float = 1e-6,
        output_mask: Any = None) -> tuple[torch.Tensor, ...]:
    """npu_add_rms_norm and npu_dynamic_quant of its result, once for each smooth scale.

    Returns int8 of the first and of the second, x1 + x2, and the scales of rows of both. A second
    one that is not asked for has no elements."""
    normed, total = _normed(x1, x2, gamma, beta, epsilon)
    wanted = list(output_mask) if output_mask else [True, smooth_scale2 is not None]
    results = []
    for there, smooth in zip(wanted, (smooth_scale1, smooth_scale2)):
        if not there:
            results.append((torch.empty(0, dtype=torch.int8), torch.empty(0)))
            continue
        results.append(npu_dynamic_quant(normed, smooth_scales=smooth))
    return results[0][0], results[1][0], total, results[0][1], results[1][1]


def npu_rms_norm_quant(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, scale: torch.Tensor,
                       offset: torch.Tensor, epsilon: float = 1e-6) -> torch.Tensor:
    """(npu_rms_norm + beta) * scale + offset, rounded to int8.

    gamma, beta: [n] or [1, n]; scale: [1]; offset: int8 [1]."""
    normed = npu_rms_norm(x.float(), gamma.float().reshape(-1), epsilon)[0] + beta.float().reshape(-1)
    return to_int8(normed * scale.float() + offset.float())
