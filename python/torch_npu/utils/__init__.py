"""Tools of torch_npu."""

from __future__ import annotations

from typing import Any


def set_thread_affinity(core_range: Any = None) -> None:
    """Threads run where the host lets them: without effect here."""


def reset_thread_affinity() -> None:
    """Without effect here."""
