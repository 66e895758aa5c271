"""torchair: graphs of whole models for the device. Here a model runs operator by operator, as without
a graph, so that its results are the same; options of the compiler are kept and change nothing."""

from __future__ import annotations

from typing import Any, Callable

from . import configs, core, experimental, inference
from .configs.compiler_config import CompilerConfig
from .inference import use_internal_format_weight

__all__ = ["CompilerConfig", "configs", "core", "experimental", "get_compiler", "get_npu_backend",
           "inference", "logger", "use_internal_format_weight"]
logger = core.utils.logger


def get_compiler(compiler_config: CompilerConfig | None = None) -> Callable[..., Any]:
    """What makes a function of a graph of torch: the function that torch has for it."""
    return lambda graph, example_inputs=None, *arguments, **keywords: graph


def get_npu_backend(*, compiler_config: CompilerConfig | None = None,
                    aot_config: Any = None, custom_decompositions: Any = None) -> Callable[..., Any]:
    """A backend for torch.compile."""
    return get_compiler(compiler_config)
