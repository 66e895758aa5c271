"""torch_npu.profiler.profile: which kernels ran, and how long on the simulated device."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import time
from typing import Any, Callable

from davsim import _device

from ..npu import init, mstx, synchronize
from ..npu._library import library as _library
from . import _tables
from ._config import ProfilerAction, ProfilerActivity, _ExperimentalConfig

_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def _call(name: str, *arguments: Any) -> None:
    code = getattr(_library, name)(*arguments)
    if code != 0:
        raise RuntimeError(f"NPU error {code} of {name}")


class _Recording:
    """The launches between two moments: those of npu, and calls of the operators' functions, which
    run on davsim.device()."""

    def __init__(self, step: int) -> None:
        init()
        _call("davsim_log_launches", 1)
        # Which launches came before each step: (step, how many of npu).
        self._steps = [(step, 0)]
        self._tasks: list[_tables.Task] = []
        self._clock = 0.0
        self._told: list[tuple[str, int | None, bool, int, float]] = []
        self._marks: list[_tables.Mark] = []
        _device.listeners.append(self._ran)
        mstx.listeners.append(self._mark)

    def step(self, step: int) -> None:
        self._steps.append((step, self._queued()))

    def end(self) -> None:
        _device.listeners.remove(self._ran)
        mstx.listeners.remove(self._mark)
        synchronize()
        text = ctypes.c_char_p()
        _call("davsim_logged_launches", ctypes.byref(text))
        _call("davsim_log_launches", 0)
        launches = json.loads(text.value or b"[]")
        for number, launch in enumerate(launches):
            step = [step for step, before in self._steps if before <= number][-1]
            self._tasks.append(_tables.Task(
                launch["kernel"], step, launch["device"], launch["stream"], launch["blocks"],
                launch["start_us"], launch["end_us"], launch["frequency_mhz"],
                {kind: launch[kind] for kind in ("AIC", "AIV")}))
        self._place_marks(launches)

    def tables(self) -> tuple[list[_tables.Task], list[_tables.Mark]]:
        return sorted(self._tasks, key=lambda task: task.start_us), self._marks

    def _queued(self) -> int:
        count = ctypes.c_uint64()
        _call("davsim_queued_launches", ctypes.byref(count))
        return count.value

    def _ran(self, run: Any) -> None:
        """A call on a davsim.Device; they stand one after the other, as stream -1."""
        if not run.timed:
            return
        report = run.report
        cores = {kind: {"cores": total["cores"], "cycles": 0, "in_flight_cycles": {
            name: pipe["in_flight_cycles"] for name, pipe in total["pipes"].items()}}
            for kind, total in report["totals"].items() if kind in ("AIC", "AIV")}
        for core in report["cores"]:
            cores[core["type"]]["cycles"] += core["end_cycle"] - core["start_cycle"]
        start = self._clock
        self._clock += run.task_microseconds
        self._tasks.append(_tables.Task(
            run.operator, self._steps[-1][0], 0, -1, report["block_dim"], start, self._clock,
            run.cycles / run.microseconds, cores))

    def _mark(self, message: str, number: int | None, begins: bool) -> None:
        self._told.append((message, number, begins, self._queued(), self._clock))

    def _place_marks(self, launches: list[dict[str, Any]]) -> None:
        """A mark is where the launches before it have ended."""
        open_ranges: dict[int, tuple[str, float]] = {}
        for message, number, begins, before, clock in self._told:
            at = max([clock, *(launch["end_us"] for launch in launches[:before])])
            if number is None:
                self._marks.append(_tables.Mark(message, at, None))
            elif begins:
                open_ranges[number] = (message, at)
            elif number in open_ranges:
                name, start = open_ranges.pop(number)
                self._marks.append(_tables.Mark(name, start, at))


class _KinetoProfile:
    """A profile from start() to stop()."""

    def __init__(self, *, activities: Any = None, record_shapes: bool = False,
                 profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
                 with_modules: bool = False,
                 experimental_config: _ExperimentalConfig | None = None) -> None:
        self.activities = set(activities) if activities else set(ProfilerActivity)
        self.experimental_config = experimental_config or _ExperimentalConfig()
        self.metadata: dict[str, Any] = {}
        self._recording: _Recording | None = None
        self._ended: _Recording | None = None
        self.step_num = 0

    def start(self) -> None:
        if self._recording is None:
            self._recording = _Recording(self.step_num)

    def stop(self) -> None:
        if self._recording is not None:
            self._recording.end()
            self._ended, self._recording = self._recording, None

    def export_chrome_trace(self, output_path: str) -> None:
        """Writes the timeline of what was recorded last. Raises RuntimeError before that."""
        tasks, marks = self._what_ended().tables()
        folder = os.path.dirname(os.path.abspath(output_path))
        os.makedirs(folder, exist_ok=True)
        _tables.write_trace(output_path, tasks, marks)

    def add_metadata(self, key: str, value: str) -> None:
        self.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        self.metadata[key] = json.loads(value)

    def _what_ended(self) -> _Recording:
        if self._ended is None:
            raise RuntimeError("nothing was recorded yet: a profile is there after its active "
                               "steps or after stop()")
        return self._ended


class profile(_KinetoProfile):
    """The same as a context, with steps, a schedule, and a handler that is called with the profile
    whenever one is ready.

    What is recorded are the kernels on npu and the calls of the operators' functions. Operators of
    torch without a kernel run on the CPU and take no simulated time: they are not in the tables.
    """

    def __init__(self, *, activities: Any = None,
                 schedule: Callable[[int], ProfilerAction] | None = None,
                 on_trace_ready: Callable[[profile], Any] | None = None,
                 record_shapes: bool = False, profile_memory: bool = False,
                 with_stack: bool = False, with_flops: bool = False, with_modules: bool = False,
                 experimental_config: _ExperimentalConfig | None = None,
                 use_cuda: bool | None = None) -> None:
        super().__init__(activities=activities, experimental_config=experimental_config)
        self._schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self._on_trace_ready = on_trace_ready
        self.current_action = ProfilerAction.NONE

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self) -> None:
        self.current_action = self._schedule(self.step_num)
        if self.current_action in _RECORDING:
            super().start()

    def step(self) -> None:
        """The next step of the program begins."""
        self.step_num += 1
        if self.current_action is ProfilerAction.RECORD_AND_SAVE:
            self._ready()
        self.current_action = self._schedule(self.step_num)
        if self.current_action not in _RECORDING:
            return
        if self._recording is None:
            super().start()
        else:
            self._recording.step(self.step_num)

    def stop(self) -> None:
        if self._recording is not None:
            self._ready()
        self.current_action = ProfilerAction.NONE

    def _ready(self) -> None:
        super().stop()
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)


def tensorboard_trace_handler(dir_name: str | None = None, worker_name: str | None = None,
                              analyse_flag: bool = True, async_mode: bool = False
                              ) -> Callable[[_KinetoProfile], None]:
    """Writes a ready profile to DIR/WORKER_TIME_ascend_pt/ASCEND_PROFILER_OUTPUT. dir_name: default
    $ASCEND_WORK_PATH/profiling_data or the working folder. worker_name: default HOST_PROCESS."""
    work = os.environ.get("ASCEND_WORK_PATH")
    base = dir_name or (os.path.join(work, "profiling_data") if work else os.getcwd())
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def write(profile: _KinetoProfile) -> None:
        now = time.time()
        stamp = time.strftime("%Y%m%d%H%M%S", time.localtime(now)) + f"{int(now * 1000) % 1000:03}"
        folder = os.path.join(base, f"{worker}_{stamp}_ascend_pt")
        for number in range(1, 1000):
            if not os.path.exists(folder):
                break
            folder = os.path.join(base, f"{worker}_{stamp}{number:03}_ascend_pt")
        tasks, marks = profile._what_ended().tables()
        _tables.write_tables(os.path.join(folder, "ASCEND_PROFILER_OUTPUT"), tasks, marks)
        with open(os.path.join(folder, "profiler_metadata.json"), "w", encoding="utf-8") as file:
            json.dump(profile.metadata, file)

    return write


def analyse(profiler_path: str, max_process_number: int = 1, export_type: Any = None) -> None:
    """Profiles are analysed when they are written. Raises RuntimeError for a folder without one."""
    for folder, names, _ in os.walk(profiler_path):
        if "ASCEND_PROFILER_OUTPUT" in names:
            return
    raise RuntimeError(f"there is no profile in {profiler_path}")
