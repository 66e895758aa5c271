"""Layers of experts in one function: products of groups and what stands between and behind them."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
import torch.nn.functional as F

from . import _checks as checks
from ._checks import require, to_int8, unpack_int4, whole_product
from .grouped import Group, antiquant, fast_gelu, whole_result

WHOLE = (
    "npu_grouped_matmul_swiglu_quant(Tensor x, Tensor weight, Tensor group_list, "
    "Tensor weight_scale, Tensor x_scale, *, Tensor? bias=None, Tensor? offset=None) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_grouped_matmul_swiglu_quant_v2(Tensor x, Tensor[] weight, Tensor[] weight_scale, "
    "Tensor x_scale, Tensor group_list, *, Tensor? smooth_scale=None, "
    "Tensor[]? weight_assist_matrix=None, Tensor? bias=None, int? dequant_mode=0, "
    "int? dequant_dtype=0, int? quant_mode=0, int? quant_dtype=0, int? group_list_type=0, "
    "int[]? tuning_config=None) -> (Tensor, Tensor)",
    "npu_grouped_matmul_finalize_routing(Tensor x, Tensor w, Tensor group_list, *, "
    "Tensor? scale=None, Tensor? bias=None, Tensor? offset=None, Tensor? pertoken_scale=None, "
    "Tensor? shared_input=None, Tensor? logit=None, Tensor? row_index=None, ScalarType? dtype=None, "
    "float? shared_input_weight=1.0, int? shared_input_offset=0, int? output_bs=0, "
    "int? group_list_type=1, int[]? tuning_config=None) -> Tensor",
    "npu_grouped_matmul_add_(Tensor(a!) self, Tensor x, Tensor weight, Tensor group_list, *, "
    "bool transpose_x=True, bool transpose_weight=False, int group_type=2) -> Tensor(a!)",
    "npu_ffn(Tensor x, Tensor weight1, Tensor weight2, str activation, *, int[]? expert_tokens=None, "
    "int[]? expert_tokens_index=None, Tensor? bias1=None, Tensor? bias2=None, Tensor? scale=None, "
    "Tensor? offset=None, Tensor? deq_scale1=None, Tensor? deq_scale2=None, "
    "Tensor? antiquant_scale1=None, Tensor? antiquant_scale2=None, Tensor? antiquant_offset1=None, "
    "Tensor? antiquant_offset2=None, int? inner_precise=None, ScalarType? output_dtype=None) -> Tensor",
)


def _halves(activation: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., torch.Tensor]:
    def gated(x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return activation(first) * second

    return gated


_OF_FFN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "fastgelu": fast_gelu, "gelu": F.gelu, "relu": torch.relu, "silu": F.silu,
    "geglu": _halves(F.gelu), "swiglu": _halves(F.silu), "reglu": _halves(torch.relu)}


def _swiglu_of(name: str, x: torch.Tensor, weight: torch.Tensor, weight_scale: torch.Tensor,
               x_scale: torch.Tensor, sizes: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    checks.require_type(name, "x", x, torch.int8)
    if weight.dtype == torch.int32:
        weight = unpack_int4(weight)
    checks.require_type(name, "weight", weight, torch.int8)
    checks.require_dim(name, "weight", weight, 3)
    require(name, x.shape[1] == weight.shape[1], f"x is {list(x.shape)} and weight {list(weight.shape)}: "
            "k differs")
    require(name, len(sizes) == weight.shape[0], f"group_list has {len(sizes)} elements, weight "
            f"{weight.shape[0]} groups")
    checks.require_shape(name, "weight_scale", weight_scale, (weight.shape[0], weight.shape[2]))
    out = torch.zeros(x.shape[0], weight.shape[2] // 2, dtype=torch.int8)
    scales = torch.zeros(x.shape[0])
    first = 0
    for number, size in enumerate(sizes):
        rows = slice(first, first + size)
        first += size
        if size == 0:
            continue
        product = whole_product(x[rows], weight[number]).float() * weight_scale[number].float()
        product = product * x_scale[rows].float()[:, None]
        left, right = product.chunk(2, -1)
        gated = F.silu(left) * right
        scale = gated.abs().amax(-1) / 127
        scales[rows] = scale
        safe = torch.where(scale == 0, torch.ones_like(scale), scale)
        out[rows] = to_int8(gated / safe[:, None])
    return out, scales


def npu_grouped_matmul_swiglu_quant(
        x: torch.Tensor, weight: torch.Tensor, group_list: torch.Tensor, weight_scale: torch.Tensor,
        x_scale: torch.Tensor, *, bias: Any = None,
        offset: Any = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Products of groups, the first half's SiLU times the second half, and int8 with a scale of each row.

    x: int8 [m, k]; weight: int8 [e, k, n]; group_list: int64 [e], the end of each group;
    weight_scale: float32 [e, n]; x_scale: float32 [m]. Returns int8 [m, n / 2], float32 [m], and an
    empty tensor. Rows behind the last group are 0."""
    name = "npu_grouped_matmul_swiglu_quant"
    checks.reserved(name, bias=bias, offset=offset)
    sizes = checks.group_sizes(name, group_list, 0, x.shape[0])
    return (*_swiglu_of(name, x, weight, weight_scale, x_scale, sizes), torch.empty(0))


