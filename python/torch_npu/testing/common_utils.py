"""Tensors for tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch


def create_common_tensor(item: tuple[Any, int, Any], low: float, high: float,
                         device: str = "npu") -> tuple[torch.Tensor, torch.Tensor]:
    """item: dtype of numpy, layout (-1 or ND), shape. The same random numbers from low to high on
    the CPU and on the device."""
    dtype, _, shape = item
    host = torch.from_numpy(np.random.uniform(low, high, shape).astype(dtype))
    return host, host.to(device)


SupportedDevices = lambda devices: (lambda function: function)  # noqa: E731
