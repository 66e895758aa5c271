"""torch.npu.amp. Operators of torch run on the CPU, in the dtype of their tensors: autocast changes
no dtype and the scaler scales by 1, so that results are those of the program without them."""

from __future__ import annotations

import functools
from typing import Any, Callable

import torch


class autocast:
    """A context, or a decorator, that leaves everything as it is."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16,
                 cache_enabled: bool = True) -> None:
        self.enabled = enabled
        self.dtype = dtype

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *exception: object) -> bool:
        return False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


def custom_fwd(forward: Any = None, *, cast_inputs: torch.dtype | None = None) -> Any:
    if forward is None:
        return functools.partial(custom_fwd, cast_inputs=cast_inputs)
    return forward


def custom_bwd(backward: Any) -> Any:
    return backward


class GradScaler:
    """A scaler with the scale 1."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        pass

    def scale(self, outputs: Any) -> Any:
        return outputs

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        pass

    def step(self, optimizer: torch.optim.Optimizer, *arguments: Any, **keywords: Any) -> Any:
        return optimizer.step(*arguments, **keywords)

    def update(self, new_scale: Any = None) -> None:
        pass

    def get_scale(self) -> float:
        return 1.0

    def is_enabled(self) -> bool:
        return False

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass
