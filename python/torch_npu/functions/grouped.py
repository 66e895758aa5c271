"""Products of groups of rows, each by a weight of its own."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
import torch.nn.functional as F

from . import _checks as checks
from ._checks import require, scale_of, to_int8, unpack_int4, whole_product

_LISTS = ("Tensor[] x, Tensor[] weight, *, Tensor[]? bias=None, Tensor[]? scale=None, "
          "Tensor[]? offset=None, Tensor[]? antiquant_scale=None, Tensor[]? antiquant_offset=None, "
          "Tensor[]? per_token_scale=None, ")
_ACTIVATIONS = ("Tensor[]? activation_input=None, Tensor[]? activation_quant_scale=None, "
                "Tensor[]? activation_quant_offset=None, int? split_item=0, int? group_type=None, "
                "int? group_list_type=0, int? act_type=0, ")
WHOLE = (
    f"npu_grouped_matmul({_LISTS}Tensor? group_list=None, {_ACTIVATIONS}int[]? tuning_config=None, "
    "ScalarType? output_dtype=None) -> Tensor[]",
    f"npu_grouped_matmul.List({_LISTS}int[]? group_list=None, {_ACTIVATIONS}"
    "ScalarType? output_dtype=None) -> Tensor[]",
)
_TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.int32)


def fast_gelu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(1.702 * x)


_ACT_TYPES: dict[int, Callable[[torch.Tensor], torch.Tensor]] = {
    0: lambda x: x, 1: torch.relu, 2: lambda x: F.gelu(x, approximate="tanh"), 4: fast_gelu, 5: F.silu}


class Group:
    """What one group of rows is multiplied by."""

    def __init__(self, number: int, given: dict[str, Any], single: bool) -> None:
        def part(name: str) -> Any:
            tensors = given[name]
            if not tensors:
                return None
            return tensors[0][number] if single else tensors[number]

        self.weight, self.bias, self.scale = part("weight"), part("bias"), part("scale")
        self.antiquant_scale, self.antiquant_offset = part("antiquant_scale"), part("antiquant_offset")


def npu_grouped_matmul(
        x: Sequence[torch.Tensor], weight: Sequence[torch.Tensor], *, bias: Any = None,
        scale: Any = None, offset: Any = None, antiquant_scale: Any = None, antiquant_offset: Any = None,
        per_token_scale: Any = None, group_list: Any = None, activation_input: Any = None,
        activation_quant_scale: Any = None, activation_quant_offset: Any = None,
        split_item: int | None = 0, group_type: int | None = None, group_list_type: int | None = 0,
        act_type: int | None = 0, tuning_config: Any = None,
        output_dtype: Any = None) -> list[torch.Tensor]:
    """y_i = x_i @ weight_i + bias_i for groups of rows, for inference.

    x: one tensor [m, k] for all groups, or one for each; weight: one tensor [g, k, n], or one [k, n]
    for each group. bias, scale, antiquant_scale, antiquant_offset: as weight, without k; a scale by
    groups of k is [g, G, n]. per_token_scale: as x, without k.
    group_list: the end of each group (int64, or a list of numbers); with group_list_type 1 its size,
    with 2 pairs of a group and its size. group_type: 0 for groups of rows, 2 for groups of k, -1 for
    none. split_item: 0 and 1 for a result of each group, 2 and 3 for one of all.
    int8 by int8 is exact before scale and per_token_scale; int8 and int4 weights (in int32 words) of
    float16 and bfloat16 are (weight + antiquant_offset) * antiquant_scale. output_dtype: None for
    that of x. Rows behind the last group are 0. Raises RuntimeError for other types and shapes.
    """
    name = "npu_grouped_matmul"
    checks.reserved(name, offset=offset, activation_input=activation_input,
                    activation_quant_scale=activation_quant_scale,
                    activation_quant_offset=activation_quant_offset)
    act, listed = act_type or 0, group_list_type or 0
    require(name, len(x) > 0 and len(weight) > 0, "x and weight have at least one tensor")
    require(name, act in _ACT_TYPES, f"act_type is {act}, allowed are {', '.join(map(str, _ACT_TYPES))}")
    require(name, listed in (0, 1, 2), f"group_list_type is {listed}, allowed are 0, 1 and 2")
    require(name, split_item in (None, 0, 1, 2, 3), f"split_item is {split_item}, allowed are 0 to 3")
    kind = group_type if group_type is not None else (-1 if group_list is None else 0)
    require(name, kind in (-1, 0, 2), f"group_type is {kind}, allowed are -1, 0 and 2")
    for what, tensors in (("x", x), ("weight", weight)):
        for tensor in tensors:
            checks.require_type(name, what, tensor, *_TYPES)
    if group_list is not None and not torch.is_tensor(group_list):
        group_list = torch.tensor(list(group_list), dtype=torch.int64)
    if kind == 2:
        return _by_columns(name, x, weight, group_list, listed)
    given = {"weight": weight, "bias": bias, "scale": scale, "antiquant_scale": antiquant_scale,
             "antiquant_offset": antiquant_offset}
    single = len(weight) == 1 and weight[0].dim() == 3
    count = weight[0].shape[0] if single else len(weight)
    for what, tensors in given.items():
        require(name, not tensors or len(tensors) == len(weight),
                f"{what} has {len(tensors or ())} tensors, weight {len(weight)}")
    require(name, not per_token_scale or len(per_token_scale) == len(x),
            f"per_token_scale has {len(per_token_scale or ())} tensors, x {len(x)}")
    order, parts, tokens = _rows_of(name, x, per_token_scale, group_list, listed, count)
    results = []
    for number, rows, token in zip(order, parts, tokens):
        results.append(_product(name, rows, Group(number, given, single), token, act,
                                checks.type_of(output_dtype)))
    if (split_item or 0) < 2:
        require(name, not single or count == 1, "a weight of 3 dimensions has split_item 2 or 3")
        return results
    require(name, len({result.shape[-1] for result in results}) == 1, "the weights have one n")
    whole = torch.cat(results)
    missing = sum(tensor.shape[0] for tensor in x) - whole.shape[0]
    return [torch.cat([whole, whole.new_zeros(missing, whole.shape[1])]) if missing else whole]


def _rows_of(name: str, x: Any, scales: Any, groups: Any, listed: int,
             count: int) -> tuple[Any, list[torch.Tensor], list[Any]]:
    """The number, the rows and the scales of rows of each group."""
    if len(x) == 1 and (count > 1 or groups is not None):
        require(name, groups is not None, "x of one tensor needs group_list")
        order, sizes = list(range(count)), None
        if listed == 2:
            checks.require_dim(name, "group_list", groups, 2)
            order, sizes = groups[:, 0].tolist(), groups[:, 1].tolist()
            require(name, all(0 <= number < count for number in order),
                    f"group_list names groups that are none of the {count}")
            require(name, sum(sizes) <= x[0].shape[0], "group_list has more rows than x")
        else:
            require(name, groups.numel() == count,
                    f"group_list has {groups.numel()} elements, there are {count} groups")
            sizes = checks.group_sizes(name, groups, listed, x[0].shape[0])
        ends = torch.tensor(sizes).cumsum(0).tolist()
        spans = list(zip([0, *ends], ends))
        parts = [x[0][a:b] for a, b in spans]
        tokens = [scales[0][a:b] for a, b in spans] if scales else [None] * len(spans)
        return order, parts, tokens
    require(name, len(x) == count, f"x has {len(x)} tensors, there are {count} groups")
    if groups is not None and listed != 2:
        sizes = checks.group_sizes(name, groups, listed, sum(part.shape[0] for part in x))
        require(name, sizes == [part.shape[0] for part in x], "group_list has other sizes than x")
    return range(count), list(x), list(scales) if scales else [None] * count


def _product(name: str, x: torch.Tensor, group: Group, token: torch.Tensor | None, act: int,
             wanted: torch.dtype | None) -> torch.Tensor:
    weight = unpack_int4(group.weight) if group.weight.dtype == torch.int32 else group.weight
    if x.dtype == torch.int32:
        x = unpack_int4(x)
    require(name, x.shape[-1] == weight.shape[-2],
            f"x is {list(x.shape)} and weight {list(weight.shape)}: k differs")
    if x.dtype == torch.int8:
        require(name, group.weight.dtype == torch.int8 or group.scale is None or
                group.scale.dim() == 1, "scales by groups of k of int4 weights are not there")
        return whole_result(name, x, weight, group, token, act, wanted)
    require(name, act == 0, "act_type is of factors of int8")
    require(name, token is None and group.scale is None,
            "scale and per_token_scale are of factors of int8")
    wide = weight.float()
    if weight.dtype == torch.int8:
        require(name, group.antiquant_scale is not None, "a weight of int8 needs antiquant_scale")
        wide = antiquant(name, wide, group)
    else:
        require(name, weight.dtype == x.dtype, f"x is {x.dtype} and weight {weight.dtype}")
    result = x.float() @ wide
    if group.bias is not None:
        result = result + group.bias.float()
    return result.to(wanted or x.dtype)


def antiquant(name: str, weight: torch.Tensor, group: Group) -> torch.Tensor:
    def spread(values: torch.Tensor) -> torch.Tensor:
        if values.dim() < 2:
            return values.float()
        require(name, weight.shape[0] % values.shape[0] == 0,
                f"antiquant_scale has {values.shape[0]} groups, which do not divide k")
        return values.float().repeat_interleave(weight.shape[0] // values.shape[0], 0)

    if group.antiquant_offset is not None:
        weight = weight + spread(group.antiquant_offset)
    return weight * spread(group.antiquant_scale)


def whole_result(name: str, x: torch.Tensor, weight: torch.Tensor, group: Group,
           token: torch.Tensor | None, act: int, wanted: torch.dtype | None) -> torch.Tensor:
    sums, bias = whole_product(x, weight), group.bias
    if bias is not None and bias.dtype == torch.int32:
        sums, bias = sums + bias.double(), None
    if group.scale is None:
        require(name, wanted == torch.int32, "factors of int8 without scale have output_dtype int32")
        return sums.clamp(-2**31, 2**31 - 1).int()
    require(name, wanted in (None, torch.int8, torch.float16, torch.bfloat16, torch.int32),
            f"output_dtype is {wanted}, allowed are int8, float16, bfloat16 and int32")
    if wanted == torch.int32:
        return sums.clamp(-2**31, 2**31 - 1).int()
    result = sums.float() * scale_of(group.scale)
    if token is not None:
        result = result * token.float()[:, None]
    if bias is not None:
        result = result + bias.float()
    result = _ACT_TYPES[act](result)
    if wanted in (None, torch.int8):
        shift = checks.offset_of(group.scale)
        return to_int8(result if shift is None else result + shift)
    return result.to(wanted)


def _by_columns(name: str, x: Any, weight: Any, groups: Any, listed: int) -> list[torch.Tensor]:
    """Groups of k: x is [m, k], weight [k, n] or [k_i, n] for each; the result [g, m, n] or one each."""
    require(name, len(x) == 1 and x[0].dim() == 2 and groups is not None,
            "with group_type 2 x is one matrix, and group_list is given")
    left = x[0]
    sizes = checks.group_sizes(name, groups, listed, left.shape[1])
    ends = torch.tensor(sizes).cumsum(0).tolist()
    spans = list(zip([0, *ends], ends))
    many = len(weight) > 1
    rights = list(weight) if many else [weight[0][a:b] for a, b in spans]
    require(name, len(rights) == len(spans), f"group_list has {len(spans)} groups, weight {len(rights)}")
    results = [(left[:, a:b].float() @ right.float()).to(left.dtype)
               for (a, b), right in zip(spans, rights)]
    return results if many else [torch.stack(results)]
