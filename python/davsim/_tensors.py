"""Tensors of torch, numpy and others as bytes, and back."""

from __future__ import annotations

import sys
from typing import Any

from .errors import DtypeError, UnsupportedError, UsageError

# dtypes that numpy has under davsim's names; bfloat16 is carried as uint16.
_NUMPY = ("float16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32",
          "int64", "uint64", "bool")


class BFloat16:
    """A bfloat16 array for hosts whose numpy has no such dtype.

    bits: a uint16 array; each element holds the 16 bits of a bfloat16.
    """

    __slots__ = ("bits",)

    def __init__(self, bits: Any) -> None:
        import numpy as np

        bits = np.asarray(bits)
        if bits.dtype != np.uint16:
            raise DtypeError(f"the bits of a BFloat16 are uint16; found {bits.dtype}",
                             rule="bits are uint16", error_class="E_DTYPE")
        self.bits = bits

    @classmethod
    def from_float32(cls, values: Any) -> BFloat16:
        """Rounds to the nearest bfloat16, ties to even. NaN stays NaN."""
        import numpy as np

        values = np.asarray(values, np.float32)
        raw = np.ascontiguousarray(values).view(np.uint32).reshape(values.shape)
        rounded = (raw.astype(np.uint64) + 0x7FFF + ((raw >> 16) & 1)) >> 16
        quiet = (raw >> 16) | 0x40
        return cls(np.where(np.isnan(values), quiet, rounded).astype(np.uint16))

    def to_float32(self) -> Any:
        """The exact values as a float32 array of the same shape."""
        import numpy as np

        return (self.bits.astype(np.uint32) << 16).view(np.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.bits.shape

    def __array__(self, dtype: Any = None) -> Any:
        values = self.to_float32()
        return values if dtype is None else values.astype(dtype)

    def __repr__(self) -> str:
        return f"BFloat16({self.to_float32()!r})"


def is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_tensor(value: Any) -> bool:
    """Arrays of torch and numpy, BFloat16, and all else with __dlpack__; no scalars of numpy."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, BFloat16) or is_torch(value):
        return True
    if numpy is not None and isinstance(value, numpy.generic):
        return False
    return hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__")


class HostTensor:
    """A tensor of the caller: `array` is a numpy view of its elements, with bfloat16 as uint16.

    copy_back(): brings an updated `array` to the caller, where it is a copy.
    npu: a tensor of torch on the device npu of the package torch_npu.
    """

    __slots__ = ("name", "array", "dtype", "npu", "torch", "_of_torch", "_original")

    def __init__(self, name: str, value: Any) -> None:
        import numpy as np

        self.name = name
        self.torch = is_torch(value)
        self._original: Any = None
        self._of_torch: Any = None  # a tensor whose elements numpy cannot show
        self.npu = self.torch and value.device.type == "npu"
        if self.torch and value.is_neg():
            self._of_torch = value.detach()
            value = self._of_torch.resolve_neg()
        if self.npu:
            self.dtype, array = _of_npu(name, value.detach())
        elif self.torch:
            self.dtype, array = _of_torch(name, value)
        elif isinstance(value, BFloat16):
            self.dtype, array = "bfloat16", value.bits
        else:
            array = value if isinstance(value, np.ndarray) else np.from_dlpack(value)
            self.dtype = array.dtype.name
            if self.dtype == "bfloat16":
                array = array.view(np.uint16)
            elif self.dtype not in _NUMPY or not array.dtype.isnative:
                raise _refused(name, str(array.dtype))
        self.array = np.ascontiguousarray(array).reshape(array.shape)
        if not array.flags.c_contiguous:
            self._original = array

    @property
    def writable(self) -> bool:
        return bool(self.shown.flags.writeable)

    def require_writable(self) -> None:
        if not self.writable:
            raise UsageError(f"{self.name} is updated in place, but the array is read-only",
                             rule="tensors that are updated in place can be written")

    @property
    def shown(self) -> Any:
        """The caller's elements, of which `array` may be a copy."""
        return self.array if self._original is None else self._original

    def copy_back(self, changed: Any = None) -> None:
        """changed: which elements; None: all."""
        import numpy as np

        if self._original is not None:
            np.copyto(self._original, self.array, where=True if changed is None else changed)
        if self._of_torch is not None:
            import torch

            bits = torch.from_numpy(np.ascontiguousarray(self.shown))
            if self.dtype == "bfloat16":
                bits = bits.view(torch.bfloat16)
            self._of_torch.copy_(bits)


def of_values(name: str, values: Any, dtypes: list[str]) -> HostTensor:
    """A tensor of plain numbers, with the first of `dtypes` that numpy has."""
    import numpy as np

    known = [dtype for dtype in dtypes if dtype in _NUMPY]
    try:
        return HostTensor(name, np.asarray(values, known[0] if known else None))
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{name} cannot be made a tensor: {error}",
                         rule="a tensor is an array, or numbers in lists of equal length") from error


