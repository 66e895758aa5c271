"""The files of a profile, in the vendor's forms: kernel_details.csv, op_statistic.csv,
step_trace_time.csv and trace_view.json. Times are microseconds of the simulated device."""

from __future__ import annotations

import csv
import json
import os
from typing import Any, Iterable, NamedTuple

# Pipes by the vendor's names: of a cube core, of a vector core.
_PIPES = {"AIC": (("mac", "M"), ("scalar", "S"), ("mte1", "MTE1"), ("mte2", "MTE2"),
                  ("fixpipe", "FIX")),
          "AIV": (("vec", "V"), ("scalar", "S"), ("mte2", "MTE2"), ("mte3", "MTE3"))}
_TIMES = {"AIC": ("aicore_time(us)", "aic_total_cycles", "aic"),
          "AIV": ("aiv_time(us)", "aiv_total_cycles", "aiv")}
HARDWARE = "Ascend Hardware"


class Task(NamedTuple):
    """A launch. cores: "AIC" and "AIV" with cores, cycles, in_flight_cycles by pipe, the last two
    summed over the cores."""

    name: str
    step: int
    device: int
    stream: int
    blocks: int
    start_us: float
    end_us: float
    frequency_mhz: float
    cores: dict[str, dict[str, Any]]

    @property
    def duration_us(self) -> float:
        return self.end_us - self.start_us

    @property
    def accelerator(self) -> str:
        ran = [kind for kind in ("AIC", "AIV") if self.cores[kind]["cores"]]
        return {("AIC",): "AI_CORE", ("AIV",): "AI_VECTOR_CORE"}.get(tuple(ran), "MIX_AIC")


class Mark(NamedTuple):
    """A mark or a range of mstx; end_us is None for a mark."""

    message: str
    start_us: float
    end_us: float | None


def _row(number: int, task: Task, wait_us: float) -> dict[str, Any]:
    row: dict[str, Any] = {
        "Step Id": task.step, "Device_id": task.device, "Model ID": 4294967295, "Task ID": number,
        "Stream ID": task.stream, "Name": task.name, "Type": task.name, "OP State": "static",
        "Accelerator Core": task.accelerator, "Start Time(us)": f"{task.start_us:.3f}",
        "Duration(us)": f"{task.duration_us:.3f}", "Wait Time(us)": f"{wait_us:.3f}",
        "Block Dim": task.blocks, "Mix Block Dim": 0, "HF32 Eligible": "NO",
        "Input Shapes": "N/A", "Input Data Types": "N/A", "Input Formats": "N/A",
        "Output Shapes": "N/A", "Output Data Types": "N/A", "Output Formats": "N/A",
        "Context ID": "N/A"}
    if task.accelerator == "MIX_AIC":
        row["Mix Block Dim"] = task.cores["AIV"]["cores"]
    for kind, pipes in _PIPES.items():
        cores = task.cores[kind]
        time, total, prefix = _TIMES[kind]
        cycles = cores["cycles"] / cores["cores"] if cores["cores"] else 0.0
        row[time] = f"{cycles / task.frequency_mhz:.3f}" if task.frequency_mhz else "0.000"
        row[total] = cores["cycles"]
        for name, pipe in pipes:
            busy = cores["in_flight_cycles"].get(pipe, 0)
            share = busy / cores["cycles"] if cores["cycles"] else 0.0
            row[f"{prefix}_{name}_time(us)"] = f"{share * float(row[time]):.3f}"
            row[f"{prefix}_{name}_ratio"] = f"{share:.3f}"
    return row


def _write(path: str, rows: Iterable[dict[str, Any]], columns: list[str]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def _details(tasks: list[Task]) -> list[dict[str, Any]]:
    ended: dict[tuple[int, int], float] = {}
    rows = []
    for number, task in enumerate(tasks):
        place = (task.device, task.stream)
        rows.append(_row(number, task, max(0.0, task.start_us - ended.get(place, task.start_us))))
        ended[place] = task.end_us
    return rows


_EMPTY = Task("", 0, 0, 0, 0, 0.0, 0.0, 0.0,
              {kind: {"cores": 0, "cycles": 0, "in_flight_cycles": {}} for kind in ("AIC", "AIV")})


def write_tables(folder: str, tasks: list[Task], marks: list[Mark]) -> None:
    os.makedirs(folder, exist_ok=True)
    _write(os.path.join(folder, "kernel_details.csv"), _details(tasks), list(_row(0, _EMPTY, 0)))
    _write(os.path.join(folder, "op_statistic.csv"), *_statistic(tasks))
    _write(os.path.join(folder, "step_trace_time.csv"), *_steps(tasks))
    write_trace(os.path.join(folder, "trace_view.json"), tasks, marks)


def _statistic(tasks: list[Task]) -> tuple[list[dict[str, Any]], list[str]]:
    columns = ["Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)",
               "Avg Time(us)", "Max Time(us)", "Ratio(%)"]
    kinds: dict[tuple[int, str, str], list[float]] = {}
    for task in tasks:
        kinds.setdefault((task.device, task.name, task.accelerator), []).append(task.duration_us)
    whole = sum(task.duration_us for task in tasks) or 1.0
    rows = []
    for kind, times in sorted(kinds.items(), key=lambda entry: -sum(entry[1])):
        figures = (sum(times), min(times), sum(times) / len(times), max(times))
        rows.append(dict(zip(columns, (*kind, len(times), *(f"{f:.3f}" for f in figures),
                                       f"{100 * sum(times) / whole:.3f}"))))
    return rows, columns


def _steps(tasks: list[Task]) -> tuple[list[dict[str, Any]], list[str]]:
    columns = ["Device_id", "Step", "Computing", "Communication(Not Overlapped)", "Overlapped",
               "Communication", "Free", "Stage", "Bubble",
               "Communication(Not Overlapped and Exclude Receive)", "Preparing"]
    rows = []
    for step in sorted({task.step for task in tasks}):
        spans = sorted((t.start_us, t.end_us) for t in tasks if t.step == step)
        busy, reached = 0.0, spans[0][0]
        for start, end in spans:
            busy += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        stage = reached - spans[0][0]
        row = dict.fromkeys(columns, "0.000") | {
            "Device_id": 0, "Step": step, "Computing": f"{busy:.3f}",
            "Free": f"{stage - busy:.3f}", "Stage": f"{stage:.3f}"}
        rows.append(row)
    return rows, columns


def write_trace(path: str, tasks: list[Task], marks: list[Mark]) -> None:
    """A list of events for chrome://tracing, Perfetto and MindStudio Insight."""
    events: list[dict[str, Any]] = [_name("process_name", 1, 0, HARDWARE)]
    for stream in sorted({task.stream for task in tasks}):
        events.append(_name("thread_name", 1, stream, f"Stream {stream}"))
    for number, task in enumerate(tasks):
        events.append({"name": task.name, "ph": "X", "pid": 1, "tid": task.stream,
                       "ts": f"{task.start_us:.3f}", "dur": round(task.duration_us, 3),
                       "args": {"Model Id": 4294967295, "Task Type": task.accelerator,
                                "Stream Id": task.stream, "Task Id": number,
                                "Block Dim": task.blocks}})
    if marks:
        events.append(_name("process_name", 2, 0, "mstx"))
    for mark in marks:
        event = {"name": mark.message, "pid": 2, "tid": 0, "ts": f"{mark.start_us:.3f}"}
        events.append(event | ({"ph": "i", "s": "p"} if mark.end_us is None else
                               {"ph": "X", "dur": round(mark.end_us - mark.start_us, 3)}))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(events, file)


def _name(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
