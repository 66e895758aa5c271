"""What serving does to caches in place."""

from __future__ import annotations

import torch

SCHEMAS = (
    "_npu_reshape_and_cache(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, "
    "Tensor slot_indices) -> ()",
    "_npu_rotary_embedding(Tensor positions, Tensor(a!) query, Tensor(b!) key, int head_size, "
    "Tensor cos_sin_cache, bool is_neox_style=True) -> ()",
    "npu_scatter_nd_update_(Tensor(a!) self, Tensor indices, Tensor updates) -> Tensor(a!)",
)


def _npu_reshape_and_cache(key: torch.Tensor, value: torch.Tensor, key_cache: torch.Tensor,
                           value_cache: torch.Tensor, slot_indices: torch.Tensor) -> None:
    """Tokens go to the slots of caches of blocks; a slot below 0 takes none."""
    slots = slot_indices.long()
    kept = slots >= 0
    for rows, cache in ((key, key_cache), (value, value_cache)):
        all_slots = cache.view(cache.shape[0] * cache.shape[1], *cache.shape[2:])
        all_slots[slots[kept]] = rows[kept].reshape(-1, *cache.shape[2:]).to(cache.dtype)


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
    self[tuple(indices.long().unbind(-1))] = updates
    return self
