"""What torch's own Python code and its parser of arguments refuse for a device that torch was not
built for: files and copies of storages, streams, generators, autocast."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import torch

from .npu._library import check, index, library

_UntypedStorage = torch.UntypedStorage


def install() -> None:
    torch.Tensor.type = _wrap_type(torch.Tensor.type)
    torch.serialization.register_package(30, _location_of, _restored_at)
    _UntypedStorage.clone = _clone_of_storage
    _UntypedStorage.npu = _storage_to_npu
    _UntypedStorage.copy_ = _wrap_copy_of_storage(_UntypedStorage.copy_)
    _UntypedStorage._write_file = _wrap_write(_UntypedStorage._write_file)
    _UntypedStorage._set_from_file = _wrap_read(_UntypedStorage._set_from_file)
    if int(torch.__version__.split(".")[0]) < 2:
        torch.Tensor.set_ = _wrap_set(torch.Tensor.set_)
        torch.Tensor.record_stream = _wrap_record_stream(torch.Tensor.record_stream)
        torch.Tensor.data = property(_data.__get__, _set_data, _data.__delete__)
        torch._has_compatible_shallow_copy_type = _go_together
        torch.Generator = Generator
        torch.compile = _compiled
    _let_autocast_take_npu(torch.autocast)


def _compiled(model: Any = None, *, fullgraph: bool = False, dynamic: Any = None, backend: Any = "inductor",
              mode: Any = None, options: Any = None, disable: bool = False) -> Any:
    """torch.compile of torch 2, where torch has none: the model runs operator by operator, which gives
    the same results."""
    if model is None:
        return lambda function: function
    return model


def _untyped(storage: Any) -> Any:
    return storage if isinstance(storage, _UntypedStorage) else storage.untyped()


# --- torch.save, torch.load, pickle, copy.deepcopy


def _location_of(storage: Any) -> str | None:
    return str(storage.device) if storage.device.type == "npu" else None


def _restored_at(storage: Any, location: str) -> Any:
    if location.split(":")[0] != "npu":
        return None
    return _storage_to_npu(_untyped(storage), location)


def _empty_storage(bytes: int, device: Any) -> Any:
    holder = torch.empty(bytes, dtype=torch.uint8, device=torch.device("npu", index(device)))
    return holder.untyped_storage() if hasattr(holder, "untyped_storage") else holder._storage()


def _storage_to_npu(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    if self.device.type == "npu" and (device is None or index(device) == self.device.index):
        return self
    return _empty_storage(self.nbytes(), device).copy_(self, non_blocking)


def _clone_of_storage(self: Any) -> Any:
    if self.device.type == "npu":
        return _empty_storage(self.nbytes(), self.device).copy_(self, False)
    return type(self)(self.nbytes(), device=self.device).copy_(self, False)


def _bytes_of(storage: Any) -> torch.Tensor:
    storage = _untyped(storage)
    if storage.device.type == "npu" and library.davsim_torch_in_fractals(ctypes.c_void_p(storage._cdata)):
        raise RuntimeError("davsim: a storage in the layout FRACTAL_NZ (29) is neither saved nor copied; "
                           "npu_format_cast(tensor, 2) gives a tensor in ND")
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


def _wrap_copy_of_storage(of_torch: Any) -> Any:
    @functools.wraps(of_torch)
    def copy_(self: Any, source: Any, non_blocking: bool | None = None) -> Any:
        if "npu" not in (self.device.type, source.device.type):
            return of_torch(self, source, non_blocking)
        _bytes_of(self).copy_(_bytes_of(source))
        return self

    return copy_


def _wrap_write(of_torch: Any) -> Any:
    @functools.wraps(of_torch)
    def _write_file(self: Any, *arguments: Any) -> None:
        of_torch(self.cpu() if self.device.type == "npu" else self, *arguments)

    return _write_file


def _wrap_read(of_torch: Any) -> Any:
    @functools.wraps(of_torch)
    def _set_from_file(self: Any, *arguments: Any) -> Any:
        if self.device.type != "npu":
            return of_torch(self, *arguments)
        host = _UntypedStorage(self.nbytes())
        of_torch(host, *arguments)
        return self.copy_(host, False)

    return _set_from_file


def _wrap_set(of_torch: Any) -> Any:
    """Tensor.set_ of torch 1.13 knows storages of the devices that it was built for."""

    @functools.wraps(of_torch)
    def set_(self: torch.Tensor, source: Any = None, storage_offset: int = 0, size: Any = None,
             stride: Any = None) -> torch.Tensor:
        if not isinstance(source, (torch.TypedStorage, _UntypedStorage)) or \
                source.device.type != "npu":
            given = [value for value in (source, size, stride) if value is not None]
            if len(given) > 1:
                given.insert(1, storage_offset)
            return of_torch(self, *given)
        if self.device.type != "npu":
            raise RuntimeError(f"Attempted to set the storage of a tensor on device {self.device} "
                               f"to a storage on different device {source.device}")
        if size is None:
            size = (source.nbytes() // self.element_size(),)
        _set_storage(self, _untyped(source), storage_offset, tuple(size), stride)
        return self

    return set_


def _set_storage(tensor: torch.Tensor, storage: Any, offset: int, size: tuple[int, ...],
                 stride: Any) -> None:
    stride = tuple(stride) if stride is not None else torch.empty(size, device="meta").stride()
    numbers = ctypes.c_longlong * max(len(size), 1)
    check(library.davsim_torch_set_storage(
        ctypes.c_void_p(tensor._cdata), ctypes.c_void_p(storage._cdata), ctypes.c_longlong(offset),
        numbers(*size), numbers(*stride), ctypes.c_longlong(len(size))))


# --- tensor.data = other, by which modules move their parameters

_data = torch._C._TensorBase.data
_go_together_of_torch = torch._has_compatible_shallow_copy_type


def _on_either_side(tensor: torch.Tensor, other: Any) -> bool:
    """Whether one tensor is of npu and the other of the host."""
    return torch.is_tensor(other) and {tensor.device.type, other.device.type} == {"cpu", "npu"}


def _set_data(self: torch.Tensor, other: Any) -> None:
    if not _on_either_side(self, other):
        _data.__set__(self, other)
        return
    check(library.davsim_torch_set_data(ctypes.c_void_p(self._cdata), ctypes.c_void_p(other._cdata)))


def _go_together(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    """Parameters that modules share, and that optimizers have, stay the same objects on npu."""
    return _on_either_side(tensor, other) or _go_together_of_torch(tensor, other)


# --- names of types


def _wrap_type(of_torch: Any) -> Any:
    """x.type() is "torch.npu.FloatTensor", and x.type("torch.npu.HalfTensor") is of that type."""

    @functools.wraps(of_torch)
    def type(self: torch.Tensor, dtype: Any = None, non_blocking: bool = False,
             **keywords: Any) -> Any:
        if dtype is None:
            return of_torch(self).replace("torch.privateuseone.", "torch.npu.")
        if isinstance(dtype, str) and dtype.startswith("torch.npu."):
            dtype = getattr(torch.npu, dtype[len("torch.npu."):], dtype)
        if getattr(dtype, "__module__", "") == "torch.npu":
            return self.to(torch.device("npu", index(None)), dtype.dtype, non_blocking=non_blocking)
        return of_torch(self, dtype, non_blocking, **keywords)

    return type


# --- streams and generators


def _wrap_record_stream(of_torch: Any) -> Any:
    @functools.wraps(of_torch)
    def record_stream(self: torch.Tensor, stream: Any) -> None:
        # Memory that was freed is given out again once the host has waited for all streams.
        if self.device.type != "npu":
            of_torch(self, stream)

    return record_stream


class Generator(torch._C.Generator):
    """A generator of random numbers. Those of npu come from the host."""

    def __new__(cls, device: Any = "cpu") -> Generator:
        of_npu = torch.device(device).type == "npu"
        made = super().__new__(cls, "cpu" if of_npu else device)
        made._of_npu = torch.device("npu", index(device)) if of_npu else None
        return made

    def __init__(self, device: Any = "cpu") -> None:
        super().__init__()

    @property
    def device(self) -> torch.device:
        return self._of_npu or super().device


# --- autocast


def _let_autocast_take_npu(autocast: Any) -> None:
    """torch.autocast("npu") is that of torch.npu.amp."""
    from .npu import amp

    init, enter, leave = autocast.__init__, autocast.__enter__, autocast.__exit__

    @functools.wraps(init)
    def __init__(self: Any, device_type: str, dtype: Any = None, enabled: bool = True,
                 cache_enabled: bool | None = None) -> None:
        self._of_npu = torch.device(device_type).type == "npu"
        if not self._of_npu:
            init(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
            return
        self.device, self._enabled, self.fast_dtype = "npu", enabled, dtype or torch.float16
        self._of_amp = amp.autocast(enabled, self.fast_dtype)

    @functools.wraps(enter)
    def __enter__(self: Any) -> Any:
        if not getattr(self, "_of_npu", False):
            return enter(self)
        self._of_amp.__enter__()
        return self

    @functools.wraps(leave)
    def __exit__(self: Any, *exception: Any) -> Any:
        own = getattr(self, "_of_npu", False)
        return self._of_amp.__exit__(*exception) if own else leave(self, *exception)

    autocast.__init__, autocast.__enter__, autocast.__exit__ = __init__, __enter__, __exit__
