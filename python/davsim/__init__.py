"""davsim: operators of Ascend NPUs on a simulated device, cycle by cycle.

    import davsim, numpy as np
    a, b = np.ones((256, 512), np.float16), np.ones((512, 256), np.float16)
    with davsim.Device("Ascend910B3") as sim:
        c = davsim.run("matmul", a=a, b=b)["c"]
        print(sim.last.cycles, sim.last.roofline)

run() calls any operator by its name, tensors and attributes as keyword arguments. Device is a
simulated die; Device.last has the figures of the last call. All errors derive from Error.
davsim.torch_npu has the operators under their public names and signatures, davsim.testing compares
results. docs/python.md is the guide.
"""

from __future__ import annotations

from ._device import Device, device, run
from .errors import (TYPE_CHECKING, AttributeValueError, CheckError, DtypeError, Error, FileError,
                     FormatError, InternalError, KernelCrash, KernelFault, KernelTimeout,
                     MissingTensorError, RankError, RefusedError, ShapeError, TensorIndexError,
                     UnsupportedError, UsageError, WorkerError)

if TYPE_CHECKING:
    from typing import Any

    from . import testing, torch_npu
    from ._patch import patch
    from ._tensors import BFloat16
    from .result import Line, Pipe, Roofline, Run

__version__ = "0.1.0"
__all__ = [
    "AttributeValueError", "BFloat16", "CheckError", "Device", "DtypeError", "Error", "FileError",
    "FormatError", "InternalError", "KernelCrash", "KernelFault", "KernelTimeout", "Line",
    "MissingTensorError", "Pipe", "RankError", "RefusedError", "Roofline", "Run", "ShapeError",
    "TensorIndexError", "UnsupportedError", "UsageError", "WorkerError", "device", "patch", "run",
    "testing", "torch_npu",
]


def __getattr__(name: str) -> Any:
    # What few programs need is loaded when it is asked for, so that `import davsim` stays fast.
    import importlib

    if name in ("testing", "torch_npu"):
        return importlib.import_module("." + name, __name__)
    module = {"BFloat16": "._tensors", "patch": "._patch", "Line": ".result", "Pipe": ".result",
              "Roofline": ".result", "Run": ".result"}.get(name)
    if module is not None:
        return getattr(importlib.import_module(module, __name__), name)
    raise AttributeError(f"module 'davsim' has no attribute '{name}'")
