"""RMSprop as TensorFlow has it: the average of the squares begins with 1, epsilon is within the
root, and the momentum holds steps that have the learning rate in them."""

from __future__ import annotations

from typing import Any

import torch

from ._base import NpuFusedOptimizerBase, require


class NpuFusedRMSpropTF(NpuFusedOptimizerBase):
    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.9, eps: float = 1e-10,
                 weight_decay: float = 0, momentum: float = 0.0, centered: bool = False,
                 decoupled_decay: bool = False, lr_in_momentum: bool = True) -> None:
        infinite = float("inf")
        require({"learning rate": (lr, 0, infinite), "epsilon value": (eps, 0, infinite),
                 "momentum value": (momentum, 0, infinite), "alpha value": (alpha, 0, infinite),
                 "weight_decay value": (weight_decay, 0, infinite)})
        super().__init__(params, dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps,
                                      centered=centered, weight_decay=weight_decay,
                                      decoupled_decay=decoupled_decay,
                                      lr_in_momentum=lr_in_momentum))

    def _update(self, parameter: torch.Tensor, gradient: torch.Tensor, state: dict[str, Any],
                group: dict[str, Any]) -> None:
        if not state:
            state["step"] = 0
            state["square_avg"] = torch.ones_like(parameter, memory_format=torch.preserve_format)
            for name, there in (("momentum_buffer", group["momentum"] > 0),
                                ("grad_avg", group["centered"])):
                if there:
                    state[name] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
        state["step"] += 1
        if group["weight_decay"] != 0:
            if group["decoupled_decay"]:
                parameter.mul_(1 - group["weight_decay"])
            else:
                gradient = gradient.add(parameter, alpha=group["weight_decay"])
        step = gradient / self._spread(gradient, state, group)
        if group["momentum"] <= 0:
            parameter.add_(step, alpha=-group["lr"])
            return
        within = group["lr"] if group["lr_in_momentum"] else 1.0
        state["momentum_buffer"].mul_(group["momentum"]).add_(step, alpha=within)
        parameter.add_(state["momentum_buffer"], alpha=-group["lr"] / within)

    @staticmethod
    def _spread(gradient: torch.Tensor, state: dict[str, Any],
                group: dict[str, Any]) -> torch.Tensor:
        part = 1 - group["alpha"]
        state["square_avg"].add_(gradient.pow(2) - state["square_avg"], alpha=part)
        if not group["centered"]:
            return state["square_avg"].add(group["eps"]).sqrt_()
        state["grad_avg"].add_(gradient - state["grad_avg"], alpha=part)
        variance = state["square_avg"].addcmul(state["grad_avg"], state["grad_avg"], value=-1)
        return variance.add_(group["eps"]).sqrt_()
