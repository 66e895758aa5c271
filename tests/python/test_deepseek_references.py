"""The operators of DeepSeek-V3.2 by their public names against plain formulas, on tensors of torch where
the host has it, else of numpy. The formulas compute in double and round where the interface says bfloat16."""

import importlib.util
import math

import numpy as np
import pytest

import davsim
from davsim import torch_npu
from davsim.testing import assert_close

PAGE = 128


def b16(values):
    """Numbers rounded to bfloat16, as float64."""
    return davsim.BFloat16.from_float32(np.asarray(values, np.float32)).to_float32().astype(np.float64)


def tensor(values, dtype):
    if dtype == "bfloat16":
        bits = davsim.BFloat16.from_float32(np.asarray(values, np.float32))
        if importlib.util.find_spec("torch") is None:
            return bits
        import torch
        return torch.from_numpy(bits.to_float32()).to(torch.bfloat16)
    array = np.ascontiguousarray(values, dtype)
    if importlib.util.find_spec("torch") is None:
        return array
    import torch
    return torch.from_numpy(array)


def numbers(result):
    """A tensor of any kind as float64."""
    if isinstance(result, davsim.BFloat16):
        return result.to_float32().astype(np.float64)
    if isinstance(result, np.ndarray):
        return result.astype(np.float64)
    return result.double().numpy()


def interleaved(x, cos, sin):
    """Even elements and odd ones are the halves that turn; they come out one half behind the other."""
    half = x.shape[-1] // 2
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.concatenate([even * cos[..., :half] - odd * sin[..., :half],
                           odd * cos[..., half:] + even * sin[..., half:]], -1)


def half_split(x, cos, sin):
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos[..., :half] - b * sin[..., :half],
                           b * cos[..., half:] + a * sin[..., half:]], -1)


def rms_norm(x, gamma, epsilon):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * gamma


def layer_norm(x, gamma, beta, epsilon):
    deviation = x - x.mean(-1, keepdims=True)
    return deviation / np.sqrt((deviation**2).mean(-1, keepdims=True) + epsilon) * gamma + beta


def quantised(x):
    """int8 numbers and the scale that gives the originals back."""
    most = np.abs(x).max(-1, keepdims=True)
    return np.clip(np.rint(x * (127 / most)), -128, 127), most / 127


def assert_quantised(result, expected):
    """A number in the middle of two steps may take either."""
    apart = np.abs(numbers(result) - expected)
    assert apart.max() <= 1 and (apart > 0).mean() < 0.03, (apart.max(), (apart > 0).mean())


def assert_bfloat16(result, expected):
    assert_close(numbers(result), expected, rtol=1.6e-2, atol=1e-2 * np.abs(expected).max())


