"""Functions of the vendor's that torch_npu makes of operators of torch, against their formulas in numpy."""

import importlib.util
import math
import pathlib
import re

import numpy as np
import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402


def random(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def on_npu(*arrays):
    return [torch.from_numpy(array).npu() for array in arrays]


def assert_close(tensor, expected, tolerance=1e-5):
    assert tensor.is_npu
    np.testing.assert_allclose(tensor.detach().cpu().float().numpy(), expected, rtol=tolerance,
                               atol=tolerance)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_the_page_of_functions_lists_all():
    page = pathlib.Path(__file__).parents[2] / "docs/torch-npu-functions.md"
    named = set(re.findall(r"`(_?npu_\w+)`", page.read_text()))
    there = {name for name in dir(torch_npu) if re.match(r"_?npu_", name)}
    without = {name for name in there - named if name.rstrip("_") not in named}
    # "and both with _v2", "without _": names by what they end in.
    ends = "moe_distribute|_with_routing_map|scatter_nd|dtype_cast_|format_cast_"
    without = {name for name in without if not re.search(ends, name)}
    assert not without and not {name for name in named if not hasattr(torch_npu, name)}


def test_norms():
    x, y, gamma = random(3, 4, 8), random(3, 4, 8, seed=1), random(8, seed=2)
    factor = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-3)
    normed, found = torch_npu.npu_rms_norm(*on_npu(x, gamma), epsilon=1e-3)
    assert_close(normed, x * factor * gamma)
    assert_close(found, factor)
    normed, found, total = torch_npu.npu_add_rms_norm(*on_npu(x, y, gamma), 1e-6)
    assert_close(total, x + y)
    assert_close(normed, (x + y) / np.sqrt(((x + y) ** 2).mean(-1, keepdims=True) + 1e-6) * gamma)
    two = random(4, 8, seed=3)
    normed, found = torch.ops.npu.npu_rms_norm(*on_npu(x, two))
    assert found.shape == (3, 1, 1)
    assert_close(normed, x / np.sqrt((x**2).mean((1, 2), keepdims=True) + 1e-6) * two)
    short = torch_npu.npu_rms_norm(*on_npu(x.astype(np.float16), gamma.astype(np.float16)))
    assert short[0].dtype == torch.float16 and short[1].dtype == torch.float32
    with pytest.raises(RuntimeError, match="gamma is"):
        torch_npu.npu_rms_norm(*on_npu(x, random(7)))


def test_activations():
    x = random(5, 6)
    first, second = x[:, :3], x[:, 3:]
    assert_close(torch_npu.npu_swiglu(*on_npu(x)), first * sigmoid(first) * second)
    assert_close(torch_npu.npu_swiglu(*on_npu(x.T.copy()), dim=0),
                 (first * sigmoid(first) * second).T)
    assert_close(torch_npu.fast_gelu(*on_npu(x)), x * sigmoid(1.702 * x))
    assert_close(torch_npu.npu_silu(*on_npu(x)), x * sigmoid(x))
    erf = np.vectorize(math.erf)
    assert_close(torch_npu.npu_gelu(*on_npu(x)), x * 0.5 * (1 + erf(x / math.sqrt(2))))
    tanh = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    assert_close(torch_npu.npu_gelu(*on_npu(x), approximate="tanh"), x * 0.5 * (1 + tanh))


def test_gradients_go_through_them():
    x = torch.tensor(random(2, 4)).npu().requires_grad_()
    torch_npu.npu_swiglu(x).sum().backward()
    first, second = random(2, 4)[:, :2], random(2, 4)[:, 2:]
    of_first = second * sigmoid(first) * (1 + first * (1 - sigmoid(first)))
    assert_close(x.grad, np.concatenate([of_first, first * sigmoid(first)], 1))


@pytest.mark.parametrize("mode", ["half", "interleave"])
def test_rotary_positions(mode):
    x, angles = random(2, 3, 1, 4), random(1, 3, 1, 2, seed=1)
    pairs = [(0, 2), (1, 3)] if mode == "half" else [(0, 1), (2, 3)]
    cos, sin, expected = (np.zeros((2, 3, 1, 4), np.float32) for _ in range(3))
    for number, (a, b) in enumerate(pairs):
        angle = angles[..., number]
        for one in (a, b):
            cos[..., one], sin[..., one] = np.cos(angle), np.sin(angle)
        expected[..., a] = x[..., a] * np.cos(angle) - x[..., b] * np.sin(angle)
        expected[..., b] = x[..., b] * np.cos(angle) + x[..., a] * np.sin(angle)
    assert_close(torch_npu.npu_rotary_mul(*on_npu(x, cos[:1], sin[:1]), rotary_mode=mode), expected)


