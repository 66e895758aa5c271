"""Operators by their public names against plain formulas in double, for several shapes."""

import math

import numpy as np
import pytest

import davsim
from davsim import torch_npu
from davsim.testing import assert_close


def softmax(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def rounded(values, dtype):
    """What a tensor of the device holds of these numbers, as float64."""
    if dtype == "bfloat16":
        return davsim.BFloat16.from_float32(values).to_float32().astype(np.float64)
    return np.asarray(values, dtype).astype(np.float64)


def given(values, dtype):
    if dtype == "bfloat16":
        return davsim.BFloat16.from_float32(values)
    return np.asarray(values, dtype)


TOLERANCE = {"float16": {"rtol": 2e-3, "atol": 2e-3}, "bfloat16": {"rtol": 1.6e-2, "atol": 1.6e-2}}

# batch, tokens of the query, of the cache, heads, heads of the cache, head size, layout, dtype
ATTENTION = [(1, 1, 40, 4, 4, 64, "BSH", "float16"), (2, 1, 129, 8, 2, 128, "BSH", "bfloat16"),
             (3, 5, 33, 4, 1, 64, "BSND", "float16"), (1, 17, 17, 2, 2, 128, "BNSD", "bfloat16")]


@pytest.mark.parametrize("batch, tokens, length, heads, shared, size, layout, dtype", ATTENTION)
def test_attention(sim, batch, tokens, length, heads, shared, size, layout, dtype):
    random = np.random.default_rng(batch + length)
    query = random.standard_normal((batch, tokens, heads, size))
    key, value = random.standard_normal((2, batch, length, shared, size))
    lengths = [length - row for row in range(batch)]
    scale = 1 / math.sqrt(size)

    def laid_out(array):
        if layout == "BNSD":
            return array.transpose(0, 2, 1, 3).copy()
        return array.reshape(*array.shape[:2], -1) if layout == "BSH" else array

    with sim:
        out, lse = torch_npu.npu_fused_infer_attention_score_v2(
            *(given(laid_out(array), dtype) for array in (query, key, value)),
            num_query_heads=heads, num_key_value_heads=shared, softmax_scale=scale,
            input_layout=layout, actual_seq_kvlen=lengths)
    assert lse.shape == (1,)  # not asked for
    expected = np.empty(query.shape)
    q, k, v = (rounded(array, dtype) for array in (query, key, value))
    for b in range(batch):
        for h in range(heads):
            of = h * shared // heads
            for t in range(tokens):
                weights = softmax(scale * k[b, :lengths[b], of] @ q[b, t, h])
                expected[b, t, h] = weights @ v[b, :lengths[b], of]
    assert_close(out, laid_out(expected), **TOLERANCE[dtype])


@pytest.mark.parametrize("sequences, pages, heads, shared, size, dtype", [
    ([5], 3, 2, 1, 64, "float16"), ([16, 47, 1], 9, 8, 2, 128, "bfloat16"),
    ([100, 32], 16, 4, 4, 128, "float16")])
def test_paged_attention(sim, sequences, pages, heads, shared, size, dtype):
    rows, random = 16, np.random.default_rng(len(sequences))
    query = random.standard_normal((len(sequences), heads, size))
    keys, values = random.standard_normal((2, pages, rows, shared, size))
    most = max(-(-length // rows) for length in sequences)
    table = np.zeros((len(sequences), most), np.int32)
    free = iter(random.permutation(pages))
    for row, length in enumerate(sequences):
        for page in range(-(-length // rows)):
            table[row, page] = next(free)
    with sim:
        out = torch_npu.paged_attention(
            given(query, dtype), given(keys, dtype), given(values, dtype), table,
            np.array(sequences, np.int32), headNum=heads, kvHeadNum=shared, qkScale=size**-0.5)
    q, k, v = (rounded(array, dtype) for array in (query, keys, values))
    expected = np.empty(query.shape)
    for row, length in enumerate(sequences):
        for h in range(heads):
            of = h * shared // heads
            tokens = [(table[row, t // rows], t % rows, of) for t in range(length)]
            weights = softmax(np.array([k[token] @ q[row, h] for token in tokens]) * size**-0.5)
            expected[row, h] = sum(w * v[token] for w, token in zip(weights, tokens))
    assert_close(out, expected, **TOLERANCE[dtype])


@pytest.mark.parametrize("batch, tokens, rows, dtype",
                         [(1, 1, 4, "float16"), (3, 2, 9, "bfloat16"), (2, 7, 32, "float16")])
def test_rmsnorm_rope_cache(sim, batch, tokens, rows, dtype):
    random = np.random.default_rng(rows)
    kv = random.standard_normal((batch, 1, tokens, 576))
    gamma = random.uniform(0.5, 1.5, 512)
    cos, sin = random.uniform(-1, 1, (2, batch, 1, tokens, 64))
    index = np.stack([random.permutation(rows)[:tokens] for _ in range(batch)]).astype(np.int64)
    k_cache, ckv_cache = (given(np.zeros((batch, 1, rows, width)), dtype) for width in (64, 512))
    with sim:
        torch_npu.npu_kv_rmsnorm_rope_cache(
            given(kv, dtype), given(gamma, dtype), given(cos, dtype), given(sin, dtype), index,
            k_cache, ckv_cache, epsilon=1e-5)
    x, gamma, cos, sin = (rounded(array, dtype) for array in (kv, gamma, cos, sin))
    expected = {64: np.zeros((batch, 1, rows, 64)), 512: np.zeros((batch, 1, rows, 512))}
    for b in range(batch):
        for t in range(tokens):
            latent, rope = x[b, 0, t, :512], x[b, 0, t, 512:]
            even, odd = rope[0::2], rope[1::2]
            c, s = cos[b, 0, t], sin[b, 0, t]
            row = index[b, t]
            expected[512][b, 0, row] = latent / np.sqrt((latent**2).mean() + 1e-5) * gamma
            expected[64][b, 0, row] = np.concatenate(
                [even * c[:32] - odd * s[:32], odd * c[32:] + even * s[32:]])
    assert_close(ckv_cache, expected[512], **TOLERANCE[dtype])
    assert_close(k_cache, expected[64], **TOLERANCE[dtype])


@pytest.mark.parametrize("m, k, n, dtype", [(1, 16, 16, "float16"), (33, 65, 130, "bfloat16"),
                                            (128, 256, 64, "float16")])
def test_matmul(sim, m, k, n, dtype):
    random = np.random.default_rng(m)
    a, b = random.standard_normal((m, k)), random.standard_normal((k, n))
    with sim:
        c = torch_npu.matmul(given(a, dtype), given(b, dtype))
    expected = rounded(a, dtype) @ rounded(b, dtype)
    assert_close(c, expected, rtol=TOLERANCE[dtype]["rtol"], atol=0.02 * math.sqrt(k) / 4)