class Prolog:
    """Inputs of mla_prolog_quant for some tokens, and what comes of them."""

    def __init__(self, tokens, pages, seed):
        random = np.random.default_rng(seed)
        self.x = b16(random.uniform(-1, 1, (tokens, 7168)))
        self.w_dq = b16(random.uniform(-0.02, 0.02, (7168, 1536)))
        self.w_uq_qr = random.integers(-127, 128, (1536, 128 * 192), np.int8)
        self.scale = random.uniform(1e-4, 2e-4, (24576, 1)).astype(np.float32)
        self.w_uk = b16(random.uniform(-0.1, 0.1, (128, 128, 512)))
        self.w_dkv_kr = b16(random.uniform(-0.02, 0.02, (7168, 576)))
        self.gamma_cq, self.gamma_ckv = (b16(random.uniform(0.5, 1.5, n)) for n in (1536, 512))
        self.cos, self.sin = b16(random.uniform(-1, 1, (2, tokens, 64)))
        self.index = random.permutation(pages * PAGE)[:tokens].astype(np.int64)
        self.index[0] = -1  # a token that is not written
        self.caches = [tensor(np.full((pages, PAGE, 1, width), 3), dtype) for width, dtype in
                       ((512, "int8"), (64, "bfloat16"), (4, "float32"))]

    def arguments(self):
        """Those that lightning_indexer_prolog_quant does not have, in their order."""
        return [tensor(self.w_dq, "bfloat16"), tensor(self.w_uq_qr, "int8"),
                tensor(self.scale, "float32"), tensor(self.w_uk, "bfloat16"),
                tensor(self.w_dkv_kr, "bfloat16"), tensor(self.gamma_cq, "bfloat16"),
                tensor(self.gamma_ckv, "bfloat16")]

    def of_tokens(self):
        return [tensor(self.cos, "bfloat16"), tensor(self.sin, "bfloat16"),
                tensor(self.index, "int64")]

    def latent(self):
        return quantised(b16(rms_norm(b16(self.x @ self.w_dq), self.gamma_cq, 1e-5)))

    def check_queries(self, latent, latent_scale, query_nope, query_rope):
        sums = latent @ self.w_uq_qr.astype(np.float64)
        u = b16(sums * latent_scale * self.scale[:, 0]).reshape(-1, 128, 192)
        assert_bfloat16(query_nope, np.einsum("tnk,nkc->tnc", u[..., :128], self.w_uk))
        assert_bfloat16(query_rope,
                        interleaved(u[..., 128:], self.cos[:, None], self.sin[:, None]))

    def check_caches(self):
        kv = b16(self.x @ self.w_dkv_kr)
        quarters = b16(rms_norm(kv[:, :512], self.gamma_ckv, 1e-5)).reshape(-1, 4, 128)
        key, scales = quantised(quarters)
        rope = interleaved(kv[:, 512:], self.cos, self.sin)
        latents, ropes, steps = (numbers(cache)[:, :, 0] for cache in self.caches)
        written = np.zeros(latents.shape[:2], bool)
        for token, row in enumerate(self.index):
            if row < 0:
                continue
            at = divmod(row, PAGE)
            written[at] = True
            assert_quantised(latents[at], key[token].reshape(-1))
            assert_bfloat16(ropes[at], rope[token])
            assert_close(steps[at], scales[token, :, 0], rtol=1e-2, atol=0)
        for cache in (latents, ropes, steps):
            assert (cache[~written] == 3).all()


class Indexer:
    """The same of lightning_indexer_prolog_quant, for the tokens of a Prolog."""

    def __init__(self, prolog, pages, seed):
        random = np.random.default_rng(seed)
        self.of = prolog
        self.w_qb = random.integers(-127, 128, (1536, 8192), np.int8)
        self.w_qb_scale = random.uniform(1e-4, 2e-4, (8192, 1)).astype(np.float32)
        self.wk, self.w_proj = (b16(random.uniform(-0.02, 0.02, (7168, n))) for n in (128, 64))
        self.gamma, self.beta = b16(random.uniform(0.5, 1.5, (2, 128)))
        signs = np.array([[(-1.0)**bin(i & j).count("1") for i in range(128)] for j in range(128)])
        self.hadamard = b16(signs / math.sqrt(128))
        self.caches = [tensor(np.full((pages, PAGE, 1, width), 3), dtype)
                       for width, dtype in ((128, "int8"), (1, "float16"))]

    def weights_of_queries(self):
        return [tensor(self.w_qb, "int8"), tensor(self.w_qb_scale, "float32")]

    def weights_of_keys(self):
        return [tensor(array, "bfloat16") for array in (self.wk, self.w_proj, self.gamma, self.beta)]

    def hadamards(self):
        return [tensor(self.hadamard, "bfloat16")] * 2

    def turned(self, x, cos, sin):
        """Rope on the first half of a head, then the Hadamard matrix."""
        return b16(np.concatenate([b16(half_split(x[..., :64], cos, sin)), x[..., 64:]], -1) @
                   self.hadamard)

    def check(self, latent, latent_scale, q_int8, q_scale, weights):
        cos, sin = self.of.cos, self.of.sin
        sums = latent @ self.w_qb.astype(np.float64)
        q = b16(sums * latent_scale * self.w_qb_scale[:, 0]).reshape(-1, 64, 128)
        expected, scale = quantised(self.turned(q, cos[:, None], sin[:, None]))
        assert_quantised(q_int8, expected)
        assert_close(numbers(q_scale), scale, rtol=2e-2, atol=0)
        k = b16(layer_norm(self.of.x @ self.wk, self.gamma, self.beta, 1e-6))
        expected, scale = quantised(self.turned(k, cos, sin))
        keys, scales = (numbers(cache)[:, :, 0] for cache in self.caches)
        for token, row in enumerate(self.of.index):
            if row >= 0:
                assert_quantised(keys[divmod(row, PAGE)], expected[token])
                assert_close(scales[divmod(row, PAGE)], scale[token], rtol=2e-2, atol=0)
        assert np.count_nonzero((keys != 3).any(-1)) == np.count_nonzero(self.of.index >= 0)
        assert_bfloat16(weights, b16(self.of.x @ self.w_proj) / math.sqrt(64 * 128))


