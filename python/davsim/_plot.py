"""Pictures of a run by matplotlib: the timeline of a core, the roofline, the pipes."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from .errors import UsageError

if TYPE_CHECKING:
    from .result import Run

_MOST_BARS = 20000


def plot(run: Run, kind: str | None, core: str | None, axes: Any) -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise UsageError("matplotlib is not installed", rule="pictures need python3-matplotlib"
                         ) from error
    kinds = {"timeline": _timeline, "roofline": _roofline, "pipes": _pipes}
    if kind is not None and kind not in kinds:
        raise UsageError(f"kind is {kind!r}", rule=f"kind is one of {', '.join(kinds)}, or None")
    if kind is not None:
        axes = axes if axes is not None else pyplot.subplots(figsize=(10, 4))[1]
        kinds[kind](run, core, axes)
        return axes.figure
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(14, 4.5), width_ratios=(2, 1))
    (_timeline if run.recorded else _pipes)(run, core, left)
    _roofline(run, core, right)
    figure.tight_layout()
    return figure


def _timeline(run: Run, core: str | None, axes: Any) -> None:
    """What the pipes of a core did at what time."""
    with gzip.open(run.trace_file()) as file:
        trace = json.load(file)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    cores: dict[Any, str] = {}
    threads: dict[tuple[Any, Any], str] = {}
    for event in events:
        if event.get("ph") == "M" and event["name"] == "process_name":
            cores[event["pid"]] = event["args"]["name"]
        elif event.get("ph") == "M" and event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    names = {name: pid for pid, name in cores.items()}
    used = {event["pid"] for event in events if event.get("ph") == "X"}
    if core is None:
        core = next((name for pid, name in sorted(cores.items()) if pid in used and
                     name.startswith("core")), None)
    if core not in names:
        raise UsageError(f"there is no core {core!r}",
                         rule=f"cores that ran are {', '.join(n for n, p in names.items() if p in used)}")
    bars: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        if event.get("ph") == "X" and event["pid"] == names[core]:
            lane = threads.get((event["pid"], event["tid"]), "")
            # Instructions that overlap on a pipe are on further rows: MTE2.1.
            bars.setdefault(lane.partition(".")[0], []).append((event["ts"], event["dur"]))
    lanes = [lane for lane in bars if lane != "blocks"]
    for row, lane in enumerate(lanes):
        axes.broken_barh(bars[lane][:_MOST_BARS], (row - 0.4, 0.8), color=f"C{row % 10}")
    axes.set_yticks(range(len(lanes)), lanes)
    axes.invert_yaxis()
    axes.set_xlabel("us")
    axes.set_title(f"{run.operator}, {core}")


def _roofline(run: Run, core: str | None, axes: Any) -> None:
    """Operations a byte against operations a second."""
    figures = run.figures
    roof, cost = run.roofline, figures["cost"]
    read_bytes = cost["min_bytes"] - cost["min_written_bytes"]
    peak = figures["peak_tflops"]
    # The bandwidth that the ideal time of memory stands for.
    bandwidth = read_bytes / roof.memory_us * 1e-6 if roof.memory_us > 0 else 0.0
    operations = figures["tflops"] * run.microseconds * 1e6
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations / byte")
    axes.set_ylabel("TFLOPS")
    axes.set_title(f"{100 * roof.share:.1f} % of the roofline, nearest ceiling: {roof.bound}")
    if not bandwidth or not operations or not peak:
        axes.text(0.5, 0.5, "no operations are known", transform=axes.transAxes, ha="center")
        return
    ridge, here = peak / bandwidth, operations / read_bytes
    low, high = min(ridge, here) / 10, max(ridge, here) * 10
    axes.plot([low, ridge, high], [low * bandwidth, peak, peak], color="C0")
    axes.plot([here], [figures["tflops"]], "o", color="C3")
    axes.annotate(run.operator, (here, figures["tflops"]), xytext=(6, -12),
                  textcoords="offset points")


def _pipes(run: Run, core: str | None, axes: Any) -> None:
    """The shares of busy and stall cycles of each pipe."""
    pipes = run.pipes
    labels = [f"{pipe.core_type} {pipe.name}" for pipe in pipes]
    causes = [cause for cause, cycles in run.stalls.items() if cycles > 0]
    left = [0.0] * len(pipes)
    for name, cycles in [("busy", [pipe.busy_cycles for pipe in pipes]),
                         *((cause, [pipe.stall_cycles.get(cause, 0) for pipe in pipes])
                           for cause in causes)]:
        widths = [100 * value / (pipe.cores * run.cycles) for value, pipe in zip(cycles, pipes)]
        axes.barh(labels, widths, left=left, label=name)
        left = [start + width for start, width in zip(left, widths)]
    axes.invert_yaxis()
    axes.set_xlabel("% of the cycles")
    axes.set_title(f"{run.operator}, {run.cycles} cycles")
    axes.legend(fontsize="small", ncols=3)
