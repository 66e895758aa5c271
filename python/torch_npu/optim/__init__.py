"""Optimizers by the names of torch_npu.optim. What the vendor's fuse is the order of their work:
results and states are those of the algorithm, and here each parameter is updated by itself."""

from ._base import NpuFusedOptimizerBase
from ._by_torch import NpuFusedAdadelta, NpuFusedAdam, NpuFusedAdamW, NpuFusedRMSprop, NpuFusedSGD
from .adamp import NpuFusedAdamP
from .bert_adam import NpuFusedBertAdam
from .lamb import NpuFusedLamb
from .rmsprop_tf import NpuFusedRMSpropTF

__all__ = ["NpuFusedAdadelta", "NpuFusedAdam", "NpuFusedAdamP", "NpuFusedAdamW", "NpuFusedBertAdam",
           "NpuFusedLamb", "NpuFusedOptimizerBase", "NpuFusedRMSprop", "NpuFusedRMSpropTF",
           "NpuFusedSGD"]
