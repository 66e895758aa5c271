"""What a call cost: the figures of one launch."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from .errors import FileError, UsageError


class Roofline(NamedTuple):
    """The least time that the work needs on this SoC.

    bound: "cube", "vector" or "memory", the part that needs longest.
    ideal_us, cube_us, vector_us, memory_us: microseconds; ideal_us is the longest of the others.
    share: ideal time over the simulated time; 1 is the roof.
    """

    bound: str
    ideal_us: float
    share: float
    cube_us: float
    vector_us: float
    memory_us: float


class Pipe(NamedTuple):
    """A pipe, summed over the cores of a type.

    core_type: "AIC" or "AIV"; name: "M", "V", "MTE2", ...; cores: how many ran.
    utilization: cycles with an instruction in flight over the cycles of the launch, mean of cores.
    stall_cycles: cycles by cause; docs/traces.md explains the causes.
    """

    core_type: str
    name: str
    cores: int
    instructions: int
    busy_cycles: int
    in_flight_cycles: int
    utilization: float
    stall_cycles: dict[str, int]


class Line(NamedTuple):
    """Cycles of a source line on a pipe, summed over the cores of a type.

    cause: "busy", or the cause of the stall. times: how often the line was the reason.
    """

    file: str
    line: int
    core_type: str
    pipe: str
    cause: str
    times: int
    cycles: int


class Run:
    """The figures of one call."""

    def __init__(self, figures: dict[str, Any], report: bytes, records: Any) -> None:
        self._figures = figures
        self._raw = report
        self._parsed: dict[str, Any] | None = None
        self._records = records

    def __getstate__(self) -> dict[str, Any]:
        # Traces and pages are in files of this process; other processes get the figures.
        return {**self.__dict__, "_records": None}

    def __deepcopy__(self, memo: Any) -> Run:
        return self

    def __copy__(self) -> Run:
        return self

    @property
    def operator(self) -> str:
        return str(self._figures["operator"])

    @property
    def soc(self) -> str:
        return str(self._figures["soc"])

    @property
    def timed(self) -> bool:
        """False for a functional device: there are no cycles then."""
        return bool(self._figures["timed"])

    @property
    def cycles(self) -> int:
        """Core cycles from the launch to the end of the last core."""
        self._require_time()
        return int(self._figures["cycles"])

    @property
    def microseconds(self) -> float:
        """The same in microseconds."""
        self._require_time()
        return float(self._figures["time_us"])

    @property
    def task_microseconds(self) -> float:
        """Microseconds with the overhead of the launch."""
        self._require_time()
        return float(self._figures["task_time_us"])

    @property
    def roofline(self) -> Roofline:
        self._require_time()
        return Roofline(**self._figures["roofline"])

    @property
    def warnings(self) -> list[str]:
        """What is legal but likely a mistake, one sentence each."""
        return list(self._figures["warnings"])

    @property
    def pipes(self) -> list[Pipe]:
        """The pipes of the cores that ran."""
        self._require_time()
        totals = self.report["totals"]
        return [Pipe(core_type, name, totals[core_type]["cores"], pipe["instructions"],
                     pipe["busy_cycles"], pipe["in_flight_cycles"], pipe["utilization"],
                     pipe["stall_cycles"])
                for core_type in ("AIC", "AIV")
                for name, pipe in totals[core_type]["pipes"].items()]

    @property
    def stalls(self) -> dict[str, int]:
        """Stall cycles by cause, summed over all pipes and cores, the largest first."""
        causes: dict[str, int] = {}
        for pipe in self.pipes:
            for cause, cycles in pipe.stall_cycles.items():
                causes[cause] = causes.get(cause, 0) + cycles
        return dict(sorted(causes.items(), key=lambda entry: -entry[1]))

    @property
    def lines(self) -> list[Line]:
        """Busy and stall cycles by source line, the largest first."""
        self._require_time()
        lines = []
        for entry in self.report["lines"]:
            file, _, number = entry["code"].rpartition(":")
            lines.append(Line(file, int(number) if number.isdigit() else 0, entry["type"],
                              entry["pipe"], entry["class"], entry["times"], entry["cycles"]))
        return sorted(lines, key=lambda line: -line.cycles)

    @property
    def hot_lines(self) -> list[Line]:
        """The source lines whose instructions kept pipes busy, the longest first."""
        return [line for line in self.lines if line.cause == "busy"]

    @property
    def report(self) -> dict[str, Any]:
        """Everything that was counted: what `davsim run --report` writes (docs/traces.md)."""
        if self._parsed is None:
            import json

            self._parsed = json.loads(self._raw)
        return self._parsed

    def to_dict(self) -> dict[str, Any]:
        """The main figures in one flat dict: a row of a table, for pandas.DataFrame([...])."""
        row = {"operator": self.operator, "soc": self.soc}
        if self.timed:
            row |= {"cycles": self.cycles, "microseconds": self.microseconds,
                    "task_microseconds": self.task_microseconds, "bound": self.roofline.bound,
                    "roofline_share": self.roofline.share, "tflops": self._figures["tflops"],
                    "gb_per_s": self._figures["gb_per_s"]}
            row |= {f"stall_{cause}": cycles for cause, cycles in self.stalls.items()}
        return row

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the timeline of every instruction, for Perfetto or `davsim explain`; packed by
        gzip if the name ends in .gz. Later than the next call it needs Device(record=True)."""
        import gzip
        import shutil

        source = self._record("trace.json.gz")
        if os.fspath(path).endswith(".gz"):
            _copy(source, path)
            return
        try:
            with gzip.open(source) as packed, open(path, "wb") as plain:
                shutil.copyfileobj(packed, plain)
        except OSError as error:
            raise _unwritten(path, error) from error

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes the report page, self-contained. Later than the next call it needs
        Device(record=True)."""
        _copy(self._record("report.html"), path)

    @property
    def recorded(self) -> bool:
        """Whether there are a trace, a page and an explanation: until the device's next call, or
        always with Device(record=True)."""
        return self._records is not None and self._records.available

    @property
    def figures(self) -> dict[str, Any]:
        """The figures as `davsim run --json` prints them."""
        return self._figures

    def trace_file(self) -> str:
        """The trace, packed by gzip, as long as this object lives. Later than the next call it
        needs Device(record=True)."""
        return self._record("trace.json.gz")

    def plot(self, kind: str | None = None, *, core: str | None = None, ax: Any = None) -> Any:
        """A figure of matplotlib: "timeline" of a core, "roofline", "pipes" (busy and stall
        cycles), or the first (the last, if the call was not recorded) beside the second.

        core: "core0.veccore0"; the first that ran if it is None. ax: axes to draw into.
        Raises UsageError where matplotlib is missing.
        """
        from ._plot import plot

        self._require_time()
        return plot(self, kind, core, ax)

    def explain(self) -> str:
        """What the launch waited for, as `davsim explain` prints it. Later than the next call
        it needs Device(record=True)."""
        return "".join(entry["text"] for entry in self._recorded_files().printed.values())

    def _recorded_files(self) -> Any:
        if self._records is None:
            raise UsageError("this call was not recorded",
                             rule="traces, pages and explanations need Device(record=True)")
        return self._records.files()

    def _record(self, file: str) -> str:
        return os.path.join(self._recorded_files().name, file)

    def _require_time(self) -> None:
        if not self.timed:
            raise UsageError("a functional device has no time", rule="cycles need a timed device")

    def __repr__(self) -> str:
        if not self.timed:
            return f"<davsim.Run of {self.operator} on {self.soc}, functional>"
        return (f"<davsim.Run of {self.operator} on {self.soc}: {self.cycles} cycles, "
                f"{self.microseconds:.3f} us, {100 * self.roofline.share:.1f} % of the roofline>")

    def _page(self) -> str | None:
        """The report page; None where there is none, such as after the device's next call, or of a
        call of too many instructions to be kept."""
        if not self.recorded:
            return None
        try:
            with open(self._record("report.html"), encoding="utf-8") as file:
                return file.read()
        except UsageError:
            return None

    def _repr_html_(self) -> str:
        """The report page if the call is recorded, else a table of the pipes."""
        import html

        text = f"<p>{html.escape(repr(self)[1:-1])}</p>"
        page = self._page()
        if page is not None:
            page = html.escape(page, quote=True)
            # A frame keeps the page's styles and scripts apart from the notebook's.
            return (f'{text}<iframe srcdoc="{page}" style="width:100%;height:40em;border:0">'
                    "</iframe>")
        if not self.timed:
            return text
        head = "".join(f"<th>{name}</th>" for name in
                       ("pipe", "cores", "instructions", "busy", "in flight", "largest stall"))
        rows = []
        for pipe in self.pipes:
            total = pipe.cores * self.cycles
            cause, cycles = max(pipe.stall_cycles.items(), key=lambda entry: entry[1])
            cells = (f"{pipe.core_type} {pipe.name}", pipe.cores, pipe.instructions,
                     f"{100 * pipe.busy_cycles / total:.1f} %", f"{100 * pipe.utilization:.1f} %",
                     f"{cause} {100 * cycles / total:.1f} %")
            rows.append("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in cells) + "</tr>")
        return f"{text}<table><tr>{head}</tr>{''.join(rows)}</table>"


def _copy(source: str, path: str | os.PathLike[str]) -> None:
    import shutil

    try:
        shutil.copyfile(source, path)
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: str | os.PathLike[str], error: OSError) -> FileError:
    return FileError(f"{os.fspath(path)}: {error.strerror}", rule="an output file can be written",
                     error_class="file")
