"""Sweeps: every combination of shapes, SoCs and parameters, one run each."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import tempfile
import time
from typing import Any, Iterable, Iterator, Mapping, Sequence

from ._worker import program
from .errors import UsageError

_POLL_SECONDS = 0.2
_STATUS = "status"

Row = dict[str, Any]


def sweep(operator: str, shapes: str | Iterable[Any] | Mapping[str, Any],
          socs: Iterable[str] = ("Ascend910B3",), parameters: Mapping[str, Iterable[Any]] | None = None,
          jobs: int = 2, *, sizes: Mapping[str, Iterable[int]] | None = None,
          attributes: Mapping[str, Any] | None = None, l2: Iterable[str] = ("cold",),
          out: str | os.PathLike[str] | None = None, progress: bool = True,
          max_cycles: int | None = None, host_timeout: float | None = None,
          client: Any = None, comm: Any = None) -> Iterator[Row]:
    """Runs all combinations and yields a row for each as it ends: dicts, for pandas.DataFrame(...).

    operator: its name.
    shapes: "all" or names of example cases, ["MM-1024"]; or a dict of tensors, or a list of such
      dicts: {"a": "float16[m,512]", "b": ("float16", (512, "m"))}; arrays stand for their type and
      shape. sizes: the values of names in shapes, {"m": [256, 1024]}.
    socs, l2 ("cold", "warm"), parameters ({"l2.size": ["192MiB", "96MiB"]}): what is combined.
    attributes: of the operator. max_cycles, host_timeout: limits of each run, cycles and seconds.
    jobs: how many runs at once, each in a process of its own.
    out: a CSV file that the rows are kept in; a sweep with the same file goes on where it stopped.
    progress: show a bar if tqdm is there.
    client: of dask.distributed; the runs go to its workers, which need davsim. comm: a communicator
      of mpi4py; all ranks call sweep(), each does a share, and rank 0 yields the rows.

    Rows have the columns of `davsim sweep` (docs/sweep.md); numbers are int or float, empty cells
    None. A run that went wrong has its `status` and `error`. Raises UsageError for a wrong name.
    """
    entries = _entries(operator, shapes, sizes, attributes)
    spec: dict[str, Any] = {"operators": entries, "socs": list(socs), "l2": list(l2)}
    if parameters:
        spec["parameters"] = {name: [str(value) for value in values]
                              for name, values in parameters.items()}
    if max_cycles is not None:
        spec["max_cycles"] = int(max_cycles)
    if host_timeout is not None:
        spec["host_timeout"] = host_timeout
    if client is not None:
        rows = _on_dask(spec, client)
    elif comm is not None:
        rows = _on_mpi(spec, comm, jobs)
    else:
        rows = _on_this_host(spec, jobs, None if out is None else os.fspath(out))
    return _shown(rows, _count(spec), progress)


def _entries(operator: str, shapes: Any, sizes: Any, attributes: Any) -> list[dict[str, Any]]:
    if isinstance(shapes, str):
        shapes = shapes if shapes == "all" else [shapes]
    elif isinstance(shapes, Mapping):
        shapes = [shapes]
    else:
        shapes = list(shapes)
    common: dict[str, Any] = {"operator": operator}
    if attributes:
        common["attrs"] = dict(attributes)
    if shapes == "all" or all(isinstance(shape, str) for shape in shapes):
        return [common | {"cases": shapes}]
    entries = []
    for shape in shapes:
        if not isinstance(shape, Mapping):
            raise UsageError(f"a shape is {shape!r}",
                             rule="shapes are names of cases, or dicts of tensors")
        entry = common | {"tensors": {name: _tensor(name, value) for name, value in shape.items()}}
        if sizes:
            entry["sizes"] = {name: [int(value) for value in values]
                              for name, values in sizes.items()}
        entries.append(entry)
    return entries


def _tensor(name: str, value: Any) -> str:
    """ "float16[256,512]"."""
    if isinstance(value, str):
        return value
    from ._tensors import HostTensor, is_tensor

    if is_tensor(value):
        host = HostTensor(name, value)
        value = (host.dtype, host.array.shape)
    try:
        dtype, shape = value
        return f"{str(dtype).removeprefix('torch.')}[{','.join(str(size) for size in shape)}]"
    except (TypeError, ValueError):
        raise UsageError(f"{name} is {value!r}",
                         rule='a tensor is "dtype[shape]", (dtype, shape) or an array') from None


# --- running a description by the command


def _rows(path: str) -> list[Row]:
    """The rows of a table that may still be growing."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except OSError:
        return []
    complete = text[:text.rfind("\n") + 1]
    return [{name: _value(name, cell) for name, cell in row.items()}
            for row in csv.DictReader(complete.splitlines()) if None not in row.values()]


