"""What serving does to caches and to its own numbers, in place."""

from __future__ import annotations

from typing import Any

import torch

from . import _checks as checks
from ._checks import require

_COMPRESS = "Tensor? compress_lens=None, Tensor? compress_seq_offsets=None, Tensor? seq_lens=None"
WHOLE = (
    "_npu_reshape_and_cache(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, "
    "Tensor slot_indices) -> ()",
    "_npu_reshape_and_cache_siso(Tensor key, Tensor(a!) key_cache, Tensor slot_indices) -> ()",
    "npu_scatter_pa_kv_cache(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, "
    f"Tensor slot_mapping, *, {_COMPRESS}) -> ()",
    "_npu_rotary_embedding(Tensor positions, Tensor(a!) query, Tensor(b!) key, int head_size, "
    "Tensor cos_sin_cache, bool is_neox_style=True) -> ()",
    "npu_scatter_nd_update_(Tensor(a!) self, Tensor indices, Tensor updates) -> Tensor(a!)",
    "npu_scatter_nd_update(Tensor self, Tensor indices, Tensor updates) -> Tensor",
    "scatter_update_(Tensor(a!) self, Tensor indices, Tensor updates, int axis) -> Tensor(a!)",
    "scatter_update(Tensor self, Tensor indices, Tensor updates, int axis) -> Tensor",
    "npu_advance_step_flashattn(Tensor(a!) input_tokens, Tensor sampled_token_ids, "
    "Tensor(b!) input_positions, Tensor(c!) seq_lens, Tensor(d!) slot_mapping, Tensor block_tables, "
    "int num_seqs, int num_queries, int block_size, *, Tensor? spec_token=None, "
    "Tensor? accepted_num=None) -> ()",
)


def _to_slots(name: str, rows: torch.Tensor, cache: torch.Tensor, slot_indices: torch.Tensor) -> None:
    slots = slot_indices.long().flatten()
    kept = slots >= 0
    count = cache.shape[0] * cache.shape[1]
    require(name, slots.numel() == rows.shape[0], f"{slots.numel()} slots for {rows.shape[0]} tokens")
    require(name, slots.numel() == 0 or int(slots.max()) < count,
            f"slot {int(slots.max()) if slots.numel() else 0} of a cache of {count} slots")
    all_slots = cache.view(count, *cache.shape[2:])
    all_slots[slots[kept]] = rows[kept].reshape(-1, *cache.shape[2:]).to(cache.dtype)


def _npu_reshape_and_cache(key: torch.Tensor, value: torch.Tensor, key_cache: torch.Tensor,
                           value_cache: torch.Tensor, slot_indices: torch.Tensor) -> None:
    """Tokens go to the slots of caches of blocks; a slot below 0 takes none.

    key, value: [tokens, heads, D]; caches: [blocks, slots, heads, D]; slot_indices: [tokens]."""
    for rows, cache in ((key, key_cache), (value, value_cache)):
        _to_slots("_npu_reshape_and_cache", rows, cache, slot_indices)


def _npu_reshape_and_cache_siso(key: torch.Tensor, key_cache: torch.Tensor,
                                slot_indices: torch.Tensor) -> None:
    """The same with one cache."""
    _to_slots("_npu_reshape_and_cache_siso", key, key_cache, slot_indices)


def npu_scatter_pa_kv_cache(key: torch.Tensor, value: torch.Tensor, key_cache: torch.Tensor,
                            value_cache: torch.Tensor, slot_mapping: torch.Tensor, *,
                            compress_lens: Any = None, compress_seq_offsets: Any = None,
                            seq_lens: Any = None) -> None:
    """_npu_reshape_and_cache under its public name.

    key, value: [tokens, heads, D]; caches: [blocks, slots, heads, D], or in fractals
    [blocks, heads * D / 16, slots, 16] (32 for int8)."""
    name = "npu_scatter_pa_kv_cache"
    checks.lacks(name, compress_lens=compress_lens, compress_seq_offsets=compress_seq_offsets,
                 seq_lens=seq_lens)
    checks.require_dim(name, "key", key, 3)
    for what, rows, cache in (("key", key, key_cache), ("value", value, value_cache)):
        require(name, rows.dtype == cache.dtype, f"{what} is {rows.dtype}, its cache {cache.dtype}")
        width = rows.shape[1] * rows.shape[2]
        if tuple(cache.shape[2:]) == tuple(rows.shape[1:]):
            _to_slots(name, rows, cache, slot_mapping)
            continue
        require(name, cache.dim() == 4 and cache.shape[1] * cache.shape[3] == width,
                f"{what} is {list(rows.shape)}, its cache {list(cache.shape)}")
        slots = slot_mapping.long()
        pages = torch.div(slots, cache.shape[2], rounding_mode="floor")
        cache[pages, :, slots % cache.shape[2]] = rows.reshape(-1, cache.shape[1], cache.shape[3])


