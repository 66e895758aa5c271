"""What the fused optimizers have beside those of torch."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.optim.optimizer import Optimizer


class NpuFusedOptimizerBase(Optimizer):
    """An optimizer of float32 and float16 parameters. A subclass that is none of torch's has
    _update(parameter, gradient, state, group), which it calls for each parameter with a gradient."""

    is_fused_optimizer = True

    def zero_grad(self, set_to_none: bool = False) -> None:
        if set_to_none:
            raise ValueError("set_to_none is not supported in fused optimizers")
        super().zero_grad(set_to_none=False)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._before_step()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, parameter.grad, self.state[parameter], group)
        return loss

    def _before_step(self) -> None:
        self._check_parameters()

    def _update(self, parameter: torch.Tensor, gradient: torch.Tensor, state: dict[str, Any],
                group: dict[str, Any]) -> None:
        raise NotImplementedError

    def _gradients(self) -> list[torch.Tensor]:
        return [parameter.grad for group in self.param_groups for parameter in group["params"]
                if parameter.grad is not None]

    @torch.no_grad()
    def get_combined_grads(self) -> list[torch.Tensor]:
        """A flat tensor for each type: all gradients of the optimizer one behind the other. They are
        parts of it from then on, so that what is done to it is done to them."""
        self._check_parameters()
        combined = []
        parameters = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        for dtype in (torch.float32, torch.float16):
            some = [p for p in parameters if p.grad.dtype == dtype]
            if not some:
                continue
            whole = torch.cat([p.grad.reshape(-1) for p in some])
            for p, part in zip(some, whole.split([p.numel() for p in some])):
                p.grad = part.view(p.shape)
            combined.append(whole)
        return combined

    def _check_parameters(self) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if parameter.dtype not in (torch.float32, torch.float16):
                    raise TypeError("Fused optimizer's parameters must be either float32 or float16, "
                                    f"but received {parameter.dtype}")
                if parameter.grad.is_sparse:
                    raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    @torch.no_grad()
    def clip_grad_norm_fused_(self, max_norm: float, norm_type: float = 2) -> torch.Tensor:
        """torch.nn.utils.clip_grad_norm_ for all gradients of the optimizer."""
        gradients = self._gradients()
        if not gradients:
            return torch.tensor(0.0)
        whole = torch.cat([gradient.float().abs().flatten() for gradient in gradients])
        norm = torch.linalg.vector_norm(whole, float(norm_type))
        factor = float(max_norm) / (norm.item() + 1e-6)
        if factor < 1:
            for gradient in gradients:
                gradient.mul_(factor)
        return norm


def moments(parameter: torch.Tensor, state: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """The averages of the gradient and of its square, which are 0 at first."""
    if not state:
        state["step"] = 0
        state["exp_avg"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
        state["exp_avg_sq"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
    return state["exp_avg"], state["exp_avg_sq"]


def follow(gradient: torch.Tensor, average: torch.Tensor, of_square: torch.Tensor,
           beta1: float, beta2: float) -> None:
    average.mul_(beta1).add_(gradient, alpha=1 - beta1)
    of_square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)


def require(limits: dict[str, tuple[float, float, float]]) -> None:
    """Each name has a value, the least it may be and what it must be less than."""
    for name, (value, least, most) in limits.items():
        if not least <= value < most:
            raise ValueError(f"Invalid {name}: {value}")
