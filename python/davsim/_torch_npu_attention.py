"""Public attention functions of inference that run on fused_infer_attention_score_v2; davsim.torch_npu
has them under its name."""

from __future__ import annotations

from typing import Any, Sequence

from ._device import run
from .errors import UnsupportedError

Tensor = Any
_INT32_MAX = 2147483647


def _lacks(function: str, **asked: Any) -> None:
    names = [name for name, value in asked.items() if value is not None]
    if names:
        raise UnsupportedError(f"{function} was given {', '.join(names)}",
                               rule=f"{function} has no {', '.join(names)} here",
                               error_class="E_UNSUPPORTED")


def _lengths(lengths: Any) -> Any:
    return lengths.tolist() if hasattr(lengths, "tolist") else lengths


def _both(numbers: Tensor, one_row: bool) -> tuple[Tensor, Tensor]:
    """Those of the key and of the value; of decode they have a first dimension of 1."""
    return (numbers[0:1], numbers[1:2]) if one_row else (numbers[0], numbers[1])


def npu_fused_infer_attention_score(
        query: Tensor, key: Tensor, value: Tensor, *, pse_shift: Tensor | None = None,
        atten_mask: Tensor | None = None, actual_seq_lengths: Sequence[int] | None = None,
        actual_seq_lengths_kv: Sequence[int] | None = None, dequant_scale1: Tensor | None = None,
        quant_scale1: Tensor | None = None, dequant_scale2: Tensor | None = None,
        quant_scale2: Tensor | None = None, quant_offset2: Tensor | None = None,
        antiquant_scale: Tensor | None = None, antiquant_offset: Tensor | None = None,
        key_antiquant_scale: Tensor | None = None, key_antiquant_offset: Tensor | None = None,
        value_antiquant_scale: Tensor | None = None, value_antiquant_offset: Tensor | None = None,
        block_table: Tensor | None = None, query_padding_size: Tensor | None = None,
        kv_padding_size: Tensor | None = None, key_shared_prefix: Tensor | None = None,
        value_shared_prefix: Tensor | None = None, actual_shared_prefix_len: Sequence[int] | None = None,
        query_rope: Tensor | None = None, key_rope: Tensor | None = None,
        key_rope_antiquant_scale: Tensor | None = None, num_heads: int = 1, scale: float = 1.0,
        pre_tokens: int = _INT32_MAX, next_tokens: int = _INT32_MAX, input_layout: str = "BSH",
        num_key_value_heads: int = 0, sparse_mode: int = 0, inner_precise: int = 0, block_size: int = 0,
        antiquant_mode: int = 0, key_antiquant_mode: int = 0, value_antiquant_mode: int = 0,
        softmax_lse_flag: bool = False) -> tuple[Tensor, Tensor]:
    """Attention of prefill and decode, under the names of the first version.

    query, key, value: float16 or bfloat16, in input_layout; docs/operators/
    fused_infer_attention_score_v2.md has the others. antiquant_scale and antiquant_offset hold those
    of the key and of the value, [2, ...]. Returns attention_out and softmax_lse.
    """
    name = "npu_fused_infer_attention_score"
    _lacks(name, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1, dequant_scale2=dequant_scale2,
           query_padding_size=query_padding_size, kv_padding_size=kv_padding_size,
           key_shared_prefix=key_shared_prefix, value_shared_prefix=value_shared_prefix,
           actual_shared_prefix_len=actual_shared_prefix_len,
           key_rope_antiquant_scale=key_rope_antiquant_scale)
    key_mode, value_mode = key_antiquant_mode, value_antiquant_mode
    one_row = query.shape[2 if input_layout.startswith("BNSD") else 1] == 1
    if antiquant_scale is not None:
        key_antiquant_scale, value_antiquant_scale = _both(antiquant_scale, one_row)
        key_mode = value_mode = antiquant_mode
    if antiquant_offset is not None:
        key_antiquant_offset, value_antiquant_offset = _both(antiquant_offset, one_row)
    outputs = run(
        "fused_infer_attention_score_v2", query=query, key=key, value=value, pse_shift=pse_shift,
        atten_mask=atten_mask, actual_seq_qlen=_lengths(actual_seq_lengths),
        actual_seq_kvlen=_lengths(actual_seq_lengths_kv), block_table=block_table,
        quant_scale_out=quant_scale2, quant_offset_out=quant_offset2,
        dequant_scale_key=key_antiquant_scale, dequant_offset_key=key_antiquant_offset,
        dequant_scale_value=value_antiquant_scale, dequant_offset_value=value_antiquant_offset,
        query_rope=query_rope, key_rope=key_rope, num_query_heads=num_heads, softmax_scale=scale,
        pre_tokens=pre_tokens, next_tokens=next_tokens, input_layout=input_layout,
        num_key_value_heads=num_key_value_heads, sparse_mode=sparse_mode, inner_precise=inner_precise,
        block_size=block_size, key_quant_mode=key_mode, value_quant_mode=value_mode,
        return_softmax_lse=softmax_lse_flag)
    return outputs["attention_out"], outputs["softmax_lse"]


