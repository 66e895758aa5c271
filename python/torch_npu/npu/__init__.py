"""torch.npu: the simulated device as torch sees it. There is one device, npu:0.

DAVSIM_SOC, DAVSIM_SET, DAVSIM_TRACE and the like choose it and say what is written about the run
(docs/runtime.md).
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator

import torch

from .._backend import load as _load
from . import _types, amp, mstx
from ._options import (config, conv, get_deterministic_level, get_sync_debug_mode,
                       is_jit_compile_false, matmul, set_compile_mode, set_deterministic_level,
                       set_option, set_sync_debug_mode)

_library = _load()
globals().update(_types.made())
_DEVICE_NAME = "npu"
# Members of properties, and aclrtDevAttr.
_DEVICE_ATTRIBUTES = {"cube_core_num": 102, "vector_core_num": 201, "L2_cache_size": 302}


def _check(failure: bytes | None) -> None:
    if failure is not None:
        raise RuntimeError(failure.decode())


def _index(device: Any) -> int:
    """The number of a device: None, 0, "npu", "npu:0", torch.device. Raises RuntimeError for one
    that does not exist."""
    if device is None:
        return 0
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != _DEVICE_NAME:
            raise ValueError(f"Expected a npu device, but got: {device}")
        device = device.index or 0
    if device not in (0, -1):
        raise RuntimeError(f"invalid device npu:{device}: there is one simulated device, npu:0")
    return 0


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """As torch's own functions of this name."""
    if allow_cpu and device is not None and torch.device(device).type == "cpu":
        return -1
    if device is None and not optional:
        raise ValueError("Expected a npu device with a specified index or an integer, but got: None")
    return _index(device)


# --- the device


def is_available() -> bool:
    return True


def is_initialized() -> bool:
    return True


def init() -> None:
    _check(_library.davsim_torch_start())


def device_count() -> int:
    return 1


def current_device() -> int:
    return 0


def set_device(device: Any) -> None:
    _index(device)
    init()


def synchronize(device: Any = None) -> None:
    """Waits for all that was queued. Raises RuntimeError if a kernel went wrong."""
    _index(device)
    _check(_library.davsim_torch_synchronize())


class device:
    """A context in which a device is the current one."""

    def __init__(self, device: Any) -> None:
        self.idx = _index(device)
        self.prev_idx = 0

    def __enter__(self) -> None:
        init()

    def __exit__(self, *exception: object) -> None:
        pass


class device_of(device):
    def __init__(self, tensor: Any) -> None:
        super().__init__(0)


def get_device_name(device: Any = None) -> str:
    """The SoC: "Ascend910B3"."""
    _index(device)
    init()
    return (_library.davsim_torch_soc() or b"").decode()


def get_device_capability(device: Any = None) -> None:
    return None


def get_device_properties(device: Any = None) -> Any:
    """name, total_memory (bytes), cube_core_num, vector_core_num, L2_cache_size (bytes)."""
    import types

    name = get_device_name(device)
    free, total = mem_get_info(device)
    found = ctypes.c_longlong()
    numbers = {}
    for name_here, attribute in _DEVICE_ATTRIBUTES.items():
        code = _library.aclrtGetDeviceInfo(0, attribute, ctypes.byref(found))
        numbers[name_here] = found.value if code == 0 else 0
    return types.SimpleNamespace(name=name, total_memory=total, **numbers)


def get_soc_version() -> int:
    versions = {"Ascend910B1": 220, "Ascend910B2": 221, "Ascend910B2C": 222, "Ascend910B3": 223,
                "Ascend910B4": 224, "Ascend910B4-1": 225, "Ascend910_9391": 250,
                "Ascend910_9392": 251, "Ascend910_9381": 252, "Ascend910_9382": 253,
                "Ascend910_9372": 254, "Ascend910_9362": 255}
    return versions.get(get_device_name(), -1)


def can_device_access_peer(device: Any, peer: Any) -> bool:
    return False


def is_bf16_supported() -> bool:
    return True


def utilization(device: Any = None) -> int:
    """Nothing runs while the host looks."""
    return 0


def is_current_stream_capturing() -> bool:
    """Graphs of torch are not there."""
    return False


def ipc_collect() -> None:
    """Memory is shared with no other process."""


# --- memory


def empty_cache() -> None:
    """Freed memory is kept by nobody."""


def _memory(reset: bool = False) -> tuple[int, int]:
    now, most = ctypes.c_ulonglong(), ctypes.c_ulonglong()
    _library.davsim_torch_memory(ctypes.byref(now), ctypes.byref(most), int(reset))
    return now.value, most.value


def memory_allocated(device: Any = None) -> int:
    """Bytes that tensors have."""
    return _memory()[0]


def max_memory_allocated(device: Any = None) -> int:
    return _memory()[1]


def reset_peak_memory_stats(device: Any = None) -> None:
    _memory(reset=True)


reset_max_memory_allocated = reset_peak_memory_stats
memory_reserved = memory_allocated
max_memory_reserved = max_memory_allocated


