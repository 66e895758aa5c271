"""The choice of experts."""

from __future__ import annotations

import torch

SCHEMAS = (
    "npu_moe_gating_top_k_softmax(Tensor x, Tensor? finished=None, int k=1) -> "
    "(Tensor, Tensor, Tensor)",
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
