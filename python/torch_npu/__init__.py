"""torch_npu on a simulated device: the backend "npu" of torch, with davsim behind it.

After `import torch_npu` tensors have .npu(), torch.npu has streams, events and synchronize(), and
extensions of torch whose kernels were compiled by davsim-cc run on the device of docs/runtime.md.
Operators of torch that nobody implements for the device run on the CPU, in the same memory and
without simulated time. The functions npu_* and those of ATB are davsim.torch_npu's.
"""

from __future__ import annotations

import sys as _sys
from typing import Any as _Any

import torch as _torch

from davsim._patch import OPERATORS as _OPERATORS
from davsim._patch import register_operators as _register_operators
from davsim.torch_npu import *  # noqa: F401,F403

from . import (_C, _adapt, _asks_cuda, _dlpack, _formats, _numbers, contrib, distributed, functions,
               npu, optim, profiler, utils)
from ._formats import (Format, empty_with_format, empty_with_swapped_memory,  # noqa: F401
                       get_npu_format, npu_dtype_cast,
                       npu_dtype_cast_, npu_format_cast, npu_format_cast_)
from .npu._library import index as _index

# davsim.patch() need not take this package's place.
__davsim__ = True
__version__ = f"{_torch.__version__.split('+')[0]}.davsim"


def _to_npu(self: _torch.Tensor, device: _Any = None, non_blocking: bool = False,
            **ignored: _Any) -> _torch.Tensor:
    """A copy on npu; the tensor itself if it is there."""
    return self.to(_torch.device("npu", _index(device)), non_blocking=non_blocking)


def _module_to_npu(self: _Any, device: _Any = None) -> _Any:
    return self.to(_torch.device("npu", _index(device)))


def _install() -> None:
    _torch.npu = npu
    _sys.modules["torch.npu"] = npu
    _torch.Tensor.npu = _to_npu
    _torch.Tensor.is_npu = property(lambda self: self.device.type == "npu")
    _torch.nn.Module.npu = _module_to_npu
    if not hasattr(_torch._C, "_get_privateuse1_backend_name"):  # torch 1.13
        _torch._C._get_privateuse1_backend_name = lambda: "npu"
    for part in (_adapt, _asks_cuda, _dlpack, _numbers, distributed):
        part.install()


_install()
_register_operators()
_formats.register()
functions.register(globals())
for _name in _OPERATORS:
    globals()[_name] = functions.kept_by_graphs(_name, globals()[_name])


def __getattr__(name: str) -> _Any:
    if name.startswith(("npu_", "_npu_")):
        raise AttributeError(f"davsim: torch_npu has no {name}: docs/python.md says which operators of "
                             "the vendor's there are")
    raise AttributeError(f"module 'torch_npu' has no attribute {name!r}")


def erase_stream(tensor: _torch.Tensor, stream: _Any) -> None:
    """Memory is kept for no stream: it is given out again once the host has waited for all."""


def library_folder() -> str:
    """The folder of libtorch_npu.so, for programs in C++ that link it."""
    from ._backend import library_folder as folder

    return folder()
