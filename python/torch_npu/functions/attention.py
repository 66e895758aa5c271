"""npu_fusion_attention, the attention of training, and its gradients."""

from __future__ import annotations

from typing import Any, Sequence

import torch

from . import _checks as checks
from ._checks import require

_ALL = 2147483647
_LENGTHS = "int[]? prefix=None, int[]? actual_seq_qlen=None, int[]? actual_seq_kvlen=None, "
_END = "int sparse_mode=0, bool gen_mask_parallel=True, bool sync=False"

SCHEMAS = (
    "npu_fusion_attention(Tensor query, Tensor key, Tensor value, int head_num, str input_layout, "
    "Tensor? pse=None, Tensor? padding_mask=None, Tensor? atten_mask=None, float scale=1., "
    "float keep_prob=1., int pre_tockens=2147483647, int next_tockens=2147483647, "
    f"int inner_precise=0, {_LENGTHS}{_END}, str softmax_layout='') -> "
    "(Tensor, Tensor, Tensor, Tensor, int, int, int)",
    "npu_fusion_attention_v2(Tensor query, Tensor key, Tensor value, int head_num, str input_layout, *, "
    "Tensor? pse=None, Tensor? padding_mask=None, Tensor? atten_mask=None, Tensor? query_rope=None, "
    "Tensor? key_rope=None, float scale=1., float keep_prob=1., int pre_tokens=2147483647, "
    f"int next_tokens=2147483647, int inner_precise=0, {_LENGTHS}{_END}, int pse_type=1, "
    "int[]? q_start_idx=None, int[]? kv_start_idx=None, str softmax_layout='', Tensor? sink=None) -> "
    "(Tensor, Tensor, Tensor, Tensor, int, int, int)",
    "npu_fusion_attention_grad(Tensor query, Tensor key, Tensor value, Tensor dy, int head_num, "
    "str input_layout, *, Tensor? pse=None, Tensor? padding_mask=None, Tensor? atten_mask=None, "
    "Tensor? softmax_max=None, Tensor? softmax_sum=None, Tensor? softmax_in=None, "
    "Tensor? attention_in=None, float scale_value=1., float keep_prob=1., int pre_tockens=2147483647, "
    "int next_tockens=2147483647, int inner_precise=0, int seed=0, int offset=0, int numels=0, "
    f"{_LENGTHS}{_END}, str softmax_layout='') -> (Tensor, Tensor, Tensor, Tensor)",
)


class _Hidden:
    """Which keys a query does not see, and what is added to scores."""

    def __init__(self, function: str, mask: torch.Tensor | None, mode: int, before: int, behind: int,
                 prefix: Sequence[int] | None, pse: torch.Tensor | None, pse_type: int = 1) -> None:
        if mode not in range(7):
            raise NotImplementedError(f"davsim: {function} has sparse_mode 0 to 6, not {mode}")
        require(function, mask is None or mode not in (5, 6) or prefix is not None,
                f"sparse_mode {mode} needs prefix")
        checks.lacks(function, pse_type_2_or_3=pse_type in (2, 3))
        require(function, pse_type in range(4), f"pse_type is {pse_type}, allowed are 0 to 3")
        self._mask, self._mode, self._prefix = mask, mode, prefix
        self._before, self._behind, self._pse, self._first = before, behind, pse, pse_type == 1

    def scores(self, scores: torch.Tensor, scale: float, batch: int | None = None) -> torch.Tensor:
        """Of products of queries and keys, [b, n, queries, keys], or of the one sequence `batch`."""
        if self._pse is None:
            scores = scores * scale
        else:
            many = batch is not None and self._pse.shape[0] > 1
            added = (self._pse[batch] if many else self._pse).float()
            scores = (scores + added) * scale if self._first else scores * scale + added
        hidden = self._of(scores, batch)
        return scores if hidden is None else scores.masked_fill(hidden, float("-inf"))

    def _of(self, scores: torch.Tensor, batch: int | None) -> torch.Tensor | None:
        """Without a mask the modes change nothing, as is documented. In the modes 2 to 4 and 6 the mask
        is of a square that stands for all sizes, so that only the mode counts."""
        if self._mask is None:
            return None
        queries, keys = scores.shape[-2:]
        row = torch.arange(queries, device=scores.device)[:, None]
        column = torch.arange(keys, device=scores.device)
        beside_last = row + (keys - queries)  # the last query is beside the last key
        if self._mode == 2:
            return column > row
        if self._mode == 3:
            return column > beside_last
        if self._mode == 4:
            return (column - beside_last > self._behind) | (beside_last - column > self._before)
        if self._mode == 6:
            ends = self._prefix if batch is None else [self._prefix[batch]]
            prefix = torch.tensor(list(ends), device=scores.device).view(-1, 1, 1, 1)
            return (column > beside_last) & (column >= prefix)
        seen = self._mask.bool()[..., :queries, :keys]
        if self._mode == 0:
            seen = seen | (column - row > self._behind) | (row - column > self._before)
        return seen