def memory_stats(device: Any = None) -> dict[str, int]:
    """Bytes that tensors have, now and at most, under the names of torch. Nothing else is counted."""
    _index(device)
    now, most = _memory()
    return {f"{kind}_bytes.all.{name}": value for kind in ("allocated", "reserved", "active")
            for name, value in (("current", now), ("peak", most))}


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    return "\n".join(f"{name:<30}{value:>16}" for name, value in memory_stats(device).items())


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Bytes that are free, and all."""
    init()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    _library.aclrtGetMemInfo(1, ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


# --- random numbers come from the host's generator


def manual_seed(seed: int) -> None:
    # torch.manual_seed calls this function where cuda means npu.
    torch.default_generator.manual_seed(int(seed))


manual_seed_all = manual_seed


def seed() -> None:
    torch.seed()


seed_all = seed


def initial_seed() -> int:
    return torch.initial_seed()


def get_rng_state(device: Any = None) -> torch.Tensor:
    return torch.get_rng_state()


def set_rng_state(state: torch.Tensor, device: Any = None) -> None:
    torch.set_rng_state(state)


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state()]


def set_rng_state_all(states: Any) -> None:
    for state in states:
        set_rng_state(state)


# --- streams and events


class Stream:
    """A stream of the device. Streams order what they queue; launches of several streams lie side
    by side on free cores."""

    def __init__(self, device: Any = None, priority: int = 0, *, _id: int | None = None,
                 **ignored: Any) -> None:
        _index(device)
        if _id is None:
            made = ctypes.c_longlong()
            _check(_library.davsim_torch_stream_make(ctypes.byref(made)))
            _id = made.value
        self.stream_id = _id
        self.device = torch.device(_DEVICE_NAME, 0)
        self.device_index = 0

    @property
    def npu_stream(self) -> int:
        """The runtime's aclrtStream, for ctypes."""
        handle = ctypes.c_void_p()
        _check(_library.davsim_torch_stream_handle(ctypes.c_longlong(self.stream_id),
                                                   ctypes.byref(handle)))
        return handle.value or 0

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.npu_stream)

    def synchronize(self) -> None:
        _check(_library.davsim_torch_stream_synchronize(ctypes.c_longlong(self.stream_id)))

    def query(self) -> bool:
        ended = ctypes.c_int()
        _check(_library.davsim_torch_stream_query(ctypes.c_longlong(self.stream_id),
                                                  ctypes.byref(ended)))
        return bool(ended.value)

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        self.wait_event(stream.record_event())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.stream_id == self.stream_id

    def __hash__(self) -> int:
        return hash((Stream, self.stream_id))

    def __repr__(self) -> str:
        return f"<torch_npu.npu.Stream device=npu:0 npu_stream={self.npu_stream:#x}>"


def current_stream(device: Any = None) -> Stream:
    _index(device)
    init()
    return Stream(_id=_library.davsim_torch_stream_current())


def default_stream(device: Any = None) -> Stream:
    _index(device)
    init()
    return Stream(_id=0)


def set_stream(stream: Stream | None) -> None:
    if stream is not None:
        _library.davsim_torch_stream_set(ctypes.c_longlong(stream.stream_id))


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """What is queued in this context goes to `stream`."""
    before = current_stream()
    set_stream(stream)
    try:
        yield
    finally:
        set_stream(before)


StreamContext = stream


class Event:
    """A point of a stream. Times are those of the simulated device."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False,
                 interprocess: bool = False, external: bool = False) -> None:
        init()
        self._event = ctypes.c_void_p()
        self._recorded = False
        self._call("CreateEvent", ctypes.byref(self._event))

    def record(self, stream: Stream | None = None) -> None:
        self._call("RecordEvent", self._event, (stream or current_stream())._as_parameter_)
        self._recorded = True

    def wait(self, stream: Stream | None = None) -> None:
        self._call("StreamWaitEvent", (stream or current_stream())._as_parameter_, self._event)

    def query(self) -> bool:
        """Whether what was recorded has ended; true if nothing was."""
        if not self._recorded:
            return True
        status = ctypes.c_int()
        self._call("QueryEventStatus", self._event, ctypes.byref(status))
        return status.value == 1

    def synchronize(self) -> None:
        self._call("SynchronizeEvent", self._event)

    def elapsed_time(self, end: Event) -> float:
        """Simulated milliseconds from this event to `end`."""
        self.synchronize()
        end.synchronize()
        milliseconds = ctypes.c_float()
        self._call("EventElapsedTime", ctypes.byref(milliseconds), self._event, end._event)
        return milliseconds.value

    @staticmethod
    def _call(name: str, *arguments: Any) -> None:
        code = getattr(_library, "aclrt" + name)(*arguments)
        if code != 0:
            _library.aclGetRecentErrMsg.restype = ctypes.c_char_p
            text = (_library.aclGetRecentErrMsg() or b"").decode()
            raise RuntimeError(f"NPU error {code} of aclrt{name}: {text}")

    def __repr__(self) -> str:
        return f"<torch_npu.npu.Event {self._event.value or 0:#x}>"

    def __del__(self) -> None:
        if getattr(self, "_event", None):
            _library.aclrtDestroyEvent(self._event)
