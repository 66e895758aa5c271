"""torch.npu.random: random numbers come from the host's generator."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch


def manual_seed(seed: int) -> None:
    # torch.manual_seed calls this function where cuda means npu.
    torch.default_generator.manual_seed(int(seed))


manual_seed_all = manual_seed


def seed() -> None:
    torch.seed()


seed_all = seed


def initial_seed() -> int:
    return torch.initial_seed()


def get_rng_state(device: Any = None) -> torch.Tensor:
    return torch.get_rng_state()


def set_rng_state(state: torch.Tensor, device: Any = None) -> None:
    torch.set_rng_state(state)


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state()]


def set_rng_state_all(states: Any) -> None:
    for state in states:
        set_rng_state(state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **ignored: Any) -> Iterator[None]:
    """What random numbers the body draws does not show behind it."""
    if not enabled:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        yield
