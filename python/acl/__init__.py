"""acl: AscendCL for Python, over libascendcl with the simulated device of docs/runtime.md.

Functions have the names, parameters and results of the device's module: addresses and handles are
numbers, and a function that writes something returns it and then the code.
"""

from __future__ import annotations

import ctypes
from typing import Any

from . import op, prof, rt, util
from ._binding import array, functions, library

globals().update(functions("acl", "acl", """
finalize:
get_recent_err_msg: = s
get_soc_name (aclrtGetSocName): = s
data_type_size: i = z
float16_to_float: h = f
float_to_float16: f = h
create_data_buffer: p z = p
destroy_data_buffer: p
update_data_buffer: p p z
get_data_buffer_addr: p = p
get_data_buffer_size (aclGetDataBufferSizeV2): p = z
destroy_tensor_desc: p =
get_tensor_desc_type: p = i
get_tensor_desc_format: p = i
get_tensor_desc_size: p = z
get_tensor_desc_element_count: p = z
get_tensor_desc_num_dims: p = z
get_tensor_desc_dim: p z = q
get_tensor_desc_dim_v2 (aclGetTensorDescDimV2): p z >q
set_tensor_desc_name: p s =
set_tensor_format: p i
set_tensor_origin_format: p i
set_tensor_storage_format: p i
"""))

_MISSING = {"mdl": "models of graphs", "media": "the processing of pictures", "tdt": "queues of data"}


def init(config_path: str | None = None) -> int:
    return library.aclInit(config_path.encode() if config_path else None)


def create_tensor_desc(data_type: int, dims: Any, format: int) -> int:
    library.aclCreateTensorDesc.restype = ctypes.c_void_p
    return library.aclCreateTensorDesc(int(data_type), len(dims), array("q", dims),
                                       int(format)) or 0


def _set_shape(symbol: str, desc: int, dims: Any) -> int:
    return library[symbol](ctypes.c_void_p(desc), len(dims), array("q", dims))


def set_tensor_shape(desc: int, dims: Any) -> int:
    return _set_shape("aclSetTensorShape", desc, dims)


def set_tensor_origin_shape(desc: int, dims: Any) -> int:
    return _set_shape("aclSetTensorOriginShape", desc, dims)


def set_tensor_storage_shape(desc: int, dims: Any) -> int:
    return _set_shape("aclSetTensorStorageShape", desc, dims)


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise AttributeError(f"davsim has no acl.{name}: {_MISSING[name]} are not there")
    raise AttributeError(f"module 'acl' has no attribute '{name}'")
