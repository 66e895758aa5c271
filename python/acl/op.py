"""acl.op: operators of projects by name (docs/runtime.md, "Operators by name")."""

from __future__ import annotations

import ctypes
from typing import Any

from ._binding import array, checked, functions

globals().update(functions("acl.op", "aclop", """
set_model_dir: s
create_attr: = p
destroy_attr: p =
set_attr_int: p s q
set_attr_float: p s f
set_attr_string: p s s
set_attr_data_type: p s i
destroy_handle: p =
"""))


def set_attr_bool(attr: int, name: str, value: Any) -> int:
    return checked("aclopSetAttrBool", ctypes.c_void_p(attr), name.encode(),
                   ctypes.c_uint8(bool(value)))


def _set_list(kind: str, symbol: str, attr: int, name: str, values: Any) -> int:
    return checked(symbol, ctypes.c_void_p(attr), name.encode(), len(values), array(kind, values))


def set_attr_list_int(attr: int, name: str, values: Any) -> int:
    return _set_list("q", "aclopSetAttrListInt", attr, name, values)


def set_attr_list_float(attr: int, name: str, values: Any) -> int:
    return _set_list("f", "aclopSetAttrListFloat", attr, name, values)


def set_attr_list_string(attr: int, name: str, values: Any) -> int:
    return _set_list("s", "aclopSetAttrListString", attr, name, values)


def set_attr_list_bool(attr: int, name: str, values: Any) -> int:
    flags = (ctypes.c_uint8 * len(values))(*(bool(value) for value in values))
    return checked("aclopSetAttrListBool", ctypes.c_void_p(attr), name.encode(), len(values), flags)


def _lists(*lists: Any) -> list[Any]:
    made: list[Any] = []
    for descriptions, buffers in zip(lists[::2], lists[1::2]):
        if len(descriptions) != len(buffers):
            raise ValueError(f"{len(descriptions)} descriptions of tensors, {len(buffers)} buffers")
        made += [len(descriptions), array("p", descriptions), array("p", buffers)]
    return made


def execute_v2(op_type: str, input_desc: Any, inputs: Any, output_desc: Any, outputs: Any,
               attr: int, stream: int) -> int:
    return checked("aclopExecuteV2", op_type.encode(),
                   *_lists(input_desc, inputs, output_desc, outputs), ctypes.c_void_p(attr),
                   ctypes.c_void_p(stream))


def create_handle(op_type: str, input_desc: Any, output_desc: Any, attr: int) -> tuple[int, int]:
    handle = ctypes.c_void_p()
    code = checked("aclopCreateHandle", op_type.encode(), len(input_desc), array("p", input_desc),
                   len(output_desc), array("p", output_desc), ctypes.c_void_p(attr),
                   ctypes.byref(handle))
    return handle.value or 0, code


def execute_with_handle(handle: int, inputs: Any, outputs: Any, stream: int) -> int:
    return checked("aclopExecWithHandle", ctypes.c_void_p(handle), len(inputs), array("p", inputs),
                   len(outputs), array("p", outputs), ctypes.c_void_p(stream))
