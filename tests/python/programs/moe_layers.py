"""Layers of experts in the forms of vllm-ascend: two ways of routing, and weights of int8."""

import torch
import torch.nn as nn
import torch_npu

torch.manual_seed(1)
device = torch.device("npu:0")


def experts_of(rows, w1, w2, groups, kind):
    """Two products for each expert's rows; groups: int64 ends (kind 0) or sizes (kind 1)."""
    options = {"split_item": 2, "group_type": 0, "group_list": groups, "group_list_type": kind}
    inner = torch_npu.npu_grouped_matmul([rows], [w1.transpose(1, 2)], **options)[0]
    return torch_npu.npu_grouped_matmul([torch_npu.npu_swiglu(inner)], [w2.transpose(1, 2)], **options)[0]


def by_rows(x, w1, w2, weights, ids):
    """Routing by numbers of rows that the choice gives, and back with a place for each choice."""
    count, choices = ids.shape
    numbers = torch.arange(count * choices, dtype=torch.int32, device=x.device).view(choices, count).t()
    rows, places, order = torch_npu.npu_moe_init_routing(x, numbers.contiguous(), ids, count)
    ends = torch_npu.npu_moe_compute_expert_tokens(order, w1.shape[0]).long()
    out = experts_of(rows, w1, w2, ends, 0)
    return torch_npu.npu_moe_finalize_routing(out, None, None, None, weights.to(x.dtype), places, ids)


def by_range(x, w1, w2, weights, ids):
    """Routing by a range of experts, and back as in training."""
    count = w1.shape[0]
    rows, places, sizes, _ = torch_npu.npu_moe_init_routing_v2(
        x, ids, active_num=ids.numel(), expert_num=count, expert_tokens_num_type=1,
        expert_tokens_num_flag=True, active_expert_range=[0, count], quant_mode=-1)
    return torch_npu.npu_moe_token_unpermute(experts_of(rows, w1, w2, sizes, 1), places, weights)


def quantised(x, w1, scale1, w2, scale2, weights, ids):
    """The same with tokens, weights and what is between the products in int8."""
    count = w1.shape[0]
    rows, places, sizes, factors = torch_npu.npu_moe_init_routing_v2(
        x, ids, active_num=ids.numel(), expert_num=count, expert_tokens_num_type=1,
        expert_tokens_num_flag=True, active_expert_range=[0, count], quant_mode=1)
    options = {"group_list": sizes, "group_list_type": 1, "group_type": 0}
    sums = torch_npu.npu_grouped_matmul([rows], [w1], split_item=3, output_dtype=torch.int32, **options)[0]
    inner, factors = torch_npu.npu_dequant_swiglu_quant(
        sums, weight_scale=scale1, activation_scale=factors, group_index=sizes, activate_left=True,
        quant_mode=1)
    out = torch_npu.npu_grouped_matmul([inner], [w2], scale=[scale2.bfloat16()], per_token_scale=[factors],
                                       split_item=2, output_dtype=torch.bfloat16, **options)[0]
    return torch_npu.npu_moe_finalize_routing(out, None, None, None, weights.to(out.dtype), places, None, 2)


def golden(x, w1, w2, weights, ids):
    out = torch.zeros_like(x, dtype=torch.float32)
    for t in range(x.shape[0]):
        for j in range(ids.shape[1]):
            e = ids[t, j].item()
            a, b = (x[t].float() @ w1[e].float().t()).chunk(2)
            out[t] += weights[t, j].float() * ((a * torch.sigmoid(a) * b) @ w2[e].float().t())
    return out


class MoE(nn.Module):
    def __init__(self, hidden, inter, experts, top_k):
        super().__init__()
        self.gate = nn.Linear(hidden, experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(experts, 2 * inter, hidden) * 0.1)
        self.w2 = nn.Parameter(torch.randn(experts, hidden, inter) * 0.1)
        self.top_k = top_k

    def forward(self, x):
        weights, ids, _ = torch_npu.npu_moe_gating_top_k_softmax(self.gate(x), None, k=self.top_k)
        weights = weights / weights.sum(-1, keepdim=True)
        return [way(x, self.w1, self.w2, weights, ids) for way in (by_rows, by_range)], weights, ids


with torch.no_grad():
    model = MoE(64, 48, 8, 3).bfloat16().to(device)
    x = torch.randn(11, 64, dtype=torch.bfloat16, device=device)
    both, weights, ids = model(x)
    want = golden(x.cpu(), model.w1.cpu(), model.w2.cpu(), weights.cpu(), ids.cpu())
    for got in both:
        torch.testing.assert_close(got.float().cpu(), want, rtol=5e-2, atol=3e-2)

    def per_channel(w):  # [e, n, k] -> int8 [e, k, n], scale [e, n]
        s = w.float().abs().amax(-1) / 127
        q = (w.float() / s[..., None]).round().clamp(-128, 127).to(torch.int8)
        return q.transpose(1, 2).contiguous(), s
    q1, s1 = per_channel(model.w1)
    q2, s2 = per_channel(model.w2)
    got = quantised(x, q1, s1, q2, s2, weights, ids)
    assert (got.float().cpu() - want).abs().max() < 0.06 * want.abs().max()
print("test pass")
