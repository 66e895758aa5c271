"""torch.npu.amp: products in numbers of 16 bits where autocast is on, and scaled losses."""

from __future__ import annotations

import functools
from typing import Any, Callable

import torch

from ._library import library

# Numbers of torch for types, and those that autocast may have.
_NUMBERS = {torch.float16: 5, torch.bfloat16: 15, torch.float32: 6}
_ON = 256


def _set(on: bool, dtype: torch.dtype) -> int:
    if dtype not in _NUMBERS:
        raise RuntimeError(f"autocast on npu has float16 and bfloat16, not {dtype}")
    return library.davsim_torch_autocast(int(on), _NUMBERS[dtype])


def _restore(before: int) -> None:
    library.davsim_torch_autocast(before // _ON, before % _ON)


def _state() -> int:
    before = library.davsim_torch_autocast(0, _NUMBERS[torch.float16])
    _restore(before)
    return before


def is_autocast_enabled() -> bool:
    return _state() >= _ON


def get_autocast_dtype() -> torch.dtype:
    number = _state() % _ON
    return next(dtype for dtype, known in _NUMBERS.items() if known == number)


def set_autocast_enabled(enabled: bool) -> None:
    _set(enabled, get_autocast_dtype())


def set_autocast_dtype(dtype: torch.dtype) -> None:
    _set(is_autocast_enabled(), dtype)


class autocast:
    """A context, or a decorator."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16,
                 cache_enabled: bool = True) -> None:
        self.enabled = enabled
        self.dtype = dtype
        self._before: list[int] = []

    def __enter__(self) -> autocast:
        self._before.append(_set(self.enabled, self.dtype))
        return self

    def __exit__(self, *exception: object) -> bool:
        _restore(self._before.pop())
        return False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def within(*arguments: Any, **keywords: Any) -> Any:
            with autocast(self.enabled, self.dtype):
                return function(*arguments, **keywords)

        return within


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        wanted = value.is_floating_point() and value.device.type == "npu" and \
            value.dtype != torch.float64
        return value.to(dtype) if wanted else value
    if isinstance(value, dict):
        return {key: _cast(one, dtype) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(one, dtype) for one in value)
    return value


def custom_fwd(forward: Any = None, *, cast_inputs: torch.dtype | None = None) -> Any:
    """Of a function with a backward pass of its own: with `cast_inputs` its inputs on npu have that
    type, and autocast is off in it."""
    if forward is None:
        return functools.partial(custom_fwd, cast_inputs=cast_inputs)

    @functools.wraps(forward)
    def within(ctx: Any, *arguments: Any, **keywords: Any) -> Any:
        ctx._dtype = get_autocast_dtype()
        ctx._fwd_used_autocast = is_autocast_enabled() and cast_inputs is None
        if not is_autocast_enabled() or cast_inputs is None:
            return forward(ctx, *arguments, **keywords)
        with autocast(enabled=False):
            return forward(ctx, *_cast(arguments, cast_inputs), **_cast(keywords, cast_inputs))

    return within


def custom_bwd(backward: Any) -> Any:
    """The backward pass, with autocast as it was in the forward pass."""

    @functools.wraps(backward)
    def within(ctx: Any, *arguments: Any) -> Any:
        with autocast(ctx._fwd_used_autocast, ctx._dtype):
            return backward(ctx, *arguments)

    return within


class GradScaler:
    """Multiplies losses so that gradients of 16 bits do not vanish. A step whose gradients have an
    infinity or a NaN is left out, and the scale is less from then on."""

    def __init__(self, init_scale: float = 2.0**16, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000, dynamic: bool = True,
                 enabled: bool = True, **ignored: Any) -> None:
        self._enabled, self._dynamic = enabled, dynamic
        self._scale, self._growth_tracker = float(init_scale), 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._infinite: dict[int, bool] = {}  # by optimizer, those that were unscaled

    def scale(self, outputs: Any) -> Any:
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale
        return type(outputs)(self.scale(output) for output in outputs)

    @torch.no_grad()
    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        if not self._enabled:
            return
        if id(optimizer) in self._infinite:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last "
                               "update().")
        infinite = False
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    values = parameter.grad._values() if parameter.grad.is_sparse else parameter.grad
                    infinite = infinite or not bool(torch.isfinite(values).all())
                    values.mul_(1 / self._scale)
        self._infinite[id(optimizer)] = infinite

    def step(self, optimizer: torch.optim.Optimizer, *arguments: Any, **keywords: Any) -> Any:
        if not self._enabled:
            return optimizer.step(*arguments, **keywords)
        if "closure" in keywords:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) not in self._infinite:
            self.unscale_(optimizer)
        return None if self._infinite[id(optimizer)] else optimizer.step(*arguments, **keywords)

    def update(self, new_scale: Any = None) -> None:
        if not self._enabled:
            return
        infinite = any(self._infinite.values())
        self._infinite.clear()
        if new_scale is not None:
            self._scale = float(new_scale)
        elif self._dynamic and infinite:
            self._scale, self._growth_tracker = self._scale * self._backoff_factor, 0
        elif self._dynamic:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale, self._growth_tracker = self._scale * self._growth_factor, 0

    def get_scale(self) -> float:
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        if not self._enabled:
            return {}
        return {"scale": self._scale, "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
                "_growth_tracker": self._growth_tracker, "dynamic": self._dynamic}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if not self._enabled:
            return
        if not state:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a "
                               "disabled instance of GradScaler.")
        self._scale, self._growth_tracker = float(state["scale"]), state["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state["growth_factor"], state["backoff_factor"]
        self._growth_interval = state["growth_interval"]
        self._dynamic = state.get("dynamic", True)
