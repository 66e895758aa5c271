"""torch.npu.graphs: work of streams that is captured once and executed as often as one likes. Kernels
are those of the runtime's models; operators of torch, which run on the CPU here, are done again at
each execution."""

from __future__ import annotations

import ctypes
import gc
import itertools
import types
from typing import Any

import torch

from ._library import check, library
from .memory import empty_cache
from .streams import Stream, stream as _on_stream
from .utils import synchronize

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
_pools = itertools.count(1)
library.davsim_torch_graph_make.restype = ctypes.c_void_p


def graph_pool_handle() -> tuple[int, int]:
    """A name for a pool of memory. Each graph has memory of its own here."""
    return (0, next(_pools))


class NPUGraph:
    def __init__(self, keep_graph: bool = False) -> None:
        self._graph: ctypes.c_void_p | None = None
        self._pool = graph_pool_handle()
        self._captured = False

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global") -> None:
        if capture_error_mode not in _MODES:
            raise RuntimeError("Unknown capture error mode. Expected `global`, `thread_local`, or "
                               f"`relaxed`, got {capture_error_mode}")
        if self._graph is not None:
            raise RuntimeError("This NPUGraph instance already owns a captured graph. To capture a "
                               "new graph, create a new instance.")
        made = ctypes.c_void_p(library.davsim_torch_graph_make())
        check(library.davsim_torch_graph_begin(made, _MODES[capture_error_mode]))
        self._graph = made
        self._pool = pool or self._pool

    def capture_end(self) -> None:
        check(library.davsim_torch_graph_end(self._begun()))
        self._captured = True

    def replay(self) -> None:
        graph = self._begun()
        if not self._captured:
            raise RuntimeError("Called NPUGraph.replay without a preceding successful capture.")
        check(library.davsim_torch_graph_replay(graph))

    def reset(self) -> None:
        if self._graph is not None:
            graph, self._graph, self._captured = self._graph, None, False
            check(library.davsim_torch_graph_destroy(graph))

    def pool(self) -> Any:
        return self._pool

    def update(self, *arguments: Any, **keywords: Any) -> None:
        raise NotImplementedError("davsim: NPUGraph.update: operators of torch_npu whose arguments a "
                                  "graph changes are not captured")

    def _begun(self) -> ctypes.c_void_p:
        if self._graph is None:
            raise RuntimeError("the NPUGraph has no capture")
        return self._graph

    def __del__(self) -> None:
        try:
            self.reset()
        except Exception:  # the interpreter ends
            pass


class graph:
    """Captures what its body does on a stream of its own, or on `stream`."""

    default_capture_stream: Stream | None = None

    def __init__(self, npu_graph: NPUGraph, pool: Any = None, stream: Stream | None = None,
                 auto_dispatch_capture: bool = False, capture_error_mode: str = "global") -> None:
        if graph.default_capture_stream is None:
            graph.default_capture_stream = Stream()
        self.pool = () if pool is None else (pool,)
        self.capture_stream = stream or graph.default_capture_stream
        self.stream_ctx = _on_stream(self.capture_stream)
        self.npu_graph = npu_graph
        self.capture_error_mode = capture_error_mode

    def __enter__(self) -> None:
        synchronize()
        gc.collect()
        empty_cache()
        self.stream_ctx.__enter__()
        try:
            self.npu_graph.capture_begin(*self.pool, capture_error_mode=self.capture_error_mode)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self.npu_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(kind, error, traceback)


def make_graphed_callables(callables: Any, sample_args: Any, *arguments: Any, **keywords: Any) -> Any:
    """torch's own function, which sees npu where it says cuda."""
    from .. import npu
    from .._asks_cuda import Torch

    of_torch = torch.cuda.graphs.make_graphed_callables
    cuda = {**vars(npu), "CUDAGraph": NPUGraph}
    seen = Torch("torch")
    seen.cuda = types.SimpleNamespace(**cuda)
    names = {**vars(torch.cuda.graphs), **cuda, "torch": seen}
    own = types.FunctionType(of_torch.__code__, names, of_torch.__name__, of_torch.__defaults__,
                             of_torch.__closure__)
    own.__kwdefaults__ = of_torch.__kwdefaults__
    return own(callables, sample_args, *arguments, **keywords)
