"""DLPack for tensors of npu: torch.utils.dlpack.to_dlpack, from_dlpack, Tensor.__dlpack__. Torch 2 has
it for every device."""

from __future__ import annotations

import ctypes
from typing import Any

import torch
import torch.utils.dlpack

from ._formats import require_consecutive
from .npu._library import check, library

_NAME, _USED = b"dltensor", b"used_dltensor"
_EXTENSION = 12  # kDLExtDev

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_is_valid = ctypes.pythonapi.PyCapsule_IsValid


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _forget(capsule: int) -> None:
    """A capsule that nobody took a tensor from."""
    if _is_valid(ctypes.c_void_p(capsule), _NAME):
        library.davsim_torch_release_dlpack(ctypes.c_void_p(_pointer(ctypes.c_void_p(capsule), _NAME)))


def _to_dlpack(tensor: torch.Tensor) -> Any:
    if tensor.device.type != "npu":
        return torch._C._to_dlpack(tensor)
    require_consecutive(tensor, "DLPack")
    made = ctypes.c_void_p()
    check(library.davsim_torch_to_dlpack(ctypes.c_void_p(tensor._cdata), ctypes.byref(made)))
    return _new(made, _NAME, _forget)


def _wrap_from(of_torch: Any) -> Any:
    def from_dlpack(ext_tensor: Any) -> torch.Tensor:
        if hasattr(ext_tensor, "__dlpack_device__"):
            if ext_tensor.__dlpack_device__()[0] != _EXTENSION:
                return of_torch(ext_tensor)
            ext_tensor = ext_tensor.__dlpack__()
        capsule = ctypes.py_object(ext_tensor)
        if not _is_valid(capsule, _NAME):
            return of_torch(ext_tensor)
        held = ctypes.c_void_p(_pointer(capsule, _NAME))
        if not library.davsim_torch_is_dlpack_of_npu(held):
            return of_torch(ext_tensor)
        made = torch.empty(0, device="npu")
        check(library.davsim_torch_from_dlpack(ctypes.c_void_p(made._cdata), held))
        ctypes.pythonapi.PyCapsule_SetName(capsule, _USED)
        return made

    return from_dlpack


def _wrap_method(of_torch: Any) -> Any:
    def __dlpack__(self: torch.Tensor, stream: Any = None) -> Any:
        if self.device.type != "npu":
            return of_torch(self, stream)
        if self.requires_grad or self.is_conj():
            raise BufferError("Can't export tensors that require gradient or are conjugate by a "
                              "flag; use tensor.detach() or tensor.resolve_conj()")
        return _to_dlpack(self)

    return __dlpack__


def _wrap_device(of_torch: Any) -> Any:
    def __dlpack_device__(self: torch.Tensor) -> Any:
        return (_EXTENSION, self.device.index) if self.device.type == "npu" else of_torch(self)

    return __dlpack_device__


def install() -> None:
    if int(torch.__version__.split(".")[0]) >= 2:
        return
    library.davsim_torch_to_dlpack.restype = ctypes.c_char_p
    library.davsim_torch_from_dlpack.restype = ctypes.c_char_p
    torch.utils.dlpack.to_dlpack = torch.to_dlpack = _to_dlpack
    torch.utils.dlpack.from_dlpack = torch.from_dlpack = _wrap_from(torch.from_dlpack)
    torch.Tensor.__dlpack__ = _wrap_method(torch.Tensor.__dlpack__)
    torch.Tensor.__dlpack_device__ = _wrap_device(torch.Tensor.__dlpack_device__)
