"""Rotary positions in the forms of inference, and what chooses the next token."""

from __future__ import annotations

from typing import Any

import torch

from . import _checks as checks
from ._checks import require
from .elementwise import npu_rotary_mul

SCHEMAS = (
    "npu_interleave_rope(Tensor x, Tensor cos, Tensor sin) -> Tensor",
    "npu_mrope(Tensor positions, Tensor query, Tensor key, Tensor cos_sin_cache, int head_size, *, "
    "int[]? mrope_section=None, str? rotary_mode='half') -> (Tensor, Tensor)",
)
WHOLE = (
    "npu_apply_rotary_pos_emb(Tensor(a!) query, Tensor(b!) key, Tensor cos, Tensor sin, "
    "str layout='BSH', str rotary_mode='half') -> (Tensor(a!), Tensor(b!))",
    "npu_top_k_top_p(Tensor logits, Tensor? p=None, Tensor? k=None) -> Tensor",
)
_LAYOUTS = ("BSH", "BSND", "SBND", "BNSD", "TND")


def npu_apply_rotary_pos_emb(query: torch.Tensor, key: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor,
                             layout: str = "BSH",
                             rotary_mode: str = "half") -> tuple[torch.Tensor, torch.Tensor]:
    """npu_rotary_mul of query and key, in place.

    query, key: [B, S, N, D] with the layouts BSH and BSND, or as the layout says; cos, sin: the same
    with one head, [B, S, 1, D]. Returns query and key."""
    name = "npu_apply_rotary_pos_emb"
    require(name, layout in _LAYOUTS, f"layout is {layout!r}, allowed are {', '.join(_LAYOUTS)}")
    require(name, rotary_mode in ("half", "interleave", "quarter"),
            f"rotary_mode is {rotary_mode!r}, allowed are 'half' and 'interleave'")
    checks.lacks(name, rotary_mode_quarter=rotary_mode == "quarter")
    width = cos.shape[-1]
    for tensor in (query, key):
        turned = npu_rotary_mul(tensor[..., :width], cos, sin, rotary_mode)
        tensor[..., :width].copy_(turned)
    return query, key


def npu_interleave_rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Puts the elements of even places before those of odd ones and turns the halves.

    x: [B, N, S, 64]; cos, sin: [B, 1, S or 1, 64]."""
    name = "npu_interleave_rope"
    checks.require_dim(name, "x", x, 4)
    require(name, x.shape[-1] == 64 and cos.shape[-1] == 64, "the last dimension is 64")
    halves = torch.cat((x[..., ::2], x[..., 1::2]), -1)
    return npu_rotary_mul(halves, cos, sin)


def npu_mrope(positions: torch.Tensor, query: torch.Tensor, key: torch.Tensor,
              cos_sin_cache: torch.Tensor, head_size: int, *, mrope_section: Any = None,
              rotary_mode: str | None = "half") -> tuple[torch.Tensor, torch.Tensor]:
    """Turns the first elements of each head by positions of one or three kinds.

    positions: [t] or [3, t]; query, key: [t, heads * head_size]; cos_sin_cache: [positions, width],
    whose first half are cosines; mrope_section: how many of the width's half each kind turns, three
    numbers, all 0 for one kind. Returns query and key, turned."""
    name = "npu_mrope"
    mode = rotary_mode or "half"
    require(name, mode in ("half", "interleave"), f"rotary_mode is {mode!r}, allowed are 'half' and "
            "'interleave'")
    section = [part for part in (mrope_section or []) if part]
    cos, sin = cos_sin_cache.float()[positions.long()].chunk(2, -1)
    if section:
        require(name, positions.dim() == 2 and positions.shape[0] == len(section),
                f"positions are {list(positions.shape)}, expected is [{len(section)}, t]")
        require(name, sum(section) == cos.shape[-1],
                f"mrope_section has the sum {sum(section)}, expected is {cos.shape[-1]}")
        cos, sin = (torch.cat([part[kind] for kind, part in enumerate(table.split(section, -1))], -1)
                    for table in (cos, sin))
    elif cos.dim() == 3:
        cos, sin = cos[0], sin[0]
    return tuple(_turned(tensor, cos, sin, head_size, mode) for tensor in (query, key))


def _turned(tensor: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, size: int,
            mode: str) -> torch.Tensor:
    heads = tensor.reshape(tensor.shape[0], -1, size)
    width = 2 * cos.shape[-1]
    doubled = [torch.cat((table, table), -1) if mode == "half" else table.repeat_interleave(2, -1)
               for table in (cos, sin)]
    first = npu_rotary_mul(heads[..., :width], doubled[0][:, None], doubled[1][:, None], mode)
    return torch.cat((first, heads[..., width:]), -1).reshape(tensor.shape)


def npu_top_k_top_p(logits: torch.Tensor, p: torch.Tensor | None = None,
                    k: torch.Tensor | None = None) -> torch.Tensor:
    """logits, with -inf for all but the k most of a row, and of these but the most whose shares make up p.

    logits: [b, v]; k: int32 [b]; p: [b]."""
    name = "npu_top_k_top_p"
    checks.require_dim(name, "logits", logits, 2)
    checks.require_shape(name, "k", k, logits.shape[:1])
    checks.require_shape(name, "p", p, logits.shape[:1])
    values, order = logits.float().sort(-1)
    if k is not None:
        least = values.gather(1, (values.shape[1] - k.long().clamp(1, values.shape[1]))[:, None])
        values = values.masked_fill(values < least, float("-inf"))
    if p is not None:
        below = torch.softmax(values, -1).cumsum(-1) <= 1 - p.float()[:, None]
        below[:, -1] = False
        values = values.masked_fill(below, float("-inf"))
    return torch.empty_like(values).scatter(1, order, values).to(logits.dtype)
