"""The operators under their public names and signatures, on the current device.

    import davsim.torch_npu as torch_npu

takes the place of `import torch_npu` in a program that calls them. Tensors are those of torch on
the CPU, or arrays of numpy. Functions of ATB and of the DeepSeek-V3.2 operators, which have no
Python function of torch_npu, take the members of their parameter structs as keyword arguments,
and return what the public interface writes to output arguments; tiling arguments do not exist.
Tensors that an operator updates in place are updated and returned as they were given. The page
of each operator in docs/operators describes shapes, dtypes and rules. A call raises what
davsim.run() raises, and TypeError for a keyword argument that does not exist.
"""

from __future__ import annotations

from typing import Any, Sequence

from ._device import run
from ._torch_npu_attention import (npu_fused_infer_attention_score, npu_incre_flash_attention,
                                   npu_prompt_flash_attention)
from ._torch_npu_system import (npu_all_gather_base_mm, npu_mm_all_reduce_base,
                                npu_mm_reduce_scatter_base, npu_moe_distribute_combine,
                                npu_moe_distribute_combine_v2, npu_moe_distribute_dispatch,
                                npu_moe_distribute_dispatch_v2)

__all__ = [
    "lightning_indexer_prolog_quant", "matmul", "mla_indexer_prolog_quant", "mla_prolog_quant",
    "npu_all_gather_base_mm", "npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2",
    "npu_incre_flash_attention", "npu_kv_rmsnorm_rope_cache",
    "npu_mm_all_reduce_base", "npu_mm_reduce_scatter_base", "npu_moe_distribute_combine",
    "npu_moe_distribute_combine_v2", "npu_moe_distribute_dispatch",
    "npu_moe_distribute_dispatch_v2", "npu_prompt_flash_attention", "paged_attention", "rope_quant_kvcache",
    "sparse_flash_attention_quant",
]

Tensor = Any
_INT32_MAX = 2147483647
# aclDataType, as the parameter structs of ATB have it.
_ACL_TYPES = {-1: "", 1: "fp16", 27: "bf16"}


def npu_fused_infer_attention_score_v2(
        query: Tensor, key: Tensor, value: Tensor, *, query_rope: Tensor | None = None,
        key_rope: Tensor | None = None, pse_shift: Tensor | None = None,
        atten_mask: Tensor | None = None, actual_seq_qlen: Sequence[int] | None = None,
        actual_seq_kvlen: Sequence[int] | None = None, block_table: Tensor | None = None,
        dequant_scale_query: Tensor | None = None, dequant_scale_key: Tensor | None = None,
        dequant_offset_key: Tensor | None = None, dequant_scale_value: Tensor | None = None,
        dequant_offset_value: Tensor | None = None, dequant_scale_key_rope: Tensor | None = None,
        quant_scale_out: Tensor | None = None, quant_offset_out: Tensor | None = None,
        num_query_heads: int = 1, num_key_value_heads: int = 0, softmax_scale: float = 1.0,
        pre_tokens: int = _INT32_MAX, next_tokens: int = _INT32_MAX, input_layout: str = "BSH",
        sparse_mode: int = 0, block_size: int = 0, query_quant_mode: int = 0,
        key_quant_mode: int = 0, value_quant_mode: int = 0, inner_precise: int = 0,
        return_softmax_lse: bool = False, query_dtype: int | None = None,
        key_dtype: int | None = None, value_dtype: int | None = None,
        query_rope_dtype: int | None = None, key_rope_dtype: int | None = None,
        key_shared_prefix_dtype: int | None = None, value_shared_prefix_dtype: int | None = None,
        dequant_scale_query_dtype: int | None = None, dequant_scale_key_dtype: int | None = None,
        dequant_scale_value_dtype: int | None = None,
        dequant_scale_key_rope_dtype: int | None = None) -> tuple[Tensor, Tensor]:
    """Attention of prefill and decode: grouped heads, paged and quantised caches, MLA.

    query, key, value: float16 or bfloat16 [B, S, H] in the default layout "BSH", and more, see
    docs/operators/fused_infer_attention_score_v2.md.
    Returns attention_out and softmax_lse (float32; one element unless return_softmax_lse).
    """
    outputs = run("fused_infer_attention_score_v2", **locals())
    return outputs["attention_out"], outputs["softmax_lse"]


