"""The plugin of pytest, in a pytest of its own."""

import gzip
import json

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import davsim, numpy as np, pytest
from davsim.testing import assert_close

ONES = np.ones((32, 32), np.float16)

def product():
    return davsim.run("matmul", a=ONES, b=ONES)["c"]

def test_good(npu):
    assert davsim.device() is npu
    assert_close(product(), 32 * ONES)
    assert npu.last.report["l2_start"] == "cold"

def test_wrong(npu):
    assert not npu.ran
    assert_close(product(), 31 * ONES)

def test_before_any_call(npu):
    assert False

@pytest.mark.davsim_soc("Ascend910B1", "Ascend910_9392")
def test_of_socs(npu):
    product()
    print("SOC", npu.last.soc)
"""


@pytest.fixture
def run(pytester):
    pytester.makepyfile(TESTS)
    return pytester.runpytest


def test_tests_run_on_the_fixtures_device(run):
    result = run("-s", "--davsim-soc", "Ascend910B4")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["*SOC Ascend910B1*", "*SOC Ascend910_9392*"])
    result.stdout.fnmatch_lines(["*1024 of 1024 elements*"])


def test_a_failed_test_leaves_its_trace_and_its_page(run, pytester):
    result = run("--davsim-artefacts", "kept", "-k", "good or wrong or before")
    result.assert_outcomes(passed=1, failed=2)
    folders = list((pytester.path / "kept").iterdir())
    assert [folder.name for folder in folders] == [
        "test_a_failed_test_leaves_its_trace_and_its_page.py_test_wrong"]
    trace = json.loads(gzip.decompress((folders[0] / "trace.json.gz").read_bytes()))
    assert trace["traceEvents"]
    assert "</html>" in (folders[0] / "report.html").read_text()
    assert (folders[0] / "explanation.txt").read_text()
    result.stdout.fnmatch_lines(["*trace and report of*matmul*are in*"])


def test_an_unknown_soc_is_an_error_of_the_test(run):
    result = run("--davsim-soc", "Ascend1", "-k", "good")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*UsageError*"])


def test_the_checker_observes_every_call(run):
    run("--davsim-check", "-k", "good").assert_outcomes(passed=1)


def test_tests_run_in_several_processes(pytester):
    pytest.importorskip("xdist")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-n", "2", "--davsim-artefacts", "kept")
    result.assert_outcomes(passed=3, failed=2)
    (folder,) = (pytester.path / "kept").iterdir()
    assert (folder / "report.html").exists()
