"""Adam as BERT was trained with: decay of the weights themselves, no correction of the averages, and
a schedule of its own."""

from __future__ import annotations

import math
from typing import Any

import torch

from ._base import NpuFusedOptimizerBase, follow, moments, require

# The factor of the learning rate behind the warm-up, by the part x of all steps that is done.
_AFTER_WARMUP = {
    "warmup_cosine": lambda x, warmup: 0.5 * (1.0 + math.cos(math.pi * x)),
    "warmup_constant": lambda x, warmup: 1.0,
    "warmup_linear": lambda x, warmup: max((x - 1.0) / (warmup - 1.0), 0.0),
    "warmup_poly": lambda x, warmup: (1.0 - x) ** 0.5,
}


class NpuFusedBertAdam(NpuFusedOptimizerBase):
    def __init__(self, params: Any, lr: float, warmup: float = -1, t_total: int = -1,
                 schedule: str = "warmup_linear", b1: float = 0.9, b2: float = 0.999,
                 e: float = 1e-6, weight_decay: float = 0.01, max_grad_norm: float = 1.0) -> None:
        infinite = float("inf")
        require({"learning rate": (lr, 0, infinite), "b1 parameter": (b1, 0, 1),
                 "b2 parameter": (b2, 0, 1), "e parameter": (e, 0, infinite)})
        if warmup != -1:
            require({"warmup": (warmup, 0, 1)})
        if schedule not in _AFTER_WARMUP:
            raise ValueError(f"Invalid schedule parameter: {schedule}")
        self.max_grad_norm = max_grad_norm
        super().__init__(params, dict(lr=lr, schedule=schedule, warmup=warmup, t_total=t_total, b1=b1,
                                      b2=b2, e=e, weight_decay=weight_decay,
                                      max_grad_norm=max_grad_norm))

    def _before_step(self) -> None:
        """Gradients are limited together, those of a group and of a dtype."""
        super()._before_step()
        if self.max_grad_norm <= 0:
            return
        for group in self.param_groups:
            for dtype in (torch.float32, torch.float16):
                parameters = [parameter for parameter in group["params"] if parameter.dtype == dtype]
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)

    def _update(self, parameter: torch.Tensor, gradient: torch.Tensor, state: dict[str, Any],
                group: dict[str, Any]) -> None:
        average, of_square = moments(parameter, state)
        follow(gradient, average, of_square, group["b1"], group["b2"])
        step = average / (of_square.sqrt() + group["e"])
        if group["weight_decay"] > 0:
            step.add_(parameter, alpha=group["weight_decay"])
        parameter.add_(step, alpha=-group["lr"] * self._scheduled(state["step"], group))
        state["step"] += 1

    @staticmethod
    def _scheduled(step: int, group: dict[str, Any]) -> float:
        if group["t_total"] == -1:
            return 1.0
        done, warmup = step / group["t_total"], group["warmup"]
        return done / warmup if done < warmup else _AFTER_WARMUP[group["schedule"]](done, warmup)
