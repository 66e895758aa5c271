"""npu_fusion_attention, the attention of training."""

from __future__ import annotations

from typing import Any, Sequence

import torch

_ALL = 2147483647

SCHEMAS = (
    "npu_fusion_attention(Tensor query, Tensor key, Tensor value, int head_num, str input_layout, "
    "Tensor? pse=None, Tensor? padding_mask=None, Tensor? atten_mask=None, float scale=1., "
    "float keep_prob=1., int pre_tockens=2147483647, int next_tockens=2147483647, "
    "int inner_precise=0, int[]? prefix=None, int[]? actual_seq_qlen=None, "
    "int[]? actual_seq_kvlen=None, int sparse_mode=0, bool gen_mask_parallel=True, "
    "bool sync=False) -> (Tensor, Tensor, Tensor, Tensor, int, int, int)",
)


def npu_fusion_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, head_num: int,
                         input_layout: str, pse: Any = None, padding_mask: Any = None,
                         atten_mask: torch.Tensor | None = None, scale: float = 1.0,
                         keep_prob: float = 1.0, pre_tockens: int = _ALL, next_tockens: int = _ALL,
                         inner_precise: int = 0, prefix: Any = None,
                         actual_seq_qlen: Sequence[int] | None = None,
                         actual_seq_kvlen: Sequence[int] | None = None, sparse_mode: int = 0,
                         gen_mask_parallel: bool = True, sync: bool = False) -> tuple[Any, ...]:
    """softmax(scale * query @ key^T, masked) @ value, in the layouts BSH, SBH, BSND, BNSD and TND.

    Returns seven values: the result, in the shape and type of query; the largest score and the sum
    of the exponentials of each row in float32, each (B, N, S, 8), with TND (T, N, 8); an empty
    tensor and three zeros in place of what only the gradient needs on a device. Raises
    NotImplementedError for pse, padding_mask, prefix, keep_prob below 1 and a sparse_mode above 4,
    RuntimeError for another layout and for TND without the ends of the sequences.
    """
    lacking = {"pse": pse is not None, "padding_mask": padding_mask is not None,
               "prefix": prefix is not None, "keep_prob below 1": keep_prob < 1}
    if any(lacking.values()):
        names = ", ".join(name for name, there in lacking.items() if there)
        raise NotImplementedError(f"davsim: npu_fusion_attention has no {names}")
    given = (atten_mask, pre_tockens, next_tockens, sparse_mode)
    if input_layout == "TND":
        out, most, total = _of_rows(query, key, value, scale, actual_seq_qlen, actual_seq_kvlen, given)
    else:
        q, k, v = (_heads_first(tensor, input_layout, head_num, query) for tensor in (query, key, value))
        out, most, total = _attention(q, k, v, scale, given)
        out = _as_given(out, input_layout)
    nothing = torch.empty(0, dtype=query.dtype, device=query.device)
    repeated = (-1,) * most.dim()
    return (out.to(query.dtype), most[..., None].expand(*repeated, 8).contiguous(),
            total[..., None].expand(*repeated, 8).contiguous(), nothing, 0, 0, 0)


def _heads_first(tensor: torch.Tensor, layout: str, heads: int, query: torch.Tensor) -> torch.Tensor:
    """As BNSD. Keys may have fewer heads than queries, of the same size."""
    if layout == "BNSD":
        return tensor
    if layout == "BSND":
        return tensor.transpose(1, 2)
    if layout not in ("BSH", "SBH"):
        raise RuntimeError(f"npu_fusion_attention: input_layout is {layout!r}, allowed are BSH, SBH, "
                           "BSND, BNSD and TND")
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


def _of_rows(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float,
             queries: Sequence[int] | None, keys: Sequence[int] | None,
             given: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    """Sequences one behind the other, which end where the lists say."""
    if not queries or not keys:
        raise RuntimeError("npu_fusion_attention: the layout TND needs actual_seq_qlen and "
                           "actual_seq_kvlen")
    parts = []
    for q0, q1, k0, k1 in zip([0, *queries], queries, [0, *keys], keys):
        q, k, v = (tensor.transpose(0, 1)[None]
                   for tensor in (query[q0:q1], key[k0:k1], value[k0:k1]))
        out, most, total = _attention(q, k, v, scale, given)
        parts.append((out[0].transpose(0, 1), most[0].t(), total[0].t()))
    out, most, total = (torch.cat(part) for part in zip(*parts))
    return out, most, total


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float,
               given: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    repeats = q.shape[1] // k.shape[1]
    k, v = (tensor.float().repeat_interleave(repeats, 1) for tensor in (k, v))
    scores = q.float() @ k.transpose(-1, -2) * scale
    hidden = _hidden(scores, *given)
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    most = scores.amax(-1)
    # A row without any key gives zeros.
    weights = torch.exp(scores - torch.where(most.isinf(), torch.zeros_like(most), most)[..., None])
    total = weights.sum(-1)
    share = weights / torch.where(total == 0, torch.ones_like(total), total)[..., None]
    return share @ v, most, total


def _hidden(scores: torch.Tensor, mask: torch.Tensor | None, before: int, behind: int,
            mode: int) -> torch.Tensor | None:
    """Which keys a query does not see. In the modes 2 to 4 a mask says the same once more, for a
    square of 2048, so that it is not needed here."""
    queries, keys = scores.shape[-2:]
    if mode not in range(5):
        raise NotImplementedError(f"davsim: npu_fusion_attention has sparse_mode 0 to 4, not {mode}")
    if mode < 2 and mask is None:
        return None
    row = torch.arange(queries, device=scores.device)[:, None]
    column = torch.arange(keys, device=scores.device)
    if mode >= 3:  # the last query is beside the last key
        row = row + (keys - queries)
    if mode in (2, 3):
        return column > row
    hidden = (column - row > behind) | (row - column > before) if mode != 1 else column < 0
    if mode == 4:
        return hidden
    return hidden | mask.bool()
