"""Rules of calls, and numbers of 4 bits and packed scales, as several functions have them."""

from __future__ import annotations

from typing import Any

import torch

# Types by the numbers that torch gives them, for arguments that are numbers.
QINT8, QUINT8, QUINT4X2 = torch.qint8, torch.quint8, torch.quint4x2
_BY_NUMBER = {0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64,
              5: torch.float16, 6: torch.float32, 7: torch.float64, 11: torch.bool, 12: QINT8,
              13: QUINT8, 14: torch.qint32, 15: torch.bfloat16, 16: QUINT4X2}


def require(function: str, holds: bool, rule: str) -> None:
    """Raises RuntimeError, which names the function and the rule."""
    if not holds:
        raise RuntimeError(f"{function}: {rule}")


def lacks(function: str, **asked: Any) -> None:
    """Raises NotImplementedError for what is true or a tensor among `asked`."""
    names = [name.replace("_", " ") if value is True else name for name, value in asked.items()
             if value is not None and value is not False]
    if names:
        raise NotImplementedError(f"davsim: {function} has no {', '.join(names)}")


def reserved(function: str, **given: Any) -> None:
    """Arguments that are documented to be None."""
    for name, value in given.items():
        require(function, value is None or (isinstance(value, (list, tuple)) and not value),
                f"{name} is reserved and must be None")


def type_of(dtype: Any) -> torch.dtype | None:
    """A type of torch that a call may also give by its number."""
    return _BY_NUMBER[dtype] if isinstance(dtype, int) and not isinstance(dtype, bool) else dtype


def names(dtypes: Any) -> str:
    return ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)


def require_type(function: str, name: str, tensor: torch.Tensor | None, *dtypes: torch.dtype) -> None:
    if tensor is not None:
        require(function, tensor.dtype in dtypes,
                f"{name} is {names([tensor.dtype])}, allowed are {names(dtypes)}")


def require_dim(function: str, name: str, tensor: torch.Tensor | None, *dims: int) -> None:
    if tensor is not None:
        require(function, tensor.dim() in dims,
                f"{name} has {tensor.dim()} dimensions, allowed are {', '.join(map(str, dims))}")


def require_shape(function: str, name: str, tensor: torch.Tensor | None, *shapes: Any) -> None:
    if tensor is not None:
        allowed = [list(shape) for shape in shapes]
        require(function, list(tensor.shape) in allowed,
                f"{name} is {list(tensor.shape)}, expected is {' or '.join(map(str, allowed))}")


# --- numbers of 4 bits: eight in a word of int32, the first in the lowest bits


def pack_int4(values: torch.Tensor) -> torch.Tensor:
    """values: whole numbers from -8 to 7, [..., 8 n]. Returns int32 [..., n]."""
    eights = values.long().reshape(*values.shape[:-1], -1, 8) & 15
    words = (eights << torch.arange(0, 32, 4)).sum(-1)
    return torch.where(words >= 2**31, words - 2**32, words).int()


def unpack_int4(words: torch.Tensor) -> torch.Tensor:
    """words: int32 [..., n]. Returns int8 [..., 8 n]. A matrix that lies transposed is one of words
    along its other dimension: [n, m] becomes [8 n, m]."""
    if words.dim() > 1 and words.stride(-2) == 1 and words.stride(-1) != 1:
        return unpack_int4(words.transpose(-1, -2)).transpose(-1, -2)
    nibbles = (words.long()[..., None] >> torch.arange(0, 32, 4)) & 15
    return (nibbles - 16 * (nibbles > 7).long()).to(torch.int8).flatten(-2)


# --- scales: numbers, or what npu_trans_quant_param packs


def scale_of(scale: torch.Tensor) -> torch.Tensor:
    """In float32."""
    if scale.dtype != torch.int64:
        return scale.float()
    low = scale & 0xFFFFFFFF
    return torch.where(low >= 2**31, low - 2**32, low).int().view(torch.float32)


def offset_of(scale: torch.Tensor) -> torch.Tensor | None:
    """That which is packed with a scale."""
    if scale.dtype != torch.int64:
        return None
    bits = (scale >> 37) & 0x1FF
    return torch.where(bits > 255, bits - 512, bits).float()


def to_int8(values: torch.Tensor) -> torch.Tensor:
    """To the nearest, ties to even, and saturated."""
    return values.round().clamp(-128, 127).to(torch.int8)


def whole_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Of whole numbers of 8 bits, exact, in float64."""
    return a.double() @ b.double()


def group_sizes(function: str, groups: torch.Tensor, kind: int, rows: int) -> list[int]:
    """Rows of each group. kind: 0 for ends of groups, 1 for sizes."""
    values = groups.tolist()
    sizes = values if kind == 1 else [b - a for a, b in zip([0, *values], values)]
    require(function, all(size >= 0 for size in sizes),
            "group_list does not rise" if kind == 0 else "group_list has a negative size")
    require(function, sum(sizes) <= rows,
            f"group_list has {sum(sizes)} rows, the tensor only {rows}")
    return sizes