def npu_prompt_flash_attention(
        query: Tensor, key: Tensor, value: Tensor, *, padding_mask: Tensor | None = None,
        atten_mask: Tensor | None = None, pse_shift: Tensor | None = None,
        actual_seq_lengths: Sequence[int] | None = None, deq_scale1: Tensor | None = None,
        quant_scale1: Tensor | None = None, deq_scale2: Tensor | None = None,
        quant_scale2: Tensor | None = None, quant_offset2: Tensor | None = None, num_heads: int = 1,
        scale_value: float = 1.0, pre_tokens: int = 2147473647, next_tokens: int = 0,
        input_layout: str = "BSH", num_key_value_heads: int = 0,
        actual_seq_lengths_kv: Sequence[int] | None = None, sparse_mode: int = 0) -> Tensor:
    """Attention of prefill: fused_infer_attention_score_v2 without caches. Returns attention_out."""
    _lacks("npu_prompt_flash_attention", padding_mask=padding_mask, deq_scale1=deq_scale1,
           quant_scale1=quant_scale1, deq_scale2=deq_scale2)
    return npu_fused_infer_attention_score(
        query, key, value, pse_shift=pse_shift, atten_mask=atten_mask,
        actual_seq_lengths=actual_seq_lengths, actual_seq_lengths_kv=actual_seq_lengths_kv,
        quant_scale2=quant_scale2, quant_offset2=quant_offset2, num_heads=num_heads, scale=scale_value,
        pre_tokens=pre_tokens, next_tokens=next_tokens, input_layout=input_layout,
        num_key_value_heads=num_key_value_heads, sparse_mode=sparse_mode)[0]


def npu_incre_flash_attention(
        query: Tensor, key: Tensor, value: Tensor, *, padding_mask: Tensor | None = None,
        atten_mask: Tensor | None = None, pse_shift: Tensor | None = None,
        actual_seq_lengths: Sequence[int] | None = None, antiquant_scale: Tensor | None = None,
        antiquant_offset: Tensor | None = None, block_table: Tensor | None = None,
        dequant_scale1: Tensor | None = None, quant_scale1: Tensor | None = None,
        dequant_scale2: Tensor | None = None, quant_scale2: Tensor | None = None,
        quant_offset2: Tensor | None = None, kv_padding_size: Tensor | None = None, num_heads: int = 1,
        scale_value: float = 1.0, input_layout: str = "BSH", num_key_value_heads: int = 0,
        block_size: int = 0, inner_precise: int = 1) -> Tensor:
    """Attention of decode, with one query row: fused_infer_attention_score_v2. actual_seq_lengths are
    the rows of key and value of each batch. Returns attention_out."""
    _lacks("npu_incre_flash_attention", padding_mask=padding_mask, dequant_scale1=dequant_scale1,
           quant_scale1=quant_scale1, dequant_scale2=dequant_scale2, kv_padding_size=kv_padding_size)
    return npu_fused_infer_attention_score(
        query, key, value, pse_shift=pse_shift, atten_mask=atten_mask,
        actual_seq_lengths_kv=actual_seq_lengths, quant_scale2=quant_scale2, quant_offset2=quant_offset2,
        antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset, block_table=block_table,
        num_heads=num_heads, scale=scale_value, input_layout=input_layout,
        num_key_value_heads=num_key_value_heads, block_size=block_size, inner_precise=inner_precise)[0]
