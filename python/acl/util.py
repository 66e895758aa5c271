"""acl.util: addresses of arrays and bytes, and threads that serve callbacks."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable

import numpy as np

_BY_NUMBER = {np.dtype(code).num: np.dtype(code) for code in "?bBhHiIlLqQefd"}
_threads: dict[int, threading.Thread] = {}


def numpy_to_ptr(array: np.ndarray) -> int:
    """The address of a contiguous array, which must live as long as the address is used."""
    if not array.flags.c_contiguous:
        raise ValueError("davsim: the array is not contiguous: np.ascontiguousarray makes one")
    return array.ctypes.data


def numpy_contiguous_to_ptr(array: np.ndarray) -> int:
    return numpy_to_ptr(array)


def ptr_to_numpy(pointer: int, shape: Any, dtype: Any) -> np.ndarray:
    """The memory at an address as an array. dtype: one of numpy, or its number (11: float32)."""
    kind = _BY_NUMBER[dtype] if isinstance(dtype, int) else np.dtype(dtype)
    bytes = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    memory = (ctypes.c_char * bytes).from_address(pointer)
    return np.frombuffer(memory, kind).reshape(shape)


def bytes_to_ptr(data: bytes) -> int:
    """The address of bytes, which must live as long as the address is used."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def ptr_to_bytes(pointer: int, size: int) -> bytes:
    return ctypes.string_at(pointer, size)


def start_thread(function: Callable[[Any], Any], arguments: Any) -> tuple[int, int]:
    """Runs function(arguments) in a thread of its own; the number is what subscribe_report takes."""
    thread = threading.Thread(target=function, args=(arguments,), daemon=True)
    thread.start()
    assert thread.ident is not None
    _threads[thread.ident] = thread
    return thread.ident, 0


def stop_thread(thread_id: int) -> int:
    """Waits for the end of a thread, which the program has asked to end."""
    thread = _threads.pop(thread_id, None)
    if thread is None:
        return 100000
    thread.join()
    return 0
