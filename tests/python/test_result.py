"""Device.last: figures, traces, pages."""

import copy
import gzip
import json
import pickle
import subprocess

import numpy as np
import pytest

import davsim
from davsim import _worker


@pytest.fixture(scope="module")
def run():
    device = davsim.Device(record=True)
    matrix = np.ones((128, 128), np.float16)
    device.run("matmul", a=matrix, b=matrix)
    return device.last


def test_figures_agree_with_each_other(run):
    assert run.operator == "matmul" and run.soc == "Ascend910B3" and run.warnings == []
    assert run.microseconds == pytest.approx(run.cycles / 1800)
    assert run.task_microseconds > run.microseconds
    roofline = run.roofline
    assert roofline.ideal_us == max(roofline.cube_us, roofline.vector_us, roofline.memory_us)
    assert roofline.share == pytest.approx(roofline.ideal_us / run.microseconds)


def test_the_cycles_of_a_pipe_add_up(run):
    assert {pipe.name for pipe in run.pipes if pipe.core_type == "AIC"} >= {"M", "MTE1", "MTE2"}
    for pipe in run.pipes:
        assert pipe.busy_cycles + sum(pipe.stall_cycles.values()) == pipe.cores * run.cycles
    stalls = run.stalls
    assert list(stalls.values()) == sorted(stalls.values(), reverse=True)
    for cause, cycles in stalls.items():
        assert cycles == sum(pipe.stall_cycles[cause] for pipe in run.pipes)


def test_lines_are_those_of_the_kernel(run):
    busy = [pipe.busy_cycles for pipe in run.pipes]
    assert sum(line.cycles for line in run.hot_lines) <= sum(busy)
    top = run.hot_lines[0]
    assert top.cause == "busy" and top.line > 0 and top.file.endswith(".h")
    assert len(run.lines) > len(run.hot_lines)


def test_a_row_of_a_table(run):
    row = run.to_dict()
    assert row["cycles"] == run.cycles and row["bound"] == run.roofline.bound
    assert all(isinstance(value, (str, int, float)) for value in row.values())
    json.dumps(row)


def test_the_trace_is_one_that_the_command_explains(run, tmp_path):
    plain, packed = tmp_path / "t.json", tmp_path / "t.json.gz"
    run.trace(plain)
    run.trace(packed)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    done = subprocess.run([_worker.program(), "explain", str(plain)], capture_output=True, text=True,
                          check=True)
    assert done.stdout.strip() in run.explain()
    with pytest.raises(davsim.FileError, match="nowhere"):
        run.trace(tmp_path / "nowhere" / "t.json")


def test_the_page_is_whole(run, tmp_path):
    run.html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")


def test_what_notebooks_show(run, matmul):
    assert f"{run.cycles} cycles" in repr(run)
    page = run._repr_html_()
    assert page.count("<iframe srcdoc=") == 1 and "<html" not in page and "&lt;html" in page
    plain = davsim.Device(record=False)
    plain.run("matmul", a=matmul[0], b=matmul[1])
    shown = plain.last._repr_html_()
    assert not plain.last.recorded and shown.count("<tr>") == len(plain.last.pipes) + 1


def test_without_a_record_nothing_is_kept(matmul):
    plain = davsim.Device(record=False)
    plain.run("matmul", a=matmul[0], b=matmul[1])
    for action in (plain.last.explain, lambda: plain.last.trace("t"), lambda: plain.last.html("t")):
        with pytest.raises(davsim.UsageError, match="not recorded"):
            action()


def test_a_recorded_call_takes_as_long_as_another(run, sim):
    matrix = np.ones((128, 128), np.float16)
    sim.run("matmul", a=matrix, b=matrix, cold=True)
    device = davsim.Device()
    device.run("matmul", a=matrix, b=matrix)
    assert device.last.cycles == run.cycles


def test_pictures_show_the_core_the_roofline_and_the_pipes(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure = run.plot()
    timeline, roofline = figure.axes
    lanes = [label.get_text() for label in timeline.get_yticklabels()]
    assert {"MTE2", "M", "FIX"} <= set(lanes) and "core0" in timeline.get_title()
    assert roofline.get_xscale() == "log" and len(roofline.lines) == 2
    assert "nearest ceiling: " in roofline.get_title()
    figure = run.plot("pipes", ax=pyplot.figure().subplots())
    assert "AIC M" in [label.get_text() for label in figure.axes[0].get_yticklabels()]
    for wrong in (lambda: run.plot("sound"), lambda: run.plot("timeline", core="core99")):
        with pytest.raises(davsim.UsageError):
            wrong()
    pyplot.close("all")


def test_the_last_call_is_kept_until_the_next(run, tmp_path):
    matrix = np.ones((128, 128), np.float16)
    device = davsim.Device()
    device.run("matmul", a=matrix, b=matrix)
    first = device.last
    assert first.recorded and first.cycles == run.cycles
    first.trace(tmp_path / "first.json")
    run.trace(tmp_path / "recorded.json")
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "recorded.json").read_bytes()
    assert first.explain() == run.explain()
    device.run("matmul", a=matrix, b=matrix)
    second = device.last
    with pytest.raises(davsim.ShapeError):
        device.run("matmul", a=matrix, b=matrix[:5])
    assert "</html>" in second._repr_html_().replace("&lt;", "<").replace("&gt;", ">")
    device.run("matmul", a=matrix, b=matrix)
    assert first.recorded and second.recorded and device.last.recorded
    device.last.html(tmp_path / "third.html")
    third = device.last
    device.run("matmul", a=matrix, b=matrix)
    forgotten = device.last
    device.run("matmul", a=matrix, b=matrix)
    assert third.recorded and not forgotten.recorded
    assert "<table>" in forgotten._repr_html_()
    with pytest.raises(davsim.UsageError, match="another call"):
        forgotten.explain()
    device.close()
    with pytest.raises(davsim.UsageError, match="has ended"):
        device.last.explain()
    with pytest.raises(davsim.UsageError, match="record is 'all'"):
        davsim.Device(record="all")


def test_another_process_gets_the_figures(run):
    other = pickle.loads(pickle.dumps(run))
    assert (other.cycles, other.roofline, other.pipes) == (run.cycles, run.roofline, run.pipes)
    assert other.to_dict() == run.to_dict() and not other.recorded
    with pytest.raises(davsim.UsageError, match="not recorded"):
        other.explain()
    for same in (copy.copy(run), copy.deepcopy(run)):
        assert same.explain() == run.explain()
