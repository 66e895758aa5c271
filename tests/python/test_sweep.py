"""davsim.sweep: the rows of the command, as they end."""

import csv
import json
import subprocess

import numpy as np
import pytest

import davsim
from davsim import _worker

SHAPES = {"a": "float16[m,64]", "b": ("float16", (64, 32))}
SWEEP = {"sizes": {"m": [16, 32]}, "parameters": {"l2.size": ["192MiB", "96MiB"]}, "progress": False}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    table = tmp_path_factory.mktemp("sweep") / "table.csv"
    return list(davsim.sweep("matmul", SHAPES, out=table, **SWEEP)), table


def test_every_combination_has_a_row_of_numbers(rows):
    rows = rows[0]
    assert sorted((row["sizes"], row["l2.size"]) for row in rows) == [
        (f"m={m}", size) for m in (16, 32) for size in ("192MiB", "96MiB")]
    for row in rows:
        assert row["status"] == 0 and row["error"] is None and row["soc"] == "Ascend910B3"
        assert isinstance(row["cycles"], int) and isinstance(row["time_us"], float)
        assert row["bound"] in ("cube", "vector", "memory")


def test_the_table_is_that_of_the_command(rows, tmp_path):
    spec = {"operators": [{"operator": "matmul", "sizes": SWEEP["sizes"],
                           "tensors": {"a": "float16[m,64]", "b": "float16[64,32]"}}],
            "socs": ["Ascend910B3"], "parameters": SWEEP["parameters"]}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    subprocess.run([_worker.program(), "sweep", "spec.json", "--out", "t.csv"], cwd=tmp_path,
                   check=True, capture_output=True)
    assert (tmp_path / "t.csv").read_text() == rows[1].read_text()
    with open(rows[1], newline="") as file:
        assert list(rows[0][0]) == next(csv.reader(file))


def test_a_sweep_goes_on_where_it_stopped(rows, monkeypatch):
    lines = rows[1].read_text().splitlines(True)
    rows[1].write_text("".join(lines[:3]))
    again = list(davsim.sweep("matmul", SHAPES, out=rows[1], **SWEEP))
    assert sorted(map(str, again)) == sorted(map(str, rows[0]))


def test_arrays_stand_for_their_shapes_and_failures_are_rows():
    (row,) = davsim.sweep(
        "matmul", {"a": np.ones((16, 64), np.float16), "b": np.ones((32, 16), np.float16)},
        progress=False)
    assert row["status"] == 3 and row["error"].startswith("E_SHAPE") and row["cycles"] is None


def test_a_wrong_sweep_is_an_error():
    for arguments, said in ((("matmul", ["NO-1"]), "NO-1"), (("none", SHAPES), "none"),
                            (("matmul", [3]), "a shape is 3"),
                            (("matmul", {"a": 3, "b": "float16[1,1]"}), "a is 3"),
                            (("matmul", ["MM-1024"], ["Ascend999"]), r"^socs\[0\]: unknown SoC 'Ascend999'")):
        with pytest.raises(davsim.UsageError, match=said):
            list(davsim.sweep(*arguments, progress=False))


class Ranks:
    """A communicator of two ranks that were both called before."""

    def __init__(self, rank, parts):
        self._rank, self._parts = rank, parts

    def Get_rank(self):
        return self._rank

    def Get_size(self):
        return 2

    def gather(self, rows, root):
        self._parts[self._rank] = rows
        return [self._parts[0], self._parts[1]] if self._rank == root else None


def test_the_ranks_of_mpi_share_the_runs(rows):
    parts = {}
    assert list(davsim.sweep("matmul", SHAPES, comm=Ranks(1, parts), **SWEEP)) == []
    shared = list(davsim.sweep("matmul", SHAPES, comm=Ranks(0, parts), **SWEEP))
    assert len(parts[0]) == len(parts[1]) == 2
    assert sorted(map(str, shared)) == sorted(map(str, rows[0]))


def test_the_workers_of_a_dask_cluster_share_the_runs(rows):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False,
                                  dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        shared = list(davsim.sweep("matmul", SHAPES, client=client, **SWEEP))
    assert len(shared) == 4
    assert sorted(map(str, shared)) == sorted(map(str, rows[0]))
