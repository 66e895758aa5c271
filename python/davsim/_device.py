"""Simulated devices, and calls of operators on them."""

from __future__ import annotations

import contextvars
import math
import os
import threading

from ._worker import Block, Worker
from .errors import TYPE_CHECKING, RefusedError, UsageError

if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

    from .result import Run

DEFAULT_SOC = "Ascend910B3"

# The devices of the `with` statements around, the innermost last.
_entered: contextvars.ContextVar[tuple[Device, ...]] = contextvars.ContextVar("davsim", default=())
_default_lock = threading.Lock()
# Called with every Run that ends well: profiles of torch_npu.
listeners: list[Callable[[Run], None]] = []
_default: Device | None = None


class Device:
    """One simulated die of an Ascend NPU. It lives in a process of its own.

    soc: a name that `davsim list` shows, or the path of a description file.
    set: parameters of the SoC to replace, {"l2.size": "96MiB"}; `davsim describe SOC` lists them.
    check: look for races, reads of unwritten bytes and misuse of queues; raises CheckError.
    record: which calls keep what their trace, report page and explanation are made of. "last", as
        timed devices do: the last one, until the next; True: every call; False: none.
    functional: compute results without time; several times faster.
    timeout: seconds of wall time that a call may take, 0 for no limit.
    max_cycles: simulated cycles that a call may take, 0 for no limit.
    operators: paths of libraries with further operators (docs/operator-projects.md).

    The device starts with its first call. L2 keeps its contents from call to call. A call from
    another thread waits until the device is free; calls on different devices run at the same time.
    """

    def __init__(self, soc: str = DEFAULT_SOC, *, set: Mapping[str, Any] | None = None,
                 check: bool = False, record: bool | str | None = None, functional: bool = False,
                 timeout: float = 600, max_cycles: int = 0,
                 operators: tuple[str, ...] | list[str] = ()) -> None:
        if functional and record:
            raise UsageError("a functional device has no time to record",
                             rule="record is for timed devices")
        if record not in (None, False, True, "last"):
            raise UsageError(f"record is {record!r}", rule='record is False, True or "last"')
        if not 0 <= timeout < math.inf:
            raise UsageError(f"timeout is {timeout}", rule="timeout is a number of seconds from 0")
        self.check = check
        self._soc = soc
        self._set = dict(set or {})
        self._record = not functional and "last" if record is None else record
        self._timeout = math.ceil(timeout)
        self._options = [f"--set={name}={value}" for name, value in self._set.items()]
        self._options += [f"--operators={os.path.abspath(path)}" for path in operators]
        self._options += ["--functional"] if functional else []
        self._options += [f"--max-cycles={int(max_cycles)}"] if max_cycles else []
        self._lock = threading.RLock()
        self._worker: Worker | None = None
        self._described: dict[str, dict[str, Any]] = {}
        self._last: Run | None = None

    # --- calls

    def run(self, operator: str, /, *, cold: bool = False, **arguments: Any) -> dict[str, Any]:
        """Runs an operator and returns its outputs by name.

        arguments: tensors and attributes under the names that `davsim describe OPERATOR` shows.
        Tensors are arrays of torch (on the CPU) or numpy, or anything with __dlpack__; a tensor may
        also be given as a list of numbers. None stands for a tensor or attribute that is not given.
        Tensors that the operator updates in place are updated. Outputs are torch tensors if one of
        the arguments is one, else numpy arrays; they lie in the device's memory and are not copied.
        cold: empty L2 first.

        Raises a RefusedError if the operator refuses the call, KernelFault if the kernel goes
        wrong, CheckError, UsageError, WorkerError.
        """
        from . import _call

        with self._lock:
            return self.simulate(_call.Call(operator, self.describe(operator), arguments), cold=cold)

    def simulate(self, call: Any, *, cold: bool = False, check: bool | None = None) -> Any:
        """Carries out a prepared call of an operator or a kernel; run() and kernels use it."""
        from .result import Run

        with self._lock:
            worker = self._running()
            options: dict[str, Any] = {"cold": cold, "timeout": self._timeout,
                                       "check": self.check if check is None else check}
            records = self._recording(worker, options)
            kept, worker.kept = worker.kept, None
            try:
                outputs, reply, report = call.run_on(worker, options, self._timeout)
            except RefusedError:
                worker.kept = kept
                raise
            if records is not None:
                records.ended(reply["printed"])
            self._last = Run(reply["figures"], report, records)
            for listener in list(listeners):
                listener(self._last)
            return outputs

    def _recording(self, worker: Worker, options: dict[str, Any]) -> Any:
        """Adds to the options of a request what records the call; returns the records to be."""
        from . import _records

        if self._record == "last":
            options["keep"] = True
            return _records.Kept(worker, self._lock)
        if not self._record:
            return None
        records = _records.Recorded()
        options["exports"] = records.exports
        return records

    @property
    def last(self) -> Run:
        """The figures of the last call that ended well. Raises UsageError before the first."""
        if self._last is None:
            raise UsageError("no call has ended on this device yet",
                             rule="`last` is there after a call")
        return self._last

    @property
    def ran(self) -> bool:
        """Whether a call has ended well, so that `last` is there."""
        return self._last is not None

    def forget_last(self) -> None:
        """Lets `last` be absent until the next call has ended well."""
        self._last = None

    def describe(self, operator: str) -> dict[str, Any]:
        """Tensors, attributes and limits of an operator, as `davsim describe --json` prints them.
        Raises UsageError for an unknown one."""
        with self._lock:
            known = self._described.get(operator)
            if known is None:
                known = self._running().request({"do": "describe", "operator": operator})
                self._described[operator] = known
            return known

    def load_operators(self, path: str | os.PathLike[str]) -> list[str]:
        """Adds the operators of a library that an operator project was built to; returns their
        names. Raises UsageError if it is no such library."""
        return self._loaded("load_operators", path)["operators"]

    def load_kernels(self, path: str | os.PathLike[str]) -> list[dict[str, Any]]:
        """The kernels of a library of `davsim-cc --davsim-module`, with their parameters."""
        return self._loaded("load_kernels", path)["kernels"]

    def _loaded(self, what: str, path: str | os.PathLike[str]) -> dict[str, Any]:
        library = os.path.abspath(path)
        with self._lock:
            worker = self._running()
            known = worker.libraries.get(library)
            if known is None:
                known = worker.request({"do": what, "library": library})
                worker.libraries[library] = known
            return known

    @property
    def operators(self) -> list[str]:
        """The names of all operators."""
        with self._lock:
            worker = self._running()
            more = [name for library in worker.libraries.values()
                    for name in library.get("operators", ())]
            return sorted([*worker.hello["operators"], *more])

    @property
    def soc(self) -> str:
        """The name of the SoC."""
        with self._lock:
            return str(self._running().hello["soc"])

    # --- memory

    def empty(self, shape: int | tuple[int, ...] | list[int], dtype: Any = "float32") -> Any:
        """A numpy array of zeros in the device's memory; calls take it without a copy.

        dtype: a name, a dtype of numpy or of torch. bfloat16 gives a BFloat16, or the dtype of
        ml_dtypes if the host has that package. torch.from_numpy makes a tensor of it.
        Raises UsageError if the memory is full.
        """
        from . import _tensors

        sizes = [shape] if isinstance(shape, int) else list(shape)
        name, itemsize = _tensors.numpy_dtype(dtype)
        data = self._place(math.prod(sizes) * itemsize)
        return _tensors.to_caller(data, name, sizes, as_torch=False)

    def to_device(self, value: Any) -> Any:
        """A copy of a tensor in the device's memory, of the same kind: torch or numpy."""
        from . import _tensors

        host = _tensors.HostTensor("the tensor", value)
        data = self._place(host.array.nbytes)
        copy = _tensors.to_caller(data, host.dtype, list(host.array.shape), host.torch)
        data.view(host.array.dtype).reshape(host.array.shape)[...] = host.array
        return copy

    def _place(self, nbytes: int) -> Any:
        import numpy as np

        with self._lock:
            worker = self._running()
            tensors = [{"name": "tensor", "bytes": nbytes}]
            reply = worker.request({"do": "allocate", "tensors": tensors})
            return np.asarray(Block(worker, reply["offsets"]["tensor"], nbytes))

    def allocated_bytes(self) -> int:
        """Bytes of the device's memory that are taken: by tensors, and by what the library of the
        kernels keeps from the first launch on."""
        with self._lock:
            return int(self._running().request({"do": "release"})["allocated_bytes"])

    def flush_l2(self) -> None:
        """Empties L2: the next call starts cold."""
        with self._lock:
            self._running().request({"do": "flush_l2"})

    # --- life

    def close(self) -> None:
        """Ends the process of the device. Outputs remain readable; a further call starts anew."""
        with self._lock:
            if self._worker is not None:
                self._worker.stop()
                self._worker = None

    def __enter__(self) -> Device:
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        _entered.set(_entered.get()[:-1])

    def __repr__(self) -> str:
        options = f", set={self._set}" if self._set else ""
        return f"davsim.Device({self._soc!r}{options})"

    def _running(self) -> Worker:
        worker = self._worker
        if worker is None or not worker.alive or worker.owner != os.getpid():
            worker = self._worker = Worker(self._soc, self._options)
        return worker


def device() -> Device:
    """The device of the innermost `with`, else a default one, Ascend910B3."""
    global _default
    entered = _entered.get()
    if entered:
        return entered[-1]
    with _default_lock:
        if _default is None:
            _default = Device()
        return _default


def run(operator: str, /, *, cold: bool = False, **arguments: Any) -> dict[str, Any]:
    """Runs an operator on device(): see Device.run()."""
    return device().run(operator, cold=cold, **arguments)