def to_caller(data: Any, dtype: str, shape: list[int], as_torch: bool) -> Any:
    """An array over the bytes of `data` (an array of uint8), without a copy."""
    import numpy as np

    carried = "uint16" if dtype == "bfloat16" else dtype
    if as_torch:
        import torch

        # torch 1.13 has no unsigned integers beyond uint8.
        signed = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}.get(carried, carried)
        tensor = torch.from_numpy(data.view(signed).reshape(shape))
        return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor
    array = data.view(carried).reshape(shape)
    if dtype != "bfloat16":
        return array
    extended = _numpy_bfloat16()
    return BFloat16(array) if extended is None else array.view(extended)


def numpy_dtype(dtype: Any) -> tuple[str, int]:
    """davsim's name of a dtype given by name, by numpy's or torch's dtype, and its bytes."""
    import numpy as np

    name = str(dtype).removeprefix("torch.") if not isinstance(dtype, type) else dtype.__name__
    if name == "bfloat16":
        return name, 2
    try:
        plain = np.dtype(name if name in _NUMPY else dtype)
    except TypeError:
        plain = None
    if plain is None or plain.name not in _NUMPY:
        raise _refused("the tensor", str(dtype))
    return plain.name, plain.itemsize


def _of_torch(name: str, tensor: Any) -> tuple[str, Any]:
    import torch

    if tensor.device.type != "cpu":
        raise UsageError(f"{name} is on {tensor.device}",
                         rule="tensors of torch are on the CPU or on npu")
    if tensor.layout is not torch.strided:
        raise UsageError(f"{name} has the layout {tensor.layout}",
                         rule="tensors of torch are dense")
    dtype = str(tensor.dtype).removeprefix("torch.")
    plain = tensor.detach()
    if dtype == "bfloat16":
        return dtype, plain.view(torch.int16).numpy()
    if dtype not in _NUMPY:
        raise _refused(name, str(tensor.dtype))
    return dtype, plain.numpy()


def _of_npu(name: str, tensor: Any) -> tuple[str, Any]:
    """The memory of a tensor on npu, which has ordinary addresses, when the device has ended what
    was queued."""
    import ctypes

    import numpy as np
    import torch

    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype != "bfloat16" and dtype not in _NUMPY:
        raise _refused(name, str(tensor.dtype))
    plain = np.dtype(np.uint16 if dtype == "bfloat16" else dtype)
    if tensor.numel() == 0:
        return dtype, np.empty(tuple(tensor.shape), plain)
    if torch.npu.is_current_stream_capturing():
        raise UnsupportedError(f"{name} is on a stream of which a graph is captured; a graph does not "
                               "keep calls of the operators npu_*, call them outside of it",
                               rule="operators npu_* are called outside of graphs",
                               error_class="E_UNSUPPORTED")
    torch.npu.synchronize()
    consecutive = not _in_fractals(tensor)
    if not consecutive:
        tensor = tensor.clone()
    last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))
    memory = (ctypes.c_char * ((last + 1) * plain.itemsize)).from_address(tensor.data_ptr())
    memory.of = tensor  # lives as long as the array
    array = np.ndarray(tuple(tensor.shape), plain, memory,
                       strides=[step * plain.itemsize for step in tensor.stride()])
    array.flags.writeable = consecutive
    return dtype, array


def _in_fractals(tensor: Any) -> bool:
    """Whether the memory of a tensor of npu has another order, FRACTAL_NZ."""
    import torch

    return torch.ops.davsim_torch.format_of(tensor) == 29


def _refused(name: str, dtype: str) -> DtypeError:
    return DtypeError(f"{name} is {dtype}, which the simulated device does not have; it has "
                      f"bfloat16, {', '.join(_NUMPY)}",
                      rule="tensors have a dtype of the device", error_class="E_DTYPE")


def _numpy_bfloat16() -> Any:
    """The bfloat16 of the package ml_dtypes, if the host has it."""
    try:
        import ml_dtypes  # type: ignore[import-not-found]
    except ImportError:
        return None
    return ml_dtypes.bfloat16
