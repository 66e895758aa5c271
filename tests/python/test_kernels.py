"""Kernels of one's own: compile(), k[blocks](...), and the operators of a library."""

import ctypes
import os
import subprocess

import numpy as np
import pytest

import davsim
from davsim import kernels

SOURCE = """#include "kernel_operator.h"
#include "factor.h"
using namespace AscendC;

struct Tiling {
  uint32_t length;
  uint16_t unused;
  float factor;
};

// z = x + y; every block takes its part of n elements.
extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
  const uint32_t part = n / GetBlockNum(), first = part * GetBlockIdx();
  GlobalTensor<half> from, other, to;
  from.SetGlobalBuffer((__gm__ half*)x + first);
  other.SetGlobalBuffer((__gm__ half*)y + first);
  to.SetGlobalBuffer((__gm__ half*)z + first);
  TPipe pipe;
  TBuf<TPosition::VECCALC> left, right;
  pipe.InitBuffer(left, part * sizeof(half));
  pipe.InitBuffer(right, part * sizeof(half));
  DataCopy(left.Get<half>(), from, part);
  DataCopy(right.Get<half>(), other, part);
  PipeBarrier<PIPE_ALL>();
  Add(left.Get<half>(), left.Get<half>(), right.Get<half>(), part);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, left.Get<half>(), part);
}

// z = x * a product of numbers of all kinds, in the scalar unit.
extern "C" __global__ __aicore__ void numbers(__gm__ float* x, __gm__ float* z, Tiling by_value,
                                              __gm__ uint8_t* tiling, int8_t sign, float scale,
                                              bool negative) {
  auto* more = (__gm__ Tiling*)tiling;
  float factor = FACTOR * by_value.factor * scale * sign;
  if (more != nullptr) factor *= more->factor;
  if (negative) factor = -factor;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer(x);
  to.SetGlobalBuffer(z);
  for (uint32_t i = 0; i < by_value.length; ++i) to.SetValue(i, from.GetValue(i) * factor);
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);
}

// z = x + 1, with the output first.
extern "C" __global__ __aicore__ void next(GM_ADDR z, GM_ADDR x, uint32_t n) {
  GlobalTensor<half> from, to;
  from.SetGlobalBuffer((__gm__ half*)x);
  to.SetGlobalBuffer((__gm__ half*)z);
  TPipe pipe;
  TBuf<TPosition::VECCALC> left;
  pipe.InitBuffer(left, n * sizeof(half));
  DataCopy(left.Get<half>(), from, n);
  PipeBarrier<PIPE_ALL>();
  Adds(left.Get<half>(), left.Get<half>(), half(1), n);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, left.Get<half>(), n);
}

// Reads an address outside.
extern "C" __global__ __aicore__ void outside(GM_ADDR x) {
  GlobalTensor<half> from;
  from.SetGlobalBuffer((__gm__ half*)x + (1 << 20));
  TPipe pipe;
  TBuf<TPosition::VECCALC> left;
  pipe.InitBuffer(left, 64);
  DataCopy(left.Get<half>(), from, 32);
}
"""


class Tiling(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint32), ("unused", ctypes.c_uint16), ("factor", ctypes.c_float)]