def attention(q, k, v, scale, sees):
    """Of one head, row by row."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        keys = [j for j in range(len(k)) if sees(i, j)]
        if keys:
            weights = np.exp(k[keys] @ q[i] * scale)
            out[i] = weights @ v[keys] / weights.sum()
    return out


MASK, SQUARE = np.tri(3, 5, dtype=bool) ^ True, np.tri(2048, dtype=bool) ^ True
SEEN = [({}, lambda i, j: True), ({"atten_mask": MASK, "sparse_mode": 1}, lambda i, j: j <= i),
        ({"sparse_mode": 3}, lambda i, j: True), ({"pre_tockens": 1}, lambda i, j: True),
        ({"atten_mask": MASK, "pre_tockens": 1}, lambda i, j: i - 1 <= j <= i),
        ({"atten_mask": SQUARE, "sparse_mode": 2}, lambda i, j: j <= i),
        ({"atten_mask": SQUARE, "sparse_mode": 3}, lambda i, j: j <= i + 2),
        ({"atten_mask": SQUARE, "sparse_mode": 4, "pre_tockens": 2, "next_tockens": -1},
         lambda i, j: i <= j <= i + 1),
        ({"atten_mask": SQUARE, "sparse_mode": 6, "prefix": [4, 4]}, lambda i, j: j <= i + 2 or j < 4),
        ({"atten_mask": MASK, "sparse_mode": 5, "prefix": [1, 1]}, lambda i, j: j <= i)]


@pytest.mark.parametrize("options,sees", SEEN)
def test_attention_sees_what_the_mode_says(options, sees):
    q, k, v = random(2, 4, 3, 8), random(2, 2, 5, 8, seed=1), random(2, 2, 5, 8, seed=2)
    options = {name: torch.from_numpy(value).npu() if name == "atten_mask" else value
               for name, value in options.items()}
    out, most, total, *_ = torch_npu.npu_fusion_attention(*on_npu(q, k, v), 4, "BNSD", scale=0.3,
                                                          **options)
    expected = np.stack([[attention(q[b, n], k[b, n // 2], v[b, n // 2], 0.3, sees)
                          for n in range(4)] for b in range(2)])
    assert_close(out, expected)
    assert most.shape == total.shape == (2, 4, 3, 8)


def test_layouts_of_attention():
    q, k, v = random(2, 3, 4, 8), random(2, 5, 2, 8, seed=1), random(2, 5, 2, 8, seed=2)  # BSND
    expected = np.stack([np.stack([attention(q[b, :, n], k[b, :, n // 2], v[b, :, n // 2], 1.0,
                                             lambda i, j: True) for n in range(4)], 1)
                         for b in range(2)])

    def call(layout, change, **options):
        return torch_npu.npu_fusion_attention(*on_npu(*(change(x).copy() for x in (q, k, v))), 4,
                                              layout, **options)[0].cpu().numpy()

    np.testing.assert_allclose(call("BSND", lambda x: x), expected, rtol=1e-4)
    np.testing.assert_allclose(call("BSH", lambda x: x.reshape(*x.shape[:2], -1)),
                               expected.reshape(2, 3, 32), rtol=1e-4)
    np.testing.assert_allclose(
        call("SBH", lambda x: x.reshape(*x.shape[:2], -1).transpose(1, 0, 2)),
        expected.reshape(2, 3, 32).transpose(1, 0, 2), rtol=1e-4)
    np.testing.assert_allclose(
        call("TND", lambda x: x.reshape(-1, *x.shape[2:]), actual_seq_qlen=[3, 6],
             actual_seq_kvlen=[5, 10]), expected.reshape(6, 4, 8), rtol=1e-4)
    # Zeros at the end of the lists are no sequences.
    np.testing.assert_allclose(
        call("TND", lambda x: x[:1].reshape(-1, *x.shape[2:]), actual_seq_qlen=[3, 0],
             actual_seq_kvlen=[5, 0]), expected[0].reshape(3, 4, 8), rtol=1e-4)
    for wrong, error in (({"keep_prob": 0}, RuntimeError), ({"padding_mask": on_npu(q)[0]}, RuntimeError),
                         ({"sparse_mode": 7}, NotImplementedError)):
        with pytest.raises(error, match=list(wrong)[0]):
            torch_npu.npu_fusion_attention(*on_npu(q, k, v), 4, "BSND", **wrong)


def test_attention_adds_pse_before_or_behind_the_scale():
    q, k, v = random(1, 2, 3, 8), random(1, 2, 5, 8, seed=1), random(1, 2, 5, 8, seed=2)
    pse = random(1, 2, 3, 5, seed=3)
    for kind in (0, 1):
        scores = q @ k.swapaxes(2, 3) * 0.3 + pse * (0.3 if kind == 1 else 1)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        expected = weights / weights.sum(-1, keepdims=True) @ v
        on = on_npu(q, k, v)
        assert_close(torch_npu.npu_fusion_attention_v2(*on, 2, "BNSD", pse=on_npu(pse)[0], scale=0.3,
                                                       pse_type=kind)[0], expected)
    assert_close(torch_npu.npu_fusion_attention(*on, 2, "BNSD", on_npu(pse)[0], scale=0.3)[0], expected)


def test_attention_drops_shares():
    ones = np.ones((1, 1, 4, 64), np.float32)
    torch.manual_seed(1)
    out, *_, count = torch_npu.npu_fusion_attention(*on_npu(ones, ones, ones), 1, "BNSD", keep_prob=0.5)
    kept = (out.cpu() * 2).unique()  # of four shares of a quarter each, doubled
    assert count > 0 and set(kept.tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}


@pytest.mark.parametrize("layout", ["BNSD", "BSH", "TND"])
def test_gradients_of_attention_as_one_function(layout):
    given = [random(1, 4, 3, 8), random(1, 2, 5, 8, seed=1), random(1, 2, 5, 8, seed=2),
             random(1, 4, 3, 8, seed=3)]
    change = {"BNSD": lambda x: x, "BSH": lambda x: x.transpose(0, 2, 1, 3).reshape(1, x.shape[2], -1),
              "TND": lambda x: x[0].transpose(1, 0, 2)}[layout]
    q, k, v, dy = (tensor.requires_grad_() for tensor in on_npu(*(change(x).copy() for x in given)))
    options = {"atten_mask": on_npu(SQUARE)[0], "sparse_mode": 3}
    if layout == "TND":
        options |= {"actual_seq_qlen": [3], "actual_seq_kvlen": [5]}
    out, most, total, *_ = torch_npu.npu_fusion_attention(q, k, v, 4, layout, scale=0.3, **options)
    out.backward(dy)
    grads = torch_npu.npu_fusion_attention_grad(
        *(tensor.detach() for tensor in (q, k, v, dy)), 4, layout, softmax_max=most, softmax_sum=total,
        attention_in=out.detach(), scale_value=0.3, **options)
    for got, tensor in zip(grads, (q, k, v)):
        assert_close(got, tensor.grad.cpu().numpy(), 1e-4)


def test_caches_in_place():
    key, value = random(4, 2, 8), random(4, 2, 8, seed=1)
    caches = on_npu(*(np.zeros((3, 2, 2, 8), np.float32) for _ in range(2)))
    slots = torch.tensor([5, -1, 0, 3], dtype=torch.int32).npu()
    torch_npu._npu_reshape_and_cache(*on_npu(key, value), *caches, slots)
    expected = np.zeros((6, 2, 8), np.float32)
    expected[5], expected[0], expected[3] = key[0], key[2], key[3]
    assert_close(caches[0], expected.reshape(3, 2, 2, 8))
    assert caches[1][1, 1].tolist() == value[3].tolist()
    table, updates = on_npu(random(3, 4), random(2, seed=1))
    torch_npu.npu_scatter_nd_update_(table, torch.tensor([[0, 1], [2, 3]]).npu(), updates)
    assert table[0, 1] == updates[0] and table[2, 3] == updates[1]


@pytest.mark.parametrize("neox", [True, False])
def test_rotary_embedding_turns_the_first_elements_in_place(neox):
    positions, table = np.array([2, 0, 1]), random(4, 4, seed=3)
    query, key = random(3, 12), random(3, 6, seed=1)
    got = on_npu(query, key)
    torch_npu._npu_rotary_embedding(torch.from_numpy(positions).npu(), *got, 6, *on_npu(table), neox)
    for tensor, before in zip(got, (query, key)):
        expected = before.reshape(3, -1, 6).copy()
        for t, position in enumerate(positions):
            for i in range(2):
                a, b = (i, 2 + i) if neox else (2 * i, 2 * i + 1)
                x, y = expected[t, :, a].copy(), expected[t, :, b].copy()
                cos, sin = table[position, i], table[position, 2 + i]
                expected[t, :, a], expected[t, :, b] = x * cos - y * sin, y * cos + x * sin
        assert_close(tensor, expected.reshape(before.shape))


def test_choice_of_experts():
    x = random(3, 5)
    shares = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    order = np.argsort(-shares, 1)[:, :2]
    finished = torch.tensor([False, True, False]).npu()
    values, experts, rows = torch_npu.npu_moe_gating_top_k_softmax(*on_npu(x), finished, k=2)
    assert_close(values, np.take_along_axis(shares, order, 1))
    order[1] = 5
    assert experts.tolist() == order.tolist() and rows.tolist() == [[0, 3], [1, 4], [2, 5]]