def _npu_rotary_embedding(positions: torch.Tensor, query: torch.Tensor, key: torch.Tensor,
                          head_size: int, cos_sin_cache: torch.Tensor,
                          is_neox_style: bool = True) -> None:
    """Turns the first elements of each head in place: as many as a row of the cache has, whose first
    half are cosines."""
    cos, sin = cos_sin_cache.float()[positions.flatten().long()].chunk(2, -1)
    turned = cos_sin_cache.shape[-1]
    for tensor in (query, key):
        heads = tensor.reshape(positions.numel(), -1, head_size)
        part = heads[..., :turned].float()
        pairs = part.chunk(2, -1) if is_neox_style else (part[..., ::2], part[..., 1::2])
        first = pairs[0] * cos[:, None] - pairs[1] * sin[:, None]
        second = pairs[1] * cos[:, None] + pairs[0] * sin[:, None]
        both = torch.cat((first, second), -1) if is_neox_style else \
            torch.stack((first, second), -1).flatten(-2)
        rest = heads[..., turned:]
        tensor.copy_(torch.cat((both.to(tensor.dtype), rest), -1).reshape(tensor.shape))


def npu_scatter_nd_update_(self: torch.Tensor, indices: torch.Tensor,
                           updates: torch.Tensor) -> torch.Tensor:
    """self[indices] = updates, where the last dimension of indices is a place. Returns self."""
    self[tuple(indices.long().unbind(-1))] = updates
    return self


def npu_scatter_nd_update(self: torch.Tensor, indices: torch.Tensor,
                          updates: torch.Tensor) -> torch.Tensor:
    """As npu_scatter_nd_update_, in a copy."""
    return npu_scatter_nd_update_(self.clone(), indices, updates)


def put_updates(name: str, self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor,
                axis: int) -> torch.Tensor:
    """Writes updates[n] into self[part] from `place` along `axis` on; row n of `indices` has part
    and place, or is the place in part n where `indices` has one dimension. Returns self.

    RuntimeError in the name of `name` for what leaves self."""
    length = updates.shape[axis]
    pairs = indices.tolist() if indices.dim() == 2 else list(enumerate(indices.tolist()))
    for number, (part, place) in enumerate(pairs):
        require(name, 0 <= part < self.shape[0] and 0 <= place <= self.shape[axis] - length,
                f"index {[part, place]} leaves self, which is {list(self.shape)}")
        self[part].narrow(axis - 1, place, length).copy_(updates[number])
    return self


def scatter_update_(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor,
                    axis: int) -> torch.Tensor:
    """Writes part b of updates along `axis` into part b of self, from indices[b] on. Returns self.

    indices: [b], or [b, 2]: the part of self and the place in it."""
    name = "scatter_update"
    axis = axis + self.dim() if axis < 0 else axis
    require(name, 0 < axis < self.dim(), f"axis is {axis}, allowed are 1 to {self.dim() - 1} and negative ones")
    return put_updates(name, self, indices, updates, axis)


def scatter_update(self: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor,
                   axis: int) -> torch.Tensor:
    """As scatter_update_, in a copy."""
    return scatter_update_(self.clone(), indices, updates, axis)


def npu_advance_step_flashattn(
        input_tokens: torch.Tensor, sampled_token_ids: torch.Tensor, input_positions: torch.Tensor,
        seq_lens: torch.Tensor, slot_mapping: torch.Tensor, block_tables: torch.Tensor, num_seqs: int,
        num_queries: int, block_size: int, *, spec_token: Any = None, accepted_num: Any = None) -> None:
    """The next step of decode: the first num_queries sequences get their sampled token, one more key,
    and its place and slot.

    input_tokens, input_positions, seq_lens, slot_mapping: int64 [num_seqs]; sampled_token_ids: int64
    [num_queries, 1]; block_tables: int64 [num_seqs, blocks]."""
    name = "npu_advance_step_flashattn"
    checks.lacks(name, spec_token=spec_token, accepted_num=accepted_num)
    require(name, num_seqs >= num_queries, f"num_seqs is {num_seqs}, num_queries {num_queries}")
    checks.require_shape(name, "sampled_token_ids", sampled_token_ids, (num_queries, 1))
    queries = slice(0, num_queries)
    places = seq_lens.flatten()[queries].clone()
    blocks = torch.div(places, block_size, rounding_mode="floor")
    require(name, num_queries == 0 or int(blocks.max()) < block_tables.shape[1],
            "block_tables has too few blocks for the next token")
    input_tokens.view(-1)[queries] = sampled_token_ids[:, 0]
    input_positions.view(-1)[queries] = places
    seq_lens.view(-1)[queries] += 1
    chosen = block_tables[queries].gather(1, blocks[:, None])[:, 0]
    slot_mapping.view(-1)[queries] = chosen * block_size + places % block_size
