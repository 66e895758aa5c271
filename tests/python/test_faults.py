"""Kernels that go wrong: the exception names the place, and the interpreter goes on."""

import os
import time

import numpy as np
import pytest

import davsim

LIBRARY = os.environ["DAVSIM_WRONG_OPERATORS"]
WELL, READS_OUTSIDE, CRASHES, LOOPS = range(4)


@pytest.fixture(scope="module")
def wrong():
    device = davsim.Device(timeout=2, operators=[LIBRARY])
    yield device
    device.close()


def call(device, mode):
    return device.run("WrongCustom", x=np.arange(5, 13, dtype=np.int32), mode=mode)["y"]


def test_the_operators_of_a_library_stand_beside_davsims_own(wrong):
    assert {"WrongCustom", "matmul"} <= set(wrong.operators)
    assert call(wrong, WELL)[0] == 5


def test_a_fault_names_core_file_and_line(wrong):
    worker = None
    for _ in range(2):
        with pytest.raises(davsim.KernelFault) as caught:
            call(wrong, READS_OUTSIDE)
        fault = caught.value
        assert fault.error_class == "address"
        assert fault.kernel.startswith("wrong_custom") or "wrong" in fault.kernel
        assert fault.core == "core0.veccore0"
        assert fault.file.endswith("wrong_custom.cpp")
        with open(fault.file) as source:
            assert "kReadsOutside" in source.readlines()[fault.line - 1]
        assert f"{fault.file}:{fault.line}" in str(fault) and fault.rule
        # The device goes on after a fault.
        assert worker in (None, wrong._worker._process.pid)
        worker = wrong._worker._process.pid
    assert call(wrong, WELL)[0] == 5


def test_a_crash_names_the_kernel_and_the_next_call_has_a_new_worker(wrong):
    with pytest.raises(davsim.KernelCrash, match="SIGSEGV") as caught:
        call(wrong, CRASHES)
    assert caught.value.core == "core0.veccore0"
    assert call(wrong, WELL)[0] == 5


def test_an_endless_loop_ends_at_the_timeout(wrong):
    began = time.monotonic()
    with pytest.raises(davsim.KernelTimeout, match="2 s of wall time") as caught:
        call(wrong, LOOPS)
    assert time.monotonic() - began < 12
    assert isinstance(caught.value, TimeoutError)
    assert call(wrong, WELL)[0] == 5


def test_the_limit_of_cycles_is_a_fault():
    device = davsim.Device(max_cycles=100)
    with pytest.raises(davsim.KernelFault, match="100 cycles") as caught:
        device.run("matmul", a=np.ones((64, 64), np.float16), b=np.ones((64, 64), np.float16))
    assert caught.value.error_class == "limit"
    # Where the cores are: the call that each is behind.
    assert "/kernels/matmul/" in caught.value.file and caught.value.line > 0


def test_the_checker_raises_with_its_findings():
    device = davsim.Device(check=True, operators=[LIBRARY])
    assert call(device, WELL)[0] == 5
    with pytest.raises(davsim.CheckError) as caught:
        call(device, READS_OUTSIDE)
    assert caught.value.findings
