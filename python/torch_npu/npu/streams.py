"""torch.npu.streams: streams and events. Times are those of the simulated device."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator

import torch

from ._library import DEVICE_NAME, call, check, index, library


class Stream:
    """A stream of the device. Streams order what they queue; launches of several streams lie side
    by side on free cores."""

    def __init__(self, device: Any = None, priority: int = 0, *, _id: int | None = None,
                 **ignored: Any) -> None:
        self.device_index = index(device)
        self.device = torch.device(DEVICE_NAME, self.device_index)
        if _id is None:
            made = ctypes.c_longlong()
            check(library.davsim_torch_stream_make(self.device_index, ctypes.byref(made)))
            _id = made.value
        self.stream_id = _id

    @property
    def npu_stream(self) -> int:
        """The runtime's aclrtStream, for ctypes."""
        handle = ctypes.c_void_p()
        check(library.davsim_torch_stream_handle(ctypes.c_longlong(self.stream_id),
                                                   ctypes.byref(handle)))
        return handle.value or 0

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.npu_stream)

    def synchronize(self) -> None:
        check(library.davsim_torch_stream_synchronize(ctypes.c_longlong(self.stream_id)))

    def query(self) -> bool:
        ended = ctypes.c_int()
        check(library.davsim_torch_stream_query(ctypes.c_longlong(self.stream_id),
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
        return f"<torch_npu.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


def current_stream(device: Any = None) -> Stream:
    number = index(device)
    check(library.davsim_torch_start())
    return Stream(number, _id=library.davsim_torch_stream_current(number))


def default_stream(device: Any = None) -> Stream:
    number = index(device)
    check(library.davsim_torch_start())
    return Stream(number, _id=library.davsim_torch_stream_default(number))


def set_stream(stream: Stream | None) -> None:
    if stream is not None:
        library.davsim_torch_stream_set(ctypes.c_longlong(stream.stream_id))


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """What is queued in this context goes to `stream`, on whose device it is."""
    if stream is None:
        yield
        return
    device, before = library.davsim_torch_device(), current_stream(stream.device)
    check(library.davsim_torch_set_device(stream.device_index))
    set_stream(stream)
    try:
        yield
    finally:
        set_stream(before)
        check(library.davsim_torch_set_device(device))


StreamContext = stream


class SyncLaunchStream(Stream):
    """A stream on which the vendor's host waits for each launch. To the results it is like any."""


class Event:
    """A point of a stream. Times are those of the simulated device."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False,
                 interprocess: bool = False, external: bool = False) -> None:
        check(library.davsim_torch_start())
        self._event = ctypes.c_void_p()
        self._recorded = False
        call("aclrtCreateEvent", ctypes.byref(self._event))

    def record(self, stream: Stream | None = None) -> None:
        call("aclrtRecordEvent", self._event, (stream or current_stream())._as_parameter_)
        self._recorded = True

    def wait(self, stream: Stream | None = None) -> None:
        call("aclrtStreamWaitEvent", (stream or current_stream())._as_parameter_, self._event)

    def query(self) -> bool:
        """Whether what was recorded has ended; true if nothing was."""
        if not self._recorded:
            return True
        status = ctypes.c_int()
        call("aclrtQueryEventStatus", self._event, ctypes.byref(status))
        return status.value == 1

    def synchronize(self) -> None:
        call("aclrtSynchronizeEvent", self._event)

    def elapsed_time(self, end: Event) -> float:
        """Simulated milliseconds from this event to `end`."""
        self.synchronize()
        end.synchronize()
        milliseconds = ctypes.c_float()
        call("aclrtEventElapsedTime", ctypes.byref(milliseconds), self._event, end._event)
        return milliseconds.value

    def __repr__(self) -> str:
        return f"<torch_npu.npu.Event {self._event.value or 0:#x}>"

    def __del__(self) -> None:
        if getattr(self, "_event", None):
            library.aclrtDestroyEvent(self._event)
