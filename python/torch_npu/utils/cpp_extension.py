"""Extensions of torch with code for the device: NpuExtension for setuptools."""

from __future__ import annotations

import os
from typing import Any

import setuptools
from torch.utils import cpp_extension as _torch

from .. import _backend


def include_paths() -> list[str]:
    """Folders of headers: torch_npu's, and those of the runtime."""
    include = os.path.join(_backend.PACKAGE, "include")
    return [include, *_backend.Toolchain().includes]


def library_paths() -> list[str]:
    """Folders of libtorch_npu.so and libascendcl.so."""
    return [_backend.library_folder(), *_backend.Toolchain().libraries]


def NpuExtension(name: str, sources: list[str], *args: Any, **kwargs: Any) -> setuptools.Extension:
    """A setuptools.Extension for torch and the simulated device; arguments as for that class.

    `cmdclass={"build_ext": BuildExtension}` of torch.utils.cpp_extension builds it. Sources with
    kernels are compiled apart, by davsim-cc or ascendc_library, and linked by extra_objects or
    libraries.
    """
    kwargs["include_dirs"] = [*kwargs.get("include_dirs", []), *include_paths(),
                              *_torch.include_paths()]
    folders = library_paths()
    kwargs["library_dirs"] = [*kwargs.get("library_dirs", []), *folders, *_torch.library_paths()]
    kwargs["libraries"] = [*kwargs.get("libraries", []), "c10", "torch", "torch_cpu", "torch_python",
                           "torch_npu", "ascendcl"]
    kwargs["runtime_library_dirs"] = [*kwargs.get("runtime_library_dirs", []), *folders]
    kwargs["extra_compile_args"] = _at_least_cpp17(kwargs.get("extra_compile_args", []))
    kwargs["language"] = "c++"
    return setuptools.Extension(name, sources, *args, **kwargs)


def _at_least_cpp17(options: Any) -> Any:
    """Without a standard among the options, BuildExtension of torch 1.13 adds C++14."""
    if isinstance(options, dict):
        return options | {"cxx": _at_least_cpp17(options.get("cxx", []))}
    if any(option.startswith("-std=") for option in options):
        return options
    return [*options, "-std=c++17"]


BuildExtension = _torch.BuildExtension
