"""Functions of torch_npu for mixtures of experts, against plain computations of torch on the CPU."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402

torch.manual_seed(6)


def npu(*tensors):
    return [tensor.npu() if torch.is_tensor(tensor) else tensor for tensor in tensors]


def same(tensor, expected, tolerance=0.0):
    assert tensor.is_npu and tensor.shape == expected.shape and tensor.dtype == expected.dtype
    assert torch.allclose(tensor.cpu().double(), expected.double(), rtol=tolerance, atol=tolerance), (
        tensor.cpu(), expected)


def chosen(tokens, experts, choices):
    return torch.stack([torch.randperm(experts)[:choices] for _ in range(tokens)]).int()


# --- the choice


@pytest.mark.parametrize("norm_type", [0, 1])
@pytest.mark.parametrize("mode", [0, 1])
def test_gating_chooses_among_the_best_groups(norm_type, mode):
    x, bias = torch.randn(6, 16), torch.randn(16)
    y, experts, shares = torch_npu.npu_moe_gating_top_k(
        x.npu(), 3, bias=bias.npu(), k_group=2, group_count=4, group_select_mode=mode,
        norm_type=norm_type, routed_scaling_factor=2.5)
    expected = torch.sigmoid(x) if norm_type else torch.softmax(x, -1)
    same(shares, expected, 1e-6)
    for row in range(6):
        ranked = expected[row] + bias
        groups = ranked.view(4, 4)
        best = groups.amax(1) if mode == 0 else groups.sort(1)[0][:, -2:].sum(1)
        kept = sorted(best.sort(descending=True)[1][:2].tolist())
        allowed = [4 * g + i for g in kept for i in range(4)]
        order = sorted(allowed, key=lambda e: -ranked[e])[:3]
        assert experts[row].tolist() == order
        values = expected[row][order]
        if norm_type:
            values = values / values.sum()
        assert torch.allclose(y[row].cpu(), values * 2.5, atol=1e-6)


@pytest.mark.parametrize("change,rule", [
    ({"group_count": 3}, "does not divide"), ({"k_group": 5, "group_count": 4}, "k_group is 5"),
    ({"k": 17}, "k is 17"), ({"norm_type": 2}, "norm_type is 2"), ({"renorm": 1}, "renorm is 1")])
def test_gating_names_what_is_wrong(change, rule):
    arguments = {"x": torch.zeros(2, 16).npu(), "k": 2} | change
    with pytest.raises(RuntimeError, match=rule):
        torch_npu.npu_moe_gating_top_k(**arguments)


# --- the way there and back


def test_init_routing_is_the_documented_example():
    x = torch.arange(1, 4)[:, None].float().expand(3, 4) / 10
    rows = torch.tensor([[0, 3], [1, 4], [2, 5]], dtype=torch.int32)
    experts = torch.tensor([[1, 2], [0, 1], [0, 2]], dtype=torch.int32)
    out, places, order = torch_npu.npu_moe_init_routing(*npu(x.contiguous(), rows, experts), 3)
    # Experts 0: choice 1 of token 1 and of token 2; 1: token 0, then the second choice of token 1; ...
    assert order.tolist() == [0, 0, 1, 1, 2, 2]
    assert places.tolist() == [2, 0, 1, 4, 3, 5]
    same(out, x[[1, 2, 0, 1, 0, 2]])
    out, _, _ = torch_npu.npu_moe_init_routing(*npu(x.contiguous(), rows, experts), 2)
    assert out.shape == (4, 4)
    with pytest.raises(RuntimeError, match="row_idx has numbers outside"):
        torch_npu.npu_moe_init_routing(*npu(x.contiguous(), rows + 1, experts), 3)


def test_a_layer_by_the_first_functions():
    """Routing, an expert that doubles by its number, and the way back."""
    tokens, experts, choices = 9, 5, 2
    x, scores = torch.randn(tokens, 8), torch.randn(tokens, experts)
    weights, ids, rows = torch_npu.npu_moe_gating_top_k_softmax(scores.npu(), None, choices)
    out, places, order = torch_npu.npu_moe_init_routing(x.npu(), rows, ids, tokens)
    ends = torch_npu.npu_moe_compute_expert_tokens(order, experts)
    assert ends.tolist() == [int((ids.cpu() <= e).sum()) for e in range(experts)]
    made = out * (order.float() + 1)[:, None]
    bias, skip = torch.randn(experts, 8), torch.randn(tokens, 8)
    back = torch_npu.npu_moe_finalize_routing(made, skip.npu(), None, bias.npu(), weights, places, ids)
    expected = skip.clone()
    for token in range(tokens):
        for choice in range(choices):
            e = ids[token, choice].item()
            expected[token] += weights[token, choice].item() * (x[token] * (e + 1) + bias[e])
    same(back, expected, 1e-4)


@pytest.mark.parametrize("mode", range(4))
def test_finalize_routing_orders_places_by_columns_or_by_rows(mode):
    rows = torch.randn(2, 4, 3) if mode in (1, 3) else torch.randn(8, 3)
    places = torch.randperm(8).int()
    if mode in (1, 3):
        places[2] = -1
    scales = torch.rand(4, 2)
    got = torch_npu.npu_moe_finalize_routing(*npu(rows, None, None, None, scales, places, None), mode)
    expected, flat = torch.zeros(4, 3), rows.reshape(8, 3)
    for i in range(4):
        for j in range(2):
            place = places[j * 4 + i if mode < 2 else i * 2 + j].item()
            if place >= 0:
                expected[i] += scales[i, j] * flat[place]
    same(got, expected, 1e-5)


def test_compute_expert_tokens_is_the_documented_example():
    experts = torch.tensor([3, 3, 4, 5, 6, 7], dtype=torch.int32)
    assert torch_npu.npu_moe_compute_expert_tokens(experts.npu(), 5).tolist() == [0, 0, 0, 2, 3]


@pytest.mark.parametrize("row_idx_type", [0, 1])
@pytest.mark.parametrize("kind", [0, 1, 2])
def test_init_routing_v2_takes_the_experts_of_a_range(row_idx_type, kind):
    x, ids, scale = torch.randn(7, 4), chosen(7, 6, 3), torch.rand(7)
    out, places, counts, scales = torch_npu.npu_moe_init_routing_v2(
        *npu(x, ids), scale=scale.npu(), active_num=21, expert_num=6, quant_mode=-1,
        active_expert_range=[1, 4], expert_tokens_num_type=kind, expert_tokens_num_flag=True,
        row_idx_type=row_idx_type)
    order = [(i, j) for e in range(1, 4) for i in range(7) for j in range(3) if ids[i, j] == e]
    expected, factors = torch.zeros(21, 4), torch.zeros(21)
    where = torch.full((21,), -1, dtype=torch.int32)
    for row, (i, j) in enumerate(order):
        expected[row], factors[row] = x[i], scale[i]
        where[(row if row_idx_type else 3 * i + j)] = 3 * i + j if row_idx_type else row
    same(out, expected)
    same(places, where)
    same(scales, factors)
    numbers = [int((ids == e).sum()) for e in range(1, 4)]
    if kind == 2:
        pairs = [[e, n] for e, n in zip(range(1, 4), numbers) if n]
        assert counts.tolist() == pairs + [[0, 0]] * (6 - len(pairs))
    else:
        assert counts.tolist() == (numbers if kind else torch.tensor(numbers).cumsum(0).tolist())
    assert counts.dtype == torch.int64


def test_init_routing_v2_quantises():
    x, ids, scale = torch.randn(5, 8).half(), chosen(5, 4, 2), torch.rand(4, 8)
    out, places, counts, scales = torch_npu.npu_moe_init_routing_v2(
        *npu(x, ids), scale=scale.npu(), expert_num=4, quant_mode=1, active_expert_range=[0, 4],
        expert_tokens_num_type=1, expert_tokens_num_flag=True)
    assert out.dtype == torch.int8 and counts.sum().item() == 10
    for i in range(5):
        for j in range(2):
            row = places[2 * i + j].item()
            smoothed = x[i].float() * scale[ids[i, j].item()]
            assert scales[row].item() == pytest.approx(smoothed.abs().max().item() / 127, rel=1e-5)
            assert (out[row].cpu().float() - smoothed / scales[row].item()).abs().max() <= 0.501
    quantised, where, numbers, _, factors = torch_npu.npu_moe_init_routing_quant(
        *npu(x, ids), scale=scale.npu(), active_num=6, expert_num=4, expert_tokens_num_mode=2)
    assert (quantised == out[:6]).all() and (where == places).all() and (factors == scales[:6]).all()
    assert numbers.tolist() == counts.tolist() and numbers.dtype == torch.int32


@pytest.mark.parametrize("change,rule", [
    ({"quant_mode": 0}, "quant_mode is 0"), ({"active_expert_range": [2, 2]}, "active_expert_range is"),
    ({"active_num": 5}, "active_num is 5"), ({"expert_num": 3}, "active_expert_range is"),
    ({"drop_pad_mode": 1}, "drop_pad_mode is 1"), ({"scale": torch.ones(3)}, "scale is")])
def test_init_routing_v2_names_what_is_wrong(change, rule):
    given = {"x": torch.zeros(4, 8), "expert_idx": torch.full((4, 2), 3).int(), "expert_num": 4,
             "quant_mode": -1, "active_expert_range": [0, 4]} | change
    with pytest.raises(RuntimeError, match=rule):
        torch_npu.npu_moe_init_routing_v2(**{name: npu(value)[0] for name, value in given.items()})


def test_re_routing():
    counts = torch.tensor([[2, 0, 1], [1, 3, 1]], dtype=torch.int32)
    tokens, scales = torch.randn(8, 4).half(), torch.rand(8)
    # By rank: experts 0 0 2 | 0 1 1 1 2.
    order = [0, 1, 3, 4, 5, 6, 2, 7]
    out, factors, places, numbers = torch_npu.npu_moe_re_routing(*npu(tokens, counts),
                                                                 per_token_scales=scales.npu())
    same(out, tokens[order])
    same(factors, scales[order])
    assert places.tolist() == order and numbers.tolist() == [3, 3, 2]
    with pytest.raises(RuntimeError, match="there are 7"):
        torch_npu.npu_moe_re_routing(*npu(tokens[:7], counts))


# --- in training


def test_permute_and_unpermute_with_gradients():
    tokens, ids, probs = torch.randn(5, 6), chosen(5, 4, 2), torch.rand(5, 2)
    on_npu, shares = (t.npu().requires_grad_() for t in (tokens, probs))
    permuted, places = torch_npu.npu_moe_token_permute(on_npu, ids.npu())
    order = [(i, j) for e in range(4) for i in range(5) for j in range(2) if ids[i, j] == e]
    same(permuted.detach(), tokens[[i for i, _ in order]])
    assert [places[2 * i + j].item() for i, j in order] == list(range(10))
    back = torch_npu.npu_moe_token_unpermute(permuted * 3, places, shares)
    same(back.detach(), tokens * 3 * probs.sum(1, keepdim=True), 1e-5)
    back.sum().backward()
    same(on_npu.grad, (3 * probs.sum(1, keepdim=True)).expand(5, 6).contiguous(), 1e-5)
    same(shares.grad, (3 * tokens.sum(1, keepdim=True)).expand(5, 2).contiguous(), 1e-5)
    fewer, places = torch_npu.npu_moe_token_permute(on_npu, ids.npu(), 7)
    assert fewer.shape == (7, 6)
    left = torch.zeros(5, 6)
    for i, _ in order[:7]:
        left[i] += tokens[i]
    one = torch_npu.npu_moe_token_unpermute(fewer, places, torch.ones(5, 2).npu())
    same(one.detach(), left, 1e-5)


def test_permute_by_a_routing_map():
    tokens, ids, probs = torch.randn(6, 4), chosen(6, 3, 2), torch.rand(6, 3)
    routing = torch.zeros(6, 3, dtype=torch.bool).scatter(1, ids.long(), True)
    order = [(e, i) for e in range(3) for i in range(6) if routing[i, e]]
    permuted, shares, places = torch_npu.npu_moe_token_permute_with_routing_map(
        *npu(tokens, routing), probs=probs.npu(), num_out_tokens=12)
    same(permuted, tokens[[i for _, i in order]])
    same(shares, torch.tensor([probs[i, e] for e, i in order]))
    by_token = sorted(range(12), key=lambda row: (order[row][1], row))
    assert places.tolist() == by_token  # row of each choice of token 0, 1, ...
    back = torch_npu.npu_moe_token_unpermute_with_routing_map(
        permuted, places, (6, 4), probs=probs.npu(), routing_map=routing.npu())
    same(back, tokens * (probs * routing).sum(1, keepdim=True), 1e-5)
    plain = torch_npu.npu_moe_token_unpermute_with_routing_map(permuted, places, (6, 4),
                                                               routing_map=routing.npu())
    same(plain, tokens * 2, 1e-5)
    with pytest.raises(RuntimeError, match="routing_map has 12 choices"):
        torch_npu.npu_moe_token_permute_with_routing_map(*npu(tokens, routing), num_out_tokens=11)


def test_permute_with_a_capacity():
    tokens, routing = torch.randn(4, 3), torch.tensor([[1, 0], [1, 1], [0, 1], [1, 0]])
    probs = torch.rand(4, 2)
    permuted, shares, taken = torch_npu.npu_moe_token_permute_with_routing_map(
        *npu(tokens, routing), probs=probs.npu(), num_out_tokens=4, drop_and_pad=True)
    assert taken.tolist() == [0, 1, 1, 2]
    same(permuted, tokens[[0, 1, 1, 2]])
    same(shares, torch.stack([probs[0, 0], probs[1, 0], probs[1, 1], probs[2, 1]]))
    back = torch_npu.npu_moe_token_unpermute_with_routing_map(permuted, taken, (4, 3), probs=probs.npu(),
                                                              drop_and_pad=True)
    factor = torch.stack([probs[0, 0], probs[1].sum(), probs[2, 1], torch.zeros(())])
    same(back, tokens * factor[:, None], 1e-5)
