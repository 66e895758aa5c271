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


CACHE = ".pytest_cache/d/davsim"


@pytest.mark.parametrize("options, ini, place", [
    ((), "", CACHE), (("--davsim-artefacts", "kept"), "", "kept"),
    ((), "[pytest]\ndavsim_artefacts = out/kept\n", "out/kept")])
def test_a_failed_test_leaves_its_trace_and_its_page(run, pytester, options, ini, place):
    pytester.makeini(ini or "[pytest]\n")
    result = run(*options, "-k", "good or wrong or before")
    result.assert_outcomes(passed=1, failed=2)
    (folder,) = (pytester.path / place).iterdir()
    assert folder.name.endswith("test_wrong")
    trace = json.loads(gzip.decompress((folder / "trace.json.gz").read_bytes()))
    assert trace["traceEvents"]
    assert "</html>" in (folder / "report.html").read_text()
    assert json.loads((folder / "report.json").read_text())["totals"]
    assert (folder / "explanation.txt").read_text()
    result.stdout.fnmatch_lines(["*trace and report of*matmul*are in*"])


@pytest.mark.parametrize("options, ini", [
    (("--davsim-artefacts", "off"), ""), ((), "[pytest]\ndavsim_artefacts = off\n"),
    (("-p", "no:cacheprovider"), "")])
def test_artefacts_can_be_turned_off(run, pytester, options, ini):
    pytester.makeini(ini or "[pytest]\n")
    run(*options, "-k", "wrong").assert_outcomes(failed=1)
    assert not (pytester.path / CACHE).exists() and not (pytester.path / "off").exists()


def test_artefacts_of_an_earlier_run_are_gone_when_the_test_passes(run, pytester):
    run("-k", "wrong").assert_outcomes(failed=1)
    assert len(list((pytester.path / CACHE).iterdir())) == 1
    pytester.makepyfile(TESTS.replace("31 * ONES", "32 * ONES"))
    run("-k", "wrong").assert_outcomes(passed=1)
    assert not list((pytester.path / CACHE).iterdir())


def test_an_unknown_soc_is_an_error_of_the_test(run):
    result = run("--davsim-soc", "Ascend1", "-k", "good")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*UsageError*"])


def test_the_checker_observes_every_call(run):
    run("--davsim-check", "-k", "good").assert_outcomes(passed=1)


def test_tests_run_in_several_processes(pytester):
    pytest.importorskip("xdist")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=3, failed=2)
    (folder,) = (pytester.path / CACHE).iterdir()
    assert (folder / "report.html").exists()
