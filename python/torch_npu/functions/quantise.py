"""Numbers of 8 and 4 bits."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from . import _checks as checks
from ._checks import require, to_int8
from .caches import put_updates

_DYNAMIC = "Tensor? smooth_scales=None, Tensor? group_index=None, ScalarType? dst_type=None"
_SCATTER = ("Tensor indices, Tensor updates, Tensor quant_scales, Tensor? quant_zero_points=None, "
            "int axis=0, int quant_axis=1, str reduce='update'")
WHOLE = (
    f"npu_dynamic_quant(Tensor input, *, {_DYNAMIC}) -> (Tensor, Tensor)",
    f"npu_dynamic_quant_asymmetric(Tensor input, *, {_DYNAMIC}, str quant_mode='pertoken') -> "
    "(Tensor, Tensor, Tensor)",
    "npu_dynamic_block_quant(Tensor x, *, float min_scale=0.0, str round_mode='rint', int dst_type=1, "
    "int row_block_size=1, int col_block_size=128) -> (Tensor, Tensor)",
    "npu_quantize(Tensor self, Tensor scales, Tensor? zero_points, ScalarType dtype, int axis=1, "
    "bool div_mode=True) -> Tensor",
    "npu_group_quant(Tensor x, Tensor scale, Tensor group_index, *, Tensor? offset=None, "
    "ScalarType? dst_dtype=None) -> Tensor",
    "npu_anti_quant(Tensor x, Tensor scale, *, Tensor? offset=None, ScalarType? dst_dtype=None, "
    "ScalarType? src_dtype=None) -> Tensor",
    "npu_trans_quant_param(Tensor scale, Tensor? offset=None, int? round_mode=0) -> Tensor",
    f"npu_quant_scatter(Tensor self, {_SCATTER}) -> Tensor",
    f"npu_quant_scatter_(Tensor(a!) self, {_SCATTER}) -> Tensor(a!)",
)


def safe(scale: torch.Tensor) -> torch.Tensor:
    """By which rows of zeros may be divided."""
    return torch.where(scale == 0, torch.ones_like(scale), scale)


def limits_of(name: str, dtype: Any) -> tuple[int, int]:
    kind = checks.type_of(dtype) or torch.int8
    require(name, kind in (torch.int8, torch.qint8, torch.quint4x2),
            f"dst_type is {kind}, allowed are torch.int8 and torch.quint4x2")
    return (-8, 7) if kind == torch.quint4x2 else (-128, 127)


def as_stored(name: str, values: torch.Tensor, limits: tuple[int, int]) -> torch.Tensor:
    """Rounded and saturated: int8, or int32 words of eight numbers of 4 bits."""
    whole = values.round().clamp(*limits)
    if limits[1] == 127:
        return whole.to(torch.int8)
    require(name, whole.shape[-1] % 8 == 0, f"the last dimension is {whole.shape[-1]}, for numbers of 4 "
            "bits it is a multiple of 8")
    return checks.pack_int4(whole)


def _smoothed(name: str, x: torch.Tensor, smooth: torch.Tensor | None,
              groups: torch.Tensor | None) -> torch.Tensor:
    """In float32; rows of a group times the factors of the group."""
    require(name, x.dim() > 1, "x has at least 2 dimensions")
    wide = x.float()
    if groups is None:
        if smooth is None:
            return wide
        checks.require_shape(name, "smooth_scales", smooth, (x.shape[-1],), (1, x.shape[-1]))
        return wide * smooth.float().reshape(-1)
    require(name, smooth is not None, "group_index goes with smooth_scales")
    checks.require_shape(name, "smooth_scales", smooth, (groups.numel(), x.shape[-1]))
    rows = wide.reshape(-1, x.shape[-1])
    sizes = checks.group_sizes(name, groups, 0, rows.shape[0])
    require(name, sum(sizes) == rows.shape[0], f"group_index ends at {sum(sizes)}, x has {rows.shape[0]} rows")
    return (rows * smooth.float().repeat_interleave(torch.tensor(sizes), 0)).view(x.shape)


def npu_dynamic_quant(input: torch.Tensor, *, smooth_scales: torch.Tensor | None = None,
                      group_index: torch.Tensor | None = None,
                      dst_type: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
    """int8, or int4 in int32 words, and the scale of each row: its largest number by that of the type.

    input: [..., n]; smooth_scales: [n], or [e, n] with group_index: int32 [e], ends of groups of
    rows. dst_type: torch.int8 (None) or torch.quint4x2. Returns [..., n] or [..., n / 8], and
    float32 [...]."""
    name = "npu_dynamic_quant"
    limits = limits_of(name, dst_type)
    wide = _smoothed(name, input, smooth_scales, group_index)
    scale = wide.abs().amax(-1) / limits[1]
    return as_stored(name, wide / safe(scale)[..., None], limits), scale


def npu_dynamic_quant_asymmetric(
        input: torch.Tensor, *, smooth_scales: torch.Tensor | None = None,
        group_index: torch.Tensor | None = None, dst_type: Any = None,
        quant_mode: str = "pertoken") -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """As npu_dynamic_quant, with an offset too: the type's range is that from the least to the largest
    number of a row, or of the tensor with quant_mode "pertensor"."""
    name = "npu_dynamic_quant_asymmetric"
    require(name, quant_mode in ("pertoken", "pertensor"),
            f"quant_mode is {quant_mode!r}, allowed are 'pertoken' and 'pertensor'")
    limits = limits_of(name, dst_type)
    wide = _smoothed(name, input, smooth_scales, group_index)
    whole = quant_mode == "pertensor"
    most, least = (wide.max().view(1), wide.min().view(1)) if whole else (wide.amax(-1), wide.amin(-1))
    scale = (most - least) / (limits[1] - limits[0])
    offset = limits[1] - most / safe(scale)
    along = (lambda values: values) if whole else (lambda values: values[..., None])
    return (as_stored(name, wide / along(safe(scale)) + along(offset), limits), scale, offset)


def npu_dynamic_block_quant(x: torch.Tensor, *, min_scale: float = 0.0, round_mode: str = "rint",
                            dst_type: int = 1, row_block_size: int = 1,
                            col_block_size: int = 128) -> tuple[torch.Tensor, torch.Tensor]:
    """int8, and a scale for each block of row_block_size by col_block_size elements.

    x: [..., m, n]. Returns int8 [..., m, n] and float32 [..., ceil(m / rows), ceil(n / columns)]."""
    name = "npu_dynamic_block_quant"
    require(name, round_mode == "rint" and dst_type == 1, "round_mode is 'rint' and dst_type 1, int8")
    m, n = x.shape[-2:]
    rows, columns = -(-m // row_block_size), -(-n // col_block_size)
    padded = F.pad(x.float(), (0, columns * col_block_size - n, 0, rows * row_block_size - m))
    blocks = padded.unflatten(-1, (columns, col_block_size)).unflatten(-3, (rows, row_block_size))
    scale = (blocks.abs().amax((-3, -1)) / 127).clamp(min=min_scale)
    whole = to_int8(blocks / safe(scale)[..., None, :, None])
    return whole.flatten(-2).flatten(-3, -2)[..., :m, :n].contiguous(), scale


def npu_quantize(self: torch.Tensor, scales: torch.Tensor, zero_points: torch.Tensor | None, dtype: Any,
                 axis: int = 1, div_mode: bool = True) -> torch.Tensor:
    """self / scales + zero_points, without div_mode self * scales + zero_points, rounded.

    scales, zero_points: one element or one for each along `axis` (without div_mode the last
    dimension, or the last but one with axis -2), or of as many dimensions as self. dtype:
    torch.qint8, quint8, qint32, or quint4x2 (eight in an int32 word). Returns plain whole numbers."""
    name = "npu_quantize"
    kind = checks.type_of(dtype)
    ranges = {torch.qint8: (-128, 127, torch.int8), torch.int8: (-128, 127, torch.int8),
              torch.quint8: (0, 255, torch.uint8), torch.uint8: (0, 255, torch.uint8),
              torch.qint32: (-2**31, 2**31 - 1, torch.int32), torch.int32: (-2**31, 2**31 - 1, torch.int32),
              torch.quint4x2: (-8, 7, None)}
    require(name, kind in ranges, f"dtype is {kind}, allowed are torch.qint8, quint8, qint32 and quint4x2")
    if not div_mode:
        axis = self.dim() - 2 if axis == -2 else self.dim() - 1
    axis = axis + self.dim() if axis < 0 else axis
    require(name, 0 <= axis < self.dim(), f"axis is {axis}, self has {self.dim()} dimensions")

    def along(what: str, values: torch.Tensor) -> torch.Tensor:
        if values.dim() == self.dim() and values.dim() > 1:
            return values.double()
        require(name, values.numel() in (1, self.shape[axis]),
                f"{what} has {values.numel()} elements, expected are 1 or {self.shape[axis]}")
        return values.double().reshape([-1 if number == axis else 1 for number in range(self.dim())])

    factor = along("scales", scales)
    result = self.double() / factor if div_mode else self.double() * factor
    # The device has these numbers in float32.
    result = result.float()
    if zero_points is not None:
        result = result + along("zero_points", zero_points).float()
    least, most, plain = ranges[kind]
    if plain is None:
        return as_stored(name, result, (-8, 7))
    return result.double().round().clamp(least, most).to(plain)


def npu_group_quant(x: torch.Tensor, scale: torch.Tensor, group_index: torch.Tensor, *,
                    offset: torch.Tensor | None = None, dst_dtype: Any = None) -> torch.Tensor:
    """x * scale + offset, with a scale [e, n] for each group of rows; group_index: [e], their ends."""
    name = "npu_group_quant"
    limits = limits_of(name, dst_dtype)
    checks.require_shape(name, "scale", scale, (group_index.numel(), x.shape[-1]))
    sizes = checks.group_sizes(name, group_index, 0, x.shape[0])
    require(name, sum(sizes) == x.shape[0], f"group_index ends at {sum(sizes)}, x has {x.shape[0]} rows")
    result = x.float() * scale.float().repeat_interleave(torch.tensor(sizes), 0)
    return as_stored(name, result if offset is None else result + offset.float(), limits)


def npu_anti_quant(x: torch.Tensor, scale: torch.Tensor, *, offset: torch.Tensor | None = None,
                   dst_dtype: Any = None, src_dtype: Any = None) -> torch.Tensor:
    """(x + offset) * scale in dst_dtype, float16 (None) or bfloat16.

    x: int8, or int4 in int32 words; scale, offset: one element or one for each of the last
    dimension."""
    name = "npu_anti_quant"
    checks.require_type(name, "x", x, torch.int8, torch.int32)
    kind = checks.type_of(dst_dtype) or torch.float16
    require(name, kind in (torch.float16, torch.bfloat16), f"dst_dtype is {kind}, allowed are float16 and "
            "bfloat16")
    wide = (checks.unpack_int4(x) if x.dtype == torch.int32 else x).float()
    require(name, scale.numel() in (1, wide.shape[-1]),
            f"scale has {scale.numel()} elements, expected are 1 or {wide.shape[-1]}")
    if offset is not None:
        wide = wide + offset.float()
    return (wide * scale.float()).to(kind)


def npu_trans_quant_param(scale: torch.Tensor, offset: torch.Tensor | None = None,
                          round_mode: int | None = 0) -> torch.Tensor:
    """The scale's upper 19 bits in bits 13 to 31 of int64, bit 46, and in bits 37 to 45 the offset.

    scale, offset: float32 [n] or [1, n]; one of one element is that of all. round_mode: 0 cuts the
    scale off, 1 rounds it."""
    name = "npu_trans_quant_param"
    checks.require_type(name, "scale", scale, torch.float32)
    checks.require_type(name, "offset", offset, torch.float32)
    checks.require_dim(name, "scale", scale, 1, 2)
    require(name, round_mode in (None, 0, 1), f"round_mode is {round_mode}, allowed are 0 and 1")
    bits = scale.contiguous().view(torch.int32).long() & 0xFFFFFFFF
    if round_mode == 1:
        bits = bits + 0xFFF + ((bits >> 13) & 1)
    packed = (bits & 0xFFFFE000) | (1 << 46)
    if offset is None:
        return packed
    require(name, scale.numel() == offset.numel() or 1 in (scale.numel(), offset.numel()),
            f"scale is {list(scale.shape)}, offset {list(offset.shape)}")
    whole = offset.round().clamp(-256, 255).long() & 0x1FF
    return packed | (whole << 37)


def npu_quant_scatter_(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor,
                       quant_scales: torch.Tensor, quant_zero_points: torch.Tensor | None = None,
                       axis: int = 0, quant_axis: int = 1, reduce: str = "update") -> torch.Tensor:
    """Writes updates / quant_scales + quant_zero_points as int8 along `axis` of self, from the index of
    each part of dimension 0 on.

    self: int8; indices: [b], the place of part b, or [b, 2]: the part of dimension 0 and the place;
    quant_scales, quant_zero_points: one for each along quant_axis, the last."""
    name = "npu_quant_scatter"
    require(name, reduce == "update", f"reduce is {reduce!r}, allowed is 'update'")
    checks.require_type(name, "self", self, torch.int8)
    axis = axis + self.dim() if axis < 0 else axis
    require(name, axis > 0, "axis is not the first")
    values = updates.float() / quant_scales.float().reshape(-1)
    if quant_zero_points is not None:
        values = values + quant_zero_points.float().reshape(-1)
    return put_updates(name, self, indices, to_int8(values), axis)


def npu_quant_scatter(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor,
                      quant_scales: torch.Tensor, quant_zero_points: torch.Tensor | None = None,
                      axis: int = 0, quant_axis: int = 1, reduce: str = "update") -> torch.Tensor:
    """As npu_quant_scatter_, into a copy of self."""
    return npu_quant_scatter_(self.clone(), indices, updates, quant_scales, quant_zero_points, axis,
                              quant_axis, reduce)
