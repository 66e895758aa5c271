"""Norms, softmax, losses, rotary positions and functions of other names of torch_npu, against plain
computations of torch on the CPU."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torch_npu  # noqa: E402

torch.manual_seed(7)


def npu(*tensors):
    return [tensor.npu() if torch.is_tensor(tensor) else tensor for tensor in tensors]


def same(tensor, expected, tolerance=1e-5):
    assert tensor.is_npu and tensor.shape == expected.shape and tensor.dtype == expected.dtype
    assert torch.allclose(tensor.detach().cpu().double(), expected.double(), rtol=tolerance, atol=tolerance)


def test_norms_with_what_stands_before_them():
    a, b, gamma, beta = torch.randn(2, 3, 8), torch.randn(2, 3, 8), torch.rand(8), torch.randn(8)
    y, mean, factor, total = torch_npu.npu_add_layer_norm(*npu(a, b, gamma, beta), 1e-5, True)
    same(y, F.layer_norm(a + b, (8,), gamma, beta))
    same(mean, (a + b).mean(-1, keepdim=True))
    same(total, a + b)
    assert torch_npu.npu_add_layer_norm(*npu(a, b, gamma, beta))[3].numel() == 0
    mean, factor, y = torch_npu.npu_deep_norm(*npu(a, b, beta, gamma), 0.5)
    same(y, F.layer_norm(0.5 * a + b, (8,), gamma, beta, 1e-6))
    same(factor, ((0.5 * a + b).var(-1, unbiased=False, keepdim=True) + 1e-6).rsqrt())
    same(torch_npu.npu_layer_norm_eval(a.npu(), (8,), *npu(gamma, beta)), F.layer_norm(a, (8,), gamma, beta))
    rstd = (a.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt()
    y, factor = torch_npu.npu_gemma_rms_norm(*npu(a, gamma))
    same(y, a * rstd * (1 + gamma))
    wide, y, factor, total = torch_npu.npu_add_rms_norm_cast(*npu(a.half(), b.half(), gamma.half()))
    assert wide.dtype == torch.float32 and y.dtype == total.dtype == torch.float16
    assert (wide == y.float()).all()


def test_gradients_of_rms_norm_as_one_function():
    x, gamma, dy = (t.npu() for t in (torch.randn(4, 8), torch.rand(8), torch.randn(4, 8)))
    x.requires_grad_(), gamma.requires_grad_()
    y, rstd = torch_npu.npu_rms_norm(x, gamma)
    y.backward(dy)
    of_x, of_gamma = torch_npu.npu_rms_norm_backward(dy, x.detach(), gamma.detach(), rstd.detach())
    same(of_x, x.grad.cpu())
    same(of_gamma, gamma.grad.cpu())


def test_group_norms():
    x, w, b = torch.randn(2, 6, 4, 4), torch.rand(6), torch.randn(6)
    normed = F.group_norm(x, 3, w, b)
    y, mean, factor = torch_npu.npu_group_norm_silu(*npu(x, w, b), 3)
    same(y, F.silu(normed))
    same(mean, x.view(2, 3, -1).mean(-1))
    y, _, factor = torch_npu.npu_group_norm_swish(x.npu(), 3, *npu(w, b), swish_scale=2.0)
    same(y, normed * torch.sigmoid(2 * normed))
    same(factor, (x.view(2, 3, -1).var(-1, unbiased=False) + 1e-5).rsqrt())
    with pytest.raises(RuntimeError, match="do not divide the channels"):
        torch_npu.npu_group_norm_silu(*npu(x, w, b), 4)


def test_scaled_masked_softmax():
    x, mask = torch.randn(2, 3, 32, 64).half(), torch.rand(2, 1, 32, 64) > 0.5
    mask[0, 0, 0] = True  # all of a row
    expected = torch.softmax((x.float() * 0.5).masked_fill(mask, -10000), -1).half()
    same(torch_npu.npu_scaled_masked_softmax(*npu(x, mask), 0.5), expected, 1e-3)
    grown = x.float().npu().requires_grad_()
    torch_npu.npu_scaled_masked_softmax(grown, mask.npu(), 0.5).pow(2).sum().backward()
    plain = x.float().requires_grad_()
    torch.softmax((plain * 0.5).masked_fill(mask, -10000), -1).pow(2).sum().backward()
    same(grown.grad, plain.grad)
    with pytest.raises(RuntimeError, match="mask is float32"):
        torch_npu.npu_scaled_masked_softmax(*npu(x, mask.float()))
    with pytest.raises(RuntimeError, match="fixed_triu_mask is reserved"):
        torch_npu.npu_scaled_masked_softmax(*npu(x, mask), 1.0, True)


def test_masked_softmax_with_rel_pos_bias():
    x, mask, bias = torch.randn(4, 3, 5, 5), torch.randn(2, 5, 5), torch.randn(3, 5, 5)
    expected = torch.stack([torch.softmax(x[i] * 0.5 + bias + mask[i % 2], -1) for i in range(4)])
    same(torch_npu.npu_masked_softmax_with_rel_pos_bias(*npu(x, mask, bias), 0.5), expected)


def test_losses():
    x, target, weight = torch.randn(6, 5), torch.tensor([0, 4, 2, 2, 1, 3]), torch.rand(5)
    given = x.npu().requires_grad_()
    loss, shares, *_ = torch_npu.npu_cross_entropy_loss(given, target.npu())
    same(loss, F.cross_entropy(x, target).view(1))
    same(shares, torch.log_softmax(x, -1))
    loss.backward()
    plain = x.clone().requires_grad_()
    F.cross_entropy(plain, target).backward()
    same(given.grad, plain.grad)
    loss, *_ = torch_npu.npu_cross_entropy_loss(*npu(x, target, weight), "none", 2)
    same(loss, F.cross_entropy(x, target, weight, reduction="none", ignore_index=2))
    with pytest.raises(RuntimeError, match="reduction is 'total'"):
        torch_npu.npu_cross_entropy_loss(*npu(x, target), reduction="total")
    labels = torch.softmax(torch.randn(6, 5), -1)
    same(torch_npu.npu_softmax_cross_entropy_with_logits(*npu(x, labels)),
         F.cross_entropy(x, labels, reduction="none"))


# --- rotary positions


def turned(x, cos, sin, mode):
    out = torch.empty_like(x)
    half = x.shape[-1] // 2
    for i in range(half):
        a, b = (i, i + half) if mode == "half" else (2 * i, 2 * i + 1)
        out[..., a] = x[..., a] * cos[..., a] - x[..., b] * sin[..., a]
        out[..., b] = x[..., b] * cos[..., b] + x[..., a] * sin[..., b]
    return out


@pytest.mark.parametrize("mode", ["half", "interleave"])
def test_apply_rotary_pos_emb_turns_in_place(mode):
    q, k, angle = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 1, 8), torch.randn(2, 3, 1, 8)
    on = npu(q.clone(), k.clone())
    out = torch_npu.npu_apply_rotary_pos_emb(*on, *npu(angle.cos(), angle.sin()), "BSND", mode)
    for got, tensor, before in zip(out, on, (q, k)):
        same(tensor, turned(before, angle.cos(), angle.sin(), mode))
        assert got.data_ptr() == tensor.data_ptr()
    with pytest.raises(RuntimeError, match="layout is 'NBSD'"):
        torch_npu.npu_apply_rotary_pos_emb(*on, *npu(angle, angle), "NBSD")


def test_interleave_rope():
    x, angle = torch.randn(2, 3, 4, 64), torch.randn(2, 1, 4, 64)
    halves = torch.cat((x[..., ::2], x[..., 1::2]), -1)
    same(torch_npu.npu_interleave_rope(*npu(x, angle.cos(), angle.sin())),
         turned(halves, angle.cos(), angle.sin(), "half"))


@pytest.mark.parametrize("mode", ["half", "interleave"])
def test_mrope_takes_parts_of_three_positions(mode):
    table, q, k = torch.randn(9, 8), torch.randn(5, 2 * 12), torch.randn(5, 12)
    positions = torch.randint(0, 9, (3, 5))
    kinds = [0, 1, 1, 2]  # by mrope_section
    got = torch_npu.npu_mrope(*npu(positions, q, k, table), 12, mrope_section=[1, 2, 1], rotary_mode=mode)
    for out, before in zip(got, (q, k)):
        expected = before.view(5, -1, 12).clone()
        for t in range(5):
            for i, kind in enumerate(kinds):
                row = table[positions[kind, t]]
                a, b = (i, 4 + i) if mode == "half" else (2 * i, 2 * i + 1)
                x, y = before.view(5, -1, 12)[t, :, a], before.view(5, -1, 12)[t, :, b]
                expected[t, :, a] = x * row[i] - y * row[4 + i]
                expected[t, :, b] = y * row[i] + x * row[4 + i]
        same(out, expected.view(before.shape))
    one, _ = torch_npu.npu_mrope(*npu(positions[0], q, k, table), 12, rotary_mode=mode)
    same_one, _ = torch_npu.npu_mrope(*npu(positions[:1].expand(3, 5).contiguous(), q, k, table), 12,
                                      mrope_section=[1, 2, 1], rotary_mode=mode)
    assert (one == same_one).all()


def test_top_k_top_p():
    logits, k, p = torch.randn(3, 10), torch.tensor([3, 10, 5], dtype=torch.int32), torch.tensor([1.0, 0.6, 0.5])
    out = torch_npu.npu_top_k_top_p(*npu(logits, p, k)).cpu()
    for row in range(3):
        order = logits[row].sort(descending=True)[1][:k[row]]
        shares = torch.softmax(logits[row][order], 0)
        count = next(i for i in range(1, len(order) + 1) if i == len(order) or shares[:i].sum() >= p[row])
        kept = set(order[:count].tolist())
        assert set(torch.isfinite(out[row]).nonzero().flatten().tolist()) == kept
        assert all(out[row, i] == logits[row, i] for i in kept)


# --- other names


def test_functions_that_torch_has_under_other_names():
    x = torch.randn(2, 3, 4)
    same(torch_npu.npu_transpose(x.npu(), (2, 0, 1)), x.permute(2, 0, 1))
    same(torch_npu.npu_reshape(x.npu(), (6, 4)), x.view(6, 4))
    same(torch_npu.npu_broadcast(x[:, :1].npu(), (2, 3, 4)), x[:, :1].expand(2, 3, 4))
    same(torch_npu.npu_slice(x.npu(), (0, 1, 2), (-1, 2, 1)), x[:, 1:3, 2:3])
    same(torch_npu.npu_pad(x.npu(), (0, 1, 2, 0, 0, 3)), F.pad(x, (0, 3, 2, 0, 0, 1)))
    same(torch_npu.npu_one_hot(torch.tensor([2, 0]).npu(), depth=3, on_value=5, off_value=1),
         torch.tensor([[1.0, 1, 5], [5, 1, 1]]))
    values, places = torch_npu.npu_max(x.npu(), 1)
    same(values, x.max(1)[0])
    assert places.dtype == torch.int32 and places.tolist() == x.max(1)[1].tolist()
    same(torch_npu.npu_min(x.npu(), 2, True)[0], x.min(2, True)[0])
    same(torch_npu.npu_sort_v2(x.npu(), 1, True), x.sort(1, True)[0])
    same(torch_npu.npu_bmmV2(*npu(x, x.transpose(1, 2)), []), x @ x.transpose(1, 2))
    same(torch_npu.npu_mish(x.npu()), F.mish(x))
    first, second = x.chunk(2, -1)
    same(torch_npu.npu_gelu_mul(x.npu()), F.gelu(first) * second)
    y, gelu = torch_npu.npu_geglu(x.npu())
    same(gelu, F.gelu(second, approximate="tanh"))
    same(y, gelu.cpu() * first)
    even, odd = (x * 9)[..., ::2].clamp(max=7), (x * 9)[..., 1::2].clamp(-7, 7)
    same(torch_npu.npu_clipped_swiglu((x * 9).npu()), even * torch.sigmoid(1.702 * even) * (odd + 1))
    weight, bias = torch.randn(4, 3, 2), torch.randn(4)
    image, kernel = torch.randn(2, 3, 6, 6), torch.randn(4, 3, 3, 3)
    same(torch_npu.npu_conv2d(*npu(image, kernel, bias), (2, 2), (1, 1), (1, 1), 1),
         F.conv2d(image, kernel, bias, 2, 1), 1e-4)
    table, places = torch.randn(3, 4), torch.tensor([1, 3, 0], dtype=torch.int32)
    expected = table.clone()
    expected[torch.arange(3), places.long()] = 9
    same(torch_npu.npu_scatter(*npu(table, places, torch.full((3,), 9.0)), 1), expected)
