"""python3 setup.py build_ext --inplace, after davsim-cc has made libkernels.so (see README.md)."""

import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension
from torch_npu.utils.cpp_extension import NpuExtension

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.environ.get("KERNELS", HERE)


def extension(name, source, **kernels):
    return NpuExtension(name=name, sources=[source], extra_compile_args=["-O0"], **kernels)


WITH_KERNELS = {"libraries": ["kernels"], "library_dirs": [KERNELS],
                "runtime_library_dirs": [KERNELS]}

setup(
    name="torch_extension",
    ext_modules=[
        extension("by_pybind11", "by_pybind11.cpp", **WITH_KERNELS),
        extension("by_library", "by_library.cpp", **WITH_KERNELS),
        extension("by_two_phases", "by_two_phases.cpp"),
    ],
    cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)},
)