def npu_fusion_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, head_num: int,
                         input_layout: str, pse: torch.Tensor | None = None, padding_mask: Any = None,
                         atten_mask: torch.Tensor | None = None, scale: float = 1.0,
                         keep_prob: float = 1.0, pre_tockens: int = _ALL, next_tockens: int = _ALL,
                         inner_precise: int = 0, prefix: Sequence[int] | None = None,
                         actual_seq_qlen: Sequence[int] | None = None,
                         actual_seq_kvlen: Sequence[int] | None = None, sparse_mode: int = 0,
                         gen_mask_parallel: bool = True, sync: bool = False,
                         softmax_layout: str = "") -> tuple[Any, ...]:
    """softmax(scale * (pse + query @ key^T), masked) @ value, in the layouts BSH, SBH, BSND, BNSD and TND.

    pse: [B or 1, N, S, Skv] or [B or 1, N, 1, Skv]. atten_mask: True, or not 0, hides; without it
    sparse_mode, pre_tockens and next_tockens change nothing. keep_prob below 1 drops shares by torch's
    random numbers. Returns seven values: the result, in the shape and type of query; the largest score
    and the sum of the exponentials of each row in float32, each (B, N, S, 8), with TND (T, N, 8); an
    empty tensor and three numbers of the dropout on a device. Raises NotImplementedError for
    padding_mask and a sparse_mode above 6, RuntimeError for another layout and for TND without the
    ends of the sequences.
    """
    name = "npu_fusion_attention"
    checks.reserved(name, padding_mask=padding_mask)
    require(name, softmax_layout in ("", "TND"), f"softmax_layout is {softmax_layout!r}, allowed is 'TND'")
    hidden = _Hidden(name, atten_mask, sparse_mode, pre_tockens, next_tockens, prefix, pse)
    return _forward(name, query, key, value, head_num, input_layout, scale, keep_prob, hidden,
                    actual_seq_qlen, actual_seq_kvlen)


def npu_fusion_attention_v2(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, head_num: int, input_layout: str, *,
        pse: torch.Tensor | None = None, padding_mask: Any = None, atten_mask: torch.Tensor | None = None,
        query_rope: torch.Tensor | None = None, key_rope: torch.Tensor | None = None, scale: float = 1.0,
        keep_prob: float = 1.0, pre_tokens: int = _ALL, next_tokens: int = _ALL, inner_precise: int = 0,
        prefix: Sequence[int] | None = None, actual_seq_qlen: Sequence[int] | None = None,
        actual_seq_kvlen: Sequence[int] | None = None, sparse_mode: int = 0,
        gen_mask_parallel: bool = True, sync: bool = False, pse_type: int = 1, q_start_idx: Any = None,
        kv_start_idx: Any = None, softmax_layout: str = "", sink: Any = None) -> tuple[Any, ...]:
    """npu_fusion_attention with a pse that is added before scale (pse_type 1) or behind it (0), and
    rotated parts of query and key, with TND, that stand behind the others."""
    name = "npu_fusion_attention_v2"
    checks.lacks(name, sink=sink)
    require(name, (query_rope is None) == (key_rope is None), "query_rope and key_rope go together")
    if query_rope is not None:
        require(name, input_layout == "TND", "query_rope and key_rope are of the layout TND")
        query, key = torch.cat((query, query_rope), -1), torch.cat((key, key_rope), -1)
    checks.reserved(name, padding_mask=padding_mask)
    hidden = _Hidden(name, atten_mask, sparse_mode, pre_tokens, next_tokens, prefix, pse, pse_type)
    return _forward(name, query, key, value, head_num, input_layout, scale, keep_prob, hidden,
                    actual_seq_qlen, actual_seq_kvlen)