def npu_kv_rmsnorm_rope_cache(
        kv: Tensor, gamma: Tensor, cos: Tensor, sin: Tensor, index: Tensor, k_cache: Tensor,
        ckv_cache: Tensor, *, k_rope_scale: Tensor | None = None, c_kv_scale: Tensor | None = None,
        k_rope_offset: Tensor | None = None, c_kv_offset: Tensor | None = None,
        epsilon: float = 1e-5, cache_mode: str = "Norm", is_output_kv: bool = False
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
    """Normalises and rotates the rows of MLA and writes them into its caches, in place.

    kv: bfloat16 or float16 [B, 1, S, 576]; docs/operators/kv_rmsnorm_rope_cache.md has the others.
    Returns k_cache, ckv_cache, k_embed_out, y_out; the last two are None unless is_output_kv asks
    for them in a paged mode.
    """
    outputs = run("kv_rmsnorm_rope_cache", **locals())
    return k_cache, ckv_cache, outputs.get("k_embed_out"), outputs.get("y_out")


def paged_attention(
        query: Tensor, keyCache: Tensor, valueCache: Tensor | None, blockTables: Tensor,
        contextLens: Tensor, mask: Tensor | None = None, batchRunStatus: Tensor | None = None,
        kDescale: Tensor | None = None, kOffset: Tensor | None = None,
        vDescale: Tensor | None = None, vOffset: Tensor | None = None,
        qSeqLens: Tensor | None = None, razorOffset: Tensor | None = None,
        pScale: Tensor | None = None, logN: Tensor | None = None, *, headNum: int = 0,
        qkScale: float = 1.0, kvHeadNum: int = 0, maskType: int = 0,
        batchRunStatusEnable: bool = False, quantType: int = 0, outDataType: int | str = "",
        hasQuantOffset: bool = False, compressType: int = 0, calcType: int = 0, scaleType: int = 0,
        inputLayout: int = 0, mlaVHeadSize: int = 0, qScale: float = 1.0) -> Tensor:
    """ATB's PagedAttentionOperation: decode attention over paged caches.

    query: float16, bfloat16 or int8 [numTokens, headNum, D]; keyCache, valueCache: [pages, rows,
    kvHeadNum, D]; blockTables: int32 [batch, pages]; contextLens: int32 [batch], tensors or lists.
    outDataType: aclDataType, or "fp16", "bf16". docs/operators/paged_attention.md has the rest.
    Returns attnOut, [numTokens, headNum, Dv].
    """
    arguments = dict(locals())
    arguments["outDataType"] = _ACL_TYPES.get(outDataType, outDataType)  # type: ignore[call-overload]
    return run("paged_attention", **arguments)["attnOut"]


def rope_quant_kvcache(
        qkv: Tensor, cos: Tensor, sin: Tensor, quant_scale: Tensor, quant_offset: Tensor,
        k_cache: Tensor, v_cache: Tensor, indice: Tensor, *, size_splits: Sequence[int],
        layout: str = "BSND", kv_output: bool = False
) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor, Tensor]:
    """Splits qkv, rotates query and key, and writes quantised key and value to caches, in place.

    qkv: float16 [B, S, H]; docs/operators/rope_quant_kvcache.md has the others.
    Returns q, k, v, k_cache, v_cache; k and v are None unless kv_output.
    """
    outputs = run("rope_quant_kvcache", **locals())
    return outputs["q"], outputs.get("k"), outputs.get("v"), k_cache, v_cache


