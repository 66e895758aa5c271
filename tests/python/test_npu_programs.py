"""Programs in the forms of public ones run as they are: they say torch_npu and .npu(), and nothing
of davsim."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

from davsim import _worker

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = pathlib.Path(__file__).parent / "programs"
BUILD = pathlib.Path(_worker.program()).parents[1]
PROJECT = pathlib.Path(os.environ["DAVSIM_WRONG_OPERATORS"]).parent


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    source = ROOT / "examples/torch_extension/add_custom.cpp"
    subprocess.run([BUILD / "bin/davsim-cc", "-shared", "-fPIC", source, "-o",
                    folder / "libkernels.so"], check=True)
    return folder


def run(*arguments, folder, **more):
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True,
                          env=os.environ | {"LD_LIBRARY_PATH": str(PROJECT)} | more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("program", ["run_ctypes", "profile_add", "train_cuda", "call_aclnn",
                                     "bench_events", "serve_llama", "moe_layers"])
def test_a_program_passes(program, work):
    assert "test pass" in run(str(PROGRAMS / f"{program}.py"), folder=work)


def test_processes_with_a_device_each(work):
    text = run(str(PROGRAMS / "train_ranks.py"), folder=work, DAVSIM_SYSTEM="atlas_a2_server:4")
    assert "test pass" in text


def test_tests_of_pytest_pass(work):
    text = run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(PROGRAMS / "test_scaled_add.py"),
               folder=work)
    assert "17 passed" in text


def test_tests_of_torch_npu_pass(work):
    assert "OK (skipped=1)" in run(str(PROGRAMS / "test_torch_npu_case.py"), folder=work)
