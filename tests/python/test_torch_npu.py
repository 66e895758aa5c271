"""The public names: signatures, in-place updates, return values, against the command's cases."""

import inspect

import numpy as np
import pytest
from conftest import CommandRun, bits

import davsim
from davsim import torch_npu

REQUIRED = inspect.Parameter.empty

# Positional parameters, and keyword-only parameters with their defaults, as they are documented.
SIGNATURES = {
    "npu_kv_rmsnorm_rope_cache": (
        ["kv", "gamma", "cos", "sin", "index", "k_cache", "ckv_cache"],
        {"k_rope_scale": None, "c_kv_scale": None, "k_rope_offset": None, "c_kv_offset": None,
         "epsilon": 1e-5, "cache_mode": "Norm", "is_output_kv": False}),
    "npu_fused_infer_attention_score_v2": (
        ["query", "key", "value"],
        {"query_rope": None, "key_rope": None, "pse_shift": None, "atten_mask": None,
         "actual_seq_qlen": None, "actual_seq_kvlen": None, "block_table": None,
         "dequant_scale_query": None, "dequant_scale_key": None, "dequant_offset_key": None,
         "dequant_scale_value": None, "dequant_offset_value": None, "dequant_scale_key_rope": None,
         "quant_scale_out": None, "quant_offset_out": None, "num_query_heads": 1,
         "num_key_value_heads": 0, "softmax_scale": 1.0, "pre_tokens": 2147483647,
         "next_tokens": 2147483647, "input_layout": "BSH", "sparse_mode": 0, "block_size": 0,
         "query_quant_mode": 0, "key_quant_mode": 0, "value_quant_mode": 0, "inner_precise": 0,
         "return_softmax_lse": False, "query_dtype": None, "key_dtype": None, "value_dtype": None,
         "query_rope_dtype": None, "key_rope_dtype": None, "key_shared_prefix_dtype": None,
         "value_shared_prefix_dtype": None, "dequant_scale_query_dtype": None,
         "dequant_scale_key_dtype": None, "dequant_scale_value_dtype": None,
         "dequant_scale_key_rope_dtype": None}),
    # Tensors in the order of the operator; members of its parameter structure by their names.
    "paged_attention": (
        ["query", "keyCache", "valueCache", "blockTables", "contextLens", "mask", "batchRunStatus",
         "kDescale", "kOffset", "vDescale", "vOffset", "qSeqLens", "razorOffset", "pScale", "logN"],
        {"headNum": 0, "qkScale": 1.0, "kvHeadNum": 0, "maskType": 0, "batchRunStatusEnable": False,
         "quantType": 0, "outDataType": "", "hasQuantOffset": False, "compressType": 0,
         "calcType": 0, "scaleType": 0, "inputLayout": 0, "mlaVHeadSize": 0, "qScale": 1.0}),
    "rope_quant_kvcache": (
        ["qkv", "cos", "sin", "quant_scale", "quant_offset", "k_cache", "v_cache", "indice"],
        {"size_splits": REQUIRED, "layout": "BSND", "kv_output": False}),
    "mla_prolog_quant": (
        ["token_x", "w_dq", "w_uq_qr", "dequant_scale", "w_uk", "w_dkv_kr", "gamma_cq", "gamma_ckv",
         "cos", "sin", "cache_index", "kv_cache", "kr_cache", "k_scale_cache", "epsilon_cq",
         "epsilon_ckv", "cache_mode"], {}),
    "lightning_indexer_prolog_quant": (
        ["x_in", "q_norm_in", "q_norm_scale_in", "w_qb_in", "w_qb_scale_in", "wk_in", "w_proj_in",
         "ln_gamma_k_in", "ln_beta_k_in", "cos_idx_rope_in", "sin_idx_rope_in", "hadamard_q_in",
         "hadamard_k_in", "k_int8_in", "k_scale_in", "k_cache_index_in"],
        {"layernorm_epsilon_k": 1e-6, "layout_query": "TND", "layout_key": "PA_BSND"}),
    "sparse_flash_attention_quant": (
        ["query_nope", "query_rope", "key_nope_2d", "key_rope_2d", "k_nope_scales", "topk_indices",
         "block_table", "kv_act_seqs", "nq", "n_kv", "softmax_scale", "topk", "block_size",
         "max_blocknum_perbatch"], {}),
    "mla_indexer_prolog_quant": (
        ["token_x", "mla_w_dq", "mla_w_uq_qr", "mla_dequant_scale", "mla_w_uk", "mla_w_dkv_kr",
         "mla_gamma_cq", "mla_gamma_ckv", "cos", "sin", "cache_index", "mla_kv_cache",
         "mla_kr_cache", "mla_k_scale_cache", "ip_w_qb_in", "ip_w_qb_scale_in", "ip_wk_in",
         "ip_w_proj_in", "ip_ln_gamma_k_in", "ip_ln_beta_k_in", "ip_hadamard_q_in",
         "ip_hadamard_k_in", "ip_k_cache", "ip_k_cache_scale", "mla_epsilon_cq", "mla_epsilon_ckv",
         "mla_cache_mode"],
        {"ip_layernorm_epsilon_k": 1e-6, "ip_layout_query": "TND", "ip_layout_key": "PA_BSND"}),
    "matmul": (["a", "b", "bias"], {"transpose_a": False, "transpose_b": False}),
}
# Defaults of positional parameters.
DEFAULTS = {
    "mla_prolog_quant": {"epsilon_cq": 1e-5, "epsilon_ckv": 1e-5, "cache_mode": "PA_BSND"},
    "sparse_flash_attention_quant": {"nq": 128, "n_kv": 1, "softmax_scale": 576 ** -0.5,
                                     "topk": 2048, "block_size": 128,
                                     "max_blocknum_perbatch": None},
    "mla_indexer_prolog_quant": {"mla_epsilon_cq": 1e-5, "mla_epsilon_ckv": 1e-5,
                                 "mla_cache_mode": "PA_BSND"},
    "matmul": {"bias": None},
    "paged_attention": dict.fromkeys(
        ["mask", "batchRunStatus", "kDescale", "kOffset", "vDescale", "vOffset", "qSeqLens",
         "razorOffset", "pScale", "logN"]),
}

