"""Functions of the vendor's that programs of torch call beside their own kernels.

Those of SCHEMAS are made of operators of torch: as those they run on the CPU and have gradients. Those
of WHOLE are one operator each, which the CPU does, without gradients; a graph keeps them. Neither take
simulated time, but for those of atb, which run on simulated operators. They compute in float32, or
exactly with whole numbers, and round once."""

from __future__ import annotations

import functools
from typing import Any, Callable

import torch

from davsim import _patch

from . import (atb, attention, caches, elementwise, experts, grouped, grouped_layers, matmul, norms,
               permute, plain, positions, quantise, quantised_layers)

_MODULES = (atb, elementwise, norms, plain, positions, attention, caches, experts, permute, matmul, grouped,
            grouped_layers, quantise, quantised_layers)


def register(package: dict[str, Any]) -> None:
    """As names of the package and of torch.ops.npu."""
    for module in _MODULES:
        for schema in getattr(module, "SCHEMAS", ()):
            name, function = _named(schema, module)
            package[name] = function
            _patch.register_operator(schema, function)
        for schema in getattr(module, "WHOLE", ()):
            name, function = _named(schema, module)
            _patch.register_operator(schema, function, "CPU")
            package[name] = _calling(name, function)
    for name in atb.PLAIN:
        package[name] = getattr(atb, name)


def kept_by_graphs(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of davsim's; while a graph is captured the operator of torch.ops.npu, which is kept."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if not torch.npu.is_current_stream_capturing():
            return function(*arguments, **keywords)
        results = getattr(torch.ops.npu, name)(*arguments, **keywords)
        if torch.is_tensor(results):
            return results
        return tuple(None if result.numel() == 0 else result for result in results)

    return call


def _named(schema: str, module: Any) -> tuple[str, Callable[..., Any]]:
    """The name of an operator, without that of the overload, and its function."""
    name = schema.split("(")[0].split(".")[0]
    return name, getattr(module, name)


def _calling(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The operator, with the documentation of its function."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        # Torch looks for overloads when an operator is first named, which is after all are there.
        return getattr(torch.ops.npu, name)(*arguments, **keywords)

    return call
