"""Systems of several simulated dies, and calls of operators that run on all of them together."""

from __future__ import annotations

import contextlib
import contextvars
import json
import os
import struct
import subprocess
import tempfile
import threading
from typing import Any, Iterator, Mapping, Sequence

from . import _call
from ._tensors import to_caller
from ._worker import program
from .errors import TYPE_CHECKING, InternalError, UsageError, error_of

if TYPE_CHECKING:
    from ._tensors import HostTensor

_TYPES = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64", "int8": "I8",
          "uint8": "U8", "int16": "I16", "uint16": "U16", "int32": "I32", "uint32": "U32",
          "int64": "I64", "uint64": "U64", "bool": "BOOL"}
_NAMES = {tag: name for name, tag in _TYPES.items()}
# What says which rank a call is of; all other attributes are alike on all ranks but for names of
# groups, each of which is of the ranks that it joins.
_RANK_IDS = ("ep_rank_id", "tp_rank_id")
_GROUPS = ("group_ep", "group_tp", "hcom")

# The rank that this thread is, and its system.
_entered: contextvars.ContextVar[tuple[System, int] | None] = contextvars.ContextVar(
    "davsim_rank", default=None)


class System:
    """Several simulated dies with the links between them; rank r runs on die r.

    system: a built-in system (`davsim list`), or the path of a description file.
    ranks: how many of its first dies take part.
    set: parameters of the dies' SoC to replace, as for Device.
    check: look for races and misuse in the kernels of all dies; raises CheckError.
    functional: compute results without time.
    timeout: seconds of wall time that a call may take, and that ranks wait for each other; 0: no
        limit.

    Each call is a process of its own that begins with empty memories and caches. `last` is what
    `davsim run-system --json` prints about the last call.
    """

    def __init__(self, system: str, ranks: int, *, set: Mapping[str, Any] | None = None,
                 check: bool = False, functional: bool = False, timeout: float = 600) -> None:
        if ranks < 2:
            raise UsageError(f"ranks is {ranks}", rule="a system has at least 2 ranks")
        self.ranks = ranks
        self.last: dict[str, Any] = {}
        self._options = [f"{system}:{ranks}"]
        self._flags = [f"--set={name}={value}" for name, value in (set or {}).items()]
        self._flags += ["--check"] * check + ["--functional"] * functional
        self._flags += [f"--host-timeout={int(timeout)}"]
        self._timeout = timeout or None
        self._described: dict[str, dict[str, Any]] = {}
        self._meeting = threading.Condition()
        self._waiting: _Together | None = None

    def run(self, operator: str, parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Calls an operator of several dies. `parts` has tensors and attributes of each rank, by
        name; the attributes that say which rank it is may be left out. Returns the outputs of each
        rank by name. Tensors that are updated in place are updated as they were given.

        Raises what Device.run() raises.
        """
        if len(parts) != self.ranks:
            raise UsageError(f"{operator} was given {len(parts)} parts",
                             rule=f"there is a part for each of the {self.ranks} ranks")
        calls = [_call.Call(operator, self._describe(operator), dict(part)) for part in parts]
        attributes = _attributes_of_all(calls)
        with tempfile.TemporaryDirectory(prefix="davsim-") as folder:
            inputs, outputs = os.path.join(folder, "in"), os.path.join(folder, "out")
            attrs = os.path.join(folder, "attrs")
            _write(inputs, {f"{tensor.name}.{rank}": tensor
                            for rank, call in enumerate(calls) for tensor in call.tensors})
            with open(attrs, "w", encoding="utf-8") as file:
                json.dump(attributes, file)
            self.last = _command(["run-system", *self._options, operator, "--json", "--inputs",
                                  inputs, "--attrs", attrs, "--outputs", outputs, *self._flags])
            return _results(_read(outputs), calls)

    @contextlib.contextmanager
    def rank(self, rank: int) -> Iterator[None]:
        """Within it this thread is a rank: a public function of davsim.torch_npu that runs on
        several dies waits until the threads of all ranks have called it."""
        if not 0 <= rank < self.ranks:
            raise UsageError(f"rank is {rank}", rule=f"ranks are 0 to {self.ranks - 1}")
        token = _entered.set((self, rank))
        try:
            yield
        finally:
            _entered.reset(token)

    def _meet(self, rank: int, operator: str, arguments: dict[str, Any]) -> dict[str, Any]:
        with self._meeting:
            if self._waiting is None:
                self._waiting = _Together()
            together = self._waiting
            if rank in together.parts:
                raise UsageError(f"rank {rank} calls {operator} in two threads",
                                 rule="a rank is one thread")
            together.parts[rank] = (operator, arguments)
            if len(together.parts) == self.ranks:
                self._waiting = None
                self._run_all(together)
                self._meeting.notify_all()
            elif not self._meeting.wait_for(lambda: together.done, self._timeout):
                missing = sorted({*range(self.ranks)} - {*together.parts})
                if self._waiting is together:
                    self._waiting = None
                together.fail(UsageError(f"{operator}: no call came from the ranks {missing}",
                                         rule="all ranks of a system call an operator together"))
                self._meeting.notify_all()
        if together.error is not None:
            raise together.error
        return together.outputs[rank]

    def _run_all(self, together: _Together) -> None:
        names = {operator for operator, _ in together.parts.values()}
        try:
            if len(names) > 1:
                raise UsageError(f"ranks call different operators: {', '.join(sorted(names))}",
                                 rule="all ranks of a system call an operator together")
            parts = [together.parts[rank][1] for rank in range(self.ranks)]
            together.outputs = self.run(names.pop(), parts)
        except Exception as error:  # pylint: disable=broad-except
            together.fail(error)
        together.done = True

    def _describe(self, operator: str) -> dict[str, Any]:
        if operator not in self._described:
            self._described[operator] = _command(["describe", operator, "--json"])
        return self._described[operator]


class _Together:
    """The calls of all ranks, from the first one's on."""

    def __init__(self) -> None:
        self.parts: dict[int, tuple[str, dict[str, Any]]] = {}
        self.outputs: list[dict[str, Any]] = []
        self.error: Exception | None = None
        self.done = False

    def fail(self, error: Exception) -> None:
        self.error = self.error or error
        self.done = True


def run_as_rank(operator: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The call of the rank that this thread is. Returns its outputs."""
    entered = _entered.get()
    if entered is None and any(getattr(value, "is_npu", False) for value in arguments.values()):
        from torch_npu.distributed import operators

        return operators.run(operator, arguments)
    if entered is None:
        raise UsageError(f"{operator} runs on several dies",
                         rule="it is called within `with system.rank(r):`, by a thread for each rank, "
                              "or by the processes of a group of hccl, with tensors on npu")
    system, rank = entered
    return system._meet(rank, operator, arguments)  # pylint: disable=protected-access


def _attributes_of_all(calls: list[_call.Call]) -> dict[str, Any]:
    first = calls[0].attributes
    pairs = max(int(first.get("tp_world_size", 1)), 1)
    for rank, call in enumerate(calls):
        for name in {*first, *call.attributes} - {*_RANK_IDS, *_GROUPS}:
            if call.attributes.get(name) != first.get(name):
                raise UsageError(f"{name} is {first.get(name)!r} on rank 0 and "
                                 f"{call.attributes.get(name)!r} on rank {rank}",
                                 rule="attributes are the same on all ranks")
        for name, expected in zip(_RANK_IDS, (rank // pairs, rank % pairs)):
            if call.attributes.get(name, expected) != expected:
                raise UsageError(f"{name} is {call.attributes[name]} on rank {rank}",
                                 rule=f"rank {rank} of the system has {name} {expected}")
    return {name: value for name, value in first.items() if name not in _RANK_IDS}


def _command(arguments: list[str]) -> dict[str, Any]:
    """What the command prints as JSON. Raises the error that it reports."""
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0:
        for line in said.splitlines():
            try:
                reply = {"status": done.returncode, **json.loads(line)["error"]}
            except (ValueError, KeyError, TypeError):
                continue  # a warning
            raise error_of(reply)
        raise InternalError(said or f"davsim ended with status {done.returncode}")
    return json.loads(done.stdout)


def _write(path: str, tensors: dict[str, HostTensor]) -> None:
    header, offset = {}, 0
    for name, tensor in tensors.items():
        end = offset + tensor.array.nbytes
        header[name] = {"dtype": _TYPES[tensor.dtype], "shape": list(tensor.array.shape),
                        "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.array.tobytes())


def _read(path: str) -> dict[str, tuple[str, list[int], Any]]:
    """dtype, shape and bytes of each tensor of a file."""
    import numpy as np

    data = np.fromfile(path, np.uint8)
    length = int(data[:8].view("<u8")[0])
    header = json.loads(data[8:8 + length].tobytes())
    tensors = {}
    for name, about in header.items():
        if name == "__metadata__":
            continue
        first, last = (8 + length + offset for offset in about["data_offsets"])
        tensors[name] = (_NAMES[about["dtype"]], about["shape"], data[first:last].copy())
    return tensors


def _results(tensors: dict[str, tuple[str, list[int], Any]],
             calls: list[_call.Call]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = [{} for _ in calls]
    in_place = [{tensor.name: tensor for tensor in call.in_place} for call in calls]
    as_torch = [any(tensor.torch for tensor in call.tensors) for call in calls]
    for full, (dtype, shape, data) in tensors.items():
        name, _, number = full.rpartition(".")
        rank = int(number)
        own = in_place[rank].get(name)
        if own is None:
            results[rank][name] = to_caller(data, dtype, shape, as_torch[rank])
        else:
            own.array[...] = data.view(own.array.dtype).reshape(own.array.shape)
            own.copy_back()
    return results
