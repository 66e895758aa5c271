"""The choice of experts, and the way of tokens to them and back."""

from __future__ import annotations

from typing import Any

import torch

from . import _checks as checks
from ._checks import require
from .quantise import npu_dynamic_quant

SCHEMAS = (
    "npu_moe_gating_top_k_softmax(Tensor x, Tensor? finished=None, int k=1) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_moe_gating_top_k(Tensor x, int k, *, Tensor? bias=None, int k_group=1, int group_count=1, "
    "int group_select_mode=0, int renorm=0, int norm_type=0, bool out_flag=False, "
    "float routed_scaling_factor=1.0, float eps=1e-20) -> (Tensor, Tensor, Tensor)",
)
_ROUTING = "Tensor? scale=None, Tensor? offset=None, "
WHOLE = (
    "npu_moe_init_routing(Tensor x, Tensor row_idx, Tensor expert_idx, int active_num) -> "
    "(Tensor, Tensor, Tensor)",
    f"npu_moe_init_routing_v2(Tensor x, Tensor expert_idx, *, {_ROUTING}int active_num=-1, "
    "int expert_capacity=-1, int expert_num=-1, int drop_pad_mode=0, int expert_tokens_num_type=0, "
    "bool expert_tokens_num_flag=False, int quant_mode=0, int[] active_expert_range=[], "
    "int row_idx_type=0) -> (Tensor, Tensor, Tensor, Tensor)",
    f"npu_moe_init_routing_quant(Tensor x, Tensor expert_idx, *, {_ROUTING}int active_num=1024, "
    "int expert_capacity=0, int expert_num=256, int drop_pad_mode=0, int expert_tokens_num_mode=0, "
    "bool expert_tokens_before_capacity_flag=False, int quant_mode=1) -> "
    "(Tensor, Tensor, Tensor, Tensor, Tensor)",
    "npu_moe_compute_expert_tokens(Tensor sorted_expert_for_source_row, int num_expert) -> Tensor",
    "npu_moe_finalize_routing(Tensor expanded_permuted_rows, Tensor? skip1, Tensor? skip2, "
    "Tensor? bias, Tensor? scales, Tensor expanded_src_to_dst_row, Tensor? export_for_source_row, "
    "int? drop_pad_mode=0) -> Tensor",
    "npu_moe_re_routing(Tensor tokens, Tensor expert_token_num_per_rank, *, "
    "Tensor? per_token_scales=None, int expert_token_num_type=1, int idx_type=0) -> "
    "(Tensor, Tensor, Tensor, Tensor)",
)


