"""Systems of dies, and the public names of the operators that run on several of them."""

import json
import inspect
import pathlib
import subprocess
import threading

import numpy as np
import pytest
from conftest import bits, read_safetensors

import davsim
from davsim import _worker, torch_npu

REQUIRED = inspect.Parameter.empty

# Positional parameters, and keyword-only parameters with their defaults, as they are documented.
MOE = ["group_ep", "ep_world_size", "ep_rank_id", "moe_expert_num"]
TENSOR_PARALLEL = {"group_tp": "", "tp_world_size": 0, "tp_rank_id": 0, "expert_shard_type": 0,
                   "shared_expert_num": 1, "shared_expert_rank_num": 0, "global_bs": 0}
SPECIAL = {"comm_alg": "", "zero_expert_num": 0, "copy_expert_num": 0, "const_expert_num": 0,
           "elastic_info": None, "performance_info": None}
DISPATCH = {"scales": None, "x_active_mask": None, "expert_scales": None, "quant_mode": 0,
            "expert_token_nums_type": 1, **TENSOR_PARALLEL}
COMBINE = {"tp_send_counts": None, "x_active_mask": None, "expand_scales": None,
           "shared_expert_x": None, "comm_quant_mode": 0, **TENSOR_PARALLEL}
SIGNATURES = {
    "npu_moe_distribute_dispatch": (["x", "expert_ids", *MOE], DISPATCH),
    "npu_moe_distribute_dispatch_v2": (["x", "expert_ids", *MOE], {**DISPATCH, **SPECIAL}),
    "npu_moe_distribute_combine": (
        ["expand_x", "expert_ids", "expand_idx", "ep_send_counts", "expert_scales", *MOE],
        {**COMBINE, "activation_scale": None, "weight_scale": None, "group_list": None,
         "out_dtype": 0, "group_list_type": 0}),
    "npu_moe_distribute_combine_v2": (
        ["expand_x", "expert_ids", "assist_info_for_combine", "ep_send_counts", "expert_scales",
         *MOE],
        {**COMBINE, **SPECIAL, "ori_x": None, "const_expert_alpha_1": None,
         "const_expert_alpha_2": None, "const_expert_v": None}),
    "npu_mm_all_reduce_base": (
        ["x1", "x2", "hcom"],
        {"reduce_op": "sum", "bias": None, "antiquant_scale": None, "antiquant_offset": None,
         "x3": None, "dequant_scale": None, "pertoken_scale": None, "comm_quant_scale_1": None,
         "comm_quant_scale_2": None, "antiquant_group_size": 0, "comm_turn": 0}),
    "npu_all_gather_base_mm": (
        ["input", "x2", "hcom", "world_size"],
        {"bias": None, "gather_index": 0, "gather_output": True, "comm_turn": 0}),
    "npu_mm_reduce_scatter_base": (
        ["input", "x2", "hcom", "world_size"],
        {"reduce_op": "sum", "bias": None, "comm_turn": 0}),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_the_documented_ones(name):
    positional, keywords = SIGNATURES[name]
    parameters = inspect.signature(getattr(torch_npu, name)).parameters.values()
    assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == positional
    assert {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY} == keywords


class CommandCase:
    """What `davsim run-system SYSTEM OPERATOR --case CASE` takes and gives, by rank."""

    def __init__(self, folder, system, operator, case):
        files = {name: str(folder / f"{case}.{name}") for name in ("inputs", "attrs", "outputs")}
        done = subprocess.run(
            [_worker.program(), "run-system", system, operator, "--case", case, "--json",
             "--save-inputs", files["inputs"], "--save-attrs", files["attrs"],
             "--outputs", files["outputs"]], capture_output=True, check=True)
        self.figures = json.loads(done.stdout)
        assert self.figures["check"] == "passed"
        self.ranks = self.figures["ranks"]
        self.inputs = self._by_rank(read_safetensors(files["inputs"]))
        self.outputs = self._by_rank(read_safetensors(files["outputs"]))
        self.attributes = json.loads(pathlib.Path(files["attrs"]).read_text())
        for name in ("ep_rank_id", "tp_rank_id"):
            self.attributes.pop(name, None)

    def _by_rank(self, tensors):
        return [{name.rpartition(".")[0]: tensor for name, tensor in tensors.items()
                 if name.rpartition(".")[2] == str(rank)} for rank in range(self.ranks)]


def on_all_ranks(system, call):
    """call(rank) in a thread for each rank: results and errors by rank."""
    results, errors = [None] * system.ranks, [None] * system.ranks

    def work(rank):
        try:
            with system.rank(rank):
                results[rank] = call(rank)
        except davsim.Error as error:
            errors[rank] = error

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(system.ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results, errors


A3 = "atlas_a3_server"
RESULTS = {
    "npu_moe_distribute_dispatch": ["expand_x", "dynamic_scales", "expand_idx", "expert_token_nums",
                                    "ep_recv_counts", "tp_recv_counts", "expand_scales"],
    "npu_moe_distribute_dispatch_v2": ["expand_x", "dynamic_scales", "assist_info_for_combine",
                                       "expert_token_nums", "ep_recv_counts", "tp_recv_counts",
                                       "expand_scales"],
    "npu_moe_distribute_combine": ["x"],
    "npu_moe_distribute_combine_v2": ["x"],
    "npu_mm_all_reduce_base": ["y"],
    "npu_all_gather_base_mm": ["output", "gather_out"],
    "npu_mm_reduce_scatter_base": ["output"],
}


@pytest.mark.parametrize("system, name, case", [
    (A3, "npu_moe_distribute_dispatch", "MDD-2"), (A3, "npu_moe_distribute_dispatch_v2", "MDD2-4"),
    (A3, "npu_moe_distribute_dispatch_v2", "MDD2-12"), (A3, "npu_moe_distribute_combine", "MDC-3"),
    ("atlas_a2_server", "npu_moe_distribute_dispatch_v2", "MDD2-7"),
    (A3, "npu_moe_distribute_combine_v2", "MDC2-9"),
    ("ascend_910c", "npu_mm_all_reduce_base", "MAR-1"),
    ("ascend_910c", "npu_all_gather_base_mm", "AGM-1"),
    ("ascend_910c", "npu_mm_reduce_scatter_base", "MRS-1")])
def test_gives_what_the_command_gives(tmp_path, system, name, case):
    expected = CommandCase(tmp_path, system, name, case)
    dies = davsim.System(system, expected.ranks)
    attributes = {"group_ep": "ep"} if "moe" in name else {"hcom": "hcom"}
    attributes.update({key: value for key, value in expected.attributes.items()
                       if key in inspect.signature(getattr(torch_npu, name)).parameters})
    if "base_mm" in name or "scatter" in name:
        attributes["world_size"] = expected.ranks
    pairs = max(attributes.get("tp_world_size", 0), 1)

    def call(rank):
        own = {"ep_rank_id": rank // pairs} if "moe" in name else {}
        if pairs > 1:
            own["tp_rank_id"] = rank % pairs
        return getattr(torch_npu, name)(**expected.inputs[rank], **attributes, **own)

    results, errors = on_all_ranks(dies, call)
    assert errors == [None] * expected.ranks
    for rank, result in enumerate(results):
        result = result if isinstance(result, tuple) else (result,)
        wanted = expected.outputs[rank]
        assert len(result) == len(RESULTS[name])
        for output, tensor in zip(RESULTS[name], result):
            if output not in wanted:
                assert tensor is None, output
                continue
            assert tensor.shape == wanted[output].shape
            assert bits(tensor) == bits(wanted[output]), f"{output} of rank {rank}"
        if "performance_info" in wanted:
            assert bits(expected.inputs[rank]["performance_info"]) == bits(wanted["performance_info"])
    assert dies.last["cycles"] == expected.figures["cycles"]


def products(ranks, rows=32):
    a = [np.full((rows, 128), rank + 1, np.float16) for rank in range(ranks)]
    return a, np.ones((128, 256), np.float16)


def test_run_takes_the_parts_of_all_ranks():
    a, b = products(2)
    dies = davsim.System("atlas_a2_server", 2, functional=True)
    outputs = dies.run("npu_mm_all_reduce_base", [{"x1": x, "x2": b} for x in a])
    for output in outputs:
        assert np.all(output["y"] == 128 * 3)
    with pytest.raises(davsim.UsageError, match="was given 1 parts"):
        dies.run("npu_mm_all_reduce_base", [{"x1": a[0], "x2": b}])


def test_errors_reach_all_ranks():
    a, b = products(2)
    dies = davsim.System("atlas_a2_server", 2, functional=True)
    refused = on_all_ranks(dies, lambda rank: torch_npu.npu_mm_all_reduce_base(
        a[rank], b[:64], "hcom"))[1]
    assert [type(error) for error in refused] == [davsim.ShapeError] * 2
    unlike = on_all_ranks(dies, lambda rank: torch_npu.npu_mm_all_reduce_base(
        a[rank], b, "hcom", comm_turn=rank))[1]
    assert all("comm_turn" in str(error) for error in unlike)
    mixed = on_all_ranks(dies, lambda rank: torch_npu.npu_mm_all_reduce_base(a[rank], b, "hcom")
                         if rank else torch_npu.npu_mm_reduce_scatter_base(a[rank], b, "hcom", 2))[1]
    assert all("different operators" in str(error) for error in mixed)


def test_a_rank_that_does_not_call_is_named():
    a, b = products(2)
    dies = davsim.System("atlas_a2_server", 2, functional=True, timeout=1)
    with dies.rank(1), pytest.raises(davsim.UsageError, match=r"no call came from the ranks \[0\]"):
        torch_npu.npu_mm_all_reduce_base(a[1], b, "hcom")
    # The call that failed does not count for the next one.
    results, errors = on_all_ranks(dies, lambda rank: torch_npu.npu_mm_all_reduce_base(
        a[rank], b, "hcom"))
    assert errors == [None, None]
    assert np.all(results[0] == 128 * 3)


def test_wrong_ranks_are_refused():
    a, b = products(2)
    with pytest.raises(davsim.UsageError, match="runs on several dies"):
        torch_npu.npu_mm_all_reduce_base(a[0], b, "hcom")
    dies = davsim.System("atlas_a3_server", 2)
    with pytest.raises(davsim.UsageError, match="rank is 2"), dies.rank(2):
        pass
    with pytest.raises(davsim.UsageError, match="ranks is 1"):
        davsim.System("atlas_a3_server", 1)
    ids = np.zeros((1, 1), np.int32)
    x = np.ones((1, 1024), np.float16)
    wrong = on_all_ranks(dies, lambda rank: torch_npu.npu_moe_distribute_dispatch_v2(
        x, ids, "ep", 2, 1 - rank, 2))[1]
    assert all("ep_rank_id" in str(error) for error in wrong)