@pytest.mark.parametrize("tokens, pages", [(1, 1), (3, 2), (17, 2)])
def test_mla_prolog_quant(sim, tokens, pages):
    case = Prolog(tokens, pages, tokens)
    with sim:
        q_norm, q_norm_scale, query_nope, query_rope, *caches = torch_npu.mla_prolog_quant(
            tensor(case.x, "bfloat16"), *case.arguments(), *case.of_tokens(), *case.caches)
    assert all(mine is given for mine, given in zip(caches, case.caches))
    latent, scale = case.latent()
    assert_quantised(q_norm, latent)
    assert_close(numbers(q_norm_scale), scale, rtol=1e-2, atol=0)
    case.check_queries(numbers(q_norm), numbers(q_norm_scale), query_nope, query_rope)
    case.check_caches()


@pytest.mark.parametrize("tokens, pages", [(2, 1), (5, 3), (33, 1)])
def test_lightning_indexer_prolog_quant(sim, tokens, pages):
    prolog = Prolog(tokens, pages, tokens)
    case = Indexer(prolog, pages, tokens)
    latent, scale = prolog.latent()
    scale = scale.astype(np.float32)
    cos, sin, index = prolog.of_tokens()
    with sim:
        q_int8, q_scale, _, _, weights = torch_npu.lightning_indexer_prolog_quant(
            tensor(prolog.x, "bfloat16"), tensor(latent, "int8"), tensor(scale, "float32"),
            *case.weights_of_queries(), *case.weights_of_keys(), cos, sin, *case.hadamards(),
            *case.caches, index)
    case.check(latent, scale, q_int8, q_scale, weights)


@pytest.mark.parametrize("tokens", [2, 9])
def test_mla_indexer_prolog_quant(sim, tokens):
    prolog = Prolog(tokens, 2, tokens)
    indexer = Indexer(prolog, 2, tokens)
    with sim:
        query_nope, query_rope, _, _, _, q_int8, q_scale, _, _, weights = \
            torch_npu.mla_indexer_prolog_quant(
                tensor(prolog.x, "bfloat16"), *prolog.arguments(), *prolog.of_tokens(),
                *prolog.caches, *indexer.weights_of_queries(), *indexer.weights_of_keys(),
                *indexer.hadamards(), *indexer.caches)
    latent, scale = prolog.latent()
    prolog.check_queries(latent, scale, query_nope, query_rope)
    prolog.check_caches()
    indexer.check(latent, scale, q_int8, q_scale, weights)


@pytest.mark.parametrize("batches, steps, lengths, chosen, dtype", [
    (1, 1, [5], 2048, "int8"), (2, 2, [300, 129], 64, "int8"), (3, 1, [1, 0, 200], 128, "bfloat16")])
