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

from davsim._patch import register_operators as _register_operators
from davsim.torch_npu import *  # noqa: F401,F403

from . import _adapt, contrib, npu, profiler

# davsim.patch() need not take this package's place.
__davsim__ = True
__version__ = f"{_torch.__version__.split('+')[0]}.davsim"


def _to_npu(self: _torch.Tensor, device: _Any = None, non_blocking: bool = False,
            **ignored: _Any) -> _torch.Tensor:
    """A copy on npu; the tensor itself if it is there."""
    npu._index(device)
    return self.to(_torch.device("npu", 0), non_blocking=non_blocking)


def _module_to_npu(self: _Any, device: _Any = None) -> _Any:
    npu._index(device)
    return self.to(_torch.device("npu", 0))


def _install() -> None:
    _torch.npu = npu
    _sys.modules["torch.npu"] = npu
    _torch.Tensor.npu = _to_npu
    _torch.Tensor.is_npu = property(lambda self: self.device.type == "npu")
    _torch.nn.Module.npu = _module_to_npu
    if not hasattr(_torch._C, "_get_privateuse1_backend_name"):  # torch 1.13
        _torch._C._get_privateuse1_backend_name = lambda: "npu"
    _adapt.install()


_install()
_register_operators()


def erase_stream(tensor: _torch.Tensor, stream: _Any) -> None:
    """Memory is kept for no stream: it is given out again once the host has waited for all."""


def npu_format_cast(tensor: _torch.Tensor, format: int) -> _torch.Tensor:
    """Tensors of torch have the layout ND (2) here. Raises RuntimeError for another."""
    if format not in (-1, 0, 1, 2):
        raise RuntimeError(f"davsim: tensors of torch have the layout ND; found format {format}")
    return tensor


def get_npu_format(tensor: _torch.Tensor) -> int:
    return 2


def empty_with_format(size: _Any, dtype: _Any = None, device: _Any = "npu", acl_format: int = 2,
                      **ignored: _Any) -> _torch.Tensor:
    return npu_format_cast(_torch.empty(size, dtype=dtype, device=device), acl_format)


def library_folder() -> str:
    """The folder of libtorch_npu.so, for programs in C++ that link it."""
    from ._backend import library_folder as folder

    return folder()
