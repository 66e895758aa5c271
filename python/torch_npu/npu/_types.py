"""torch.npu.FloatTensor and its neighbours: they make tensors on npu as torch.FloatTensor makes them on
the CPU, and isinstance() knows tensors of their dtype."""

from __future__ import annotations

from typing import Any

import torch

NAMES = {"FloatTensor": torch.float32, "DoubleTensor": torch.float64, "HalfTensor": torch.float16,
         "BFloat16Tensor": torch.bfloat16, "ByteTensor": torch.uint8, "CharTensor": torch.int8,
         "ShortTensor": torch.int16, "IntTensor": torch.int32, "LongTensor": torch.int64,
         "BoolTensor": torch.bool}


class _Type(type):
    dtype: torch.dtype

    def __call__(cls, *arguments: Any, device: Any = None) -> torch.Tensor:
        from ._library import index

        return getattr(torch, cls.__name__)(*arguments).to(torch.device("npu", index(device)))

    def __instancecheck__(cls, tensor: object) -> bool:
        return (isinstance(tensor, torch.Tensor) and tensor.device.type == "npu" and
                tensor.dtype == cls.dtype)


def made() -> dict[str, type]:
    return {name: _Type(name, (), {"dtype": dtype, "__module__": "torch.npu"})
            for name, dtype in NAMES.items()}
