"""torch.npu.memory: what tensors have, and what is free."""

from __future__ import annotations

import ctypes
from typing import Any

from ._library import call, check, index, library


def host_empty_cache() -> None:
    """Pinned memory of the host is not kept."""


def empty_cache() -> None:
    """Freed memory is kept by nobody."""


def _memory(reset: bool = False) -> tuple[int, int]:
    now, most = ctypes.c_ulonglong(), ctypes.c_ulonglong()
    library.davsim_torch_memory(ctypes.byref(now), ctypes.byref(most), int(reset))
    return now.value, most.value


def memory_allocated(device: Any = None) -> int:
    """Bytes that tensors have, on all devices."""
    return _memory()[0]


def max_memory_allocated(device: Any = None) -> int:
    return _memory()[1]


def reset_peak_memory_stats(device: Any = None) -> None:
    _memory(reset=True)


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats
memory_reserved = memory_cached = memory_allocated
max_memory_reserved = max_memory_cached = max_memory_allocated


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Nothing is accumulated."""


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Raises ValueError for what is no fraction. Tensors get all memory of the device whatever it is."""
    index(device)
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")


def get_allocator_backend() -> str:
    return "native"


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """The address of a block of the device's memory."""
    index(device)
    check(library.davsim_torch_start())
    address = ctypes.c_void_p()
    call("aclrtMalloc", ctypes.byref(address), ctypes.c_size_t(size), 0)
    return address.value or 0


def caching_allocator_delete(mem_ptr: int) -> None:
    call("aclrtFree", ctypes.c_void_p(mem_ptr))


def memory_stats(device: Any = None) -> dict[str, int]:
    """Bytes that tensors have, now and at most, under the names of torch. Nothing else is counted."""
    index(device)
    now, most = _memory()
    return {f"{kind}_bytes.all.{name}": value for kind in ("allocated", "reserved", "active")
            for name, value in (("current", now), ("peak", most))}


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *parts, last = name.split(".")
        inner = made
        for part in parts:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return made


def memory_snapshot() -> list[Any]:
    """Blocks are not listed."""
    return []


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    return "\n".join(f"{name:<30}{value:>16}" for name, value in memory_stats(device).items())


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Bytes that are free, and all."""
    check(library.davsim_torch_start())
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    library.aclrtGetMemInfo(1, ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value