def test_sparse_flash_attention_quant(sim, batches, steps, lengths, chosen, dtype):
    random = np.random.default_rng(sum(lengths))
    tokens, pages, columns = batches * steps, 8, 3
    nope = b16(random.standard_normal((tokens, 128, 512)) / 8)
    rope = b16(random.standard_normal((tokens, 128, 64)) / 8)
    latents = random.integers(-127, 128, (pages * PAGE, 512)).astype(np.float64)
    scales = random.uniform(0.005, 0.02, (pages * PAGE, 4)).astype(np.float32)
    keys = b16(latents * np.repeat(scales, 128, axis=1))
    key_rope = b16(random.standard_normal((pages * PAGE, 64)))
    table = random.permutation(pages)[:1] if columns == 1 else np.array(
        [random.permutation(pages)[:columns] for _ in range(batches)])
    table = table.astype(np.int32).reshape(batches, columns)
    indices = np.full((tokens, 2048), -1, np.int32)
    used = []
    for token in range(tokens):
        b, s = divmod(token, steps)
        n = min(max(lengths[b] - steps + 1 + s, 0), chosen)
        indices[token, :n] = random.permutation(lengths[b] - steps + 1 + s)[:n]
        used.append(n)
    with sim:
        out = torch_npu.sparse_flash_attention_quant(
            tensor(nope.reshape(-1, 512), "bfloat16"), tensor(rope.reshape(-1, 64), "bfloat16"),
            tensor(latents if dtype == "int8" else keys, dtype), tensor(key_rope, "bfloat16"),
            tensor(scales, "float32") if dtype == "int8" else None, tensor(indices, "int32"),
            tensor(table, "int32"), tensor(lengths, "int32"), topk=chosen)
    expected = np.zeros((tokens, 128, 512))
    for token, n in enumerate(used):
        if n == 0:
            continue
        positions = indices[token, :n]
        rows = table[token // steps][positions // PAGE] * PAGE + positions % PAGE
        scores = (nope[token] @ keys[rows].T + rope[token] @ key_rope[rows].T) * 576**-0.5
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = b16(weights / weights.sum(-1, keepdims=True))
        expected[token] = weights @ keys[rows]
    assert_bfloat16(out, expected.reshape(batches, steps, 128, 512))


@pytest.mark.parametrize("batch, tokens, heads, shared, size, rows, kv_output", [
    (1, 1, 2, 1, 32, 4, False), (4, 3, 8, 2, 128, 16, True), (2, 7, 3, 3, 64, 9, False)])
def test_rope_quant_kvcache(sim, batch, tokens, heads, shared, size, rows, kv_output):
    random = np.random.default_rng(size)
    f16 = np.float16
    qkv = random.standard_normal((batch, tokens, (heads + 2 * shared) * size)).astype(f16)
    cos, sin = random.uniform(-1, 1, (2, batch, tokens, 1, size)).astype(f16)
    scale = random.uniform(0.02, 0.05, size).astype(np.float32)
    offset = random.integers(-5, 6, size).astype(np.int32)
    first = random.integers(0, rows - tokens + 1, batch).astype(np.int32)
    caches = [tensor(np.full((batch, rows, shared, size), 7), "int8") for _ in range(2)]
    with sim:
        q, k, v, *_ = torch_npu.rope_quant_kvcache(
            *(tensor(array, array.dtype.name) for array in (qkv, cos, sin, scale, offset)), *caches,
            tensor(first, "int32"), size_splits=[heads * size, shared * size, shared * size],
            kv_output=kv_output)
    parts = qkv.reshape(batch, tokens, heads + 2 * shared, size)
    turning, values = parts[:, :, :heads + shared], parts[:, :, heads + shared:]
    half = size // 2
    swapped = np.concatenate([-turning[..., half:], turning[..., :half]], -1)
    turned = (turning * cos).astype(f16) + (swapped * sin).astype(f16)
    assert np.array_equal(numbers(q), turned[:, :, :heads])
    keys = turned[:, :, heads:]
    if kv_output:
        assert np.array_equal(numbers(k), keys) and np.array_equal(numbers(v), values)
    else:
        assert k is None and v is None
    for cache, source in zip(caches, (keys, values)):
        expected = np.full((batch, rows, shared, size), 7.0)
        for b in range(batch):
            quotient = source[b].astype(np.float32) / scale + offset.astype(np.float32)
            expected[b, first[b]:first[b] + tokens] = np.clip(np.rint(quotient), -128, 127)
        assert np.array_equal(numbers(cache), expected)
