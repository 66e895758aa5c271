"""AdamP (arXiv 2006.08217): Adam whose step has no part along a parameter that only its direction
matters for."""

from __future__ import annotations

import math
from typing import Any

import torch

from ._base import NpuFusedOptimizerBase, follow, moments, require


class NpuFusedAdamP(NpuFusedOptimizerBase):
    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, delta: float = 0.1,
                 wd_ratio: float = 0.1, nesterov: bool = False) -> None:
        infinite = float("inf")
        require({"learning rate": (lr, 0, infinite), "epsilon value": (eps, 0, infinite),
                 "beta parameter at index 0": (betas[0], 0, 1),
                 "beta parameter at index 1": (betas[1], 0, 1)})
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      delta=delta, wd_ratio=wd_ratio, nesterov=nesterov))

    def _update(self, parameter: torch.Tensor, gradient: torch.Tensor, state: dict[str, Any],
                group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        average, of_square = moments(parameter, state)
        follow(gradient, average, of_square, beta1, beta2)
        state["step"] += 1
        correction1, correction2 = (1 - beta ** state["step"] for beta in (beta1, beta2))
        spread = (of_square.sqrt() / math.sqrt(correction2)).add_(group["eps"])
        ahead = beta1 * average + (1 - beta1) * gradient if group["nesterov"] else average
        step, decay = self._projected(parameter, gradient, ahead / spread, group)
        if group["weight_decay"] > 0:
            parameter.mul_(1 - group["lr"] * group["weight_decay"] * decay)
        parameter.add_(step, alpha=-group["lr"] / correction1)

    @staticmethod
    def _projected(parameter: torch.Tensor, gradient: torch.Tensor, step: torch.Tensor,
                   group: dict[str, Any]) -> tuple[torch.Tensor, float]:
        """The step without its part along the parameter, by channels or as a whole, where the
        gradient is nearly at a right angle to it; and the part of the decay that is left."""
        if parameter.dim() < 2:
            return step, 1.0
        for rows in (parameter.shape[0], 1):
            shape = (rows, -1)
            p, g = parameter.reshape(shape), gradient.reshape(shape)
            cosine = torch.nn.functional.cosine_similarity(g, p, dim=1, eps=group["eps"]).abs()
            if cosine.max().item() < group["delta"] / math.sqrt(p.shape[1]):
                along = p / p.norm(dim=1, keepdim=True).add(group["eps"])
                s = step.reshape(shape)
                s = s - along * (along * s).sum(dim=1, keepdim=True)
                return s.reshape(step.shape), group["wd_ratio"]
        return step, 1.0
