"""The example of torch extensions: built by setuptools and by CMake, and its own test passes."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

from davsim import _worker

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/torch_extension"
BUILD = pathlib.Path(_worker.program()).parents[1]
PROJECT = pathlib.Path(os.environ["DAVSIM_WRONG_OPERATORS"]).parent


def run(*command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example") / "torch_extension"
    shutil.copytree(EXAMPLE, folder)
    run(BUILD / "bin/davsim-cc", "-shared", "-fPIC", "add_custom.cpp", "-o", "libkernels.so",
        folder=folder)
    run(sys.executable, "setup.py", "build_ext", "--inplace", folder=folder)
    return folder


def test_the_test_of_the_example_passes(built):
    trace = built / "trace.json"
    run(sys.executable, "-m", "unittest", "test_add.py", folder=built, DAVSIM_CHECK="1",
        DAVSIM_TRACE=str(trace))
    assert "add_custom.cpp" in trace.read_text()


TWO_PHASES = """
import torch, torch_npu, by_two_phases
x, y = torch.rand(2, 3, 4, 8).half(), torch.rand(2, 3, 4, 8).half()
z = by_two_phases.add_custom(x.npu(), y.npu(), 2.0)
torch.npu.synchronize()
assert torch.allclose(z.cpu().float(), x.float() + 2 * y.float(), rtol=2e-3, atol=2e-3)
strided = by_two_phases.add_custom(x.npu().transpose(2, 3).contiguous(), y.npu().transpose(2, 3).contiguous(), 0.0)
assert torch.equal(strided.cpu(), x.transpose(2, 3))
try:
    by_two_phases.add_custom(x.int().npu(), y.int().npu(), 1.0)
except RuntimeError as error:
    assert "aclnnAddCustom" in str(error) and "161002" in str(error), error
    print("refused")
"""


def test_two_phase_functions_are_found_and_called(built):
    assert run(sys.executable, "-c", TWO_PHASES, folder=built,
               LD_LIBRARY_PATH=str(PROJECT)).split() == ["refused"]


LEFT_OUT = """
import torch, torch_npu
from torch.utils.cpp_extension import load_inline
from torch_npu.utils import cpp_extension as npu
source = '#include "op_plugin/utils/op_api_common.h"\\n' + '''
void left_out(const at::Tensor& x) {
  const at::Tensor none;
  const double alpha = 1;
  EXEC_NPU_CMD(aclnnAddCustom, x, none, alpha, x);
}
at::Tensor basic(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor z = at::empty_like(x);
  const at::Scalar alpha = 3;
  EXEC_NPU_CMD(aclnnAdd, x, y, alpha, z);
  return z;
}
'''
made = load_inline("left_out", source, functions=["left_out", "basic"], extra_cflags=["-std=c++17"], build_directory=".",
                   extra_include_paths=npu.include_paths(),
                   extra_ldflags=[f"-L{path}" for path in npu.library_paths()] + ["-ltorch_npu", "-lascendcl"])
try:
    made.left_out(torch.ones(8).half().npu())
except RuntimeError as error:
    assert "y is a null pointer (161001)" in str(error), error
    print("refused")
start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
start.record()
sums = made.basic(torch.ones(8).npu(), torch.arange(8.0).npu())
end.record()
torch.npu.synchronize()
assert torch.equal(sums.cpu(), 1 + 3 * torch.arange(8.0)), sums
assert start.elapsed_time(end) > 0
print("added")
"""


def test_the_reason_of_a_refusal_is_told_and_a_basic_operator_is_there(built):
    text = run(sys.executable, "-c", LEFT_OUT, folder=built, LD_LIBRARY_PATH=str(PROJECT))
    assert text.split()[-2:] == ["refused", "added"]


FAULT = """
import torch, torch_npu, ctypes
kernels = ctypes.CDLL("./libkernels.so")
x = torch.ones(64).npu()
stream = torch.npu.current_stream()._as_parameter_
kernels.add_scaled_do(1, stream, ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(x.data_ptr() + (1 << 30)),
                      ctypes.c_void_p(x.data_ptr()), 64, ctypes.c_float(1))
try:
    torch.npu.synchronize()
except RuntimeError as error:
    print("fault", "add_custom.cpp" in str(error))
"""


def test_a_fault_of_a_kernel_is_an_exception_of_the_call_that_waits(built):
    assert run(sys.executable, "-c", FAULT, folder=built).split() == ["fault", "True"]


def test_cmake_builds_the_module_with_the_generated_header(built, tmp_path):
    run("cmake", "--install", str(BUILD), "--prefix", str(tmp_path / "davsim"), "--component",
        "davsim", folder=tmp_path)
    tree = tmp_path / "davsim/lib/davsim/ascend"
    run("cmake", "-S", str(EXAMPLE), "-B", "build", f"-DASCEND_CANN_PACKAGE_PATH={tree}",
        f"-DPython3_EXECUTABLE={sys.executable}", folder=tmp_path)
    run("cmake", "--build", "build", folder=tmp_path)
    program = ("import torch, torch_npu, by_pybind11; x = torch.rand(100); "
               "print(torch.allclose(by_pybind11.add_scaled(x.npu(), x.npu(), 2.0).cpu(), 3 * x))")
    assert run(sys.executable, "-c", program, folder=tmp_path / "build").split() == ["True"]
