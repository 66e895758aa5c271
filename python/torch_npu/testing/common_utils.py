"""Tensors and conditions for tests."""

from __future__ import annotations

import contextlib
import functools
import os
import unittest
from typing import Any, Callable, Iterator

import numpy as np
import torch


def get_npu_device() -> str:
    """"npu:0", or the number that SET_NPU_DEVICE has."""
    return f"npu:{os.environ.get('SET_NPU_DEVICE', '0')}"


def set_npu_device() -> str:
    device = get_npu_device()
    torch.npu.set_device(device)
    return device


def create_common_tensor(item: tuple[Any, int, Any], minValue: float, maxValue: float,
                         device: str | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """item: dtype of numpy, layout (tensors are ND whatever it says), shape. The same random
    numbers from minValue to maxValue on the CPU and on the device."""
    dtype, _, shape = item
    host = torch.from_numpy(np.random.uniform(minValue, maxValue, shape).astype(dtype))
    return host, host.to(device or get_npu_device())


def create_dtype_tensor(shape: Any, dtype: torch.dtype, npu_format: int = -1, min_value: float = -5,
                        max_value: float = 5, no_zero: bool = False, device: str | None = None
                        ) -> tuple[torch.Tensor, torch.Tensor]:
    """The same for a dtype of torch."""
    if dtype == torch.bool:
        host = torch.from_numpy(np.random.randint(0, 2, shape).astype(np.bool_))
    else:
        host = torch.from_numpy(np.random.uniform(min_value, max_value, shape)).to(dtype)
    if no_zero:
        host = torch.where(host != 0, host, torch.ones_like(host))
    return host, host.to(device or get_npu_device())


def _only_if(holds: Callable[[str], bool], what: str) -> Callable[..., Any]:
    """A decorator of tests that skips them where `holds` says no to the SoC's name."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def run(*arguments: Any, **keywords: Any) -> Any:
            name = torch.npu.get_device_name()
            if not holds(name):
                raise unittest.SkipTest(f"{what}; this is {name}")
            return test(*arguments, **keywords)

        return run

    return decorate


def _is_one_of(name: str, devices: Any) -> bool:
    return any(name.startswith(device) for device in devices)


def SupportedDevices(supported_devices: Any) -> Callable[..., Any]:
    """Runs a test on these products only: ["Ascend910B", "Ascend910_93"]."""
    return _only_if(lambda name: _is_one_of(name, supported_devices),
                    f"only for {', '.join(supported_devices)}")


def UnsupportedDevices(unsupported_devices: Any) -> Callable[..., Any]:
    return _only_if(lambda name: not _is_one_of(name, unsupported_devices),
                    f"not for {', '.join(unsupported_devices)}")


def SkipIfNotGteCANNVersion(version: str) -> Callable[..., Any]:
    """No version of the vendor's software is here that would be too old."""
    return lambda test: test


@contextlib.contextmanager
def freeze_rng_state() -> Iterator[None]:
    """Random numbers drawn in this context leave the generator as it was."""
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
