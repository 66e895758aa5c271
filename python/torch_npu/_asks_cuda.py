"""Parts of torch 1.13 that ask torch.cuda where they mean the accelerator: DataLoader(pin_memory=True),
the copies of DistributedDataParallel to its device, dist.new_subgroups. They see a torch whose cuda
is npu."""

from __future__ import annotations

import importlib
import types
from typing import Any

import torch

from . import npu

_PARTS = ("torch.utils.data.dataloader", "torch.utils.data._utils.pin_memory",
          "torch.nn.parallel._functions", "torch.distributed.utils",
          "torch.distributed.distributed_c10d")


class Torch(types.ModuleType):
    cuda = npu

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def install() -> None:
    if int(torch.__version__.split(".")[0]) >= 2 or torch.cuda.is_available():
        return
    seen = Torch("torch")
    for name in _PARTS:
        if torch.distributed.is_available() or "distributed" not in name:
            importlib.import_module(name).torch = seen
