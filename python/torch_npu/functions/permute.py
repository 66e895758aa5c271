"""Tokens by the order of their experts and back, in training."""

from __future__ import annotations

from typing import Any

import torch

from . import _checks as checks
from ._checks import require

_MAP = "Tensor? probs=None, "
SCHEMAS = (
    "npu_moe_token_permute(Tensor tokens, Tensor indices, int? num_out_tokens=None, "
    "bool padded_mode=False) -> (Tensor, Tensor)",
    "npu_moe_token_unpermute(Tensor permuted_tokens, Tensor sorted_indices, Tensor? probs=None, "
    "bool padded_mode=False, int[]? restore_shape=None) -> Tensor",
    f"npu_moe_token_permute_with_routing_map(Tensor tokens, Tensor routing_map, *, {_MAP}"
    "int? num_out_tokens=None, bool drop_and_pad=False) -> (Tensor, Tensor, Tensor)",
    "npu_moe_token_unpermute_with_routing_map(Tensor permuted_tokens, Tensor sorted_indices, "
    f"int[] restore_shape, *, {_MAP}Tensor? routing_map=None, bool drop_and_pad=False) -> Tensor",
)


def npu_moe_token_permute(tokens: torch.Tensor, indices: torch.Tensor, num_out_tokens: Any = None,
                          padded_mode: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of tokens by the order of their experts.

    tokens: [m, h]; indices: the experts, [m, k] or [m]. num_out_tokens: the most rows; None or 0 for
    all, below 0 for so many less than all. Returns the rows, and where choice i stands, int32 [m k]."""
    name = "npu_moe_token_permute"
    checks.lacks(name, padded_mode=padded_mode)
    require(name, indices.dim() in (1, 2) and indices.shape[0] == tokens.shape[0],
            f"indices are {list(indices.shape)}, expected is [{tokens.shape[0]}, k]")
    choices = 1 if indices.dim() == 1 else indices.shape[1]
    order = indices.flatten().sort(stable=True)[1]
    places = order.argsort().int()
    count = num_out_tokens or 0
    kept = min(count, order.numel()) if count > 0 else max(order.numel() + count, 0)
    return tokens[torch.div(order[:kept], choices, rounding_mode="floor")], places


def npu_moe_token_unpermute(permuted_tokens: torch.Tensor, sorted_indices: torch.Tensor,
                            probs: torch.Tensor | None = None, padded_mode: bool = False,
                            restore_shape: Any = None) -> torch.Tensor:
    """The sum over a token's choices of their rows, each times its share.

    permuted_tokens: [rows, h]; sorted_indices: of npu_moe_token_permute, [m k]; probs: [m, k], one
    choice without it. Rows that were left out count as 0. Returns [m, h]."""
    name = "npu_moe_token_unpermute"
    checks.lacks(name, padded_mode=padded_mode)
    choices = 1 if probs is None else probs.shape[-1]
    require(name, sorted_indices.numel() % choices == 0 and (
        probs is None or probs.numel() == sorted_indices.numel()),
            f"sorted_indices has {sorted_indices.numel()} elements, probs is "
            f"{None if probs is None else list(probs.shape)}")
    places = sorted_indices.long()
    there = places < permuted_tokens.shape[0]
    rows = permuted_tokens.float()[places.masked_fill(~there, 0)] * there.float()[:, None]
    if probs is not None:
        rows = rows * probs.float().reshape(-1, 1)
    return rows.view(-1, choices, rows.shape[-1]).sum(1).to(permuted_tokens.dtype)


def npu_moe_token_permute_with_routing_map(
        tokens: torch.Tensor, routing_map: torch.Tensor, *, probs: torch.Tensor | None = None,
        num_out_tokens: Any = None,
        drop_and_pad: bool = False) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows of tokens by expert, and within it in their order.

    tokens: [m, h]; routing_map: bool or 0 and 1, [m, e]; probs: [m, e]. num_out_tokens: all choices,
    or with drop_and_pad e times the capacity. Returns the rows [n, h]; their shares [n], without
    elements if there are no probs; and int32 [n]: where each choice of token 0, 1, ... stands, with
    drop_and_pad the token of each row."""
    name = "npu_moe_token_permute_with_routing_map"
    checks.require_shape(name, "probs", probs, routing_map.shape)
    require(name, routing_map.dim() == 2 and routing_map.shape[0] == tokens.shape[0],
            f"routing_map is {list(routing_map.shape)}, expected is [{tokens.shape[0]}, e]")
    by_expert = routing_map.bool().t()
    experts, count = by_expert.shape
    if drop_and_pad:
        require(name, num_out_tokens is not None and num_out_tokens % experts == 0,
                f"num_out_tokens is {num_out_tokens}, a multiple of {experts}")
        order = (~by_expert).int().sort(dim=-1, stable=True)[1][:, :num_out_tokens // experts]
        shares = None if probs is None else probs.t().gather(1, order).flatten()
        taken = order.flatten()
        places = taken.int()
    else:
        numbers = torch.arange(count, device=tokens.device).expand(experts, count)
        taken = numbers.masked_select(by_expert)
        require(name, num_out_tokens in (None, 0, taken.numel()),
                f"num_out_tokens is {num_out_tokens}, routing_map has {taken.numel()} choices")
        shares = None if probs is None else probs.t().masked_select(by_expert)
        places = taken.sort(stable=True)[1].int()
    nothing = torch.empty(0, dtype=tokens.dtype, device=tokens.device)
    return tokens[taken], nothing if shares is None else shares, places


def npu_moe_token_unpermute_with_routing_map(
        permuted_tokens: torch.Tensor, sorted_indices: torch.Tensor, restore_shape: Any, *,
        probs: torch.Tensor | None = None, routing_map: torch.Tensor | None = None,
        drop_and_pad: bool = False) -> torch.Tensor:
    """Adds the rows of npu_moe_token_permute_with_routing_map up to their tokens, each times its share.

    permuted_tokens: [n, h]; sorted_indices: of that function; restore_shape: [m, h]; probs and
    routing_map: [m, e]. Returns [m, h]."""
    name = "npu_moe_token_unpermute_with_routing_map"
    require(name, drop_and_pad or routing_map is not None, "routing_map is needed without drop_and_pad")
    rows, count = permuted_tokens.float(), restore_shape[0]
    if drop_and_pad:
        taken = sorted_indices.long()
        if probs is not None:
            by_expert = taken.view(probs.shape[1], -1)
            rows = rows * probs.t().gather(1, by_expert).float().reshape(-1, 1)
    else:
        by_expert = routing_map.bool().t()
        numbers = torch.arange(count, device=rows.device).expand(by_expert.shape[0], count)
        taken = numbers.masked_select(by_expert)
        if probs is not None:
            rows = rows * probs.t().masked_select(by_expert).float()[:, None]
    require(name, taken.numel() == rows.shape[0],
            f"permuted_tokens has {rows.shape[0]} rows, there are {taken.numel()} choices")
    whole = torch.zeros(*restore_shape, device=rows.device)
    return whole.index_add(0, taken, rows).to(permuted_tokens.dtype)
