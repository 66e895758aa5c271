"""Functions of torch_npu with numbers of 8 and 4 bits, against plain computations of torch on the CPU."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402

torch.manual_seed(5)


def whole(*shape, low=-127, high=128, dtype=torch.int8):
    return torch.randint(low, high, shape).to(dtype)


def npu(*tensors):
    return [tensor.npu() if torch.is_tensor(tensor) else tensor for tensor in tensors]


def same(tensor, expected, tolerance=0.0):
    assert tensor.is_npu and tensor.shape == expected.shape and tensor.dtype == expected.dtype
    assert torch.allclose(tensor.cpu().double(), expected.double(), rtol=tolerance, atol=tolerance), (
        tensor.cpu(), expected)


def sums(a, b):
    """Of whole numbers, in int64, by a loop over k."""
    return sum(a[..., k, None].long() * b[..., k, None, :].long() for k in range(a.shape[-1]))


def saturated(values):
    return values.round().clamp(-128, 127).to(torch.int8)


# --- npu_quant_matmul


def test_quant_matmul_scales_each_column_and_each_row():
    a, b = whole(5, 96), whole(96, 7)
    scale, token = torch.rand(7) * 1e-3, torch.rand(5) + 0.5
    bias = torch.randn(7).bfloat16()
    got = torch_npu.npu_quant_matmul(*npu(a, b, scale), pertoken_scale=token.npu(), bias=bias.npu(),
                                     output_dtype=torch.bfloat16)
    expected = sums(a, b).float() * scale * token[:, None] + bias.float()
    same(got, expected.bfloat16())
    got = torch_npu.npu_quant_matmul(*npu(a, b, scale.bfloat16()), output_dtype=torch.bfloat16)
    same(got, (sums(a, b).float() * scale.bfloat16().float()).bfloat16())


def test_quant_matmul_of_int8_and_its_packed_scale():
    a, b = whole(1, 6, 64), whole(3, 64, 16)
    scale, offset = torch.rand(16) * 0.01, torch.randint(-20, 20, (16,)).float()
    bias = whole(3, 1, 16, low=-500, high=500, dtype=torch.int32)
    expected = (sums(a, b) + bias).float() * scale + offset
    same(torch_npu.npu_quant_matmul(*npu(a, b, scale), offset=offset.npu(), bias=bias.npu()),
         saturated(expected))
    packed = torch_npu.npu_trans_quant_param(*npu(scale, offset))
    cut = (scale.view(torch.int32) & -8192).view(torch.float32)  # 19 bits of it
    same(torch_npu.npu_quant_matmul(*npu(a, b), packed, bias=bias.npu()),
         saturated((sums(a, b) + bias).float() * cut + offset))


def test_sums_are_exact_beyond_24_bits():
    a, b = torch.full((1, 4096), 127, dtype=torch.int8), torch.full((4096, 1), 127, dtype=torch.int8)
    a[0, 0] = 126
    got = torch_npu.npu_quant_matmul(*npu(a, b, torch.ones(1)), output_dtype=torch.int32)
    assert got.item() == 4096 * 127 * 127 - 127


def test_factors_of_4_bits():
    a, b = whole(3, 16, low=-8, high=8), whole(16, 24, low=-8, high=8)

    def packed(values):
        words = torch.zeros(*values.shape[:-1], values.shape[-1] // 8, dtype=torch.int64)
        for place in range(8):
            words |= (values[..., place::8].long() & 15) << (4 * place)
        return torch.where(words >= 2**31, words - 2**32, words).int()

    scale = torch.rand(24) * 0.1
    expected = (sums(a, b).float() * scale).half()
    same(torch_npu.npu_quant_matmul(*npu(packed(a), packed(b), scale), output_dtype=torch.float16), expected)
    turned = packed(b.t().contiguous()).npu().t()  # [k / 8, n], of rows of n
    same(torch_npu.npu_quant_matmul(*npu(packed(a)), turned, scale.npu(), output_dtype=torch.float16),
         expected)
    same(torch_npu.npu_convert_weight_to_int4pack(b.int().npu()), packed(b))


@pytest.mark.parametrize("change,rule", [
    ({"x2": whole(95, 7)}, "k differs"), ({"x1": whole(5, 96).float()}, "x1 is float32"),
    ({"scale": torch.rand(6)}, "scale has 6 elements, expected are 1 or 7"),
    ({"output_dtype": torch.float32}, "output_dtype is torch.float32"),
    ({"pertoken_scale": torch.rand(5)}, "with pertoken_scale"),
    ({"pertoken_scale": torch.rand(4), "output_dtype": torch.float16}, "the rows of x1"),
    ({"offset": torch.rand(7), "output_dtype": torch.float16}, "offset is of results of int8")])
def test_quant_matmul_names_what_is_wrong(change, rule):
    given = {"x1": whole(5, 96), "x2": whole(96, 7), "scale": torch.rand(7)} | change
    with pytest.raises(RuntimeError, match=rule):
        torch_npu.npu_quant_matmul(**{name: npu(value)[0] for name, value in given.items()})


def test_trans_quant_param_has_the_documented_bits():
    scale = torch.tensor([1.5, 0.1, 3e-5])
    offset = torch.tensor([0.0, -3.4, 300.0])
    bits = scale.view(torch.int32).long()
    same(torch_npu.npu_trans_quant_param(scale.npu()), (bits & 0xFFFFE000) | (1 << 46))
    nine = torch.tensor([0, -3 & 0x1FF, 255])
    same(torch_npu.npu_trans_quant_param(*npu(scale, offset)),
         (bits & 0xFFFFE000) | (1 << 46) | (nine << 37))
    rounded = torch_npu.npu_trans_quant_param(scale.npu(), None, 1).cpu() & 0xFFFFFFFF
    assert rounded[0] == bits[0] and (rounded - bits).abs().max() <= 4096 and (rounded & 8191).sum() == 0


def test_quant_matmul_reduce_sum():
    a, b = whole(3, 4, 32), whole(3, 32, 6)
    row, column = torch.rand(3, 4), torch.rand(6).bfloat16()
    expected = (sums(a, b).float() * row[..., None] * column.float()).sum(0)
    same(torch_npu.npu_quant_matmul_reduce_sum(*npu(a, b), x1_scale=row.npu(), x2_scale=column.npu()),
         expected.bfloat16(), 1e-2)


# --- weights of 8 and 4 bits


@pytest.mark.parametrize("size", [0, 32])
def test_weight_quant_batchmatmul(size):
    x, w = torch.randn(6, 96).half(), whole(96, 8)
    shape = (3, 8) if size else (8,)
    scale, offset = torch.rand(shape).half() * 0.1, torch.randn(shape).half()
    bias = torch.randn(8).half()
    wide_scale, wide_offset = (t.float().repeat_interleave(32, 0) if size else t.float()
                               for t in (scale, offset))
    expected = x.float() @ ((w.float() + wide_offset) * wide_scale) + bias.float()
    call = torch_npu.npu_weight_quant_batchmatmul
    same(call(*npu(x, w, scale, offset), bias=bias.npu(), antiquant_group_size=size), expected.half(), 1e-2)
    if not size:
        quant, shift = torch.rand(1, 8), torch.full((1, 8), 3.0)
        same(call(*npu(x, w, scale, offset, quant, shift)),
             saturated((expected - bias.float()) * quant + shift))
        turned = w.t().contiguous().npu().t()
        same(call(x.npu(), turned, *npu(scale)), (x.float() @ (w.float() * scale.float())).half(), 1e-2)
        with pytest.raises(RuntimeError, match="antiquant_scale has 7 elements"):
            call(*npu(x, w, scale[:7]))


def test_transpose_batchmatmul():
    x, w = torch.randn(5, 2, 16).half(), torch.randn(2, 16, 12).half()
    expected = torch.einsum("mbk,bkn->mbn", x.float(), w.float()).half()
    call = torch_npu.npu_transpose_batchmatmul
    same(call(*npu(x, w), perm_x1=(1, 0, 2)), expected, 1e-3)
    same(call(*npu(x.transpose(0, 1).contiguous(), w)), expected, 1e-3)
    split = call(*npu(x, w), perm_x1=(1, 0, 2), batch_split_factor=3)
    same(split, torch.stack(expected.reshape(5, 24).chunk(3, 1)), 1e-3)
    with pytest.raises(RuntimeError, match="perm_y is"):
        call(*npu(x, w), perm_y=(0, 1, 2))


# --- groups


def test_grouped_matmul_with_one_and_with_many_tensors():
    x, w = torch.randn(7, 16).bfloat16(), torch.randn(3, 16, 5).bfloat16()
    bias, ends = torch.randn(3, 5), [2, 2, 7]
    expected = torch.cat([x[a:b].float() @ w[i].float() + bias[i]
                          for i, (a, b) in enumerate([(0, 2), (2, 2), (2, 7)])]).bfloat16()
    call = torch_npu.npu_grouped_matmul
    weights, biases = npu(*w), npu(*bias)
    for groups, kind in ((torch.tensor(ends), 0), (torch.tensor([2, 0, 5]), 1),
                         (torch.tensor([[0, 2], [2, 5], [1, 0]]), 2)):
        got = call(npu(x), npu(w), bias=npu(bias), group_list=groups.npu(), split_item=3, group_type=0,
                   group_list_type=kind)
        same(got[0], expected, 1e-2)
    same(call(npu(x), weights, bias=biases, group_list=ends, split_item=2)[0], expected, 1e-2)
    parts = call(npu(*x.split([2, 0, 5])), weights, bias=biases)
    assert [part.shape[0] for part in parts] == [2, 0, 5]
    same(torch.cat(parts), expected, 1e-2)
    # Rows that no expert has are 0.
    short = call(npu(x), npu(w), group_list=torch.tensor([1, 1, 1]).npu(), split_item=2, group_type=0,
                 group_list_type=1)[0]
    assert short.shape == (7, 5) and short[3:].abs().sum().item() == 0


def test_grouped_matmul_of_groups_of_k():
    x, y, ends = torch.randn(10, 4).half(), torch.randn(10, 3).half(), torch.tensor([4, 4, 10])
    got = torch_npu.npu_grouped_matmul([x.npu().t()], npu(y), group_list=ends.npu(), split_item=3,
                                       group_type=2, group_list_type=0)[0]
    expected = [x[a:b].t().float() @ y[a:b].float() for a, b in [(0, 4), (4, 4), (4, 10)]]
    same(got, torch.stack(expected).half(), 1e-2)
    total = torch.ones(12, 3)
    got = torch_npu.npu_grouped_matmul_add_(total.npu(), *npu(x, y, ends))
    same(got, torch.cat(expected) + 1, 1e-3)


def test_grouped_matmul_of_int8():
    x, w = whole(6, 32), whole(2, 32, 4)
    scale, token, sizes = torch.rand(2, 4) * 0.01, torch.rand(6), torch.tensor([4, 2])
    exact = torch.cat([sums(x[:4], w[0]), sums(x[4:], w[1])])
    factor = scale.repeat_interleave(sizes, 0)
    options = {"group_list": sizes.npu(), "group_list_type": 1, "group_type": 0, "split_item": 2}
    call = torch_npu.npu_grouped_matmul
    same(call(npu(x), npu(w), output_dtype=torch.int32, **options)[0], exact.int())
    product = exact.float() * factor * token[:, None]
    same(call(npu(x), npu(w), scale=npu(scale), per_token_scale=npu(token), output_dtype=torch.float16,
              **options)[0], product.half())
    same(call(npu(x), npu(w), scale=npu(scale), per_token_scale=npu(token), act_type=5,
              output_dtype=torch.float16, **options)[0], (product * torch.sigmoid(product)).half(), 1e-3)
    with pytest.raises(RuntimeError, match="without scale"):
        call(npu(x), npu(w), **options)


@pytest.mark.parametrize("groups", [0, 4])
def test_grouped_matmul_of_weights_of_8_and_4_bits(groups):
    x, w = torch.randn(5, 32).half(), whole(2, 32, 8, low=-8, high=8)
    shape = (2, groups, 8) if groups else (2, 8)
    scale, offset = torch.rand(shape).half(), torch.randn(shape).half()
    wide = [t.float().repeat_interleave(32 // groups, 1) if groups else t.float()[:, None]
            for t in (scale, offset)]
    weights = (w.float() + wide[1]) * wide[0]
    expected = torch.cat([x[:3].float() @ weights[0], x[3:].float() @ weights[1]]).half()
    words = torch_npu.npu_convert_weight_to_int4pack(w.int().view(64, 8).npu()).view(2, 32, 1)
    for weight in (w.npu(), words):
        got = torch_npu.npu_grouped_matmul(
            npu(x), [weight], antiquant_scale=npu(scale), antiquant_offset=npu(offset),
            group_list=torch.tensor([3, 5]).npu(), group_type=0, split_item=3)
        same(got[0], expected, 1e-2)


@pytest.mark.parametrize("change,rule", [
    ({"group_list": torch.tensor([3, 2])}, "does not rise"),
    ({"group_list": torch.tensor([3, 9])}, "has 9 rows"),
    ({"group_list": None}, "needs group_list"), ({"act_type": 3}, "act_type is 3"),
    ({"split_item": 4}, "split_item is 4"), ({"group_type": 1}, "group_type is 1"),
    ({"offset": [torch.zeros(4)]}, "offset is reserved"),
    ({"scale": [torch.ones(2, 4), torch.ones(2, 4)]}, "scale has 2 tensors"),
    ({"scale": [torch.ones(2, 4)]}, "of factors of int8")])
def test_grouped_matmul_names_what_is_wrong(change, rule):
    given = {"x": [torch.zeros(6, 8)], "weight": [torch.zeros(2, 8, 4)], "split_item": 2, "group_type": 0,
             "group_list": torch.tensor([3, 6])} | change
    moved = {name: npu(*value) if isinstance(value, list) else npu(value)[0] for name, value in given.items()}
    with pytest.raises(RuntimeError, match=rule):
        torch_npu.npu_grouped_matmul(**moved)


def test_layers_of_experts():
    x, w = whole(6, 16), whole(2, 16, 8)
    scale, token, sizes = torch.rand(2, 8) * 0.01, torch.rand(6), torch.tensor([2, 3])
    exact = torch.cat([sums(x[:2], w[0]), sums(x[2:5], w[1])]).float()
    product = exact * scale.repeat_interleave(sizes, 0) * token[:5, None]
    gated = product[:, :4] * torch.sigmoid(product[:, :4]) * product[:, 4:]
    largest = gated.abs().amax(1) / 127
    out, scales, nothing = torch_npu.npu_grouped_matmul_swiglu_quant(
        *npu(x, w, sizes.cumsum(0), scale, token))
    same(scales[:5], largest, 1e-5)
    assert (out[:5].cpu().float() - gated / largest[:, None]).abs().max() <= 0.501
    assert out[5].abs().sum().item() == 0 and nothing.numel() == 0
    again, _ = torch_npu.npu_grouped_matmul_swiglu_quant_v2(
        x.npu(), npu(*w), npu(*scale), *npu(token, sizes), group_list_type=1)
    assert (again == out).all()

    logit, rows = torch.rand(6), torch.tensor([0, 2, 2, 1, 0, 1])
    shared = torch.randn(2, 8).bfloat16()
    expected = torch.zeros(4, 8)
    expected[1:3] = shared.float() * 0.5
    for i in range(5):
        expected[rows[i]] += product[i] * logit[i]
    same(torch_npu.npu_grouped_matmul_finalize_routing(
        *npu(x, w, sizes), scale=scale.npu(), pertoken_scale=token.npu(), logit=logit.npu(),
        row_index=rows.npu(), shared_input=shared.npu(), shared_input_weight=0.5, shared_input_offset=1,
        output_bs=4), expected, 1e-4)


@pytest.mark.parametrize("activation", ["relu", "fastgelu", "swiglu"])
def test_ffn(activation):
    x, wide = torch.randn(2, 3, 8).half(), 12 if activation == "swiglu" else 6
    w1, w2, b1 = torch.randn(8, wide).half(), torch.randn(6, 8).half(), torch.randn(wide).half()
    between = x.float() @ w1.float() + b1.float()
    if activation == "swiglu":
        between = between[..., :6] * torch.sigmoid(between[..., :6]) * between[..., 6:]
    else:
        between = between.relu() if activation == "relu" else between * torch.sigmoid(1.702 * between)
    same(torch_npu.npu_ffn(*npu(x, w1, w2), activation, bias1=b1.npu()),
         (between @ w2.float()).half(), 2e-2)


def test_ffn_of_experts():
    x, w1, w2 = torch.randn(5, 8).half(), whole(2, 8, 6), whole(2, 6, 8)
    s1, s2 = torch.rand(2, 6).half() * 0.1, torch.rand(2, 8).half() * 0.1
    parts = [((rows.float() @ (w1[i].float() * s1[i].float())).relu() @ (w2[i].float() * s2[i].float()))
             for i, rows in enumerate(x.split([1, 4]))]
    same(torch_npu.npu_ffn(*npu(x, w1, w2), "relu", expert_tokens=[1, 4], antiquant_scale1=s1.npu(),
                           antiquant_scale2=s2.npu()), torch.cat(parts).half(), 2e-2)
    with pytest.raises(RuntimeError, match="activation is 'tanh'"):
        torch_npu.npu_ffn(*npu(x, w1, w2), "tanh", expert_tokens=[1, 4])


# --- quantisation


def test_dynamic_quant():
    x = torch.randn(4, 2, 16).half()
    x[1, 0] = 0
    largest = x.float().abs().amax(-1) / 127
    out, scale = torch_npu.npu_dynamic_quant(x.npu())
    same(scale, largest, 1e-6)
    safe = torch.where(largest == 0, torch.ones(()), largest)
    same(out, saturated(x.float() / safe[..., None]))
    words, scale = torch_npu.npu_dynamic_quant(x.npu(), dst_type=torch.quint4x2)
    assert words.shape == (4, 2, 2) and words.dtype == torch.int32
    same(scale, x.float().abs().amax(-1) / 7, 1e-6)
    first = (words.cpu().long() & 15)[0, 0, 0]
    assert first == (x[0, 0, 0].float() / (x[0, 0].float().abs().max() / 7)).round().long() & 15
    smooth = torch.rand(3, 16).half()
    ends = torch.tensor([2, 3, 8], dtype=torch.int32)
    smoothed = x.float().view(8, 16) * smooth.float().repeat_interleave(torch.tensor([2, 1, 5]), 0)
    _, scale = torch_npu.npu_dynamic_quant(x.npu(), smooth_scales=smooth.npu(), group_index=ends.npu())
    same(scale, (smoothed.abs().amax(-1) / 127).view(4, 2), 1e-5)
    with pytest.raises(RuntimeError, match="smooth_scales is"):
        torch_npu.npu_dynamic_quant(x.npu(), smooth_scales=smooth[:2].npu(), group_index=ends.npu())


def test_dynamic_quant_asymmetric():
    x = torch.rand(3, 8).half() + 1
    out, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(x.npu())
    wide = x.float()
    expected = (wide.amax(1) - wide.amin(1)) / 255
    same(scale, expected, 1e-6)
    same(offset, 127 - wide.amax(1) / expected, 1e-4)
    assert out.cpu().amax(1).tolist() == [127] * 3 and out.cpu().amin(1).tolist() == [-128] * 3
    _, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(x.npu(), quant_mode="pertensor")
    assert scale.shape == offset.shape == (1,)


def test_dynamic_block_quant():
    x = torch.randn(3, 200).half()
    out, scale = torch_npu.npu_dynamic_block_quant(x.npu(), row_block_size=2)
    assert scale.shape == (2, 2) and out.shape == x.shape
    for rows in (slice(0, 2), slice(2, 3)):
        for number, columns in enumerate((slice(0, 128), slice(128, 200))):
            part, factor = x[rows, columns].float(), scale[rows.start // 2, number].item()
            assert factor == pytest.approx(part.abs().max().item() / 127, rel=1e-6)
            assert (out[rows, columns].cpu().float() - part / factor).abs().max() <= 0.501


@pytest.mark.parametrize("kind,plain,limits", [(torch.qint8, torch.int8, (-128, 127)),
                                               (torch.quint8, torch.uint8, (0, 255)),
                                               (torch.qint32, torch.int32, (-2**31, 2**31 - 1))])
def test_quantize(kind, plain, limits):
    x, scale, zero = torch.randn(2, 3, 4) * 9, torch.rand(3) + 0.1, torch.tensor([1, -2, 3]).int()
    expected = (x / scale[:, None] + zero[:, None]).round().clamp(*limits).to(plain)
    same(torch_npu.npu_quantize(*npu(x, scale, zero), kind, 1), expected)
    along = torch.rand(4)
    expected = (x * along).round().clamp(*limits).to(plain)
    same(torch_npu.npu_quantize(*npu(x, along, None), kind, -1, False), expected)
    with pytest.raises(RuntimeError, match="scales has 3 elements"):
        torch_npu.npu_quantize(*npu(x, scale, None), kind, -1, False)


def test_anti_quant_and_group_quant():
    x, scale, offset = whole(3, 8), torch.rand(8), torch.randn(8)
    same(torch_npu.npu_anti_quant(*npu(x, scale), offset=offset.npu(), dst_dtype=torch.bfloat16),
         ((x.float() + offset) * scale).bfloat16())
    values, scales = torch.randn(5, 4), torch.rand(2, 4) * 50
    ends = torch.tensor([2, 5], dtype=torch.int32)
    factor = scales.repeat_interleave(torch.tensor([2, 3]), 0)
    same(torch_npu.npu_group_quant(*npu(values, scales, ends)), saturated(values * factor))


@pytest.mark.parametrize("left", [False, True])
def test_swiglu_quant(left):
    x = torch.randn(6, 8).half()
    first, second = x.float().chunk(2, -1)
    gated = first * torch.sigmoid(first) * second if left else second * torch.sigmoid(second) * first
    smooth = torch.rand(2, 4)
    smoothed = gated * smooth.repeat_interleave(torch.tensor([2, 4]), 0)
    out, scale = torch_npu.npu_swiglu_quant(
        x.npu(), smooth_scales=smooth.npu(), group_index=torch.tensor([2, 6], dtype=torch.int32).npu(),
        activate_left=left, quant_mode=1)
    same(scale, smoothed.abs().amax(-1) / 127, 1e-5)
    assert (out.cpu().float() - smoothed / scale.cpu()[:, None]).abs().max() <= 0.501
    out, _ = torch_npu.npu_swiglu_quant(x.npu(), smooth_scales=torch.full((1,), 20.0).npu(),
                                        offsets=torch.full((1,), 3.0).npu(), activate_left=left)
    assert (out.cpu().float() - (gated * 20 + 3)).abs().max() <= 0.501
    with pytest.raises(RuntimeError, match="needs scales"):
        torch_npu.npu_swiglu_quant(x.npu())


def test_dequant_swiglu_quant():
    x = whole(5, 12, low=-999, high=999, dtype=torch.int32)
    weight, token, sizes = torch.rand(2, 12) * 0.01, torch.rand(5), torch.tensor([3, 2])
    values = x.float() * weight.repeat_interleave(sizes, 0) * token[:, None]
    gated = values[:, :6] * torch.sigmoid(values[:, :6]) * values[:, 6:]
    out, scale = torch_npu.npu_dequant_swiglu_quant(
        x.npu(), weight_scale=weight.npu(), activation_scale=token.npu(), group_index=sizes.npu(),
        activate_left=True, quant_mode=1)
    same(scale, gated.abs().amax(-1) / 127, 1e-4)
    assert (out.cpu().float() - gated / scale.cpu()[:, None]).abs().max() <= 0.501
    with pytest.raises(RuntimeError, match="needs weight_scale"):
        torch_npu.npu_dequant_swiglu_quant(x.npu(), quant_mode=1)
    bias = whole(12, low=-99, high=99, dtype=torch.int32)
    same(torch_npu.npu_dequant_bias(*npu(x, weight[0], token, bias)),
         ((x + bias).float() * weight[0] * token[:, None]).half())


def test_norms_of_int8():
    a, b, gamma = (torch.randn(3, 8).half(), torch.randn(3, 8).half(), torch.rand(8).half())
    total = a.float() + b.float()
    normed = total / (total.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * gamma.float()
    scale, zero = torch.rand(8) * 0.1 + 0.01, torch.randint(-9, 9, (8,)).int()
    out, _, kept = torch_npu.npu_add_rms_norm_quant(*npu(a, b, gamma, scale, zero))
    same(kept, total.half())
    assert (out.cpu().float() - (normed / scale + zero).clamp(-128, 127)).abs().max() <= 0.501
    out, _, kept, scales, _ = torch_npu.npu_add_rms_norm_dynamic_quant(*npu(a, b, gamma))
    same(scales, normed.abs().amax(-1) / 127, 1e-5)
    beta, step, shift = torch.randn(8).half(), torch.tensor([20.0]).half(), torch.tensor([4]).to(torch.int8)
    of_a = a.float() / (a.float().pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * gamma.float() + beta.float()
    out = torch_npu.npu_rms_norm_quant(*npu(a, gamma, beta, step, shift))
    assert (out.cpu().float() - (of_a * 20 + 4).clamp(-128, 127)).abs().max() <= 0.501


def test_quant_scatter():
    cache, rows = torch.zeros(2, 6, 4, dtype=torch.int8), torch.randn(2, 3, 4)
    scale = torch.rand(4) * 0.05 + 0.01
    expected = cache.clone()
    expected[0, 1:4], expected[1, 3:6] = saturated(rows[0] / scale), saturated(rows[1] / scale)
    on_npu, places = cache.npu(), torch.tensor([1, 3], dtype=torch.int32).npu()
    same(torch_npu.npu_quant_scatter(on_npu, places, *npu(rows, scale), axis=-2, quant_axis=-1), expected)
    assert on_npu.abs().sum().item() == 0
    torch_npu.npu_quant_scatter_(on_npu, places, *npu(rows, scale), axis=-2, quant_axis=-1)
    same(on_npu, expected)
    with pytest.raises(RuntimeError, match="leaves self"):
        torch_npu.npu_quant_scatter_(on_npu, places + 1, *npu(rows, scale), axis=-2)


def test_a_graph_keeps_them():
    x, w, scale = whole(4, 32).npu(), whole(32, 8).npu(), torch.rand(8).npu() * 0.01
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        out = torch_npu.npu_quant_matmul(x, w, scale, output_dtype=torch.float16)
    x.fill_(3)
    graph.replay()
    torch.npu.synchronize()
    same(out, (sums(x.cpu(), w.cpu()).float() * scale.cpu()).half())
