"""Products of weights of 8 and 4 bits."""

from __future__ import annotations

from typing import Any

import torch

from . import _checks as checks
from ._checks import require, scale_of, to_int8, unpack_int4, whole_product

WHOLE = (
    "npu_quant_matmul(Tensor x1, Tensor x2, Tensor scale, *, Tensor? offset=None, "
    "Tensor? pertoken_scale=None, Tensor? bias=None, ScalarType? output_dtype=None, "
    "int[]? group_sizes=None) -> Tensor",
    "npu_weight_quant_batchmatmul(Tensor x, Tensor weight, Tensor antiquant_scale, "
    "Tensor? antiquant_offset=None, Tensor? quant_scale=None, Tensor? quant_offset=None, "
    "Tensor? bias=None, int antiquant_group_size=0, int inner_precise=0, int? weight_dtype=None) -> "
    "Tensor",
    "npu_quant_matmul_reduce_sum(Tensor x1, Tensor x2, *, Tensor? x1_scale=None, "
    "Tensor? x2_scale=None) -> Tensor",
    "npu_convert_weight_to_int4pack(Tensor weight, int inner_k_tiles=0) -> Tensor",
)
SCHEMAS = (
    "npu_transpose_batchmatmul(Tensor input, Tensor weight, *, Tensor? bias=None, "
    "Tensor? scale=None, int[]? perm_x1=None, int[]? perm_x2=None, int[]? perm_y=None, "
    "int? batch_split_factor=1) -> Tensor",
    "npu_bmmV2(Tensor self, Tensor mat2, int[] output_sizes) -> Tensor",
)
_SHORT = (torch.float16, torch.bfloat16)


def npu_quant_matmul(x1: torch.Tensor, x2: torch.Tensor, scale: torch.Tensor, *,
                     offset: torch.Tensor | None = None, pertoken_scale: torch.Tensor | None = None,
                     bias: torch.Tensor | None = None, output_dtype: Any = None,
                     group_sizes: Any = None) -> torch.Tensor:
    """x1 @ x2 with factors of int8, or of int4 in int32 words, times scale.

    x1: [..., m, k]; x2: [..., k, n]; scale: float32, bfloat16 or int64 of npu_trans_quant_param, [1]
    or [n]; pertoken_scale: float32 [m]; bias: int32, added to the sums, or a number with a point,
    added in the end, [n] or [batch, 1, n]; offset: float32 [1] or [n], of results of int8.
    output_dtype: int8 (None), float16, bfloat16, or int32, which are the sums without scale.
    Returns [..., m, n]. Raises RuntimeError for other types and shapes.
    """
    name = "npu_quant_matmul"
    kind = checks.type_of(output_dtype) or torch.int8
    require(name, kind in (torch.int8, torch.float16, torch.bfloat16, torch.int32),
            f"output_dtype is {kind}, allowed are torch.int8, float16, bfloat16 and int32")
    require(name, x1.dim() >= 2 and x2.dim() >= 2, "x1 and x2 have 2 to 6 dimensions")
    checks.lacks(name, group_sizes=group_sizes, scale_by_groups_of_k=scale.dim() == 2 and
                 scale.shape[0] > 1)
    a, b = _factors(name, x1, x2)
    n = b.shape[-1]
    checks.require_type(name, "scale", scale, torch.float32, torch.bfloat16, torch.int64)
    require(name, scale.numel() in (1, n), f"scale has {scale.numel()} elements, expected are 1 or {n}")
    checks.require_type(name, "pertoken_scale", pertoken_scale, torch.float32)
    require(name, pertoken_scale is None or pertoken_scale.numel() == a.shape[-2],
            f"pertoken_scale is not [{a.shape[-2]}], the rows of x1")
    require(name, offset is None or kind == torch.int8, "offset is of results of int8")
    require(name, pertoken_scale is None or kind in _SHORT,
            "with pertoken_scale output_dtype is float16 or bfloat16")
    checks.require_type(name, "bias", bias, torch.int32, torch.bfloat16, torch.float16, torch.float32)
    sums = whole_product(a, b)
    if bias is not None and bias.dtype == torch.int32:
        sums, bias = sums + bias.double(), None
    if kind == torch.int32:
        require(name, bias is None, "bias of a result of int32 is int32")
        return sums.clamp(-2**31, 2**31 - 1).int()
    result = sums.float() * scale_of(scale).reshape(-1)
    if pertoken_scale is not None:
        result = result * pertoken_scale.reshape(-1, 1)
    if bias is not None:
        result = result + bias.float()
    packed = checks.offset_of(scale)
    if kind != torch.int8:
        return result.to(kind)
    if offset is not None:
        result = result + offset.float()
    elif packed is not None:
        result = result + packed.reshape(-1)
    return to_int8(result)


