"""acl.prof is accepted and does nothing: DAVSIM_MSPROF writes what the profiler does."""

from __future__ import annotations

import ctypes
from typing import Any

from ._binding import array, functions, library

globals().update(functions("acl.prof", "aclprof", """
finalize:
start: p
stop: p
destroy_config: p
"""))


def init(path: str) -> int:
    text = str(path).encode()
    return library.aclprofInit(text, ctypes.c_size_t(len(text)))


def set_config(kind: int, value: str) -> int:
    return library.aclprofSetConfig(int(kind), value.encode(), ctypes.c_size_t(len(value)))


def create_config(devices: Any, aicore_metrics: int, aicore_events: Any, data_type: int) -> int:
    library.aclprofCreateConfig.restype = ctypes.c_void_p
    return library.aclprofCreateConfig(array("u", devices), len(devices), int(aicore_metrics), None,
                                       ctypes.c_uint64(data_type)) or 0