# Operator, small case, function, and the names of what the function returns.
CALLS = [
    ("fused_infer_attention_score_v2", "FIA-1", "npu_fused_infer_attention_score_v2",
     ["attention_out", "softmax_lse"]),
    ("kv_rmsnorm_rope_cache", "KVR-1", "npu_kv_rmsnorm_rope_cache",
     ["k_cache", "ckv_cache", "k_embed_out", "y_out"]),
    ("kv_rmsnorm_rope_cache", "KVR-7", "npu_kv_rmsnorm_rope_cache",
     ["k_cache", "ckv_cache", "k_embed_out", "y_out"]),
    ("paged_attention", "PA-1", "paged_attention", ["attnOut"]),
    ("rope_quant_kvcache", "RQK-1", "rope_quant_kvcache", ["q", "k", "v", "k_cache", "v_cache"]),
    ("rope_quant_kvcache", "RQK-5", "rope_quant_kvcache", ["q", "k", "v", "k_cache", "v_cache"]),
    ("mla_prolog_quant", "MPQ-5", "mla_prolog_quant",
     ["q_norm", "q_norm_scale", "query_nope", "query_rope", "kv_cache", "kr_cache",
      "k_scale_cache"]),
    ("lightning_indexer_prolog_quant", "IPQ-2", "lightning_indexer_prolog_quant",
     ["q_int8", "q_scale", "k_int8", "k_scale", "weights"]),
    ("sparse_flash_attention_quant", "SFA-5", "sparse_flash_attention_quant", ["attention_out"]),
    ("mla_indexer_prolog_quant", "MIP-1", "mla_indexer_prolog_quant",
     ["mla_query_nope", "mla_query_rope", "mla_kv_cache", "mla_kr_cache", "mla_k_scale_cache",
      "ip_q_int8", "ip_q_scale", "ip_k_int8", "ip_k_scale", "ip_weights"]),
    ("matmul", "MM-2", "matmul", ["c"]),
]
RENAMED = {
    "lightning_indexer_prolog_quant":
        {name: name + "_in" for name in ("ln_gamma_k", "ln_beta_k", "cos_idx_rope", "sin_idx_rope",
                                         "hadamard_q", "hadamard_k", "k_int8", "k_scale",
                                         "k_cache_index")},
    "mla_indexer_prolog_quant":
        {"ip_ln_gamma_k": "ip_ln_gamma_k_in", "ip_ln_beta_k": "ip_ln_beta_k_in",
         "ip_hadamard_q": "ip_hadamard_q_in", "ip_hadamard_k": "ip_hadamard_k_in",
         "ip_k_int8": "ip_k_cache", "ip_k_scale": "ip_k_cache_scale"},
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_the_documented_ones(name):
    positional, keywords = SIGNATURES[name]
    parameters = inspect.signature(getattr(torch_npu, name)).parameters.values()
    assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == positional
    assert {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY} == keywords
    assert {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD
            and p.default is not REQUIRED} == DEFAULTS.get(name, {})


def test_no_documented_function_is_without_a_signature():
    functions = {call[2] for call in CALLS}
    assert functions == set(SIGNATURES)


@pytest.mark.parametrize("operator, case, function, returned", CALLS)
def test_results_are_those_of_the_command(tmp_path, operator, case, function, returned):
    command = CommandRun(tmp_path, operator, case)
    names = RENAMED.get(function, {})
    given = {names.get(name, name): value
             for name, value in (command.inputs | command.attributes).items()}
    # Positional as far as the signature goes: the order is part of it.
    function = getattr(torch_npu, function)
    parameters = [p for p in inspect.signature(function).parameters.values()
                  if p.kind is p.POSITIONAL_OR_KEYWORD]
    leading = []
    for parameter in parameters:
        if parameter.name not in given:
            break
        leading.append(given.pop(parameter.name))
    if operator == "matmul":
        given = {name: value for name, value in given.items() if name in ("bias",)}
    with davsim.Device() as device:
        results = function(*leading, **given)
    assert device.last.cycles == command.figures["cycles"]
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(returned)
    for name, result in zip(returned, results):
        if name in command.outputs:
            assert bits(result) == bits(command.outputs[name]), name
        else:
            assert result is None, name


def test_unknown_keyword_arguments_are_refused_by_name():
    one = np.ones((1, 1, 16), np.float16)
    with pytest.raises(TypeError, match="learnable_sink"):
        torch_npu.npu_fused_infer_attention_score_v2(one, one, one, learnable_sink=one)


def test_a_list_of_lengths_may_be_a_tensor(sim):
    query = np.ones((2, 1, 64), np.float16)
    with sim:
        plain = torch_npu.npu_fused_infer_attention_score_v2(
            query, query.repeat(8, 1), query.repeat(8, 1), actual_seq_kvlen=[4, 8])[0]
        array = torch_npu.npu_fused_infer_attention_score_v2(
            query, query.repeat(8, 1), query.repeat(8, 1), actual_seq_kvlen=np.array([4, 8]))[0]
    assert np.array_equal(plain, array)


def test_the_type_of_paged_attention_may_be_acls(sim):
    def attention(**changed):
        query, cache = np.ones((1, 1, 16), np.float16), np.ones((1, 16, 1, 16), np.float16)
        return torch_npu.paged_attention(query, cache, cache, [[0]], [1], headNum=1, **changed)

    with sim:
        for named in (1, "fp16", -1, ""):
            assert (attention(outDataType=named) == 1).all()
        with pytest.raises(davsim.AttributeValueError, match="outDataType"):
            attention(outDataType=5)


def test_a_large_cache_of_the_device_is_not_copied():
    pages = 2048

    def shared(process):
        with open(f"/proc/{process}/status") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith("RssShmem"))

    with davsim.Device() as sim:
        # 1 GiB each, of which the call reads two pages.
        caches = [sim.empty((pages, 128, 8, 256), np.float16) for _ in range(2)]
        tables = np.array([[7], [pages - 1]], np.int32)
        for cache in caches:
            cache[7] = cache[pages - 1] = 1
        out = torch_npu.paged_attention(np.ones((2, 8, 256), np.float16), *caches, tables, [128, 128],
                                        headNum=8, kvHeadNum=8, qkScale=0.0625)
        assert (out == 1).all()
        assert shared(sim._worker._process.pid) + shared("self") < 64 << 20
