"""A test case with the comparisons that tests of operators on npu use."""

from __future__ import annotations

import unittest
from numbers import Number
from typing import Any

import numpy as np
import torch

# What keeps a relative difference of tiny numbers finite.
_LEAST_16, _LEAST = 6e-8, 1e-9
_HALVES = (torch.bfloat16, torch.float16, np.dtype(np.float16))


def _array(value: Any) -> np.ndarray:
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    return np.asarray(value)


def _is_half(value: Any) -> bool:
    return getattr(value, "dtype", None) in _HALVES


class TestCase(unittest.TestCase):
    def assertRtolEqual(self, x: Any, y: Any, prec: float = 1.0e-4, prec16: float = 1.0e-3,
                        auto_trans_dtype: bool = False, message: str | None = None) -> None:
        """x and y are tensors, arrays, numbers or lists of them, of the same shape and type.

        `prec` is the tolerance and, as in torch_npu, also the share of elements that may miss it:
        a comparison fails if more miss it relative to the larger of the two, and more miss it
        absolutely. Tensors of 16 bits have `prec16`. Whole numbers and bools have to be the same.
        """
        if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
            self.assertEqual(len(x), len(y), message)
            for one, other in zip(x, y):
                self.assertRtolEqual(one, other, prec, prec16, auto_trans_dtype, message)
            return
        half = _is_half(x) or _is_half(y)
        left, right = _array(x), _array(y)
        self.assertEqual(left.shape, right.shape, message)
        if not auto_trans_dtype and not (isinstance(x, Number) or isinstance(y, Number)):
            self.assertEqual(left.dtype, right.dtype, message)
        if left.dtype.kind not in "fc" and right.dtype.kind not in "fc":
            np.testing.assert_array_equal(left, right, message or "")
            return
        self._compare(left, right, prec16 if half else prec, _LEAST_16 if half else _LEAST, message)

    def _compare(self, left: np.ndarray, right: np.ndarray, limit: float, least: float,
                 message: str | None) -> None:
        wide = np.complex128 if "c" in (left.dtype.kind, right.dtype.kind) else np.float64
        left, right = left.astype(wide), right.astype(wide)
        np.testing.assert_array_equal(np.isnan(left), np.isnan(right), message or "NaN differs")
        with np.errstate(invalid="ignore", over="ignore"):
            difference = np.abs(left - right)
            difference[(left == right) | np.isnan(left)] = 0
            relative = difference / (np.maximum(np.abs(left), np.abs(right)) + least)
        far = np.isnan(relative)  # an infinity against something else
        misses = min(int(np.sum(far | (relative > limit))), int(np.sum(far | (difference > limit))))
        if misses > left.size * limit:
            place = np.unravel_index(np.argmax(np.where(far, np.inf, difference)), left.shape)
            where = [int(index) for index in place]
            text = (f"{misses} of {left.size} elements differ by more than {limit:g}, relative and "
                    f"absolute; the worst is at {where}: {left[place]:.9g}, {right[place]:.9g}")
            self.fail(f"{message}: {text}" if message else text)

    def assertEqual(self, first: Any, second: Any, msg: Any = None, **tolerances: Any) -> None:
        """Also compares tensors, on any devices: prec or rtol and atol are tolerances, default 0
        for whole numbers and torch's defaults for others."""
        if not isinstance(first, torch.Tensor) and not isinstance(second, torch.Tensor):
            if tolerances.get("prec") or tolerances.get("atol"):
                delta = tolerances.get("prec") or tolerances["atol"]
                super().assertLessEqual(abs(first - second), delta, msg)
                return
            super().assertEqual(first, second, msg)
            return
        one, other = torch.as_tensor(first).detach().cpu(), torch.as_tensor(second).detach().cpu()
        limits = {"rtol": tolerances.get("rtol"), "atol": tolerances.get("atol")}
        if tolerances.get("prec") is not None:
            limits = {"rtol": 0.0, "atol": tolerances["prec"]}
        elif limits["rtol"] is None and limits["atol"] is not None:
            limits["rtol"] = 0.0
        elif limits["atol"] is None and limits["rtol"] is not None:
            limits["atol"] = 0.0
        exact = tolerances.get("exact_dtype", isinstance(first, torch.Tensor) and
                               isinstance(second, torch.Tensor))
        torch.testing.assert_close(one, other, equal_nan=True, check_dtype=bool(exact), msg=msg,
                                   **limits)


run_tests = unittest.main
