"""The library behind torch.npu, its failures, and the number of its device."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from .._backend import load

library = load()
DEVICE_NAME = "npu"


def check(failure: bytes | None) -> None:
    if failure is not None:
        raise RuntimeError(failure.decode())


def call(name: str, *arguments: Any) -> None:
    """A function of AscendCL. Raises RuntimeError with its code and its message."""
    code = getattr(library, name)(*arguments)
    if code != 0:
        library.aclGetRecentErrMsg.restype = ctypes.c_char_p
        text = (library.aclGetRecentErrMsg() or b"").decode()
        raise RuntimeError(f"NPU error {code} of {name}: {text}")


def index(device: Any) -> int:
    """The number of a device: 0, "npu:0", torch.device, and for None and "npu" that of the current
    one. Raises RuntimeError for one that does not exist."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != DEVICE_NAME:
            raise ValueError(f"Expected a npu device, but got: {device}")
        device = device.index
    if device is None or device == -1:
        return library.davsim_torch_device()
    check(library.davsim_torch_require_device(device))
    return device


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """As torch's own functions of this name."""
    if allow_cpu and device is not None and torch.device(device).type == "cpu":
        return -1
    if device is None and not optional:
        raise ValueError("Expected a npu device with a specified index or an integer, but got: None")
    return index(device)
