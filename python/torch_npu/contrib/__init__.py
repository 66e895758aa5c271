"""torch_npu.contrib: `from torch_npu.contrib import transfer_to_npu` lets programs that name cuda
run on npu; module and function have layers and functions of the vendor's."""

from . import function, module  # noqa: F401
from .function import fuse_add_softmax_dropout, matmul_transpose  # noqa: F401
from .module import (LinearA8W8Quant, LinearQuant, LinearWeightQuant, Mish, SiLU,  # noqa: F401
                     Swish)
