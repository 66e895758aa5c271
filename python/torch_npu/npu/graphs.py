"""torch.npu.graphs: there are none. Operators of torch run on the CPU here, so that a graph would
replay without them; each of these names says so when it is used."""

from __future__ import annotations

from typing import Any


def _refuse(name: str) -> None:
    raise NotImplementedError(
        f"davsim: torch.npu.{name}: graphs of torch are not there, because operators of torch run on "
        "the CPU and a graph would not repeat them; call the functions without a graph")


class NPUGraph:
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        _refuse("NPUGraph")


class graph:
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        _refuse("graph")


def graph_pool_handle() -> Any:
    _refuse("graph_pool_handle")


def make_graphed_callables(*arguments: Any, **keywords: Any) -> Any:
    _refuse("make_graphed_callables")
