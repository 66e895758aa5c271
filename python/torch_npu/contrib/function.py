"""torch_npu.contrib.function: functions that stand for several of torch."""

from __future__ import annotations

import math
from typing import Any

import torch

__all__ = ["fuse_add_softmax_dropout", "matmul_transpose"]


def fuse_add_softmax_dropout(training: bool, dropout: Any, attn_mask: torch.Tensor,
                             attn_scores: torch.Tensor, attn_head_size: float, p: float = 0.5,
                             dim: int = -1) -> torch.Tensor:
    """The softmax of attn_scores / sqrt(attn_head_size) + attn_mask, and in training a dropout of p,
    otherwise the function `dropout`."""
    shares = torch.softmax((attn_scores.float() / math.sqrt(attn_head_size) + attn_mask.float()), dim)
    shares = shares.to(attn_scores.dtype)
    return torch.nn.functional.dropout(shares, p) if training else dropout(shares)


def matmul_transpose(tensor1: torch.Tensor, tensor2: torch.Tensor) -> torch.Tensor:
    """tensor1 @ tensor2, whose last two dimensions are exchanged."""
    return torch.matmul(tensor1, tensor2.transpose(-1, -2))