TILING = np.dtype([("length", np.uint32), ("unused", np.uint16), ("factor", np.float32)], align=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "factor.h").write_text("#pragma once\nconstexpr float FACTOR = 3;\n")
    path = folder / "kernels.asc"
    path.write_text(SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAVSIM_CC_CACHE", str(folder / "cache"))
        yield path


@pytest.fixture(scope="module")
def add(source):
    return davsim.compile(source, "add")


def test_tensors_are_pointers_and_what_the_kernel_writes_comes_back(add, sim):
    x, y, z = np.arange(1024, dtype=np.float16), np.ones(1024, np.float16), np.zeros(1024, np.float16)
    with sim:
        add[8](x, y, z, 1024, check=True)
        assert (z == x + y).all() and sim.last.operator == "add"
        assert sim.last.cycles > 0 and sim.last.pipes and sim.last.hot_lines
        assert any(line.file.endswith("kernels.asc") for line in sim.last.lines)
        assert add.parameters == [("pointer", 8)] * 3 + [("uint", 4)]
        # One array is one piece of memory, and memory of the device is taken as it is.
        on_device = sim.to_device(x)
        add[2](on_device, on_device, on_device, np.int32(1024))
        assert (on_device == x + x).all()
        view = np.zeros(2048, np.float16)[::2]
        add[1](x, x, view, 1024, cold=True)
        assert (view == x + x).all()


def share_memory(add, source, sim, of):
    """Arguments that share memory in every way, in kinds of tensors that `of` makes of arrays."""
    following = kernels.Kernel(add.library, "next", str(source))
    with sim:
        for view in (lambda t: t[:, 0], lambda t: t[2], lambda t: t[:1, ::2]):
            whole = of(np.zeros((64, 128), np.float16))
            part = view(whole)
            count = int(np.prod(part.shape))
            following[1](part, part, count)
            assert whole.sum() == count and part.sum() == count
        # Neighbours and arrays that overlap: what the kernel only read does not come back.
        for first, second in ((0, 32), (32, 0), (0, 64)):
            whole = of(np.zeros(128, np.float16))
            following[1](whole[first:first + 64], whole[second:second + 64], 64)
            assert whole.sum() == 64 and whole[first:first + 64].sum() == 64
        columns = of(np.zeros((64, 4), np.float16))
        following[1](columns[:, 3], columns[:, 1], 64)
        assert columns[:, 3].sum() == columns.sum() == 64


def test_arguments_share_memory(add, source, sim):
    share_memory(add, source, sim, np.array)


def test_tensors_of_torch_share_memory(add, source, sim):
    torch = pytest.importorskip("torch", reason="Debian's python3-torch is not installed")
    share_memory(add, source, sim, torch.from_numpy)
    share_memory(add, source, sim, lambda array: torch.from_numpy(array).to(torch.bfloat16).half())


def test_nothing_is_compiled_again_while_nothing_changes(add, source, monkeypatch):
    def refuse(*command, **options):
        raise AssertionError("davsim-cc ran again")

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", refuse)
        assert davsim.compile(source, "add").library == add.library
        with pytest.raises(AssertionError):
            davsim.compile(source, "add", auto_sync=False)
        header = source.parent / "factor.h"
        text = header.read_text()
        header.write_text(text.replace("3", "4"))
        with pytest.raises(AssertionError):
            davsim.compile(source, "add")
        header.write_text(text)


def test_numbers_and_structures_of_all_kinds(add, source, sim):
    k = kernels.Kernel(add.library, "numbers", str(source))
    x, z = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    by_value = np.array((8, 0, 2.0), TILING)
    with sim:
        for structure in (Tiling(8, 0, 2.0), by_value, by_value[()], bytes(Tiling(8, 0, 2.0))):
            for more in (Tiling(0, 0, 0.5), np.array([(0, 0, 0.5)], TILING), None):
                k[1](x, z, structure, more, -1, np.float16(1.5), True)
                assert (z == x * 3 * 2 * 1.5 * (1 if more is None else 0.5)).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_wrong_arguments_are_named(add, source, sim):
    x = np.ones(1024, np.float16)
    numbers = kernels.Kernel(add.library, "numbers", str(source))
    wrong = [
        (lambda: add[8](x, x, x), "4 parameters"), (lambda: add[8](x, x, x, 1.5), "argument 4"),
        (lambda: add[8](x, x, x, -1), "argument 4 of add is -1"),
        (lambda: add[8](x, x, x, 1 << 32), "argument 4"), (lambda: add[8](7, x, x, 1), "argument 1"),
        (lambda: add[8](x, x, x, x), "argument 4"), (lambda: add[0](x, x, x, 1024), "blocks is 0"),
        (lambda: add[1 << 16](x, x, x, 1024), "65536"), (lambda: add["8"](x), "blocks is '8'"),
        (lambda: add(x, x, x, 1024), "number of blocks"),
        (lambda: numbers[1](x, x, b"12", None, 1, 1, 0), "argument 3 of numbers is 2 bytes"),
        (lambda: numbers[1](x, x, 5, None, 1, 1, 0), "argument 3"),
        (lambda: numbers[1](x, x, bytes(12), None, 200, 1, 0), "argument 5 of numbers is 200"),
        (lambda: kernels.Kernel(add.library, "sub", "a.asc")[1](x), "no kernel 'sub'; it has add"),
        (lambda: kernels.Kernel(add.library, None, "a.asc")[1](x), "several kernels"),
        (lambda: kernels.Kernel(__file__, None, "a.asc")[1](x), "cannot be loaded"),
    ]
    with sim:
        for call, said in wrong:
            with pytest.raises(davsim.UsageError, match=said):
                call()
    with pytest.raises(davsim.CompileError, match="kernels.asc"):
        davsim.compile(source, options=["-DFACTOR=;"])
    with pytest.raises(davsim.FileError):
        davsim.compile(source.parent / "none.asc")


def test_a_kernel_that_goes_wrong_is_told_with_its_line(add, source, sim):
    k = kernels.Kernel(add.library, "outside", str(source))
    with sim:
        for options, error in (({}, davsim.KernelFault), ({"check": True}, davsim.CheckError)):
            with pytest.raises(error) as caught:
                k[1](np.ones(64, np.float16), **options)
            line = SOURCE.splitlines().index("  DataCopy(left.Get<half>(), from, 32);") + 1
            assert f"kernels.asc:{line}" in str(caught.value)


# --- libraries of operator projects

LIBRARY = os.path.join(os.path.dirname(os.environ["DAVSIM_WRONG_OPERATORS"]), "libcust.so")


def test_operators_of_a_library_are_functions(sim):
    x, y = np.arange(16, dtype=np.float16).reshape(2, 8), np.ones((2, 8), np.float16)
    with sim:
        library = davsim.load_operators(LIBRARY)
        assert library.names() == ["AddCustom"] and "AddCustom" in dir(library)
        assert (library.AddCustom(x, y, alpha=2.0) == x + 2 * y).all()
        assert (library.AddCustom(x, y, 2.0) == library.AddCustom(y=y, x=x, alpha=2)).all()
        out = np.zeros((2, 8), np.float16)
        assert library.aclnnAddCustom(x, y, 0.5, out) is None
        assert (out == x + y / 2).all()
        size, executor = library.aclnnAddCustomGetWorkspaceSize(x, y, 3.0, out)
        assert size == 0 and (out == x + y / 2).all()
        assert library.aclnnAddCustom(None, size, executor, None) is None
        assert (out == x + 3 * y).all()
        with pytest.raises(davsim.UsageError, match="used already"):
            library.aclnnAddCustom(None, size, executor, None)
        with pytest.raises(davsim.UsageError, match="without z"):
            library.aclnnAddCustomGetWorkspaceSize(x, y, 3.0)
        with pytest.raises(davsim.DtypeError):
            library.AddCustom(x.astype(np.int8), y.astype(np.int8))
        with pytest.raises(davsim.UsageError, match="z is float32"):
            library.aclnnAddCustom(x, y, 0.5, out.astype(np.float32))
        for call in (lambda: library.AddCustom(x, y, beta=1), lambda: library.AddCustom(x, x=x)):
            with pytest.raises(TypeError):
                call()
        with pytest.raises(AttributeError, match="AddCustom"):
            library.SubCustom
        with pytest.raises(davsim.UsageError):
            library.AddCustom(x, y, 1.0, 2)
        sim.close()  # A new worker loads the library again
        assert (library.AddCustom(x, y, 1.0) == x + y).all()
    with pytest.raises(davsim.UsageError):
        davsim.load_operators("/no/lib.so")
