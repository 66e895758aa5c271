"""davsim: operators of Ascend NPUs on a simulated device, cycle by cycle.

    import davsim, numpy as np
    a, b = np.ones((256, 512), np.float16), np.ones((512, 256), np.float16)
    with davsim.Device("Ascend910B3") as sim:
        c = davsim.run("matmul", a=a, b=b)["c"]
        print(sim.last.cycles, sim.last.roofline)

run() calls any operator by its name, tensors and attributes as keyword arguments. Device is a
simulated die; Device.last has the figures of the last call. All errors derive from Error.
compile() makes a kernel of a source, load_operators() takes the library of an operator project, and
sweep() runs many calls. System is several dies. davsim.torch_npu has the operators under their public names and signatures, davsim.testing compares
results. docs/python.md is the guide.
"""

from __future__ import annotations

from ._device import Device, device, run
from .errors import (TYPE_CHECKING, AttributeValueError, CheckError, CompileError, DtypeError,
                     Error, FileError, FormatError, InternalError, KernelCrash, KernelFault,
                     KernelTimeout, MissingTensorError, RankError, RefusedError, ShapeError,
                     TensorIndexError, UnsupportedError, UsageError, WorkerError)

if TYPE_CHECKING:
    from typing import Any

    from . import testing, torch_npu
    from ._operators import Operators, load_operators
    from ._patch import patch
    from ._sweep import sweep
    from ._system import System
    from ._tensors import BFloat16
    from .kernels import Kernel, compile
    from .result import Line, Pipe, Roofline, Run

__version__ = "0.1.0"
__all__ = [
    "AttributeValueError", "BFloat16", "CheckError", "CompileError", "Device", "DtypeError", "Error",
    "FileError", "FormatError", "InternalError", "Kernel", "KernelCrash", "KernelFault",
    "KernelTimeout", "Line", "MissingTensorError", "Operators", "Pipe", "RankError", "RefusedError",
    "Roofline", "Run", "ShapeError", "System", "TensorIndexError", "UnsupportedError", "UsageError",
    "WorkerError", "compile", "device", "load_operators", "patch", "run", "sweep", "testing",
    "torch_npu",
]
# What few programs need is loaded when it is asked for, so that `import davsim` stays fast.
_LATER = {"BFloat16": "_tensors", "Kernel": "kernels", "Line": "result", "Operators": "_operators",
          "Pipe": "result", "Roofline": "result", "Run": "result", "compile": "kernels",
          "load_operators": "_operators", "patch": "_patch", "sweep": "_sweep", "System": "_system"}


def __getattr__(name: str) -> Any:
    import importlib

    if name in ("testing", "torch_npu"):
        return importlib.import_module("." + name, __name__)
    if name in _LATER:
        return getattr(importlib.import_module("." + _LATER[name], __name__), name)
    raise AttributeError(f"module 'davsim' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
