"""Comparing results of operators in tests."""

from __future__ import annotations

import math
from typing import Any

_SHOWN = 5


def assert_close(actual: Any, expected: Any, *, rtol: float = 1e-3, atol: float = 1e-5,
                 outside: float = 0.0, name: str = "result") -> None:
    """Raises AssertionError unless |actual - expected| <= atol + rtol * |expected|.

    actual, expected: arrays of torch or numpy, BFloat16, or numbers in lists, of the same shape;
    any dtypes. NaN agrees with NaN, infinity with infinity of the same sign.
    outside: the share of elements, 0 to 1, that may miss the tolerance. NaN and infinity in only
    one of the two are never allowed.
    The error says how many elements differ, how far, and where the worst ones are.
    """
    import numpy as np

    left, right = _as_float64(actual), _as_float64(expected)
    if left.shape != right.shape:
        raise AssertionError(f"{name} has shape {list(left.shape)}; "
                             f"expected is {list(right.shape)}")
    with np.errstate(invalid="ignore"):
        difference = np.abs(left - right)
        same = (left == right) | (np.isnan(left) & np.isnan(right))
    difference = np.where(same, 0.0, difference)
    one_sided = ~same & ~(np.isfinite(left) & np.isfinite(right))
    difference = np.where(one_sided, np.inf, difference)
    bound = atol + rtol * np.abs(np.where(np.isfinite(right), right, 0.0))
    missed = difference > bound
    count, total = int(missed.sum()), left.size
    if not one_sided.any() and count <= outside * total:
        return
    share = f"{100 * count / total:.3g} %"
    lines = [f"{name}: {count} of {total} elements ({share}) differ by more than "
             f"{atol:g} + {rtol:g} * |expected|; allowed are {100 * outside:g} %"]
    if one_sided.any():
        lines.append(f"  {int(one_sided.sum())} are NaN or infinite in one of the two only")
    excess = np.where(missed, difference - bound, -np.inf)
    lines.append("  the worst:")
    for flat in np.argsort(excess, axis=None)[::-1][:min(_SHOWN, count)]:
        place = tuple(int(i) for i in np.unravel_index(flat, left.shape))
        lines.append(f"  at {list(place)}: {left[place]:.9g}, expected {right[place]:.9g}, "
                     f"difference {_text(difference[place])}")
    first = tuple(int(i) for i in np.argwhere(missed)[0])
    lines.append(f"  the first is at {list(first)}")
    raise AssertionError("\n".join(lines))


def _text(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.3g}"


def _as_float64(value: Any) -> Any:
    import numpy as np

    from ._tensors import BFloat16, is_torch

    if is_torch(value):
        value = value.detach().cpu().double().numpy()
    elif isinstance(value, BFloat16):
        value = value.to_float32()
    return np.asarray(value, np.float64)
