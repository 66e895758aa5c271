"""`from torch_npu.contrib import transfer_to_npu`: from this import on a program that names cuda
runs on npu. The name "cuda" in devices means npu, functions and classes of torch.cuda are those of
torch.npu, Tensor.cuda() is Tensor.npu(), profiles of torch.profiler are those of
torch_npu.profiler, groups of nccl are groups of hccl, and torch.jit.script returns what it is
given."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable

import torch

from .. import npu, profiler
from .._backend import load


def _with_hccl(make: Callable[..., Any]) -> Callable[..., Any]:
    """torch.distributed.init_process_group("nccl") and the like."""
    place = list(inspect.signature(make).parameters).index("backend")

    @functools.wraps(make)
    def made(*arguments: Any, **keywords: Any) -> Any:
        given = list(arguments)
        if len(given) > place and str(given[place]).lower() == "nccl":
            given[place] = "hccl"
        if str(keywords.get("backend")).lower() == "nccl":
            keywords["backend"] = "hccl"
        return make(*given, **keywords)

    return made


def _transfer_groups() -> None:
    if not torch.distributed.is_available():
        return
    for name in ("init_process_group", "new_group"):
        made = _with_hccl(getattr(torch.distributed, name))
        setattr(torch.distributed, name, made)
        setattr(torch.distributed.distributed_c10d, name, made)
    torch.distributed.is_nccl_available = torch.distributed.is_hccl_available


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
    profiler.ProfilerActivity.CUDA = profiler.ProfilerActivity.NPU
    for name in ("profile", "schedule", "tensorboard_trace_handler", "ProfilerActivity",
                 "ProfilerAction", "supported_activities"):
        setattr(torch.profiler, name, getattr(profiler, name))
    torch.cuda.CUDAGraph = npu.NPUGraph
    _transfer_groups()
    torch.jit.script = lambda obj, *arguments, **keywords: obj


_transfer()
