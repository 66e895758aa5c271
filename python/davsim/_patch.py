"""davsim.patch(): programs that say `import torch_npu` run on simulated devices."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from typing import Any, Callable

from . import torch_npu
from .errors import UsageError

# The functions that torch_npu registers as torch.ops.npu.*; the caches are updated in place.
OPERATORS = ("npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2",
             "npu_incre_flash_attention", "npu_kv_rmsnorm_rope_cache", "npu_prompt_flash_attention")
_IN_PLACE = ("k_cache", "ckv_cache")
# Types of a schema by the annotations of the functions.
_TYPES = {"Tensor": "Tensor", "Tensor | None": "Tensor?", "Sequence[int] | None": "int[]?",
          "int": "int", "int | None": "int?", "float": "float", "bool": "bool", "str": "str"}

_library: Any = None


def patch() -> None:
    """Lets `import torch_npu` find davsim.torch_npu, and registers torch.ops.npu.* if torch is
    there. A second call changes nothing. Raises UsageError if the host has the real torch_npu."""
    known = sys.modules.get("torch_npu")
    if known is torch_npu or getattr(known, "__davsim__", False):
        return
    if known is not None or not _is_ours(importlib.util.find_spec("torch_npu")):
        raise UsageError("this host has a torch_npu of its own",
                         rule="davsim.patch() takes the place of a torch_npu that is not there")
    if importlib.util.find_spec("torch") is not None:
        register_operators()
    sys.modules["torch_npu"] = torch_npu


def _is_ours(found: Any) -> bool:
    """There is no package torch_npu, or the one that comes with davsim."""
    if found is None or found.origin is None:
        return found is None
    beside = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    return os.path.dirname(os.path.dirname(os.path.realpath(found.origin))) == beside


def register_operators() -> None:
    """torch.ops.npu.*, for tensors on the CPU; torch_npu brings those of npu there."""
    global _library
    import torch.library

    if _library is not None:
        return
    _library = torch.library.Library("npu", "DEF")
    for name in OPERATORS:
        function = getattr(torch_npu, name)
        _library.define(schema_of(function))
        _library.impl(name, _returning_tensors(function), "CPU")


def register_operator(schema: str, function: Callable[..., Any],
                      key: str = "CompositeImplicitAutograd") -> None:
    """One more operator of torch.ops.npu, made of functions of torch; with the key "CPU" what the host
    does in one piece."""
    register_operators()
    _library.define(schema)
    _library.impl(schema.split("(")[0], function, key)


def schema_of(function: Callable[..., Any]) -> str:
    """The schema of torch for a function of davsim.torch_npu."""
    parts = []
    keywords = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            keywords = True
            parts.append("*")
        kind = _TYPES[parameter.annotation]
        if parameter.name in _IN_PLACE:
            kind = f"Tensor({chr(ord('a') + _IN_PLACE.index(parameter.name))}!)"
        default = "" if parameter.default is parameter.empty else f"={_literal(parameter.default)}"
        parts.append(f"{kind} {parameter.name}{default}")
    results = ", ".join(["Tensor"] * inspect.signature(function).return_annotation.count("Tensor"))
    return f"{function.__name__}({', '.join(parts)}) -> ({results})"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _returning_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Operators of torch cannot return None; what is not asked for is a tensor without elements."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        import torch

        results = function(*arguments, **keywords)
        if not isinstance(results, tuple):
            return results
        return tuple(torch.empty(0) if result is None else result for result in results)

    return call
