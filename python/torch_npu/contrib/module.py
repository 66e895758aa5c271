"""torch_npu.contrib.module: layers of the functions of torch_npu."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn as nn

__all__ = ["LinearA8W8Quant", "LinearQuant", "LinearWeightQuant", "Mish", "SiLU", "Swish"]


def _held(*shape: int, dtype: torch.dtype, device: Any = None) -> nn.Parameter:
    return nn.Parameter(torch.zeros(shape, dtype=dtype, device=device), requires_grad=False)


class LinearQuant(nn.Module):
    """npu_quant_matmul by a weight of int8, for inference.

    weight: int8 [out_features, in_features]; scale: float32 or int64 [out_features]; bias: int32
    [out_features]; offset, pertoken_scale: float32 [out_features] and [rows], if they are asked for.
    The input is int8 [..., in_features]. Programs put their values into the members' .data."""

    def __init__(self, in_features: int, out_features: int, *, bias: bool = True, offset: bool = False,
                 pertoken_scale: bool = False, device: Any = None, dtype: Any = None,
                 output_dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self.in_features, self.out_features, self.output_dtype = in_features, out_features, output_dtype
        self.weight = _held(out_features, in_features, dtype=torch.int8, device=device)
        self.scale = _held(out_features, dtype=torch.float32, device=device)
        for name, there, kind in (("offset", offset, torch.float32),
                                  ("pertoken_scale", pertoken_scale, torch.float32),
                                  ("bias", bias, torch.int32)):
            self.register_parameter(name, _held(out_features, dtype=kind, device=device) if there else None)

    def forward(self, linear_quant_input: torch.Tensor) -> torch.Tensor:
        return torch.ops.npu.npu_quant_matmul(
            linear_quant_input, self.weight.transpose(-1, -2), self.scale, offset=self.offset,
            pertoken_scale=self.pertoken_scale, bias=self.bias, output_dtype=self.output_dtype)


LinearA8W8Quant = LinearQuant


class LinearWeightQuant(nn.Module):
    """npu_weight_quant_batchmatmul by a weight of int8, or of int4 in int32 words, for inference.

    weight: [out_features, in_features]; antiquant_scale, antiquant_offset: [out_features, 1], or
    [out_features, groups]; quant_scale, quant_offset: [1, out_features]; bias: [out_features]. The input
    is float16 or bfloat16 [rows, in_features]."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: torch.dtype | None = None, antiquant_offset: bool = False,
                 quant_scale: bool = False, quant_offset: bool = False, antiquant_group_size: int = 0,
                 inner_precise: int = 0) -> None:
        super().__init__()
        kind = dtype or torch.float16
        groups = -(-in_features // antiquant_group_size) if antiquant_group_size else 1
        self.in_features, self.out_features = in_features, out_features
        self.antiquant_group_size, self.inner_precise = antiquant_group_size, inner_precise
        self.weight = _held(out_features, in_features, dtype=torch.int8, device=device)
        self.antiquant_scale = _held(out_features, groups, dtype=kind, device=device)
        wide = torch.float32 if kind == torch.bfloat16 else kind
        for name, there, shape, of in (
                ("antiquant_offset", antiquant_offset, (out_features, groups), kind),
                ("quant_scale", quant_scale, (1, out_features), torch.float32),
                ("quant_offset", quant_offset, (1, out_features), torch.float32),
                ("bias", bias, (out_features,), wide)):
            self.register_parameter(name, _held(*shape, dtype=of, device=device) if there else None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale, offset = (None if values is None else values.transpose(-1, -2) if values.dim() > 1 else values
                         for values in (self.antiquant_scale, self.antiquant_offset))
        return torch.ops.npu.npu_weight_quant_batchmatmul(
            x, self.weight.transpose(-1, -2), scale, offset, self.quant_scale, self.quant_offset, self.bias,
            self.antiquant_group_size, self.inner_precise)


class SiLU(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.npu.npu_silu(x)


Swish = SiLU


class Mish(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.npu.npu_mish(x)
