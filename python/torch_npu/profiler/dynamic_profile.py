"""Profiles that a file asks for while the program runs.

    from torch_npu.profiler import dynamic_profile as dp
    dp.init("folder")            # writes folder/profiler_config.json if it is not there
    for step in range(steps):
        train_one_step()
        dp.step()

Whenever the file has changed, the next `active` steps, from `start_step` on, are a profile in
`prof_dir`. start(path) asks for one at once.
"""

from __future__ import annotations

import json
import os
from typing import Any

from . import _config
from .profiler import profile, tensorboard_trace_handler

__all__ = ["init", "start", "step"]
_NAME = "profiler_config.json"
_TEMPLATE: dict[str, Any] = {
    "activities": ["CPU", "NPU"], "prof_dir": "./", "analyse": False, "record_shapes": False,
    "profile_memory": False, "with_stack": False, "with_flops": False, "with_modules": False,
    "active": 1, "warmup": 0, "start_step": 0, "is_rank": False, "rank_list": [],
    "experimental_config": {
        "profiler_level": "Level0", "aic_metrics": "AiCoreNone", "l2_cache": False, "op_attr": False,
        "gc_detect_threshold": None, "data_simplification": True, "record_op_args": False,
        "export_type": ["text"], "mstx": False, "mstx_domain_include": [], "mstx_domain_exclude": [],
        "host_sys": [], "sys_io": False, "sys_interconnection": False},
    "metadata": {}}


class _State:
    def __init__(self, path: str) -> None:
        self.path, self.step = path, 0
        self.seen = _changed(path)
        self.waiting: dict[str, Any] | None = None
        self.running: profile | None = None
        self.left = 0


_state: _State | None = None


def _changed(path: str) -> float | None:
    """When a file was written last; None where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return None


def _read(path: str) -> dict[str, Any]:
    """Raises RuntimeError for a file that is no JSON object and for members of another kind."""
    try:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"dynamic_profile: {path} cannot be read: {error}") from error
    if not isinstance(given, dict):
        raise RuntimeError(f"dynamic_profile: {path} is no JSON object")
    asked = {**_TEMPLATE, **given}
    for name, least in (("active", 1), ("warmup", 0), ("start_step", 0)):
        if not isinstance(asked[name], int) or asked[name] < least:
            raise RuntimeError(f"dynamic_profile: {name} is {asked[name]!r}, it is a whole number from {least}")
    return asked


def init(path: str) -> None:
    """path: a folder; a template of profiler_config.json is written there if it has none. A second call
    changes nothing."""
    global _state
    if _state is not None:
        return
    os.makedirs(path, exist_ok=True)
    file = os.path.join(path, _NAME)
    if not os.path.exists(file):
        with open(file, "w", encoding="utf-8") as made:
            json.dump(_TEMPLATE, made, indent=4)
    _state = _State(file)


def _begun() -> _State:
    if _state is None:
        raise RuntimeError("dynamic_profile: init(path) is called first")
    return _state


def start(config_path: str | None = None) -> None:
    """Begins a profile as a file says, or that of init: it ends after the next `active` steps."""
    state = _begun()
    path = config_path or state.path
    if os.path.isdir(path):
        path = os.path.join(path, _NAME)
    asked = _read(path)
    if state.running is None:
        _begin(state, asked)


def step() -> None:
    """Ends a step, and with the last of a profile writes it."""
    state = _begun()
    state.step += 1
    if state.running is not None:
        state.running.step()
        state.left -= 1
        if state.left > 0:
            return
        state.running.stop()
        state.running = None
    changed = _changed(state.path)
    if changed is not None and changed != state.seen:
        state.seen, state.waiting = changed, _read(state.path)
    asked = state.waiting
    if asked is None or state.step < asked["start_step"]:
        return
    state.waiting = None
    if _concerns_this_rank(asked):
        _begin(state, asked)


def _concerns_this_rank(asked: dict[str, Any]) -> bool:
    import torch.distributed as dist

    if not asked["is_rank"]:
        return True
    there = dist.is_available() and dist.is_initialized()
    return (dist.get_rank() if there else 0) in asked["rank_list"]


def _member(kind: Any, name: Any) -> Any:
    """A member of an enumeration by its name or its value."""
    for member in kind:
        if name in (member, member.name, member.value):
            return member
    raise RuntimeError(f"dynamic_profile: {kind.__name__} has no {name!r}")


def _begin(state: _State, asked: dict[str, Any]) -> None:
    options = {**_TEMPLATE["experimental_config"], **asked["experimental_config"]}
    options["profiler_level"] = _member(_config.ProfilerLevel, options["profiler_level"])
    options["aic_metrics"] = _member(_config.AiCMetrics, options["aic_metrics"])
    steps = {name: asked[name] for name in ("warmup", "active")}
    state.running = profile(
        activities=[_member(_config.ProfilerActivity, name) for name in asked["activities"]],
        schedule=_config.schedule(wait=0, repeat=1, **steps),
        on_trace_ready=tensorboard_trace_handler(asked["prof_dir"]),
        experimental_config=_config._ExperimentalConfig(**options))
    state.left = sum(steps.values())
    state.running.start()
