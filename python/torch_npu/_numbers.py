"""Devices by number: 0 is npu:0, 1 is npu:1, where torch 1.13 takes a number for one of cuda."""

from __future__ import annotations

import functools
import types
from typing import Any, Callable

import torch

from .npu._library import index

_FACTORIES = ("arange", "as_tensor", "empty", "empty_like", "empty_strided", "eye", "full",
              "full_like", "linspace", "logspace", "ones", "ones_like", "rand", "rand_like",
              "randint", "randint_like", "randn", "randn_like", "randperm", "tensor", "zeros",
              "zeros_like")


def of_npu(device: Any) -> Any:
    """torch.device for a number, else what was given."""
    whole = isinstance(device, int) and not isinstance(device, bool)
    return torch.device("npu", index(device)) if whole else device


def _moving(to: Callable[..., Any]) -> Callable[..., Any]:
    """x.to(0) and x.to(device=0)."""

    @functools.wraps(to)
    def moved(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if arguments:
            arguments = (of_npu(arguments[0]), *arguments[1:])
        if "device" in keywords:
            keywords["device"] = of_npu(keywords["device"])
        return to(self, *arguments, **keywords)

    return moved


def _making(function: Callable[..., Any]) -> Callable[..., Any]:
    """torch.ones(2, device=0)."""

    @functools.wraps(function)
    def made(*arguments: Any, **keywords: Any) -> Any:
        if "device" in keywords:
            keywords["device"] = of_npu(keywords["device"])
        return function(*arguments, **keywords)

    return made


def install() -> None:
    torch.Tensor.to = _moving(torch.Tensor.to)
    torch.nn.Module.to = _moving(torch.nn.Module.to)
    for name in _FACTORIES:
        function = getattr(torch, name)
        if isinstance(function, types.BuiltinFunctionType):
            made = _making(function)
            setattr(torch, name, made)
            # A script finds functions of torch by what they are.
            torch.jit._builtins._register_builtin(made, f"aten::{name}")
