"""acl.rt: devices, contexts, streams, events, memory, callbacks and kernels."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

from ._binding import functions, library

globals().update(functions("acl.rt", "aclrt", """
set_device: i
reset_device: i
reset_device_force: i
get_device: >i
get_device_count: >u
get_run_mode: >i
get_device_info: u i >q
query_device_status: i >i
get_version: >i >i >i
get_soc_name: = s
device_can_access_peer: >i i i
device_enable_peer_access: i u
device_disable_peer_access: i
device_get_stream_priority_range: >i >i
synchronize_device:
synchronize_device_with_timeout: i
set_op_wait_timeout: u
set_op_execute_time_out: u
get_device_res_limit: i i >u
set_device_res_limit: i i u
reset_device_res_limit: i
get_stream_res_limit: p i >u
set_stream_res_limit: p i u
reset_stream_res_limit: p
create_context: >p i
destroy_context: p
set_context (aclrtSetCurrentContext): p
get_context (aclrtGetCurrentContext): >p
create_stream: >p
create_stream_with_config: >p u u
destroy_stream: p
destroy_stream_force: p
synchronize_stream: p
synchronize_stream_with_timeout: p i
stream_query: p >i
stream_abort: p
stream_wait_event: p p
set_stream_failure_mode: p Q
create_event: >p
create_event_with_flag: >p u
create_event_ex_with_flag: >p u
destroy_event: p
record_event: p p
reset_event: p p
query_event: p >i
query_event_status: p >i
query_event_wait_status: p >i
synchronize_event: p
synchronize_event_with_timeout: p i
event_elapsed_time: >f p p
event_get_timestamp: p >Q
malloc: >p z i
malloc_align32: >p z i
malloc_cached: >p z i
malloc_host: >p z
free: p
free_host: p
mem_flush: p z
mem_invalidate: p z
memset: p z i z
memset_async: p z i z p
memcpy: p z p z i
memcpy_async: p z p z i p
memcpy2d: p z p z z z i
memcpy2d_async: p z p z z z i p
get_mem_info: i >z >z
host_register: p Q i >p
host_unregister: p
reserve_mem_address: >p z z p Q
release_mem_address: p
map_mem: p z z p Q
unmap_mem: p
free_physical: p
ipc_mem_import_by_key: >p s Q
ipc_mem_close: s
subscribe_report: Q p
unsubscribe_report (aclrtUnSubscribeReport): Q p
process_report: i
binary_get_function: p s >p
binary_unload (aclrtBinaryUnLoad): p
kernel_args_init: p >p
kernel_args_append: p p z >p
kernel_args_para_update: p p p z
kernel_args_finalize: p
"""))


def ipc_mem_get_export_key(dev_ptr: int, size: int, length: int, flags: int) -> tuple[str, int]:
    key = ctypes.create_string_buffer(int(length) + 1)
    code = library.aclrtIpcMemGetExportKey(
        ctypes.c_void_p(dev_ptr), ctypes.c_size_t(size), key, ctypes.c_size_t(length),
        ctypes.c_uint64(flags))
    return key.value.decode(), code


def ipc_mem_set_import_pid(key: str, pids: list[int]) -> int:
    array = (ctypes.c_int32 * len(pids))(*pids)
    return library.aclrtIpcMemSetImportPid(key.encode(), array, ctypes.c_size_t(len(pids)))


# --- callbacks

_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_launched: dict[int, Any] = {}
_next_launch = 0


def launch_callback(function: Callable[[Any], Any], user_data: Any, block_type: int,
                    stream: int) -> int:
    """Calls function(user_data) when the stream has come to this place."""
    global _next_launch
    _next_launch += 1
    number = _next_launch

    def call(_: Any) -> None:
        # Its own trampoline must outlive the call: it goes with the next one.
        for done in [key for key, (_, over) in _launched.items() if over]:
            del _launched[done]
        try:
            function(user_data)
        finally:
            _launched[number] = (_launched[number][0], True)

    trampoline = _Callback(call)
    _launched[number] = (trampoline, False)
    code = library.aclrtLaunchCallback(trampoline, None, int(block_type), ctypes.c_void_p(stream))
    if code != 0:
        del _launched[number]
    return code


# --- kernels


def _must_be_empty(what: str, given: Any) -> None:
    if given:
        raise NotImplementedError(f"davsim: {what} is an empty list; found {given!r}")


def binary_load_from_file(path: str, options: Any) -> tuple[int, int]:
    _must_be_empty("options of acl.rt.binary_load_from_file", options)
    handle = ctypes.c_void_p()
    code = library.aclrtBinaryLoadFromFile(str(path).encode(), None, ctypes.byref(handle))
    return handle.value or 0, code


def launch_kernel_with_config(func_handle: int, num_blocks: int, stream: int, cfg: Any,
                              args_handle: int, reserve: Any = 0) -> int:
    _must_be_empty("cfg of acl.rt.launch_kernel_with_config", cfg)
    return library.aclrtLaunchKernelWithConfig(
        ctypes.c_void_p(func_handle), ctypes.c_uint32(num_blocks), ctypes.c_void_p(stream), None,
        ctypes.c_void_p(args_handle), None)
