"""What tests of several devices ask first. DAVSIM_SYSTEM gives a process several."""

from __future__ import annotations

import unittest
from typing import Any, Callable

import torch


def skipIfUnsupportMultiNPU(npu_number_needed: int) -> Callable[[Any], Any]:
    """Skips a test where there are fewer devices."""
    there = torch.npu.device_count()
    return unittest.skipIf(there < npu_number_needed,
                           f"the test needs {npu_number_needed} devices, there are {there}")
