"""LAMB (arXiv 1904.00962): Adam whose step of a parameter has a length in proportion to its own."""

from __future__ import annotations

from typing import Any

import torch

from ._base import NpuFusedOptimizerBase, follow, moments, require

# A parameter's length counts up to here, as in the implementations that trained BERT.
_LONGEST = 10


class NpuFusedLamb(NpuFusedOptimizerBase):
    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-6, weight_decay: float = 0, adam: bool = False,
                 use_global_grad_norm: bool = False) -> None:
        infinite = float("inf")
        require({"learning rate": (lr, 0, infinite), "epsilon value": (eps, 0, infinite),
                 "beta parameter at index 0": (betas[0], 0, 1),
                 "beta parameter at index 1": (betas[1], 0, 1)})
        self.adam = adam
        self.use_global_grad_norm = use_global_grad_norm
        self._length = 1.0
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def _before_step(self) -> None:
        super()._before_step()
        gradients = self._gradients()
        if self.use_global_grad_norm and gradients:
            squares = torch.stack([gradient.float().pow(2).sum() for gradient in gradients])
            self._length = squares.sum().sqrt().item()

    def _update(self, parameter: torch.Tensor, gradient: torch.Tensor, state: dict[str, Any],
                group: dict[str, Any]) -> None:
        if self._length > 1:
            gradient = gradient / self._length
        average, of_square = moments(parameter, state)
        follow(gradient, average, of_square, *group["betas"])
        state["step"] += 1
        step = average / of_square.sqrt().add(group["eps"])
        if group["weight_decay"] != 0:
            step.add_(parameter, alpha=group["weight_decay"])
        parameter.add_(step, alpha=-group["lr"] * self._trust(parameter, step))

    def _trust(self, parameter: torch.Tensor, step: torch.Tensor) -> float:
        if self.adam:
            return 1.0
        of_parameter = parameter.float().norm().clamp(0, _LONGEST).item()
        of_step = step.float().norm().item()
        return of_parameter / of_step if of_parameter != 0 and of_step != 0 else 1.0