def npu_moe_gating_top_k_softmax(
        x: torch.Tensor, finished: torch.Tensor | None = None,
        k: int = 1) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The k most of the softmax, their experts, and where row i of choice j stands if all first
    choices come before all second ones. A row that is finished has the expert behind the last."""
    values, experts = torch.softmax(x.float(), -1).topk(k, -1)
    if finished is not None:
        experts = experts.masked_fill(finished[..., None], x.shape[-1])
    rows = values.shape[:-1].numel()
    places = torch.arange(rows * k, dtype=torch.int32, device=x.device).view(k, rows).t()
    return values.to(x.dtype), experts.int(), places.reshape(values.shape).contiguous()


def npu_moe_gating_top_k(
        x: torch.Tensor, k: int, *, bias: torch.Tensor | None = None, k_group: int = 1,
        group_count: int = 1, group_select_mode: int = 0, renorm: int = 0, norm_type: int = 0,
        out_flag: bool = False, routed_scaling_factor: float = 1.0,
        eps: float = 1e-20) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The k best experts of each row, from the k_group best of group_count groups.

    x: [m, e]; norm_type: 0 softmax, 1 sigmoid; bias: [e], added for the choice alone.
    group_select_mode: a group counts as its best expert (0), or as the sum of its two best (1).
    Returns the shares of the chosen, [m, k] in the type of x; their experts, int32; and the shares of
    all, float32 [m, e]. The shares of a sigmoid are divided by their sum + eps, and all are
    multiplied by routed_scaling_factor. Raises RuntimeError for other arguments."""
    name = "npu_moe_gating_top_k"
    checks.require_dim(name, "x", x, 2)
    experts = x.shape[1]
    require(name, renorm == 0, f"renorm is {renorm}, allowed is 0")
    require(name, norm_type in (0, 1), f"norm_type is {norm_type}, allowed are 0 and 1")
    require(name, group_select_mode in (0, 1), f"group_select_mode is {group_select_mode}, allowed are 0 and 1")
    require(name, group_count > 0 and experts % group_count == 0,
            f"group_count is {group_count}, which does not divide {experts} experts")
    require(name, 1 <= k_group <= group_count, f"k_group is {k_group}, allowed are 1 to {group_count}")
    require(name, 1 <= k <= experts // group_count * k_group,
            f"k is {k}, allowed are 1 to {experts // group_count * k_group}")
    checks.require_shape(name, "bias", bias, (experts,))
    wide = x.float()
    shares = torch.softmax(wide, -1) if norm_type == 0 else torch.sigmoid(wide)
    ranked = shares if bias is None else shares + bias.float()
    if group_count > 1 and k_group < group_count:
        groups = ranked.view(-1, group_count, experts // group_count)
        best = groups.amax(-1) if group_select_mode == 0 else groups.topk(2, -1)[0].sum(-1)
        chosen = torch.zeros_like(best, dtype=torch.bool).scatter(1, best.topk(k_group, -1)[1], True)
        ranked = groups.masked_fill(~chosen[..., None], float("-inf")).view(-1, experts)
    places = ranked.topk(k, -1)[1]
    values = shares.gather(1, places)
    if norm_type == 1:
        values = values / (values.sum(-1, keepdim=True) + eps)
    return (values * routed_scaling_factor).to(x.dtype), places.int(), shares


def npu_moe_init_routing(x: torch.Tensor, row_idx: torch.Tensor, expert_idx: torch.Tensor,
                         active_num: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows of tokens by the order of their experts.

    x: [m, h]; row_idx, expert_idx: int32 [m, k] of npu_moe_gating_top_k_softmax. Returns the rows
    [min(m, active_num) k, h]; where row row_idx stands in them, int32 [m k]; and the experts in their
    order, int32 [m k]."""
    name = "npu_moe_init_routing"
    checks.require_dim(name, "x", x, 2)
    checks.require_type(name, "expert_idx", expert_idx, torch.int32)
    checks.require_shape(name, "row_idx", row_idx, expert_idx.shape)
    require(name, expert_idx.dim() == 2 and expert_idx.shape[0] == x.shape[0],
            f"expert_idx is {list(expert_idx.shape)}, expected is [{x.shape[0]}, k]")
    require(name, active_num >= 0, f"active_num is {active_num}, it is at least 0")
    experts, order = expert_idx.flatten().sort(stable=True)
    rows = row_idx.flatten()[order].long()
    require(name, rows.numel() == 0 or (rows.min() >= 0 and rows.max() < rows.numel()),
            f"row_idx has numbers outside of 0 to {rows.numel() - 1}")
    places = torch.zeros(rows.numel(), dtype=torch.int32)
    places[rows] = torch.arange(rows.numel(), dtype=torch.int32)
    kept = rows[:min(x.shape[0], active_num) * expert_idx.shape[1]]
    return x[kept % x.shape[0]], places, experts


def npu_moe_init_routing_v2(
        x: torch.Tensor, expert_idx: torch.Tensor, *, scale: torch.Tensor | None = None,
        offset: torch.Tensor | None = None, active_num: int = -1, expert_capacity: int = -1,
        expert_num: int = -1, drop_pad_mode: int = 0, expert_tokens_num_type: int = 0,
        expert_tokens_num_flag: bool = False, quant_mode: int = 0, active_expert_range: Any = (),
        row_idx_type: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows of tokens by the order of their experts, those of a range of experts alone.

    x: [m, h]; expert_idx: int32 [m, k]; active_expert_range: the first expert and that behind the
    last. quant_mode: -1 none, with scale [m] of the rows; 1 dynamic to int8, with scale
    [experts of the range, h] before it. expert_tokens_num_type: tokens of each expert as running
    sums (0), numbers (1), or pairs of an expert and its number, [expert_num, 2] (2).
    Returns the rows [m k, h]; int32 [m k]: with row_idx_type 0 where choice i of a token stands in
    them, with 1 which choice row i is; int64 numbers of tokens; and the rows' scales, float32 [m k].
    What is of no expert of the range is 0, and -1 among the places."""
    name = "npu_moe_init_routing_v2"
    require(name, quant_mode in (-1, 1), f"quant_mode is {quant_mode}, allowed are -1 and 1")
    require(name, drop_pad_mode == 0, f"drop_pad_mode is {drop_pad_mode}, allowed is 0")
    require(name, row_idx_type in (0, 1), f"row_idx_type is {row_idx_type}, allowed are 0 and 1")
    require(name, expert_tokens_num_type in (0, 1, 2),
            f"expert_tokens_num_type is {expert_tokens_num_type}, allowed are 0, 1 and 2")
    checks.reserved(name, offset=offset)
    require(name, expert_idx.dim() == 2 and expert_idx.shape[0] == x.shape[0],
            f"expert_idx is {list(expert_idx.shape)}, expected is [{x.shape[0]}, k]")
    total, choices = expert_idx.numel(), expert_idx.shape[1]
    first, last = tuple(active_expert_range) or (0, expert_num)
    require(name, 0 <= first < last <= expert_num,
            f"active_expert_range is [{first}, {last}], experts are 0 to {expert_num}")
    require(name, active_num in (-1, total),
            f"active_num is {active_num}, allowed is {total}, all of expert_idx")
    flat = expert_idx.flatten()
    require(name, total == 0 or (flat.min() >= 0 and flat.max() < expert_num),
            f"expert_idx has numbers outside of 0 to {expert_num - 1}")
    order = flat.sort(stable=True)[1]
    order = order[(flat[order] >= first) & (flat[order] < last)]
    kept, tokens = order.numel(), torch.div(order, choices, rounding_mode="floor")
    out, scales = _moved(name, x, tokens, flat[order].long() - first, scale, quant_mode, last - first)
    places = torch.full((total,), -1, dtype=torch.int32)
    if row_idx_type == 0:
        places[order] = torch.arange(kept, dtype=torch.int32)
    else:
        places[:kept] = order.int()
    counts = torch.bincount(flat[order].long() - first, minlength=last - first)
    if expert_tokens_num_type == 0:
        counts = counts.cumsum(0)
    elif expert_tokens_num_type == 2:
        used = counts.nonzero().flatten()
        pairs = torch.zeros(expert_num, 2, dtype=torch.int64)
        pairs[:used.numel()] = torch.stack([used + first, counts[used]], 1)
        counts = pairs
    rows = torch.zeros(total, *out.shape[1:], dtype=out.dtype)
    rows[:kept] = out
    all_scales = torch.zeros(total)
    if scales is not None:
        all_scales[:kept] = scales
    return rows, places, counts, all_scales


def _moved(name: str, x: torch.Tensor, tokens: torch.Tensor, experts: torch.Tensor,
           scale: torch.Tensor | None, mode: int,
           count: int) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The tokens, and their scales: given ones, or those of numbers of 8 bits."""
    rows = x[tokens]
    if mode == -1:
        checks.require_shape(name, "scale", scale, x.shape[:1])
        return rows, None if scale is None else scale[tokens].float()
    require(name, x.dtype != torch.int8, "x of int8 has quant_mode -1")
    wide = rows.float()
    if scale is not None:
        checks.require_shape(name, "scale", scale, (count, x.shape[1]), (1, x.shape[1]))
        wide = wide * scale.float()[experts if scale.shape[0] == count else torch.zeros_like(experts)]
    return npu_dynamic_quant(wide) if wide.numel() else (wide.to(torch.int8), torch.zeros(0))


def npu_moe_init_routing_quant(
        x: torch.Tensor, expert_idx: torch.Tensor, *, scale: torch.Tensor | None = None,
        offset: torch.Tensor | None = None, active_num: int = 1024, expert_capacity: int = 0,
        expert_num: int = 256, drop_pad_mode: int = 0, expert_tokens_num_mode: int = 0,
        expert_tokens_before_capacity_flag: bool = False,
        quant_mode: int = 1) -> tuple[torch.Tensor, ...]:
    """Rows of tokens by the order of their experts, as int8.

    x: [m, h]; expert_idx: int32 [m, k]; scale: float32 [1, h] or [expert_num, h]. active_num: the
    most rows; 0 for all. expert_tokens_num_mode: 0 no numbers, 1 running sums, 2 numbers.
    Returns int8 [rows, h]; where choice i of a token stands, int32 [m k]; int32 [expert_num]
    numbers of tokens, or a tensor without elements; another without elements; and float32 [rows]."""
    name = "npu_moe_init_routing_quant"
    checks.lacks(name, drop_pad_mode=bool(drop_pad_mode),
                 expert_tokens_before_capacity_flag=expert_tokens_before_capacity_flag)
    require(name, quant_mode == 1, f"quant_mode is {quant_mode}, allowed is 1, dynamic")
    checks.reserved(name, offset=offset)
    rows, places, counts, scales = npu_moe_init_routing_v2(
        x, expert_idx, scale=scale, expert_num=expert_num, quant_mode=1,
        expert_tokens_num_type=0 if expert_tokens_num_mode == 1 else 1)
    kept = min(active_num, rows.shape[0]) if active_num > 0 else rows.shape[0]
    nothing = torch.empty(0, dtype=torch.int32)
    numbers = nothing if expert_tokens_num_mode == 0 else counts.int()
    return rows[:kept].contiguous(), places, numbers, nothing.clone(), scales[:kept].contiguous()


def npu_moe_compute_expert_tokens(sorted_expert_for_source_row: torch.Tensor,
                                  num_expert: int) -> torch.Tensor:
    """How many rows experts up to each one have: [num_expert]. The experts of rows are given in order."""
    name = "npu_moe_compute_expert_tokens"
    checks.require_dim(name, "sorted_expert_for_source_row", sorted_expert_for_source_row, 1)
    checks.require_type(name, "sorted_expert_for_source_row", sorted_expert_for_source_row, torch.int32)
    require(name, num_expert > 0, f"num_expert is {num_expert}, it is above 0")
    experts = torch.arange(num_expert, dtype=torch.int32)
    return torch.searchsorted(sorted_expert_for_source_row.contiguous(), experts, right=True).int()


def npu_moe_finalize_routing(
        expanded_permuted_rows: torch.Tensor, skip1: torch.Tensor | None, skip2: torch.Tensor | None,
        bias: torch.Tensor | None, scales: torch.Tensor | None, expanded_src_to_dst_row: torch.Tensor,
        export_for_source_row: torch.Tensor | None, drop_pad_mode: int | None = 0) -> torch.Tensor:
    """skip1 + skip2 + the sum over a token's choices of scales * (its row + bias of the expert).

    expanded_permuted_rows: [m k, h], with drop_pad_mode 1 and 3 [e, c, h]; skip1, skip2: [m, h];
    bias: [e, h]; scales: [m, k]; export_for_source_row: int32 [m, k], the experts.
    expanded_src_to_dst_row: int32 [m k], the row of choice j of token i at j m + i, with
    drop_pad_mode 2 and 3 at i k + j; below 0: none. Returns [m, h]."""
    name = "npu_moe_finalize_routing"
    mode = drop_pad_mode or 0
    require(name, mode in range(4), f"drop_pad_mode is {mode}, allowed are 0 to 3")
    checks.require_dim(name, "expanded_permuted_rows", expanded_permuted_rows, 3 if mode in (1, 3) else 2)
    require(name, skip2 is None or skip1 is not None, "skip2 needs skip1")
    require(name, bias is None or export_for_source_row is not None, "bias needs export_for_source_row")
    rows = expanded_permuted_rows.reshape(-1, expanded_permuted_rows.shape[-1]).float()
    count = expanded_src_to_dst_row.numel()
    known = [tensor.shape[0] for tensor in (scales, skip1, export_for_source_row) if tensor is not None]
    tokens = known[0] if known else count
    require(name, all(number == tokens for number in known) and count % max(tokens, 1) == 0,
            f"expanded_src_to_dst_row has {count} elements, which are not those of {tokens} tokens")
    choices = count // max(tokens, 1)
    checks.require_shape(name, "scales", scales, (tokens, choices))
    places = expanded_src_to_dst_row.long().flatten()
    places = places.view(tokens, choices) if mode >= 2 else places.view(choices, tokens).t()
    require(name, count == 0 or places.max() < rows.shape[0],
            f"expanded_src_to_dst_row has numbers above {rows.shape[0] - 1}")
    require(name, mode in (1, 3) or count == 0 or places.min() >= 0,
            "expanded_src_to_dst_row has numbers below 0, which drop_pad_mode 1 and 3 have")
    chosen = rows[places.clamp(min=0)] * (places >= 0).float()[..., None]
    if bias is not None:
        chosen = chosen + bias.float()[export_for_source_row.long()]
    if scales is not None:
        chosen = chosen * scales.float()[..., None]
    result = chosen.sum(1)
    for skip in (skip1, skip2):
        if skip is not None:
            checks.require_shape(name, "skip", skip, result.shape)
            result = result + skip.float()
    return result.to(expanded_permuted_rows.dtype)


def npu_moe_re_routing(
        tokens: torch.Tensor, expert_token_num_per_rank: torch.Tensor, *,
        per_token_scales: torch.Tensor | None = None, expert_token_num_type: int = 1,
        idx_type: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens that lie by rank and within it by expert, by expert and within it by rank.

    tokens: [a, h]; expert_token_num_per_rank: [ranks, experts]; per_token_scales: float32 [a].
    Returns [a, h]; the scales, or zeros; where each token was, int32 [a]; tokens of each expert."""
    name = "npu_moe_re_routing"
    require(name, expert_token_num_type == 1 and idx_type == 0,
            "expert_token_num_type is 1 and idx_type 0")
    checks.require_dim(name, "expert_token_num_per_rank", expert_token_num_per_rank, 2)
    counts = expert_token_num_per_rank.long()
    require(name, int(counts.sum()) == tokens.shape[0],
            f"expert_token_num_per_rank has {int(counts.sum())} tokens, there are {tokens.shape[0]}")
    experts = torch.arange(counts.shape[1]).repeat(counts.shape[0])
    order = experts.repeat_interleave(counts.flatten()).sort(stable=True)[1]
    scales = torch.zeros(tokens.shape[0]) if per_token_scales is None else per_token_scales[order]
    return tokens[order], scales, order.int(), counts.sum(0).to(expert_token_num_per_rank.dtype)
