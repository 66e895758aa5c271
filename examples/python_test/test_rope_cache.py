"""A test of an operator: write the caches of two decode steps and compare them with numpy.

Run it with PYTHONPATH=build/python and pytest.
"""

import numpy as np
import pytest

import davsim
from davsim import torch_npu
from davsim.testing import assert_close

B, S_MAX, HEADS, D = 4, 32, 4, 128


def rotate(x, cos, sin):
    """Rope in its half-split form, in float32."""
    x = x.astype(np.float32)
    turned = np.concatenate((-x[..., D // 2:], x[..., :D // 2]), axis=-1)
    return x * cos.astype(np.float32) + turned * sin.astype(np.float32)


@pytest.fixture(scope="module")
def sim():
    with davsim.Device("Ascend910B3", check=True) as device:
        yield device


def test_two_steps_write_their_rows(sim):
    random = np.random.default_rng(1)
    k_cache, v_cache = np.zeros((2, B, S_MAX, 1, D), np.int8)
    scale, offset = np.full(D, 0.05, np.float32), np.zeros(D, np.int32)
    for step in range(2):
        qkv = random.uniform(-1, 1, (B, 1, (HEADS + 2) * D)).astype(np.float16)
        angle = random.uniform(-3, 3, (B, 1, 1, D)).astype(np.float32)
        cos, sin = np.cos(angle).astype(np.float16), np.sin(angle).astype(np.float16)
        rows = np.arange(B, dtype=np.int32) + step
        q, _, _, _, _ = torch_npu.rope_quant_kvcache(
            qkv, cos, sin, scale, offset, k_cache, v_cache, rows,
            size_splits=[HEADS * D, D, D])

        heads = qkv.reshape(B, 1, HEADS + 2, D)
        assert_close(q, rotate(heads[:, :, :HEADS], cos, sin), rtol=2e-3, atol=2e-3, name="q")
        key = np.rint(rotate(heads[:, :, HEADS:HEADS + 1], cos, sin) / 0.05)
        value = np.rint(heads[:, :, HEADS + 1:].astype(np.float32) / 0.05)
        for batch, row in enumerate(rows):
            assert_close(k_cache[batch, row], key[batch, 0], rtol=0, atol=1, name="k_cache")
            assert_close(v_cache[batch, row], value[batch, 0], rtol=0, atol=1, name="v_cache")
    assert sim.last.cycles < 20_000


def test_an_index_outside_of_the_cache_is_refused(sim):
    ones = np.ones((B, 1, 1, D), np.float16)
    with pytest.raises(davsim.TensorIndexError, match=str(S_MAX)):
        torch_npu.rope_quant_kvcache(
            np.ones((B, 1, 3 * D), np.float16), ones, ones, np.ones(D, np.float32),
            np.zeros(D, np.int32), np.zeros((B, S_MAX, 1, D), np.int8),
            np.zeros((B, S_MAX, 1, D), np.int8), [0, 1, 2, S_MAX], size_splits=[D, D, D])
