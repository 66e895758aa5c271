"""torch.nn.SyncBatchNorm of tensors on npu: torch's own takes those of CUDA only."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as functional


def install() -> None:
    torch.nn.SyncBatchNorm.forward = _wrap(torch.nn.SyncBatchNorm.forward)


def _wrap(of_torch: Any) -> Any:
    @functools.wraps(of_torch)
    def forward(self: torch.nn.SyncBatchNorm, input: torch.Tensor) -> torch.Tensor:
        return _normalised(self, input) if input.device.type == "npu" else of_torch(self, input)

    return forward


def _normalised(layer: torch.nn.SyncBatchNorm, input: torch.Tensor) -> torch.Tensor:
    layer._check_input_dim(input)
    momentum = layer.momentum or 0.0
    if layer.training and layer.track_running_stats:
        layer.num_batches_tracked.add_(1)
        if layer.momentum is None:  # a mean of all batches
            momentum = 1.0 / float(layer.num_batches_tracked)
    of_batch = layer.training or layer.running_mean is None
    tracked = not layer.training or layer.track_running_stats
    mean, variance = (layer.running_mean, layer.running_var) if tracked else (None, None)
    group = layer.process_group or dist.group.WORLD if layer.training else None
    if group is None or dist.get_world_size(group) == 1:
        return functional.batch_norm(input, mean, variance, layer.weight, layer.bias, of_batch,
                                     momentum, layer.eps)
    return _OverRanks.apply(input, layer.weight, layer.bias, mean, variance, layer.eps, momentum,
                            group)


def _by_channel(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return values.reshape([1, -1] + [1] * (like.dim() - 2))


def _sums(*parts: torch.Tensor) -> list[torch.Tensor]:
    """Of all elements of a channel."""
    return [part.sum([i for i in range(part.dim()) if i != 1]) for part in parts]


class _OverRanks(torch.autograd.Function):
    """Mean and variance over the batches of all ranks, which may differ in size; in float32."""

    @staticmethod
    def forward(context: Any, input: torch.Tensor, weight: Any, bias: Any, running_mean: Any,
                running_variance: Any, eps: float, momentum: float, group: Any) -> torch.Tensor:
        x = input.float()
        channels = x.shape[1]
        count = torch.full([1], x.numel() / channels, device=x.device)
        of_all = torch.cat([*_sums(x, x * x), count])
        dist.all_reduce(of_all, group=group)
        total = of_all[-1]
        mean = of_all[:channels] / total
        variance = of_all[channels:-1] / total - mean * mean
        if running_mean is not None:
            unbiased = variance * (total / (total - 1))
            running_mean.mul_(1 - momentum).add_(mean * momentum)
            running_variance.mul_(1 - momentum).add_(unbiased * momentum)
        scale = torch.rsqrt(variance + eps)
        normalised = (x - _by_channel(mean, x)) * _by_channel(scale, x)
        context.save_for_backward(normalised, scale, weight, total)
        context.group = group
        if weight is not None:
            normalised = normalised * _by_channel(weight, x) + _by_channel(bias, x)
        return normalised.to(input.dtype)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Any:
        normalised, scale, weight, total = context.saved_tensors
        dy = gradient.float()
        of_bias, of_weight = _sums(dy, dy * normalised)
        of_all = torch.cat([of_bias, of_weight])
        dist.all_reduce(of_all, group=context.group)
        mean_dy, mean_dy_x = (of_all / total).split(of_bias.numel())
        dx = (dy - _by_channel(mean_dy, dy) - normalised * _by_channel(mean_dy_x, dy))
        dx = dx * _by_channel(scale if weight is None else scale * weight, dy)
        affine = weight is not None
        return (dx.to(gradient.dtype), of_weight.to(weight.dtype) if affine else None,
                of_bias.to(weight.dtype) if affine else None, None, None, None, None, None)
