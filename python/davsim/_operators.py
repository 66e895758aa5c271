"""Operators of libraries that operator projects were built to, as functions."""

from __future__ import annotations

import os
from typing import Any, Callable

from . import _device
from .errors import UsageError

_ACLNN = "aclnn"
_FIRST_PHASE = "GetWorkspaceSize"


def load_operators(path: str | os.PathLike[str]) -> Operators:
    """The operators of a library such as libcust.so (docs/operator-projects.md): load_operators(
    "libcust.so").AddCustom(x, y, alpha=2.0). Raises UsageError if it is no such library."""
    library = Operators(path)
    library.names()
    return library


class Operators:
    """Each operator is a function of this object.

    `library.AddCustom(x, y, alpha=2.0)` takes inputs and attributes in the order of the definition,
    or by their names, and returns the output, or a tuple of several. `library.aclnnAddCustom(x, y,
    2.0, out)` takes inputs, attributes and outputs in the order of the generated function and
    writes the outputs. So do the two phases of the generated functions:
    `size, executor = library.aclnnAddCustomGetWorkspaceSize(x, y, 2.0, out)`, then
    `library.aclnnAddCustom(workspace, size, executor, stream)`, once an executor. The device takes
    the workspace itself, and calls run in order: size is 0, workspace and stream may be None. Calls
    run on the current device, which loads the library.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(path)

    def names(self) -> list[str]:
        """The names of the operators."""
        return list(_device.device().load_operators(self._path))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        operator = name.removeprefix(_ACLNN)
        first_phase = name.startswith(_ACLNN) and operator.endswith(_FIRST_PHASE)
        operator = operator.removesuffix(_FIRST_PHASE) if first_phase else operator
        if operator not in self.names():
            raise AttributeError(f"{self._path} has no operator '{operator}'; it has "
                                 f"{', '.join(self.names())}")

        def call(*arguments: Any, **named: Any) -> Any:
            if first_phase:
                return 0, Executor(self._path, operator, arguments, named)
            if not name.startswith(_ACLNN):
                return _run(self._path, operator, arguments, named)
            if len(arguments) > 2 and isinstance(arguments[2], Executor):
                return arguments[2].run(operator)
            return _run_aclnn(self._path, operator, arguments, named)

        call.__name__ = call.__qualname__ = name
        call.__doc__ = _doc(_described(self._path, operator)[1])
        return call

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names()]

    def __repr__(self) -> str:
        return f"<davsim.Operators of {self._path}>"


class Executor:
    """What the first phase of an aclnn function gives to the second one."""

    def __init__(self, path: str, operator: str, arguments: tuple[Any, ...],
                 named: dict[str, Any]) -> None:
        self._operator, self._path = operator, path
        self._call: tuple[tuple[Any, ...], dict[str, Any]] | None = (arguments, named)
        _aclnn_arguments(path, operator, arguments, named)

    def run(self, operator: str) -> None:
        """The call, once. Raises UsageError for another operator and for a second time."""
        if operator != self._operator:
            raise UsageError(f"{_ACLNN}{operator} was given an executor of {_ACLNN}{self._operator}",
                             rule="an executor is for the function of its first phase")
        if self._call is None:
            raise UsageError(f"the executor of {_ACLNN}{operator} was used already",
                             rule="an executor serves one call")
        arguments, named = self._call
        self._call = None
        _run_aclnn(self._path, operator, arguments, named)


def _doc(description: dict[str, Any]) -> str:
    """What help() says of an operator: its tensors and attributes, one a line."""
    lines = [description["summary"], ""]
    for spec in description["tensors"]:
        lines.append(f"{spec['name']} ({spec['direction']}, {spec['need']}): "
                     f"{' or '.join(spec['dtypes'])}, {spec['format']}")
    for spec in description["attributes"]:
        default = f", default {spec['default']!r}" if "default" in spec else ", required"
        lines.append(f"{spec['name']}: {spec['type']}{default}")
    return "\n".join(lines)


def _described(path: str, operator: str) -> tuple[_device.Device, dict[str, Any]]:
    device = _device.device()
    device.load_operators(path)
    return device, device.describe(operator)


def _bound(operator: str, names: list[str], arguments: tuple[Any, ...],
           named: dict[str, Any]) -> dict[str, Any]:
    if len(arguments) > len(names):
        raise UsageError(f"{operator} was given {len(arguments)} arguments",
                         rule=f"{operator} takes {', '.join(names)}")
    bound = dict(zip(names, arguments))
    for name, value in named.items():
        if name in bound:
            raise TypeError(f"{operator}() got multiple values for argument '{name}'")
        if name not in names:
            raise TypeError(f"{operator}() got an unexpected keyword argument '{name}'; it takes "
                            f"{', '.join(names)}")
        bound[name] = value
    return bound


def _names(description: dict[str, Any], *directions: str) -> list[str]:
    return [spec["name"] for spec in description["tensors"] if spec["direction"] in directions]


def _run(path: str, operator: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    device, description = _described(path, operator)
    names = _names(description, "in", "in/out") + [a["name"] for a in description["attributes"]]
    bound = _bound(operator, names, arguments, named)
    outputs = device.run(operator, **bound)
    # Operators that have none update their inputs.
    results = [outputs[name] for name in _names(description, "out") if name in outputs] or [
        bound[name] for name in _names(description, "in/out") if name in bound]
    return results[0] if len(results) == 1 else tuple(results)


def _aclnn_arguments(path: str, operator: str, arguments: tuple[Any, ...], named: dict[str, Any]
                     ) -> tuple[_device.Device, dict[str, Any], dict[str, Any]]:
    """The device, inputs and attributes by name, and the outputs that are to be written."""
    device, description = _described(path, operator)
    inputs = _names(description, "in", "in/out") + [a["name"] for a in description["attributes"]]
    outputs = _names(description, "out")
    bound = _bound(_ACLNN + operator, inputs + outputs, arguments, named)
    targets = {name: bound.pop(name) for name in outputs if bound.get(name) is not None}
    missing = [name for name in outputs if name not in targets]
    if missing:
        raise UsageError(f"{_ACLNN}{operator} was called without {', '.join(missing)}",
                         rule="an aclnn function writes the outputs that it is given")
    return device, bound, targets


def _run_aclnn(path: str, operator: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    device, bound, targets = _aclnn_arguments(path, operator, arguments, named)
    results = device.run(operator, **bound)
    for name, target in targets.items():
        _write(name, target, results[name])


def _write(name: str, target: Any, result: Any) -> None:
    import numpy as np

    from ._tensors import HostTensor

    to, made = HostTensor(name, target), HostTensor(name, result)
    if to.dtype != made.dtype or to.array.shape != made.array.shape:
        raise UsageError(f"{name} is {to.dtype}{list(to.array.shape)}; the operator gives "
                         f"{made.dtype}{list(made.array.shape)}",
                         rule="an output has the type and the shape that the operator gives it")
    to.require_writable()
    np.copyto(to.array, made.array)
    to.copy_back()