def mla_prolog_quant(
        token_x: Tensor, w_dq: Tensor, w_uq_qr: Tensor, dequant_scale: Tensor, w_uk: Tensor,
        w_dkv_kr: Tensor, gamma_cq: Tensor, gamma_ckv: Tensor, cos: Tensor, sin: Tensor,
        cache_index: Tensor, kv_cache: Tensor, kr_cache: Tensor, k_scale_cache: Tensor,
        epsilon_cq: float = 1e-5, epsilon_ckv: float = 1e-5, cache_mode: str = "PA_BSND"
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Queries and the compressed key of DeepSeek-V3.2's attention; caches are updated in place.

    token_x: bfloat16 [t, 7168]; docs/operators/mla_prolog_quant.md has the others.
    Returns q_norm, q_norm_scale, query_nope, query_rope, kv_cache, kr_cache, k_scale_cache.
    """
    outputs = run("mla_prolog_quant", **locals())
    return (outputs["q_norm"], outputs["q_norm_scale"], outputs["query_nope"],
            outputs["query_rope"], kv_cache, kr_cache, k_scale_cache)


def lightning_indexer_prolog_quant(
        x_in: Tensor, q_norm_in: Tensor, q_norm_scale_in: Tensor, w_qb_in: Tensor,
        w_qb_scale_in: Tensor, wk_in: Tensor, w_proj_in: Tensor, ln_gamma_k_in: Tensor,
        ln_beta_k_in: Tensor, cos_idx_rope_in: Tensor, sin_idx_rope_in: Tensor,
        hadamard_q_in: Tensor, hadamard_k_in: Tensor, k_int8_in: Tensor, k_scale_in: Tensor,
        k_cache_index_in: Tensor, *, layernorm_epsilon_k: float = 1e-6, layout_query: str = "TND",
        layout_key: str = "PA_BSND") -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Queries, keys and weights of DeepSeek-V3.2's indexer; the cache is updated in place.

    x_in: bfloat16 [t, 7168]; docs/operators/lightning_indexer_prolog_quant.md has the others.
    Returns q_int8, q_scale, k_int8, k_scale, weights.
    """
    outputs = run(
        "lightning_indexer_prolog_quant", x_in=x_in, q_norm_in=q_norm_in,
        q_norm_scale_in=q_norm_scale_in, w_qb_in=w_qb_in, w_qb_scale_in=w_qb_scale_in, wk_in=wk_in,
        w_proj_in=w_proj_in, ln_gamma_k=ln_gamma_k_in, ln_beta_k=ln_beta_k_in,
        cos_idx_rope=cos_idx_rope_in, sin_idx_rope=sin_idx_rope_in, hadamard_q=hadamard_q_in,
        hadamard_k=hadamard_k_in, k_int8=k_int8_in, k_scale=k_scale_in,
        k_cache_index=k_cache_index_in, layernorm_epsilon_k=layernorm_epsilon_k,
        layout_query=layout_query, layout_key=layout_key)
    return outputs["q_int8"], outputs["q_scale"], k_int8_in, k_scale_in, outputs["weights"]


def sparse_flash_attention_quant(
        query_nope: Tensor, query_rope: Tensor, key_nope_2d: Tensor, key_rope_2d: Tensor,
        k_nope_scales: Tensor | None, topk_indices: Tensor, block_table: Tensor,
        kv_act_seqs: Tensor, nq: int = 128, n_kv: int = 1, softmax_scale: float = 576 ** -0.5,
        topk: int = 2048, block_size: int = 128, max_blocknum_perbatch: int | None = None) -> Tensor:
    """Attention of DeepSeek-V3.2 over the rows that the indexer has chosen.

    query_nope: bfloat16 [t*128, 512]; docs/operators/sparse_flash_attention_quant.md has the
    others. Returns attention_out, bfloat16 [b, s1, 128, 512].
    """
    return run("sparse_flash_attention_quant", **locals())["attention_out"]


def mla_indexer_prolog_quant(
        token_x: Tensor, mla_w_dq: Tensor, mla_w_uq_qr: Tensor, mla_dequant_scale: Tensor,
        mla_w_uk: Tensor, mla_w_dkv_kr: Tensor, mla_gamma_cq: Tensor, mla_gamma_ckv: Tensor,
        cos: Tensor, sin: Tensor, cache_index: Tensor, mla_kv_cache: Tensor, mla_kr_cache: Tensor,
        mla_k_scale_cache: Tensor, ip_w_qb_in: Tensor, ip_w_qb_scale_in: Tensor, ip_wk_in: Tensor,
        ip_w_proj_in: Tensor, ip_ln_gamma_k_in: Tensor, ip_ln_beta_k_in: Tensor,
        ip_hadamard_q_in: Tensor, ip_hadamard_k_in: Tensor, ip_k_cache: Tensor,
        ip_k_cache_scale: Tensor, mla_epsilon_cq: float = 1e-5, mla_epsilon_ckv: float = 1e-5,
        mla_cache_mode: str = "PA_BSND", *, ip_layernorm_epsilon_k: float = 1e-6,
        ip_layout_query: str = "TND", ip_layout_key: str = "PA_BSND") -> tuple[Tensor, ...]:
    """mla_prolog_quant and lightning_indexer_prolog_quant in one launch; five caches in place.

    token_x: bfloat16 [t, 7168]; docs/operators/mla_indexer_prolog_quant.md has the others.
    Returns query_nope, query_rope, mla_kv_cache, mla_kr_cache, mla_k_scale_cache, q_int8, q_scale,
    ip_k_cache, ip_k_cache_scale, weights.
    """
    arguments = dict(locals())
    for given, own in (("ip_ln_gamma_k_in", "ip_ln_gamma_k"), ("ip_ln_beta_k_in", "ip_ln_beta_k"),
                       ("ip_hadamard_q_in", "ip_hadamard_q"), ("ip_hadamard_k_in", "ip_hadamard_k"),
                       ("ip_k_cache", "ip_k_int8"), ("ip_k_cache_scale", "ip_k_scale")):
        arguments[own] = arguments.pop(given)
    outputs = run("mla_indexer_prolog_quant", **arguments)
    return (outputs["mla_query_nope"], outputs["mla_query_rope"], mla_kv_cache, mla_kr_cache,
            mla_k_scale_cache, outputs["ip_q_int8"], outputs["ip_q_scale"], ip_k_cache,
            ip_k_cache_scale, outputs["ip_weights"])


def matmul(a: Tensor, b: Tensor, bias: Tensor | None = None, *, transpose_a: bool = False,
           transpose_b: bool = False) -> Tensor:
    """a x b + bias on the cube cores. a: [m, k], b: [k, n]; float16, bfloat16, float32 or int8."""
    return run("matmul", **locals())["c"]
