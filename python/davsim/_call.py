"""One call of an operator: what goes to the worker and what comes back."""

from __future__ import annotations

from typing import Any, Tuple

from ._tensors import HostTensor, is_tensor, of_values, to_caller
from ._worker import Block, Worker
from .errors import AttributeValueError

# Tensors in the device's memory start at multiples of this; others are copied there.
_ALIGNMENT = 512


class Places:
    """Where tensors lie in a worker's global memory while a call runs. Those that lie elsewhere are
    copied there; arguments that are one array are one copy. Where arrays overlap, each has a copy,
    and only what the device has changed is brought back."""

    def __init__(self, worker: Worker, tensors: list[HostTensor]) -> None:
        import numpy as np

        self._blocks: dict[_Key, Any] = {}
        known: dict[_Key, int] = {}
        missing: dict[str, HostTensor] = {}
        for number, tensor in enumerate(tensors):
            array, key = tensor.array, _key(tensor)
            offset = worker.offset_of(array.ctypes.data, array.nbytes) if array.nbytes else None
            if offset is not None and offset % _ALIGNMENT == 0:
                known[key] = offset
            elif key not in known:
                known[key] = -1
                # The names decide the order in memory.
                missing[tensor.name or f"{number:04}"] = tensor
        if missing:
            wanted = [{"name": name, "bytes": t.array.nbytes} for name, t in missing.items()]
            reply = worker.request({"do": "allocate", "tensors": wanted})
            for name, tensor in missing.items():
                key = _key(tensor)
                offset = known[key] = reply["offsets"][name]
                block = np.asarray(Block(worker, offset, tensor.array.nbytes))
                block.view(tensor.array.dtype).reshape(tensor.array.shape)[...] = tensor.array
                self._blocks[key] = block
        self.offsets = [known[_key(tensor)] for tensor in tensors]

    def copy_back(self, tensors: list[HostTensor]) -> None:
        """Brings what the device has made of these tensors to their owners."""
        import numpy as np

        made = [(tensor, block.view(tensor.array.dtype).reshape(tensor.array.shape))
                for tensor in tensors if (block := self._blocks.get(_key(tensor))) is not None]
        # Before anything is written: arrays that overlap are what they were.
        changed = [_changed(tensor.array, block) for tensor, block in made] if _overlap(
            [tensor for tensor, _ in made]) else [None] * len(made)
        for (tensor, block), where in zip(made, changed):
            np.copyto(tensor.array, block, where=True if where is None else where)
            tensor.copy_back(where)


# Address, bytes, strides; the name of an array without elements, which may share its address.
_Key = Tuple[int, int, Tuple[int, ...], str]


def _key(tensor: HostTensor) -> _Key:
    shown, nbytes = tensor.shown, tensor.array.nbytes
    strides = () if shown is tensor.array else shown.strides
    return shown.ctypes.data, nbytes, strides, "" if nbytes else tensor.name


def _overlap(tensors: list[HostTensor]) -> bool:
    """Whether some of these arrays share bytes and are not the same."""
    spans = sorted({_key(tensor): _span(tensor.shown) for tensor in tensors
                    if tensor.array.nbytes}.values())
    return any(after[0] < before[1] for before, after in zip(spans, spans[1:]))


def _span(array: Any) -> tuple[int, int]:
    """The first and the last address of an array's elements, and one more."""
    first = last = array.ctypes.data
    for size, stride in zip(array.shape, array.strides):
        first += min((size - 1) * stride, 0)
        last += max((size - 1) * stride, 0)
    return first, last + array.itemsize


def _changed(before: Any, after: Any) -> Any:
    """Which elements have other bits."""
    bits = f"u{before.itemsize}"
    return before.view(bits) != after.view(bits)


class Call:
    """The arguments of a call, sorted into tensors and attributes.

    description: of the operator, as Device.describe() gives it.
    tensors, attributes: the arguments; in_place: the tensors among them that are updated.
    Raises DtypeError, UsageError for values that are no tensors.
    """

    def __init__(self, operator: str, description: dict[str, Any],
                 arguments: dict[str, Any]) -> None:
        self._operator = operator
        self._specs = {spec["name"]: spec for spec in description["tensors"]}
        self._known = {spec["name"] for spec in description["attributes"]}
        self.tensors: list[HostTensor] = []
        self.attributes: dict[str, Any] = {}
        for name, value in arguments.items():
            if value is not None:
                self._add(name, value)
        self.in_place = [tensor for tensor in self.tensors if self._direction(tensor) == "in/out"]
        for tensor in self.in_place:
            tensor.require_writable()

    def run_on(self, worker: Worker, options: dict[str, Any],
               timeout: float) -> tuple[dict[str, Any], dict[str, Any], bytes]:
        """Returns outputs by name, the worker's answer, and the report of the run as JSON."""
        places = Places(worker, self.tensors)
        tensors = [{"name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.array.shape),
                    "offset": offset} for tensor, offset in zip(self.tensors, places.offsets)]
        request = {"do": "run", "operator": self._operator, "tensors": tensors,
                   "attributes": self.attributes, **options}
        reply, report = worker.run(request, timeout)
        places.copy_back(self.in_place)
        outputs = {output["name"]: self._output(worker, output) for output in reply["outputs"]}
        return outputs, reply, report

    def _add(self, name: str, value: Any) -> None:
        spec = self._specs.get(name)
        if spec is not None and spec["list"] and isinstance(value, (list, tuple)) and all(
                is_tensor(item) for item in value):
            for number, item in enumerate(value):
                self.tensors.append(HostTensor(f"{name}.{number}", item))
        elif is_tensor(value) and name not in self._known:
            self.tensors.append(HostTensor(name, value))
        elif spec is not None:
            self.tensors.append(of_values(name, value, spec["dtypes"]))
        else:
            self.attributes[name] = _plain(name, value)

    def _direction(self, tensor: HostTensor) -> str:
        spec = self._specs.get(tensor.name) or self._specs.get(tensor.name.partition(".")[0])
        return spec["direction"] if spec else "in"

    def _output(self, worker: Worker, output: dict[str, Any]) -> Any:
        import math

        import numpy as np

        from ._tensors import numpy_dtype

        dtype, shape = output["dtype"], output["shape"]
        nbytes = math.prod(shape) * numpy_dtype(dtype)[1]
        data = np.asarray(Block(worker, output["offset"], nbytes))
        made = to_caller(data, dtype, shape, any(tensor.torch for tensor in self.tensors))
        return made.npu() if any(tensor.npu for tensor in self.tensors) else made


def _plain(name: str, value: Any) -> Any:
    """An attribute as JSON has it."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(name, item) for item in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    raise AttributeValueError(f"{name} is of type {type(value).__name__}",
                              rule="attributes are numbers, strings, bools and lists of them",
                              error_class="E_ATTR")