def _forward(name: str, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, heads: int,
             layout: str, scale: float, keep_prob: float, hidden: _Hidden, queries: Any,
             keys: Any) -> tuple[Any, ...]:
    require(name, 0 < keep_prob <= 1, f"keep_prob is {keep_prob}, allowed are numbers above 0 up to 1")
    if layout == "TND":
        parts = []
        for number, (of_query, of_key) in enumerate(_sequences(name, queries, keys)):
            q, k, v = (tensor.transpose(0, 1)[None]
                       for tensor in (query[of_query], key[of_key], value[of_key]))
            out, most, total = _attention(q, k, v, scale, keep_prob, hidden, number)
            parts.append((out[0].transpose(0, 1), most[0].t(), total[0].t()))
        out, most, total = (torch.cat(part) for part in zip(*parts))
    else:
        q, k, v = (_heads_first(name, tensor, layout, heads, query) for tensor in (query, key, value))
        out, most, total = _attention(q, k, v, scale, keep_prob, hidden)
        out = _as_given(out, layout)
    nothing = torch.empty(0, dtype=query.dtype, device=query.device)
    repeated = (-1,) * most.dim()
    drawn = (torch.initial_seed() % 2**63, 0, most.numel() * key.shape[0]) if keep_prob < 1 else (0, 0, 0)
    return (out.to(query.dtype), most[..., None].expand(*repeated, 8).contiguous(),
            total[..., None].expand(*repeated, 8).contiguous(), nothing, *drawn)


def _sequences(name: str, queries: Sequence[int] | None,
               keys: Sequence[int] | None) -> list[tuple[slice, slice]]:
    """Sequences one behind the other, which end where the lists say. Zeros at the end name none."""
    require(name, bool(queries) and bool(keys),
            "the layout TND needs actual_seq_qlen and actual_seq_kvlen")
    require(name, len(queries) == len(keys), f"actual_seq_qlen has {len(queries)} sequences, "
            f"actual_seq_kvlen {len(keys)}")
    ends = [(q, k) for q, k in zip(queries, keys) if (q, k) != (0, 0)]
    return [(slice(q0, q1), slice(k0, k1)) for (q0, k0), (q1, k1) in zip([(0, 0), *ends], ends)]


def _heads_first(name: str, tensor: torch.Tensor, layout: str, heads: int,
                 query: torch.Tensor) -> torch.Tensor:
    """As BNSD. Keys may have fewer heads than queries, of the same size."""
    if layout == "BNSD":
        return tensor
    if layout == "BSND":
        return tensor.transpose(1, 2)
    require(name, layout in ("BSH", "SBH"),
            f"input_layout is {layout!r}, allowed are BSH, SBH, BSND, BNSD and TND")
    rows = tensor.transpose(0, 1) if layout == "SBH" else tensor
    batch, length, width = rows.shape
    size = query.shape[-1] // heads
    return rows.reshape(batch, length, width // size, size).transpose(1, 2)


def _as_given(out: torch.Tensor, layout: str) -> torch.Tensor:
    if layout == "BNSD":
        return out
    rows = out.transpose(1, 2).contiguous()
    if layout == "BSND":
        return rows
    rows = rows.flatten(2)
    return rows.transpose(0, 1).contiguous() if layout == "SBH" else rows


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, keep_prob: float,
               hidden: _Hidden, batch: int | None = None) -> tuple[torch.Tensor, ...]:
    repeats = q.shape[1] // k.shape[1]
    k, v = (tensor.float().repeat_interleave(repeats, 1) for tensor in (k, v))
    scores = hidden.scores(q.float() @ k.transpose(-1, -2), scale, batch)
    most = scores.amax(-1)
    # A row without any key gives zeros.
    weights = torch.exp(scores - torch.where(most.isinf(), torch.zeros_like(most), most)[..., None])
    total = weights.sum(-1)
    share = weights / torch.where(total == 0, torch.ones_like(total), total)[..., None]
    if keep_prob < 1:
        share = torch.nn.functional.dropout(share, 1 - keep_prob)
    return share @ v, most, total


