"""Attention of serving under the names of torch_npu's functions of ATB. They run on the simulated
operators paged_attention and fused_infer_attention_score_v2 and write to a tensor of the caller."""

from __future__ import annotations

from typing import Any

import torch

from davsim import torch_npu as operators

from ._checks import require

_SIZES = "int num_kv_heads, int num_heads, float scale_value"
_CACHES = "Tensor query, Tensor key_cache, Tensor value_cache, "
_ROWS = "Tensor query, Tensor key, Tensor value, "
WHOLE = (
    f"_npu_paged_attention({_CACHES}{_SIZES}, Tensor block_table, Tensor context_lens, Tensor(a!) out, "
    "Tensor? workspace=None) -> ()",
    f"_npu_paged_attention_mla(Tensor query, Tensor key_cache, {_SIZES}, Tensor block_table, "
    "Tensor context_lens, int mla_vheadsize, Tensor(a!) out) -> ()",
    f"_npu_paged_attention_splitfuse({_CACHES}Tensor? mask, Tensor block_table, Tensor seq_len, "
    f"Tensor context_lens, {_SIZES}, Tensor(a!) out) -> ()",
    f"_npu_flash_attention_qlens({_CACHES}Tensor block_table, Tensor? mask, Tensor seq_len, "
    f"Tensor context_lens, {_SIZES}, Tensor(a!) out) -> ()",
    f"_npu_flash_attention({_ROWS}Tensor? mask, Tensor seq_len, float scale_value, int num_heads, "
    "int num_kv_heads, Tensor(a!) out) -> ()",
    f"_npu_flash_attention_unpad({_ROWS}Tensor seq_len, float scale_value, int num_heads, "
    "int num_kv_heads, Tensor(a!) out) -> ()",
)
PLAIN = ("_npu_paged_attention_get_workspace",)
# The square of a mask that stands for one of any size.
_COMPRESSED = (128, 2048)


def _numbers(lengths: torch.Tensor) -> list[int]:
    return [int(length) for length in lengths.tolist()]


def _heads(tensor: torch.Tensor, heads: int) -> torch.Tensor:
    """[tokens, heads, width] of that or of [tokens, heads * width]."""
    return tensor.reshape(tensor.shape[0], heads, -1)


def _cache(cache: torch.Tensor, heads: int) -> torch.Tensor:
    """[pages, rows, heads, width] of that or of [pages, rows, heads * width]."""
    return cache if cache.dim() == 4 else cache.reshape(cache.shape[0], cache.shape[1], heads, -1)


def _put(out: torch.Tensor, result: torch.Tensor) -> None:
    out.copy_(result.reshape(out.shape))


def _npu_paged_attention(query: torch.Tensor, key_cache: torch.Tensor, value_cache: torch.Tensor,
                         num_kv_heads: int, num_heads: int, scale_value: float, block_table: torch.Tensor,
                         context_lens: torch.Tensor, out: torch.Tensor, workspace: Any = None) -> None:
    """One query row of each sequence over paged caches; docs/operators/paged_attention.md.

    query, out: [batch, num_heads, D] or [batch, num_heads * D]; caches: [pages, rows, num_kv_heads, D];
    block_table: int32 [batch, pages]; context_lens: int32 [batch]."""
    _put(out, operators.paged_attention(
        _heads(query, num_heads), _cache(key_cache, num_kv_heads), _cache(value_cache, num_kv_heads),
        block_table.int(), _numbers(context_lens), headNum=num_heads, qkScale=scale_value,
        kvHeadNum=num_kv_heads))


def _npu_paged_attention_get_workspace(query: torch.Tensor, *arguments: Any,
                                       **keywords: Any) -> torch.Tensor:
    """The operator takes its workspace itself: a tensor of one byte."""
    return torch.empty(1, dtype=torch.uint8, device=query.device)


def _npu_paged_attention_mla(query: torch.Tensor, key_cache: torch.Tensor, num_kv_heads: int,
                             num_heads: int, scale_value: float, block_table: torch.Tensor,
                             context_lens: torch.Tensor, mla_vheadsize: int, out: torch.Tensor) -> None:
    """The same with MLA's cache, of whose rows the first mla_vheadsize elements are the value."""
    _put(out, operators.paged_attention(
        _heads(query, num_heads), _cache(key_cache, num_kv_heads), None, block_table.int(),
        _numbers(context_lens), headNum=num_heads, qkScale=scale_value, kvHeadNum=num_kv_heads,
        mlaVHeadSize=mla_vheadsize))


