"""Devices: calls, state, memory, several at once, and what ends a worker."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import CommandRun, bits

import davsim

CASES = [("rope_quant_kvcache", "RQK-3"), ("kv_rmsnorm_rope_cache", "KVR-1"),
         ("paged_attention", "PA-1"), ("matmul", "MM-2")]


@pytest.mark.parametrize("operator, case", CASES)
def test_a_call_has_the_bytes_and_the_cycles_of_the_command(tmp_path, operator, case):
    command = CommandRun(tmp_path, operator, case)
    device = davsim.Device()
    outputs = device.run(operator, **command.inputs, **command.attributes)
    for name, expected in command.outputs.items():
        assert bits(outputs.get(name, command.inputs.get(name))) == bits(expected), name
    assert device.last.cycles == command.figures["cycles"]
    assert device.last.roofline._asdict() == command.figures["roofline"]
    assert set(outputs) == set(command.outputs) - set(command.inputs)


def test_l2_stays_warm_until_it_is_emptied(matmul):
    a, b, product = matmul
    device = davsim.Device()
    device.run("matmul", a=a, b=b)
    first = device.last
    device.run("matmul", a=a, b=b)
    warm = device.last
    assert first.report["l2_start"] == "cold" and warm.report["l2_start"] == "warm"
    assert warm.cycles < first.cycles
    device.run("matmul", a=a, b=b, cold=True)
    assert device.last.report["hbm"] == first.report["hbm"]
    device.flush_l2()
    c = device.run("matmul", a=a, b=b)["c"]
    assert device.last.report["l2_start"] == "cold"
    assert np.array_equal(c, product)


def test_outputs_outlive_later_calls_and_the_device(matmul):
    a, b, product = matmul
    device = davsim.Device()
    outputs = [device.run("matmul", a=a * k, b=b)["c"] for k in (1, 2, 3)]
    device.close()
    for k, c in enumerate(outputs, 1):
        assert np.array_equal(c, k * product)


def test_tensors_of_the_device_are_not_copied(sim, matmul):
    a, b, product = matmul
    sim.run("matmul", a=a, b=b)
    here_a, here_b = sim.to_device(a), sim.empty(b.shape, np.float16)
    assert not here_b.any()
    here_b[...] = b
    before = sim.allocated_bytes()
    c = sim.run("matmul", a=here_a, b=here_b)["c"]
    assert np.array_equal(c, product)
    assert sim.allocated_bytes() == before + c.nbytes
    # A part that starts at no multiple of 512 bytes is copied.
    assert np.array_equal(sim.run("matmul", a=here_a[1:], b=here_b)["c"], product[1:])
    del c, here_a
    assert sim.allocated_bytes() == before - a.nbytes


def test_tensors_in_place_are_updated_wherever_they_lie(tmp_path, sim):
    command = CommandRun(tmp_path, "rope_quant_kvcache", "RQK-2")
    cache = command.inputs["k_cache"].copy()
    wide = np.zeros((*cache.shape[:-1], 2 * cache.shape[-1]), np.int8)
    apart = wide[..., ::2]
    for k_cache in (cache.copy(), sim.to_device(cache), apart):
        k_cache[...] = cache
        inputs = command.inputs | {"k_cache": k_cache, "v_cache": command.inputs["v_cache"].copy()}
        outputs = sim.run("rope_quant_kvcache", **inputs, **command.attributes)
        assert "k_cache" not in outputs
        assert bits(k_cache) == bits(command.outputs["k_cache"])
    assert not wide[..., 1::2].any()


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="AddressSanitizer keeps what is freed for a while")
def test_small_calls_leave_nothing_behind(sim, matmul):
    a, b, _ = matmul

    def resident():
        with open(f"/proc/{sim._worker._process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    for calls in (20, 150):
        for _ in range(calls):
            sim.run("matmul", a=a, b=b)
        if calls == 20:
            bytes_before, resident_before = sim.allocated_bytes(), resident()
    assert sim.allocated_bytes() == bytes_before
    assert resident() - resident_before < 4 << 20


def test_devices_of_a_with_statement_nest(matmul):
    a, b, product = matmul
    outer, inner = davsim.Device("Ascend910B1"), davsim.Device("Ascend910_9392")
    with outer:
        with inner:
            assert davsim.device() is inner
        assert davsim.device() is outer
        davsim.run("matmul", a=a, b=b)
    assert outer.last.soc == "Ascend910B1"
    assert davsim.device() is not outer
    assert davsim.device() is davsim.device()
    assert np.array_equal(davsim.run("matmul", a=a, b=b)["c"], product)
    with pytest.raises(davsim.UsageError, match="no call"):
        inner.last


def test_threads_call_devices_at_the_same_time(matmul):
    a, b, product = matmul
    devices = [davsim.Device(), davsim.Device(set={"l2.size": "96MiB"})]
    right = []

    def work(device, factor):
        for _ in range(5):
            c = device.run("matmul", a=a * factor, b=b)["c"]
            right.append(np.array_equal(c, factor * product))

    # Two threads share the first device.
    threads = [threading.Thread(target=work, args=(device, factor)) for device, factor in
               ((devices[0], 1), (devices[0], 2), (devices[1], 3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 15


def test_parameters_of_the_soc_are_replaced(matmul):
    a, b, _ = matmul
    fast, slow = davsim.Device(), davsim.Device(set={"hbm.read_latency": "2us"})
    for device in (fast, slow):
        device.run("matmul", a=a, b=b)
    assert slow.last.cycles > fast.last.cycles + 1000
    assert slow.last.report["set"] == ["hbm.read_latency=2us"]


def test_a_functional_device_has_results_and_no_time(matmul):
    a, b, product = matmul
    device = davsim.Device(functional=True)
    assert np.array_equal(device.run("matmul", a=a, b=b)["c"], product)
    assert not device.last.timed
    with pytest.raises(davsim.UsageError, match="no time"):
        device.last.cycles
    with pytest.raises(davsim.UsageError):
        davsim.Device(functional=True, record=True)


def test_a_worker_that_is_killed_is_replaced(matmul):
    a, b, product = matmul
    device = davsim.Device()
    kept = device.run("matmul", a=a, b=b)["c"]
    place = device.to_device(a)
    device._worker._process.kill()
    with pytest.raises(davsim.WorkerError, match="SIGKILL"):
        device.run("matmul", a=a, b=b)
    assert np.array_equal(kept, product)
    # A tensor of the former worker's memory is one of this process now.
    assert np.array_equal(device.run("matmul", a=place, b=b)["c"], product)


def test_ctrl_c_stops_a_call_and_leaves_the_interpreter(matmul):
    a, b, product = matmul
    device = davsim.Device()
    device.describe("matmul")
    large = np.zeros((2048, 2048), np.float16)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() < began + 60:
            device.run("matmul", a=large, b=large)
    timer.join()
    assert np.array_equal(device.run("matmul", a=a, b=b)["c"], product)


def test_a_forked_process_has_a_worker_of_its_own(matmul):
    a, b, product = matmul
    device = davsim.Device()
    device.run("matmul", a=a, b=b)
    worker = device._worker._process.pid
    child = os.fork()
    if child == 0:
        try:
            good = np.array_equal(device.run("matmul", a=a, b=b)["c"], product)
            os._exit(0 if good and device._worker._process.pid != worker else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert device._worker._process.pid == worker
    assert np.array_equal(device.run("matmul", a=a, b=b)["c"], product)


def test_the_worker_ends_with_the_interpreter():
    program = ("import davsim, os\ndevice = davsim.Device()\ndevice.operators\n"
               "print(device._worker._process.pid, flush=True)\n")
    for end in ("", "os._exit(0)\n"):
        done = subprocess.run([sys.executable, "-c", program + end], capture_output=True, text=True,
                              check=True)
        deadline = time.monotonic() + 20
        while os.path.exists(f"/proc/{int(done.stdout)}") and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not os.path.exists(f"/proc/{int(done.stdout)}")


def test_import_is_quick_and_loads_no_numpy(tmp_path):
    # Time of the processor: other tests run beside this one. The first of them compiles the package.
    program = ("import time; began = time.process_time(); import davsim\n"
               "print(time.process_time() - began)\nimport sys; assert 'numpy' not in sys.modules")
    environment = {name: value for name, value in os.environ.items()
                   if name != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": str(tmp_path)}
    best = min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                    check=True, env=environment).stdout) for _ in range(5))
    assert best < 0.05


def test_the_version_is_that_of_the_command():
    from davsim import _worker

    printed = subprocess.run([_worker.program(), "version"], capture_output=True, text=True,
                             check=True).stdout
    assert printed == f"davsim {davsim.__version__}\n"