def npu_fusion_attention_grad(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, dy: torch.Tensor, head_num: int,
        input_layout: str, *, pse: torch.Tensor | None = None, padding_mask: Any = None,
        atten_mask: torch.Tensor | None = None, softmax_max: torch.Tensor | None = None,
        softmax_sum: torch.Tensor | None = None, softmax_in: Any = None,
        attention_in: torch.Tensor | None = None, scale_value: float = 1.0, keep_prob: float = 1.0,
        pre_tockens: int = _ALL, next_tockens: int = _ALL, inner_precise: int = 0, seed: int = 0,
        offset: int = 0, numels: int = 0, prefix: Sequence[int] | None = None,
        actual_seq_qlen: Sequence[int] | None = None, actual_seq_kvlen: Sequence[int] | None = None,
        sparse_mode: int = 0, gen_mask_parallel: bool = True, sync: bool = False,
        softmax_layout: str = "") -> tuple[torch.Tensor, ...]:
    """The gradients of npu_fusion_attention for query, key and value, and a tensor without elements.

    softmax_max, softmax_sum and attention_in are results of the call, or of several calls over parts
    of the keys that were put together. Raises NotImplementedError for keep_prob below 1."""
    name = "npu_fusion_attention_grad"
    checks.lacks(name, keep_prob_below_1=keep_prob < 1)
    checks.reserved(name, padding_mask=padding_mask)
    require(name, softmax_max is not None and softmax_sum is not None and attention_in is not None,
            "softmax_max, softmax_sum and attention_in are needed")
    hidden = _Hidden(name, atten_mask, sparse_mode, pre_tockens, next_tockens, prefix, pse)
    nothing = torch.empty(0, dtype=query.dtype, device=query.device)
    if input_layout == "TND":
        grads = [torch.zeros_like(tensor) for tensor in (query, key, value)]
        for number, (of_query, of_key) in enumerate(_sequences(name, actual_seq_qlen, actual_seq_kvlen)):
            q, k, v, d, out = (tensor[part].transpose(0, 1)[None] for tensor, part in (
                (query, of_query), (key, of_key), (value, of_key), (dy, of_query), (attention_in, of_query)))
            most, total = (tensor[of_query, :, 0].t()[None] for tensor in (softmax_max, softmax_sum))
            parts = _gradients(q, k, v, d, out, most, total, scale_value, hidden, number)
            for whole, part, where in zip(grads, parts, (of_query, of_key, of_key)):
                whole[where] = part[0].transpose(0, 1).to(whole.dtype)
        return (*grads, nothing)
    q, k, v, d, out = (_heads_first(name, tensor, input_layout, head_num, query)
                       for tensor in (query, key, value, dy, attention_in))
    parts = _gradients(q, k, v, d, out, softmax_max[..., 0], softmax_sum[..., 0], scale_value, hidden)
    return (*(_as_given(part, input_layout).to(query.dtype) for part in parts), nothing)


def _gradients(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, dy: torch.Tensor, out: torch.Tensor,
               most: torch.Tensor, total: torch.Tensor, scale: float, hidden: _Hidden,
               batch: int | None = None) -> tuple[torch.Tensor, ...]:
    kinds, repeats = k.shape[1], q.shape[1] // k.shape[1]
    wide_k, wide_v = (tensor.float().repeat_interleave(repeats, 1) for tensor in (k, v))
    q, dy, out = q.float(), dy.float(), out.float()
    scores = hidden.scores(q @ wide_k.transpose(-1, -2), scale, batch)
    safe = torch.where(most.isinf(), torch.zeros_like(most), most)[..., None]
    share = torch.exp(scores - safe) / torch.where(total == 0, torch.ones_like(total), total)[..., None]
    of_share = dy @ wide_v.transpose(-1, -2)
    of_scores = share * (of_share - (dy * out).sum(-1, keepdim=True)) * scale

    def together(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.unflatten(1, (kinds, repeats)).sum(2)

    return (of_scores @ wide_k, together(of_scores.transpose(-1, -2) @ q),
            together(share.transpose(-1, -2) @ dy))