def _value(name: str, cell: str) -> Any:
    if cell == "":
        return None
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _key(row: Row) -> tuple[Any, ...]:
    names = list(row)
    return tuple(row[name] for name in names[:names.index(_STATUS)])


def _on_this_host(spec: dict[str, Any], jobs: int, out: str | None) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="davsim-") as work:
        description, messages = os.path.join(work, "sweep.json"), os.path.join(work, "messages")
        table = os.path.abspath(out) if out else os.path.join(work, "sweep.csv")
        with open(description, "w", encoding="utf-8") as file:
            json.dump(spec, file)
        with open(messages, "wb") as errors:
            process = subprocess.Popen(
                [program(), "sweep", description, "--out", table, "--jobs", str(jobs), "--json"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                start_new_session=True)
        seen = set()
        try:
            while True:
                status = process.poll()
                for row in _rows(table):
                    key = _key(row)
                    if key not in seen:
                        seen.add(key)
                        yield row
                if status is not None:
                    break
                time.sleep(_POLL_SECONDS)
            if not seen and status != 0:
                printed = process.stdout.read().decode() if process.stdout else ""
                raise _error(printed, messages)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait()
            if process.stdout:
                process.stdout.close()


def _error(printed: str, messages: str) -> UsageError:
    with open(messages, encoding="utf-8", errors="replace") as file:
        said = file.read().strip()
    for text in (printed, said):
        try:
            error = json.loads(text)["error"]
            # The file of the description is the package's own.
            message = re.sub(r"^\S*/sweep\.json: ", "", error["message"])
            return UsageError(message, rule=error.get("rule", message),
                              error_class=error.get("class", "usage"))
        except (ValueError, KeyError, TypeError):
            pass
    return UsageError(said or "davsim sweep ended without a row")


# --- elsewhere: one description for each combination


def _single_specs(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Descriptions of one run each, but for cases "all" and sizes, which stay together."""
    import itertools

    entries = []
    for entry in spec["operators"]:
        cases = entry.get("cases")
        entries += [entry | {"cases": [case]} for case in cases] if isinstance(cases, list) else [entry]
    names = list(spec.get("parameters", {}))
    values = [spec["parameters"][name] for name in names]
    singles = []
    for entry, soc, l2, chosen in itertools.product(entries, spec["socs"], spec["l2"],
                                                    itertools.product(*values)):
        single = spec | {"operators": [entry], "socs": [soc], "l2": [l2]}
        if names:
            single["parameters"] = {name: [value] for name, value in zip(names, chosen)}
        singles.append(single)
    return singles


def _run_all(spec: dict[str, Any], jobs: int = 1) -> list[Row]:
    return list(_on_this_host(spec, jobs, None))


def _on_dask(spec: dict[str, Any], client: Any) -> Iterator[Row]:
    from dask.distributed import as_completed

    futures = [client.submit(_run_all, single, pure=False) for single in _single_specs(spec)]
    try:
        for future in as_completed(futures):
            yield from future.result()
    finally:
        client.cancel(futures)


def _on_mpi(spec: dict[str, Any], comm: Any, jobs: int) -> Iterator[Row]:
    share = _single_specs(spec)[comm.Get_rank()::comm.Get_size()]
    rows = [row for single in share for row in _run_all(single, jobs)]
    gathered: Sequence[list[Row]] | None = comm.gather(rows, root=0)
    for part in gathered or ():
        yield from part


def _count(spec: dict[str, Any]) -> int | None:
    """How many runs there are; None where only the command knows."""
    import math

    count = 0
    for entry in spec["operators"]:
        if entry.get("cases") == "all":
            return None
        count += len(entry.get("cases", (1,))) * math.prod(
            len(values) for values in entry.get("sizes", {}).values())
    combined = math.prod(len(values) for values in spec.get("parameters", {}).values())
    return count * len(spec["socs"]) * len(spec["l2"]) * combined


def _shown(rows: Iterator[Row], count: int | None, progress: bool) -> Iterator[Row]:
    if not progress:
        return rows
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return rows
    bar: Iterator[Row] = iter(tqdm(rows, total=count, desc="davsim sweep", disable=None))
    return bar
