"""Functions of torch_npu that serving calls: attention of inference, which runs on the simulated
operators, and what it does to caches, against plain computations of torch on the CPU."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402

import davsim  # noqa: E402

torch.manual_seed(8)
HEADS, KV_HEADS, WIDTH = 4, 2, 64
SCALE = WIDTH**-0.5


def attention(q, k, v, sees=None):
    """Of one sequence: q [rows, heads, D], k and v [keys, kv heads, D]; row i sees the keys `sees` says."""
    k, v = (t.float().repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q.float(), k) * SCALE
    if sees is not None:
        scores = scores.masked_fill(~sees, float("-inf"))
    return torch.einsum("hqk,khd->qhd", torch.softmax(scores, -1), v)


def causal(rows, keys):
    return torch.ones(rows, keys, dtype=torch.bool).tril(keys - rows)


def close(tensor, expected, tolerance=5e-3):
    assert torch.allclose(tensor.float().cpu(), expected, rtol=tolerance, atol=tolerance)


def cached(lengths, size=16, dtype=torch.float16):
    """Keys and values of sequences in caches of pages, in no order, and their table."""
    pages = [-(-length // size) for length in lengths]
    keys, values = ([torch.randn(n, KV_HEADS, WIDTH).to(dtype) for n in lengths] for _ in range(2))
    caches = [torch.zeros(sum(pages) + 1, size, KV_HEADS, WIDTH, dtype=dtype) for _ in range(2)]
    table = torch.zeros(len(lengths), max(pages), dtype=torch.int32)
    free = torch.randperm(sum(pages) + 1).tolist()
    for row, (length, count) in enumerate(zip(lengths, pages)):
        for place in range(count):
            page = free.pop()
            table[row, place] = page
            part = slice(place * size, min(length, (place + 1) * size))
            for cache, tensors in zip(caches, (keys, values)):
                rows = tensors[row][part]
                cache[page, :rows.shape[0]] = rows
    return keys, values, caches, table


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_paged_attention_of_decode(dtype):
    lengths = [20, 5, 33]
    keys, values, caches, table = cached(lengths, dtype=dtype)
    query = torch.randn(3, HEADS, WIDTH).to(dtype)
    out = torch.empty(3, HEADS * WIDTH, dtype=dtype).npu()
    arguments = dict(query=query.npu(), key_cache=caches[0].npu(), value_cache=caches[1].npu(),
                     num_kv_heads=KV_HEADS, num_heads=HEADS, scale_value=SCALE, block_table=table.npu(),
                     context_lens=torch.tensor(lengths, dtype=torch.int32), out=out)
    workspace = torch_npu._npu_paged_attention_get_workspace(**arguments)
    torch_npu._npu_paged_attention(**arguments, workspace=workspace)
    assert davsim.device().last.cycles > 0
    expected = torch.cat([attention(query[i:i + 1], keys[i], values[i]) for i in range(3)])
    close(out.view(3, HEADS, WIDTH), expected, 2e-2 if dtype == torch.bfloat16 else 5e-3)


@pytest.mark.parametrize("form", ["square", "rows", "compressed"])
@pytest.mark.parametrize("name", ["_npu_paged_attention_splitfuse", "_npu_flash_attention_qlens"])
def test_some_rows_of_each_sequence_over_pages(form, name):
    rows, lengths = [3, 1, 6], [20, 7, 150]
    keys, values, caches, table = cached(lengths)
    query = torch.randn(10, HEADS, WIDTH).half()
    if form == "square":
        mask = torch.full((160, 160), float("-inf")).triu(1).half()
    elif form == "compressed":
        mask = torch.ones(128, 128).triu(1).half()
    else:
        mask = torch.zeros(10, 160)
        for first, count, end in zip([0, 3, 4], rows, lengths):
            mask[first:first + count, :end].masked_fill_(~causal(count, end), float("-inf"))
        mask = mask.half()
    out = torch.zeros(10, HEADS, WIDTH).half().npu()
    getattr(torch_npu, name)(
        query=query.npu(), key_cache=caches[0].npu(), value_cache=caches[1].npu(), mask=mask.npu(),
        block_table=table.npu(), seq_len=torch.tensor(rows), context_lens=torch.tensor(lengths),
        num_kv_heads=KV_HEADS, num_heads=HEADS, scale_value=SCALE, out=out)
    expected = [attention(q, k, v, causal(len(q), len(k)))
                for q, k, v in zip(query.split(rows), keys, values)]
    close(out, torch.cat(expected))


@pytest.mark.parametrize("hidden", [float("-inf"), 1.0, None])
def test_flash_attention_of_prefill(hidden):
    lengths = [5, 12]
    q = torch.randn(18, HEADS * WIDTH).half()
    k, v = (torch.randn(18, KV_HEADS, WIDTH).half() for _ in range(2))
    mask = None if hidden is None else torch.full((16, 16), hidden).triu(1).half().npu()
    out = torch.full((18, HEADS * WIDTH), 7.0).half().npu()
    arguments = dict(query=q.npu(), key=k.npu(), value=v.npu(), seq_len=torch.tensor(lengths),
                     scale_value=SCALE, num_heads=HEADS, num_kv_heads=KV_HEADS, out=out)
    if mask is None:
        torch_npu._npu_flash_attention_unpad(**arguments)
    else:
        torch_npu._npu_flash_attention(mask=mask, **arguments)
    first = 0
    for length in lengths:
        part = slice(first, first + length)
        first += length
        sees = None if hidden is None else causal(length, length)
        close(out[part].view(length, HEADS, WIDTH),
              attention(q[part].view(length, HEADS, WIDTH), k[part], v[part], sees))
    assert (out[17:] == 7).all()


def test_masks_that_are_more_than_a_mask_are_refused():
    q = torch.zeros(4, HEADS, WIDTH).half().npu()
    call = dict(key=q, value=q, seq_len=torch.tensor([4]), scale_value=1.0, num_heads=HEADS, num_kv_heads=HEADS,
                out=q.clone())
    with pytest.raises(RuntimeError, match="numbers other than 0, 1"):
        torch_npu._npu_flash_attention(q, mask=torch.full((4, 4), -0.5).npu(), **call)
    with pytest.raises(RuntimeError, match="square of 3"):
        torch_npu._npu_flash_attention(q, mask=torch.ones(3, 3).npu(), **call)


def test_mla_over_pages():
    lengths, width, value = [20, 33], 192, 128
    cache, query = torch.randn(4, 32, 1, width).half(), torch.randn(2, 16, width).half()
    table = torch.tensor([[2, 0], [1, 3]], dtype=torch.int32)
    out = torch.empty(2, 16, value).half().npu()
    torch_npu._npu_paged_attention_mla(query.npu(), cache.npu(), 1, 16, 0.1, table.npu(),
                                       torch.tensor(lengths), value, out)
    for i, length in enumerate(lengths):
        rows = cache[table[i].long()].view(-1, width)[:length].float()
        shares = torch.softmax(query[i].float() @ rows.t() * 0.1, -1)
        close(out[i], shares @ rows[:, :value])


# --- the first version of the public functions


def test_fused_infer_attention_score_by_its_first_names():
    q, k, v = (torch.randn(2, n, 24, WIDTH).half() for n in (HEADS, KV_HEADS, KV_HEADS))
    mask = ~causal(2048, 2048)
    out, lse = torch_npu.npu_fused_infer_attention_score(
        q.npu(), k.npu(), v.npu(), atten_mask=mask.npu(), num_heads=HEADS, num_key_value_heads=KV_HEADS,
        scale=SCALE, input_layout="BNSD", sparse_mode=3, softmax_lse_flag=True)
    assert lse.shape == (2, HEADS, 24, 1)
    for b in range(2):
        close(out[b].transpose(0, 1), attention(*(t[b].transpose(0, 1) for t in (q, k, v)), causal(24, 24)))
    prompt = torch_npu.npu_prompt_flash_attention(
        q.npu(), k.npu(), v.npu(), num_heads=HEADS, num_key_value_heads=KV_HEADS, scale_value=SCALE,
        input_layout="BNSD", actual_seq_lengths=[24, 24], atten_mask=(~causal(24, 24)).npu())
    assert torch.equal(prompt.cpu(), out.cpu())
    one = q[:, :, :1].contiguous()
    decode = torch_npu.npu_incre_flash_attention(
        one.npu(), k.npu(), v.npu(), num_heads=HEADS, num_key_value_heads=KV_HEADS, scale_value=SCALE,
        input_layout="BNSD", actual_seq_lengths=[10, 24])
    for b, length in enumerate((10, 24)):
        close(decode[b].transpose(0, 1), attention(one[b].transpose(0, 1), *(t[b, :, :length].transpose(0, 1)
                                                                            for t in (k, v))))
    with pytest.raises(davsim.UnsupportedError, match="kv_padding_size"):
        torch_npu.npu_incre_flash_attention(one.npu(), k.npu(), v.npu(), kv_padding_size=q.npu())


def test_quantised_caches_by_their_first_names():
    k, v = (torch.randint(-99, 99, (2, 32, KV_HEADS * WIDTH)).to(torch.int8) for _ in range(2))
    scale = torch.rand(2, KV_HEADS * WIDTH).half() * 0.02
    q = torch.randn(2, 1, HEADS * WIDTH).half()
    out = torch_npu.npu_incre_flash_attention(
        q.npu(), k.npu(), v.npu(), antiquant_scale=scale.npu(), num_heads=HEADS,
        num_key_value_heads=KV_HEADS, scale_value=SCALE)
    for b in range(2):
        rows = [(t[b].float() * scale[i].float()).view(32, KV_HEADS, WIDTH) for i, t in enumerate((k, v))]
        close(out[b].view(1, HEADS, WIDTH), attention(q[b].view(1, HEADS, WIDTH), *rows), 1e-2)


# --- caches


def test_caches_of_blocks():
    key, value = torch.randn(4, 2, 16).half(), torch.randn(4, 2, 16).half()
    slots = torch.tensor([5, -1, 0, 3], dtype=torch.int32).npu()
    expected = [torch.zeros(6, 2, 16).half() for _ in range(2)]
    for cache, rows in zip(expected, (key, value)):
        cache[5], cache[0], cache[3] = rows[0], rows[2], rows[3]
    caches = [torch.zeros(3, 2, 2, 16).half().npu() for _ in range(2)]
    torch_npu._npu_reshape_and_cache(key.npu(), value.npu(), *caches, slots)
    assert all(torch.equal(c.cpu().view(6, 2, 16), e) for c, e in zip(caches, expected))
    one = torch.zeros(3, 2, 2, 16).half().npu()
    torch_npu._npu_reshape_and_cache_siso(key.npu(), one, slots)
    assert torch.equal(one, caches[0])
    again = [torch.zeros(3, 2, 2, 16).half().npu() for _ in range(2)]
    kept = torch.tensor([5, 0, 3]).npu()
    rows = [t[[0, 2, 3]].npu() for t in (key, value)]
    torch_npu.npu_scatter_pa_kv_cache(*rows, *again, kept)
    assert all(torch.equal(a, c) for a, c in zip(again, caches))
    fractals = [torch.zeros(3, 2, 2, 16).half().npu() for _ in range(2)]  # [blocks, heads * D / 16, slots, 16]
    wide = [t.reshape(3, 1, 32) for t in rows]
    torch_npu.npu_scatter_pa_kv_cache(*wide, *fractals, kept)
    assert torch.equal(fractals[0].transpose(1, 2).reshape(6, 32), caches[0].reshape(6, 32))
    with pytest.raises(RuntimeError, match="slot 6 of a cache of 6"):
        torch_npu._npu_reshape_and_cache(key.npu(), value.npu(), *caches, slots + 1)


def test_a_graph_keeps_what_is_done_to_caches():
    key, cache = torch.ones(2, 1, 16).npu(), torch.zeros(2, 2, 1, 16).npu()
    slots = torch.tensor([1, -1]).npu()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        torch_npu._npu_reshape_and_cache(key, key, cache, cache.clone(), slots)
    assert cache.sum().item() == 0
    slots.copy_(torch.tensor([0, 3]))
    graph.replay()
    torch.npu.synchronize()
    assert cache.view(4, 16).sum(1).tolist() == [16, 0, 0, 16]


def test_scatter_update():
    state, rows = torch.zeros(2, 6, 4), torch.randn(2, 2, 4)
    expected = state.clone()
    expected[0, 1:3], expected[1, 4:6] = rows[0], rows[1]
    places = torch.tensor([1, 4]).npu()
    got = torch_npu.scatter_update(state.npu(), places, rows.npu(), -2)
    assert torch.equal(got.cpu(), expected)
    on_npu = state.npu()
    assert torch_npu.scatter_update_(on_npu, places, rows.npu(), 1).data_ptr() == on_npu.data_ptr()
    assert torch.equal(on_npu.cpu(), expected)
    with pytest.raises(RuntimeError, match="leaves self"):
        torch_npu.scatter_update_(on_npu, places + 1, rows.npu(), 1)


def test_advance_step():
    tables = torch.arange(12).view(3, 4)
    tokens, positions, lengths, slots = (torch.tensor(values).npu() for values in (
        [1, 2, 3], [6, 7, 3], [7, 8, 4], [0, 0, 0]))
    torch_npu.npu_advance_step_flashattn(tokens, torch.tensor([[50], [60]]).npu(), positions, lengths, slots,
                                         tables.npu(), 3, 2, 4)
    assert tokens.tolist() == [50, 60, 3] and positions.tolist() == [7, 8, 3]
    assert lengths.tolist() == [8, 9, 4] and slots.tolist() == [1 * 4 + 3, 6 * 4, 0]


def test_a_graph_keeps_attention_of_decode():
    lengths = [20, 5]
    keys, values, caches, table = cached(lengths)
    query, out = torch.zeros(2, HEADS, WIDTH).half().npu(), torch.zeros(2, HEADS, WIDTH).half().npu()
    where, context = table.npu(), torch.tensor([16, 5], dtype=torch.int32)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        torch_npu._npu_paged_attention(query * 1, *(cache.npu() for cache in caches), KV_HEADS, HEADS, SCALE,
                                       where, context, out)
        doubled = out * 2
    assert out.abs().sum().item() == 0
    query.copy_(torch.randn(2, HEADS, WIDTH))
    context[0] = 20
    graph.replay()
    torch.npu.synchronize()
    expected = torch.cat([attention(query[i:i + 1].cpu(), keys[i], values[i]) for i in range(2)])
    close(out, expected)
    close(doubled, expected * 2, 1e-2)


def test_a_graph_keeps_the_public_attention():
    q, k, v = (torch.randn(1, 24, n, WIDTH).half().npu() for n in (HEADS, KV_HEADS, KV_HEADS))
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        out, lse = torch_npu.npu_fused_infer_attention_score_v2(
            q, k, v, num_query_heads=HEADS, num_key_value_heads=KV_HEADS, softmax_scale=SCALE,
            input_layout="BSND")
    q.copy_(torch.randn(1, 24, HEADS, WIDTH))
    graph.replay()
    torch.npu.synchronize()
    close(out[0], attention(*(t[0].cpu() for t in (q, k, v))))
    cache = [torch.zeros(2, 2, 16, width).half().npu() for width in (64, 512)]
    kv, gamma = torch.randn(2, 1, 1, 576).half().npu(), torch.ones(512).half().npu()
    angle = torch.randn(2, 1, 1, 64).half()
    given = (kv, gamma, torch.cos(angle.float()).half().npu(),
             torch.sin(angle.float()).half().npu(), torch.tensor([[1], [0]]).npu())
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        *_, nothing, neither = torch_npu.npu_kv_rmsnorm_rope_cache(
            *given, *(c.view(2, 1, 32, -1) for c in cache), cache_mode="Norm")
    assert nothing is None and neither is None and cache[1].abs().sum().item() == 0
    graph.replay()
    torch.npu.synchronize()
    normed = kv[..., :512].float().cpu()
    normed = normed / (normed.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()
    close(cache[1].view(2, 32, 512)[0, 1], normed[0, 0, 0])
    close(cache[1].view(2, 32, 512)[1, 0], normed[1, 0, 0])
