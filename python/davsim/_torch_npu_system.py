"""The public operators of several dies; davsim.torch_npu has them under its name.

Each rank calls them from a thread of its own, within `with system.rank(r):` (davsim.System). What a
mode does not put out is None.
"""

from __future__ import annotations

from typing import Any

from ._system import run_as_rank
from .errors import UsageError

Tensor = Any
# Results of dispatch behind expand_x, dynamic_scales and what combine finds origins by.
_COUNTS = ("expert_token_nums", "ep_recv_counts", "tp_recv_counts", "expand_scales")


def npu_moe_distribute_dispatch(
        x: Tensor, expert_ids: Tensor, group_ep: str, ep_world_size: int, ep_rank_id: int,
        moe_expert_num: int, *, scales: Tensor | None = None, x_active_mask: Tensor | None = None,
        expert_scales: Tensor | None = None, group_tp: str = "", tp_world_size: int = 0,
        tp_rank_id: int = 0, expert_shard_type: int = 0, shared_expert_num: int = 1,
        shared_expert_rank_num: int = 0, quant_mode: int = 0, global_bs: int = 0,
        expert_token_nums_type: int = 1) -> tuple[Tensor | None, ...]:
    """Sends each token to the ranks of its experts; docs/operators/moe_distribute.md.

    Returns expand_x, dynamic_scales, expand_idx, expert_token_nums, ep_recv_counts,
    tp_recv_counts, expand_scales.
    """
    outputs = run_as_rank("npu_moe_distribute_dispatch", locals())
    return tuple(outputs.get(name)
                 for name in ("expand_x", "dynamic_scales", "expand_idx", *_COUNTS))


def npu_moe_distribute_dispatch_v2(
        x: Tensor, expert_ids: Tensor, group_ep: str, ep_world_size: int, ep_rank_id: int,
        moe_expert_num: int, *, scales: Tensor | None = None, x_active_mask: Tensor | None = None,
        expert_scales: Tensor | None = None, elastic_info: Tensor | None = None,
        performance_info: Tensor | None = None, group_tp: str = "", tp_world_size: int = 0,
        tp_rank_id: int = 0, expert_shard_type: int = 0, shared_expert_num: int = 1,
        shared_expert_rank_num: int = 0, quant_mode: int = 0, global_bs: int = 0,
        expert_token_nums_type: int = 1, comm_alg: str = "", zero_expert_num: int = 0,
        copy_expert_num: int = 0, const_expert_num: int = 0) -> tuple[Tensor | None, ...]:
    """As the first version, with more modes; performance_info is updated in place.

    Returns expand_x, dynamic_scales, assist_info_for_combine, expert_token_nums, ep_recv_counts,
    tp_recv_counts, expand_scales.
    """
    outputs = run_as_rank("npu_moe_distribute_dispatch_v2", locals())
    return tuple(outputs.get(name)
                 for name in ("expand_x", "dynamic_scales", "assist_info_for_combine", *_COUNTS))


def npu_moe_distribute_combine(
        expand_x: Tensor, expert_ids: Tensor, expand_idx: Tensor, ep_send_counts: Tensor,
        expert_scales: Tensor, group_ep: str, ep_world_size: int, ep_rank_id: int,
        moe_expert_num: int, *, tp_send_counts: Tensor | None = None,
        x_active_mask: Tensor | None = None, activation_scale: Tensor | None = None,
        weight_scale: Tensor | None = None, group_list: Tensor | None = None,
        expand_scales: Tensor | None = None, shared_expert_x: Tensor | None = None,
        group_tp: str = "", tp_world_size: int = 0, tp_rank_id: int = 0, expert_shard_type: int = 0,
        shared_expert_num: int = 1, shared_expert_rank_num: int = 0, global_bs: int = 0,
        out_dtype: int = 0, comm_quant_mode: int = 0, group_list_type: int = 0) -> Tensor:
    """Brings the rows of the experts back and adds them up: x, [BS, H]."""
    return run_as_rank("npu_moe_distribute_combine", locals())["x"]


def npu_moe_distribute_combine_v2(
        expand_x: Tensor, expert_ids: Tensor, assist_info_for_combine: Tensor,
        ep_send_counts: Tensor, expert_scales: Tensor, group_ep: str, ep_world_size: int,
        ep_rank_id: int, moe_expert_num: int, *, tp_send_counts: Tensor | None = None,
        x_active_mask: Tensor | None = None, expand_scales: Tensor | None = None,
        shared_expert_x: Tensor | None = None, elastic_info: Tensor | None = None,
        ori_x: Tensor | None = None, const_expert_alpha_1: Tensor | None = None,
        const_expert_alpha_2: Tensor | None = None, const_expert_v: Tensor | None = None,
        performance_info: Tensor | None = None, group_tp: str = "", tp_world_size: int = 0,
        tp_rank_id: int = 0, expert_shard_type: int = 0, shared_expert_num: int = 1,
        shared_expert_rank_num: int = 0, global_bs: int = 0, comm_quant_mode: int = 0,
        comm_alg: str = "", zero_expert_num: int = 0, copy_expert_num: int = 0,
        const_expert_num: int = 0) -> Tensor:
    """As the first version, with more modes; performance_info is updated in place."""
    return run_as_rank("npu_moe_distribute_combine_v2", locals())["x"]


def npu_mm_all_reduce_base(
        x1: Tensor, x2: Tensor, hcom: str, *, reduce_op: str = "sum", bias: Tensor | None = None,
        antiquant_scale: Tensor | None = None, antiquant_offset: Tensor | None = None,
        x3: Tensor | None = None, dequant_scale: Tensor | None = None,
        pertoken_scale: Tensor | None = None, comm_quant_scale_1: Tensor | None = None,
        comm_quant_scale_2: Tensor | None = None, antiquant_group_size: int = 0,
        comm_turn: int = 0) -> Tensor:
    """The sum over the ranks of x1 x x2 + bias; docs/operators/matmul_collective.md."""
    arguments = dict(locals())
    if arguments.pop("antiquant_group_size") != 0:
        raise UsageError(f"antiquant_group_size is {antiquant_group_size}",
                         rule="npu_mm_all_reduce_base takes no quantised weights: it is 0")
    return run_as_rank("npu_mm_all_reduce_base", arguments)["y"]


def npu_all_gather_base_mm(
        input: Tensor, x2: Tensor, hcom: str, world_size: int, *,  # pylint: disable=redefined-builtin
        bias: Tensor | None = None, gather_index: int = 0, gather_output: bool = True,
        comm_turn: int = 0) -> tuple[Tensor, Tensor | None]:
    """The rows of all ranks x x2. Returns output and, with gather_output, these rows."""
    outputs = run_as_rank("npu_all_gather_base_mm", locals())
    return outputs["output"], outputs.get("gather_out")


def npu_mm_reduce_scatter_base(
        input: Tensor, x2: Tensor, hcom: str, world_size: int, *,  # pylint: disable=redefined-builtin
        reduce_op: str = "sum", bias: Tensor | None = None, comm_turn: int = 0) -> Tensor:
    """This rank's rows of the sum over the ranks of input x x2."""
    return run_as_rank("npu_mm_reduce_scatter_base", locals())["output"]