def _factors(name: str, x1: torch.Tensor, x2: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    checks.require_type(name, "x1", x1, torch.int8, torch.int32)
    require(name, x1.dtype == x2.dtype, f"x1 is {x1.dtype}, x2 is {x2.dtype}; they have one type")
    if x1.dtype == torch.int32:
        x1, x2 = unpack_int4(x1), unpack_int4(x2)
    require(name, x1.shape[-1] == x2.shape[-2],
            f"x1 is {list(x1.shape)} and x2 {list(x2.shape)}: k differs")
    return x1, x2


def npu_quant_matmul_reduce_sum(x1: torch.Tensor, x2: torch.Tensor, *,
                                x1_scale: torch.Tensor | None = None,
                                x2_scale: torch.Tensor | None = None) -> torch.Tensor:
    """The sum over the batches of x1 @ x2 * x2_scale * x1_scale, in bfloat16.

    x1: int8 [b, m, k]; x2: int8 [b, k, n]; x1_scale: float32 [b, m]; x2_scale: bfloat16 [n].
    """
    name = "npu_quant_matmul_reduce_sum"
    checks.require_type(name, "x1", x1, torch.int8)
    checks.require_dim(name, "x1", x1, 3)
    checks.require_dim(name, "x2", x2, 3)
    a, b = _factors(name, x1, x2)
    require(name, x1_scale is not None and x2_scale is not None, "x1_scale and x2_scale are needed")
    checks.require_shape(name, "x1_scale", x1_scale, a.shape[:2])
    checks.require_shape(name, "x2_scale", x2_scale, b.shape[-1:])
    scaled = whole_product(a, b).float() * x2_scale.float() * x1_scale.float()[..., None]
    return scaled.sum(0).to(torch.bfloat16)


def npu_weight_quant_batchmatmul(
        x: torch.Tensor, weight: torch.Tensor, antiquant_scale: torch.Tensor,
        antiquant_offset: torch.Tensor | None = None, quant_scale: torch.Tensor | None = None,
        quant_offset: torch.Tensor | None = None, bias: torch.Tensor | None = None,
        antiquant_group_size: int = 0, inner_precise: int = 0, weight_dtype: Any = None) -> torch.Tensor:
    """x @ ((weight + antiquant_offset) * antiquant_scale) + bias, for inference.

    x: float16 or bfloat16 [m, k]; weight: int8 [k, n], or int4 in int32 words; antiquant_scale,
    antiquant_offset: [1], [n], [1, n], or [ceil(k / antiquant_group_size), n]; bias: [n] or [1, n].
    quant_scale (float32, or int64 with an offset in it), quant_offset: [1], [n] or [1, n]; then the
    result is int8, else of the type of x. Raises RuntimeError for other types and shapes.
    """
    name = "npu_weight_quant_batchmatmul"
    checks.reserved(name, weight_dtype=weight_dtype)
    checks.require_type(name, "x", x, *_SHORT)
    checks.require_type(name, "weight", weight, torch.int8, torch.int32)
    whole = unpack_int4(weight) if weight.dtype == torch.int32 else weight
    require(name, x.dim() == 2 and whole.dim() == 2 and x.shape[1] == whole.shape[0],
            f"x is {list(x.shape)} and weight {list(whole.shape)}, expected are [m, k] and [k, n]")
    checks.require_type(name, "antiquant_scale", antiquant_scale, x.dtype, torch.int64)
    require(name, quant_offset is None or quant_scale is not None, "quant_offset needs quant_scale")
    require(name, antiquant_group_size == 0 or (
        antiquant_group_size >= 32 and antiquant_group_size % 32 == 0
        and antiquant_group_size < max(x.shape[1], 33)),
            f"antiquant_group_size is {antiquant_group_size}, it is a multiple of 32 below k")
    scale = _of_weight(name, "antiquant_scale", scale_of(antiquant_scale), whole, antiquant_group_size)
    wide = whole.float()
    if antiquant_offset is not None:
        wide = wide + _of_weight(name, "antiquant_offset", antiquant_offset.float(), whole,
                                 antiquant_group_size)
    result = x.float() @ (wide * scale)
    if bias is not None:
        result = result + bias.float().reshape(-1)
    if quant_scale is None:
        return result.to(x.dtype)
    result = result * scale_of(quant_scale).reshape(-1)
    packed = checks.offset_of(quant_scale)
    shift = quant_offset.float() if quant_offset is not None else packed
    return to_int8(result if shift is None else result + shift.reshape(-1))


def _of_weight(name: str, what: str, scale: torch.Tensor, weight: torch.Tensor,
               size: int) -> torch.Tensor:
    """A scale for each element of a weight [k, n], in a shape that spreads."""
    k, n = weight.shape
    if size == 0:
        require(name, scale.numel() in (1, n), f"{what} has {scale.numel()} elements, expected are 1 or {n}")
        return scale.reshape(1, -1)
    groups = -(-k // size)
    checks.require_shape(name, what, scale, (groups, n))
    return scale.repeat_interleave(size, 0)[:k]


def npu_convert_weight_to_int4pack(weight: torch.Tensor, inner_k_tiles: int = 0) -> torch.Tensor:
    """Eight numbers from -8 to 7 in a word, the first in the lowest bits.

    weight: int32 [k, n], n a multiple of 8. Returns int32 [k, n / 8]."""
    name = "npu_convert_weight_to_int4pack"
    checks.require_type(name, "weight", weight, torch.int32)
    require(name, weight.dim() == 2 and weight.shape[1] % 8 == 0,
            f"weight is {list(weight.shape)}, expected are 2 dimensions, the last a multiple of 8")
    require(name, weight.numel() == 0 or (weight.min() >= -8 and weight.max() <= 7),
            "weight has elements outside of -8 to 7")
    return checks.pack_int4(weight)


def npu_transpose_batchmatmul(input: torch.Tensor, weight: torch.Tensor, *,
                              bias: torch.Tensor | None = None, scale: torch.Tensor | None = None,
                              perm_x1: Any = None, perm_x2: Any = None, perm_y: Any = None,
                              batch_split_factor: int | None = 1) -> torch.Tensor:
    """Products of batches, with a transposition before and behind.

    input: [b, m, k], or [m, b, k] with perm_x1 (1, 0, 2); weight: [b, k, n]. Returns [m, b, n]; with
    a batch_split_factor f above 1 [f, m, b n / f]; with scale (int64 [b n]) int8 [m, 1, b n].
    """
    name = "npu_transpose_batchmatmul"
    checks.reserved(name, bias=bias)
    x1, x2, y = (list(perm) if perm is not None else default for perm, default in (
        (perm_x1, [0, 1, 2]), (perm_x2, [0, 1, 2]), (perm_y, [1, 0, 2])))
    require(name, x1 in ([0, 1, 2], [1, 0, 2]), f"perm_x1 is {x1}, allowed are [0, 1, 2] and [1, 0, 2]")
    require(name, x2 == [0, 1, 2], f"perm_x2 is {x2}, allowed is [0, 1, 2]")
    require(name, y == [1, 0, 2], f"perm_y is {y}, allowed is [1, 0, 2]")
    checks.require_dim(name, "input", input, 3)
    checks.require_dim(name, "weight", weight, 3)
    checks.require_type(name, "input", input, torch.float16, torch.bfloat16, torch.float32)
    require(name, input.dtype == weight.dtype, "input and weight have one type")
    left = input.permute(*x1)
    require(name, left.shape[0] == weight.shape[0] and left.shape[2] == weight.shape[1],
            f"input is {list(left.shape)} when it is permuted and weight {list(weight.shape)}, expected "
            "are [b, m, k] and [b, k, n]")
    product = (left.float() @ weight.float()).permute(1, 0, 2)
    factor = batch_split_factor or 1
    rows, columns = product.shape[0], product.shape[1] * product.shape[2]
    if scale is not None:
        require(name, factor == 1, "with scale batch_split_factor is 1")
        require(name, scale.numel() == columns, f"scale has {scale.numel()} elements, expected are {columns}")
        return to_int8(product.reshape(rows, 1, columns) * scale_of(scale.reshape(-1)))
    result = product.to(input.dtype)
    if factor == 1:
        return result.contiguous()
    require(name, weight.shape[2] % factor == 0, f"batch_split_factor {factor} does not divide n")
    return result.reshape(rows, factor, columns // factor).transpose(0, 1).contiguous()


def npu_bmmV2(self: torch.Tensor, mat2: torch.Tensor, output_sizes: Any) -> torch.Tensor:
    product = self @ mat2
    return product.view(*output_sizes) if output_sizes else product
