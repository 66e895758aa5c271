"""A test case with the comparisons that tests of operators on npu use."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import torch


def _array(value: Any) -> np.ndarray:
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    return np.asarray(value)


class TestCase(unittest.TestCase):
    def assertRtolEqual(self, x: Any, y: Any, prec: float = 1.0e-4, prec16: float = 1.0e-3,
                        auto_trans_dtype: bool = False, message: str | None = None) -> None:
        """x and y are tensors, arrays, numbers or lists of them of the same shape and type; numbers
        of 16 bits may differ by `prec16`, relative or absolute, others by `prec`."""
        if isinstance(x, (list, tuple)):
            for one, other in zip(x, y):
                self.assertRtolEqual(one, other, prec, prec16, auto_trans_dtype, message)
            return
        half = any(getattr(value, "dtype", None) in (torch.bfloat16, torch.float16, np.float16)
                   for value in (x, y))
        left, right = _array(x), _array(y)
        self.assertEqual(left.shape, right.shape, message)
        if not auto_trans_dtype:
            self.assertEqual(left.dtype, right.dtype, message)
        if left.dtype.kind not in "fc":
            np.testing.assert_array_equal(left, right, message or "")
            return
        limit = prec16 if half else prec
        np.testing.assert_allclose(left.astype(np.float64), right.astype(np.float64), rtol=limit,
                                   atol=limit, err_msg=message or "")


run_tests = unittest.main