def _hidden(name: str, mask: torch.Tensor | None, rows: list[int], ends: list[int]) -> list[torch.Tensor]:
    """For each sequence which of `end` keys its last `rows` queries do not see, bool [rows, end].

    mask: None for none; a row of each query, [all rows, keys]; or a square, of which a sequence has
    the rows that end with its keys. A square of 128 or 2048 stands for larger triangles. What is not
    0 hides."""
    if mask is None:
        return [torch.zeros(count, end, dtype=torch.bool) for count, end in zip(rows, ends)]
    seen = mask
    require(name, seen.dim() >= 2, f"mask is {list(mask.shape)}, expected are 2 dimensions or more")
    while seen.dim() > 2:
        require(name, seen.shape[0] == 1,
                f"mask is {list(mask.shape)}, davsim takes one mask for all sequences")
        seen = seen[0]
    if seen.is_floating_point():
        wide = seen.float()
        require(name, bool(((wide == 0) | (wide == 1) | (wide <= -1e4)).all()),
                "mask has numbers other than 0, 1 and those up to -10000, which davsim does not add")
    seen = seen != 0
    height, width = seen.shape
    if height == sum(rows) and width >= max(ends) and height != width:
        return [part[:, :end] for part, end in zip(seen.split(rows), ends)]
    require(name, height == width, f"mask is {[height, width]}, which is neither a square nor of "
            f"{sum(rows)} rows")
    if width >= max(ends):
        return [seen[end - count:end, :end] for count, end in zip(rows, ends)]
    triangle = torch.ones(height, width, dtype=torch.bool).triu(1)
    require(name, height in _COMPRESSED and bool((seen == triangle).all()),
            f"mask is a square of {height}, the longest sequence has {max(ends)} keys")
    return [torch.ones(count, end, dtype=torch.bool).triu(end - count + 1)
            for count, end in zip(rows, ends)]


def _npu_paged_attention_splitfuse(
        query: torch.Tensor, key_cache: torch.Tensor, value_cache: torch.Tensor, mask: torch.Tensor | None,
        block_table: torch.Tensor, seq_len: torch.Tensor, context_lens: torch.Tensor, num_kv_heads: int,
        num_heads: int, scale_value: float, out: torch.Tensor) -> None:
    """Some query rows of each sequence over paged caches.

    query, out: [tokens, num_heads, D]; seq_len: query rows of each sequence; context_lens: its keys,
    with these rows'; mask: [tokens, keys], a square of [keys, keys], or the compressed triangle of
    128 or 2048. What is not 0 hides."""
    name = "_npu_paged_attention_splitfuse"
    rows, ends = _numbers(seq_len), _numbers(context_lens)
    require(name, sum(rows) == query.shape[0], f"seq_len has {sum(rows)} rows, query {query.shape[0]}")
    require(name, all(0 < count <= end for count, end in zip(rows, ends)),
            f"seq_len {rows} and context_lens {ends}: each is above 0 and at most its context")
    width = -(-max(ends) // 16) * 16
    added = torch.zeros(sum(rows), width)
    first = 0
    for hidden in _hidden(name, mask, rows, ends):
        count, end = hidden.shape
        added[first:first + count, :end].masked_fill_(hidden, float("-inf"))
        first += count
    _put(out, operators.paged_attention(
        _heads(query, num_heads), _cache(key_cache, num_kv_heads), _cache(value_cache, num_kv_heads),
        block_table.int(), ends, added.to(query.dtype), qSeqLens=rows, headNum=num_heads,
        qkScale=scale_value, kvHeadNum=num_kv_heads, maskType=3, calcType=1))


def _npu_flash_attention_qlens(
        query: torch.Tensor, key_cache: torch.Tensor, value_cache: torch.Tensor, block_table: torch.Tensor,
        mask: torch.Tensor | None, seq_len: torch.Tensor, context_lens: torch.Tensor, num_kv_heads: int,
        num_heads: int, scale_value: float, out: torch.Tensor) -> None:
    """The same, with the arguments in another order."""
    _npu_paged_attention_splitfuse(query, key_cache, value_cache, mask, block_table, seq_len, context_lens,
                                   num_kv_heads, num_heads, scale_value, out)


def _npu_flash_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
                         mask: torch.Tensor | None, seq_len: torch.Tensor, scale_value: float, num_heads: int,
                         num_kv_heads: int, out: torch.Tensor) -> None:
    """Attention within sequences that lie one behind the other, one call of
    fused_infer_attention_score_v2 for each.

    query, out: [tokens, num_heads, D]; key, value: [tokens, num_kv_heads, D]; seq_len: rows of each
    sequence; mask: a square as in _npu_paged_attention_splitfuse. Rows behind the last sequence are
    left as they were."""
    name = "_npu_flash_attention"
    lengths = _numbers(seq_len)
    require(name, sum(lengths) <= query.shape[0], f"seq_len has {sum(lengths)} rows, query {query.shape[0]}")
    queries, keys, values = _heads(query, num_heads), _heads(key, num_kv_heads), _heads(value, num_kv_heads)
    results, first = out.view(out.shape[0], num_heads, -1), 0
    for length, hidden in zip(lengths, _hidden(name, mask, lengths, lengths)):
        part = slice(first, first + length)
        first += length
        if length == 0:
            continue
        options = {"atten_mask": hidden.contiguous(), "sparse_mode": 1} if hidden.any() else {}
        attention, _ = operators.npu_fused_infer_attention_score_v2(
            queries[part][None], keys[part][None], values[part][None], num_query_heads=num_heads,
            num_key_value_heads=num_kv_heads, softmax_scale=scale_value, input_layout="BSND", **options)
        results[part].copy_(attention[0])


def _npu_flash_attention_unpad(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
                               seq_len: torch.Tensor, scale_value: float, num_heads: int,
                               num_kv_heads: int, out: torch.Tensor) -> None:
    """_npu_flash_attention without a mask."""
    _npu_flash_attention(query, key, value, None, seq_len, scale_value, num_heads, num_kv_heads, out)
