"""torch_npu.npu.mstx: marks and ranges of the program. A profile (torch_npu.profiler) shows them at
the place on the device's clock where they were told; otherwise nobody keeps them."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Callable, Iterator

_numbers = itertools.count(1)
# (message, number of the range or None, True for a start): what a profile listens to.
listeners: list[Callable[[str, int | None, bool], None]] = []
_open: dict[int, str] = {}


def _tell(message: str, number: int | None, begins: bool) -> None:
    for listener in list(listeners):
        listener(message, number, begins)


def mark(message: str = "", stream: Any = None, domain: str = "default") -> None:
    _tell(message, None, True)


def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
    number = next(_numbers)
    if listeners:
        _open[number] = message
        _tell(message, number, True)
    return number


def range_end(range_id: int, domain: str = "default") -> None:
    message = _open.pop(range_id, None)
    if message is not None:
        _tell(message, range_id, False)


@contextlib.contextmanager
def annotate(message: str = "", stream: Any = None, domain: str = "default") -> Iterator[None]:
    number = range_start(message, stream, domain)
    try:
        yield
    finally:
        range_end(number, domain)


def mstx_range(message: str, stream: Any = None, domain: str = "default") -> Any:
    """The same as annotate(), which decorates functions too."""
    return annotate(message, stream, domain)
