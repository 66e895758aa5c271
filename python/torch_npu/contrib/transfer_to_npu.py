"""`from torch_npu.contrib import transfer_to_npu`: from this import on a program that names cuda
runs on npu. The name "cuda" in devices means npu, functions and classes of torch.cuda are those of
torch.npu, Tensor.cuda() is Tensor.npu(), profiles of torch.profiler are those of
torch_npu.profiler, and torch.jit.script returns what it is given."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable

import torch

from .. import npu, profiler
from .._backend import load


def _npu_number(device: Any) -> Any:
    """A number is one of npu."""
    whole = isinstance(device, int) and not isinstance(device, bool)
    return torch.device("npu", npu._index(device)) if whole else device


def _with_numbers(to: Callable[..., Any]) -> Callable[..., Any]:
    """x.to(0) and x.to(device=0)."""

    @functools.wraps(to)
    def moved(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if arguments:
            arguments = (_npu_number(arguments[0]), *arguments[1:])
        if "device" in keywords:
            keywords["device"] = _npu_number(keywords["device"])
        return to(self, *arguments, **keywords)

    return moved


def _transfer() -> None:
    name_cuda = getattr(load(), "davsim_torch_cuda_is_npu", None)
    if name_cuda is None:
        raise ImportError("transfer_to_npu is for torch 1.13; with torch 2 say npu in the program")
    name_cuda(1)
    for name, value in vars(npu).items():
        if not name.startswith("_") and not (inspect.ismodule(value) and name != "amp"):
            setattr(torch.cuda, name, value)
    sys.modules["torch.cuda.amp"] = npu.amp
    torch.Tensor.cuda = torch.Tensor.npu
    torch.Tensor.is_cuda = torch.Tensor.is_npu
    torch.nn.Module.cuda = torch.nn.Module.npu
    torch.Tensor.to = _with_numbers(torch.Tensor.to)
    torch.nn.Module.to = _with_numbers(torch.nn.Module.to)
    profiler.ProfilerActivity.CUDA = profiler.ProfilerActivity.NPU
    for name in ("profile", "schedule", "tensorboard_trace_handler", "ProfilerActivity",
                 "ProfilerAction", "supported_activities"):
        setattr(torch.profiler, name, getattr(profiler, name))
    torch.jit.script = lambda obj, *arguments, **keywords: obj


_transfer()
