"""Many calls, and large ones. It takes minutes and 10 GB."""

import os
import subprocess
import sys

import numpy as np

import davsim
from davsim import torch_npu


def status(process, name):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))


def test_ten_thousand_calls_leave_nothing_behind():
    a, b = np.ones((16, 32), np.float16), np.ones((32, 16), np.float16)
    with davsim.Device() as sim:
        worker = None
        for number in range(10_000):
            davsim.run("matmul", a=a, b=b)
            if number == 500:
                worker = sim._worker._process.pid
                before = (sim.allocated_bytes(), status(worker, "VmRSS"),
                          status(os.getpid(), "VmRSS"), len(os.listdir("/proc/self/fd")))
        assert sim._worker._process.pid == worker
        after = (sim.allocated_bytes(), status(worker, "VmRSS"), status(os.getpid(), "VmRSS"),
                 len(os.listdir("/proc/self/fd")))
    assert after[0] == before[0] and after[3] == before[3]
    assert after[1] - before[1] < 32 << 20 and after[2] - before[2] < 8 << 20


def test_attention_over_four_gigabytes_needs_them_once():
    # 32 sequences of 128 pages of 128 tokens, 16 heads of 128: keys and values have 2 GiB each.
    with davsim.Device(functional=True) as sim:
        shape = (4096, 128, 16, 128)
        caches = [sim.empty(shape, np.float16) for _ in range(2)]
        for cache in caches:
            cache.view(np.uint16)[...] = 0x3C00  # ones
        tables = np.arange(4096, dtype=np.int32).reshape(32, 128)
        before = status(os.getpid(), "RssAnon")
        out = torch_npu.paged_attention(np.ones((32, 16, 128), np.float16), *caches, tables,
                                        np.full(32, 128 * 128, np.int32), headNum=16,
                                        kvHeadNum=16, qkScale=1 / 128)
        assert np.allclose(np.asarray(out, np.float32), 1, atol=2e-3)
        nbytes = sum(cache.nbytes for cache in caches)
        assert nbytes == 4 << 30
        worker = sim._worker._process.pid
        # The caches are pages of one file in memory, which both processes see.
        assert status(worker, "RssShmem") < nbytes + (256 << 20)
        assert status(worker, "RssAnon") < 1 << 30
        assert status(os.getpid(), "RssAnon") - before < 256 << 20


FIRST_CALL = """
import time
began = time.perf_counter()
import davsim, numpy as np
a = np.ones((16, 16), np.float16)
imported = time.perf_counter()
davsim.run("matmul", a=a, b=a)
first = time.perf_counter()
davsim.run("matmul", a=a, b=a)
print(first - imported - (time.perf_counter() - first))
"""


def test_the_first_call_starts_within_150_ms():
    # numpy's own import is not davsim's; the second call takes what the simulation takes.
    best = min(float(subprocess.run([sys.executable, "-c", FIRST_CALL], capture_output=True,
                                    text=True, check=True).stdout) for _ in range(5))
    assert best < 0.15
