"""The fused optimizers whose algorithm torch has."""

from __future__ import annotations

from typing import Any, Callable

import torch

from ._base import NpuFusedOptimizerBase


class _OfTorch(NpuFusedOptimizerBase):
    """Comes before the class of torch that does the step."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        self._check_parameters()
        return super(NpuFusedOptimizerBase, self).step(closure)


class NpuFusedSGD(_OfTorch, torch.optim.SGD):
    def __init__(self, params: Any, lr: float, momentum: float = 0.0, dampening: float = 0.0,
                 weight_decay: float = 0.0, nesterov: bool = False) -> None:
        torch.optim.SGD.__init__(self, params, lr=lr, momentum=momentum, dampening=dampening,
                                 weight_decay=weight_decay, nesterov=nesterov)


class NpuFusedAdam(_OfTorch, torch.optim.Adam):
    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False) -> None:
        torch.optim.Adam.__init__(self, params, lr=lr, betas=betas, eps=eps,
                                  weight_decay=weight_decay, amsgrad=amsgrad)


class NpuFusedAdamW(_OfTorch, torch.optim.AdamW):
    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False) -> None:
        torch.optim.AdamW.__init__(self, params, lr=lr, betas=betas, eps=eps,
                                   weight_decay=weight_decay, amsgrad=amsgrad)


class NpuFusedAdadelta(_OfTorch, torch.optim.Adadelta):
    def __init__(self, params: Any, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6,
                 weight_decay: float = 0) -> None:
        torch.optim.Adadelta.__init__(self, params, lr=lr, rho=rho, eps=eps,
                                      weight_decay=weight_decay)


class NpuFusedRMSprop(_OfTorch, torch.optim.RMSprop):
    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False) -> None:
        torch.optim.RMSprop.__init__(self, params, lr=lr, alpha=alpha, eps=eps,
                                     weight_decay=weight_decay, momentum=momentum,
                                     centered=centered)