def npu_grouped_matmul_swiglu_quant_v2(
        x: torch.Tensor, weight: Sequence[torch.Tensor], weight_scale: Sequence[torch.Tensor],
        x_scale: torch.Tensor, group_list: torch.Tensor, *, smooth_scale: Any = None,
        weight_assist_matrix: Any = None, bias: Any = None, dequant_mode: Any = 0,
        dequant_dtype: Any = 0, quant_mode: Any = 0, quant_dtype: Any = 0, group_list_type: Any = 0,
        tuning_config: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
    """As the first version, with lists of one weight of all groups, or of one for each."""
    name = "npu_grouped_matmul_swiglu_quant_v2"
    checks.reserved(name, smooth_scale=smooth_scale, weight_assist_matrix=weight_assist_matrix, bias=bias)
    checks.lacks(name, dequant_mode=bool(dequant_mode), quant_mode=bool(quant_mode),
                 quant_dtype=bool(quant_dtype))
    sizes = checks.group_sizes(name, group_list, group_list_type or 0, x.shape[0])
    whole = weight[0] if weight[0].dim() == 3 else torch.stack(list(weight))
    scale = weight_scale[0] if weight_scale[0].dim() == 2 else torch.stack(list(weight_scale))
    return _swiglu_of(name, x, whole, scale, x_scale, sizes)


def npu_grouped_matmul_finalize_routing(
        x: torch.Tensor, w: torch.Tensor, group_list: torch.Tensor, *, scale: Any = None,
        bias: Any = None, offset: Any = None, pertoken_scale: Any = None, shared_input: Any = None,
        logit: Any = None, row_index: Any = None, dtype: Any = None,
        shared_input_weight: float | None = 1.0, shared_input_offset: int | None = 0,
        output_bs: int | None = 0, group_list_type: int | None = 1,
        tuning_config: Any = None) -> torch.Tensor:
    """Products of groups, each row times its logit added to row row_index of the result.

    x: int8 [m, k]; w: int8 [e, k, n]; group_list: int64 [e], sizes, or ends with group_list_type 0;
    scale: float32 [e, n]; pertoken_scale, logit: float32 [m]; row_index: [m]. shared_input [s, n]
    times shared_input_weight is added to the rows from shared_input_offset on. Returns float32
    [output_bs, n]; output_bs 0: as many rows as x."""
    name = "npu_grouped_matmul_finalize_routing"
    checks.lacks(name, weights_of_int4=w.dtype != torch.int8, bias=bias, offset=offset)
    require(name, scale is not None and row_index is not None, "scale and row_index are needed")
    require(name, x.shape[1] == w.shape[1], f"x is {list(x.shape)} and w {list(w.shape)}: k differs")
    sizes = checks.group_sizes(name, group_list, 1 if group_list_type is None else group_list_type,
                               x.shape[0])
    result = torch.zeros(output_bs or x.shape[0], w.shape[2])
    if shared_input is not None:
        first = shared_input_offset or 0
        weight = 1.0 if shared_input_weight is None else shared_input_weight
        result[first:first + shared_input.shape[0]] += shared_input.float() * weight
    first = 0
    for number, size in enumerate(sizes):
        rows = slice(first, first + size)
        first += size
        product = whole_product(x[rows], w[number]).float() * scale.reshape(w.shape[0], -1)[number].float()
        for factor in (pertoken_scale, logit):
            if factor is not None:
                product = product * factor[rows].float()[:, None]
        result.index_add_(0, row_index[rows].long(), product)
    return result


def npu_grouped_matmul_add_(self: torch.Tensor, x: torch.Tensor, weight: torch.Tensor,
                            group_list: torch.Tensor, *, transpose_x: bool = True,
                            transpose_weight: bool = False, group_type: int = 2) -> torch.Tensor:
    """Adds x_i^T @ weight_i to part i of self, for gradients of weights.

    self: float32 [g m, n] or [g, m, n]; x: [k, m]; weight: [k, n]; group_list: the end of each group
    of k."""
    name = "npu_grouped_matmul_add_"
    require(name, transpose_x and not transpose_weight and group_type == 2,
            "transpose_x is True, transpose_weight False and group_type 2")
    checks.require_type(name, "self", self, torch.float32)
    sizes = checks.group_sizes(name, group_list, 0, x.shape[0])
    parts = self.view(len(sizes), x.shape[1], weight.shape[1])
    first = 0
    for number, size in enumerate(sizes):
        rows = slice(first, first + size)
        first += size
        parts[number] += x[rows].float().t() @ weight[rows].float()
    return self


def npu_ffn(x: torch.Tensor, weight1: torch.Tensor, weight2: torch.Tensor, activation: str, *,
            expert_tokens: Any = None, expert_tokens_index: Any = None, bias1: Any = None,
            bias2: Any = None, scale: Any = None, offset: Any = None, deq_scale1: Any = None,
            deq_scale2: Any = None, antiquant_scale1: Any = None, antiquant_scale2: Any = None,
            antiquant_offset1: Any = None, antiquant_offset2: Any = None, inner_precise: Any = None,
            output_dtype: Any = None) -> torch.Tensor:
    """activation(x @ weight1 + bias1) @ weight2 + bias2, with experts for groups of rows or without.

    x: [..., k]; weight1: [k, n] or [e, k, n]; weight2: [n, k] or [e, n, k]; expert_tokens: rows of
    each expert, expert_tokens_index: their ends. int8 weights of float16 and bfloat16 have
    antiquant_scale1 and 2; int8 x has scale, offset, deq_scale1 and 2. Raises RuntimeError for an
    unknown activation and for shapes that differ."""
    name = "npu_ffn"
    require(name, activation in _OF_FFN,
            f"activation is {activation!r}, allowed are {', '.join(_OF_FFN)}")
    rows = x.reshape(-1, x.shape[-1])
    experts = weight1.dim() == 3
    require(name, experts == bool(expert_tokens or expert_tokens_index),
            "weights of 3 dimensions go with expert_tokens")
    sizes = [rows.shape[0]]
    if experts:
        listed = torch.tensor(list(expert_tokens or expert_tokens_index))
        sizes = checks.group_sizes(name, listed, 1 if expert_tokens else 0, rows.shape[0])
        require(name, sum(sizes) == rows.shape[0] and len(sizes) == weight1.shape[0],
                "expert_tokens has a number for each expert, and their sum is the rows of x")
    kind = x.dtype if x.dtype != torch.int8 else checks.type_of(output_dtype) or torch.float16

    def of(tensor: Any, number: int) -> Any:
        return tensor if tensor is None or not experts else tensor[number]

    parts = []
    for number, part in enumerate(rows.split(sizes)):
        first = Group(0, {what: [of(tensor, number)] for what, tensor in (
            ("weight", weight1), ("bias", bias1), ("scale", deq_scale1),
            ("antiquant_scale", antiquant_scale1), ("antiquant_offset", antiquant_offset1))}, False)
        second = Group(0, {what: [of(tensor, number)] for what, tensor in (
            ("weight", weight2), ("bias", bias2), ("scale", deq_scale2),
            ("antiquant_scale", antiquant_scale2), ("antiquant_offset", antiquant_offset2))}, False)
        if x.dtype == torch.int8:
            require(name, scale is not None, "x of int8 needs scale")
            between = _OF_FFN[activation](whole_result(name, part, first.weight, first, None, 0, kind).float())
            between = between * of(scale, number)
            between = to_int8(between if offset is None else between + of(offset, number))
            parts.append(whole_result(name, between, second.weight, second, None, 0, kind))
            continue
        between = _OF_FFN[activation](_dense(name, part, first))
        parts.append(_dense(name, between, second).to(kind))
    return torch.cat(parts).reshape(*x.shape[:-1], -1)


def _dense(name: str, x: torch.Tensor, group: Group) -> torch.Tensor:
    """In float32."""
    weight = group.weight.float()
    if group.weight.dtype == torch.int8:
        require(name, group.antiquant_scale is not None, "a weight of int8 needs antiquant_scale")
        weight = antiquant(name, weight, group)
    result = x.float() @ weight
    return result if group.bias is None else result + group.bias.float()
