"""Operators of all ranks of a group, where a rank is this process: their tensors are on its device,
and the group is known by the name that get_hccl_comm_name() gives."""

from __future__ import annotations

import ctypes
import json
from typing import Any

import torch

from .._formats import require_consecutive
from ..npu import current_stream, device
from ..npu._library import call

# aclDataType
_TYPES = {torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4,
          torch.int16: 6, torch.int64: 9, torch.float64: 11, torch.bool: 12, torch.bfloat16: 27}
_DTYPES = {number: dtype for dtype, number in _TYPES.items()}
# What the functions name the groups by, the one that carries the call out first.
_GROUPS = ("hcom", "group_ep")


def run(operator: str, arguments: dict[str, Any]) -> dict[str, torch.Tensor]:
    """This rank's part of a call. Returns its results, which are there when the current stream of
    their device is."""
    tensors = {name: value for name, value in arguments.items() if torch.is_tensor(value)}
    where = next(value.device for value in tensors.values() if value.device.type == "npu")
    for name, tensor in tensors.items():
        if tensor.device != where:
            raise RuntimeError(f"{operator}: {name} is on {tensor.device}, another tensor on {where}")
    # The caller's tensors stay what they are: copies live until the call is queued.
    tensors = {name: tensor if name == "x2" and _is_transposed(tensor) else tensor.contiguous()
               for name, tensor in tensors.items()}
    attributes = {name: value for name, value in arguments.items()
                  if value is not None and name not in tensors}
    request = {"operator": operator, "attributes": attributes,
               "group": next((attributes[name] for name in _GROUPS if name in attributes), ""),
               "tensors": [_described(name, tensor) for name, tensor in tensors.items()]}
    with device(where):
        results = {}
        for output in _outputs(request):
            made = torch.empty(output["shape"], dtype=_DTYPES[output["type"]], device=where)
            results[output["name"]] = made
            request["tensors"].append({**_described(output["name"], made), "output": True})
        call("davsim_system_call", _text(request), current_stream()._as_parameter_)
    if operator == "npu_mm_all_reduce_base":  # batches of rows stay batches
        results["y"] = results["y"].view(*tensors["x1"].shape[:-1], -1)
    return results


def _is_transposed(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 2 and not tensor.is_contiguous() and tensor.t().is_contiguous()


def _described(name: str, tensor: torch.Tensor) -> dict[str, Any]:
    require_consecutive(tensor, name)
    if tensor.dtype not in _TYPES:
        raise RuntimeError(f"{name} has the data type {tensor.dtype}, which no operator takes")
    described = {"name": name, "type": _TYPES[tensor.dtype], "shape": list(tensor.shape),
                 "address": tensor.data_ptr()}
    if not tensor.is_contiguous():
        described["strides"] = list(tensor.stride())
    return described


def _outputs(request: dict[str, Any]) -> list[dict[str, Any]]:
    text = ctypes.c_char_p()
    call("davsim_system_outputs", _text(request), ctypes.byref(text))
    return json.loads((text.value or b"[]").decode())


def _text(request: dict[str, Any]) -> ctypes.c_char_p:
    return ctypes.c_char_p(json.dumps(request).encode())
