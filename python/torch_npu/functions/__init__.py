"""Functions of the vendor's that programs of torch call beside their own kernels, made of operators of
torch: as those they run on the CPU, take no simulated time and have gradients. They compute in float32
and round once."""

from __future__ import annotations

from typing import Any

from davsim import _patch

from . import attention, caches, elementwise, experts

_MODULES = (elementwise, attention, caches, experts)


def register(package: dict[str, Any]) -> None:
    """As names of the package and of torch.ops.npu."""
    for module in _MODULES:
        for schema in module.SCHEMAS:
            name = schema.split("(")[0]
            package[name] = getattr(module, name)
            _patch.register_operator(schema, package[name])
