"""A small llama in the form of serving engines: prefill, then decode over a paged cache, step by step and
as a graph that is captured once."""
import argparse
import math
from dataclasses import dataclass
from typing import List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_npu


@dataclass
class ModelConfig:
    vocab_size: int = 320
    hidden_size: int = 256
    intermediate_size: int = 512
    num_layers: int = 2
    num_heads: int = 4
    num_kv_heads: int = 2
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0
    max_position: int = 512

    @property
    def head_dim(self):
        return self.hidden_size // self.num_heads


@dataclass
class AttnMetadata:
    is_prefill: bool
    slot_mapping: torch.Tensor
    block_tables: torch.Tensor
    seq_lens: torch.Tensor
    mask: Optional[torch.Tensor]


class RMSNorm(nn.Module):
    def __init__(self, hidden, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(hidden) + 0.5)
        self.variance_epsilon = eps

    def forward(self, x, residual=None):
        if residual is not None:
            x, _, residual = torch_npu.npu_add_rms_norm(x, residual, self.weight, self.variance_epsilon)
            return x, residual
        x, _ = torch_npu.npu_rms_norm(x, self.weight, self.variance_epsilon)
        return x


class RotaryEmbedding(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        inv = 1.0 / (cfg.rope_theta ** (torch.arange(0, cfg.head_dim, 2).float() / cfg.head_dim))
        t = torch.arange(cfg.max_position).float()
        freqs = torch.einsum("i,j->ij", t, inv)
        self.register_buffer("cos_sin_cache", torch.cat((freqs.cos(), freqs.sin()), -1), persistent=False)
        self.head_dim = cfg.head_dim

    def forward(self, positions, query, key):
        if self.cos_sin_cache.dtype != query.dtype:
            self.cos_sin_cache = self.cos_sin_cache.to(query.dtype)
        torch_npu._npu_rotary_embedding(positions, query, key, self.head_dim, self.cos_sin_cache, True)
        return query, key


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.q_size = cfg.num_heads * cfg.head_dim
        self.kv_size = cfg.num_kv_heads * cfg.head_dim
        self.qkv_proj = nn.Linear(cfg.hidden_size, self.q_size + 2 * self.kv_size, bias=False)
        self.o_proj = nn.Linear(self.q_size, cfg.hidden_size, bias=False)
        self.rope = RotaryEmbedding(cfg)
        self.scale = 1 / math.sqrt(cfg.head_dim)
        self.kv_cache = None

    def forward(self, positions, x, meta):
        cfg = self.cfg
        qkv = self.qkv_proj(x)
        q, k, v = qkv.split([self.q_size, self.kv_size, self.kv_size], dim=-1)
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        q, k = self.rope(positions, q, k)
        n = x.shape[0]
        k = k.view(n, cfg.num_kv_heads, cfg.head_dim)
        v = v.view(n, cfg.num_kv_heads, cfg.head_dim)
        key_cache, value_cache = self.kv_cache[0], self.kv_cache[1]
        torch_npu._npu_reshape_and_cache(key=k, value=v, key_cache=key_cache, value_cache=value_cache,
                                         slot_indices=meta.slot_mapping)
        q = q.view(n, cfg.num_heads, cfg.head_dim)
        out = torch.empty_like(q)
        if meta.is_prefill:
            torch_npu._npu_flash_attention(query=q, key=k, value=v, mask=meta.mask, seq_len=meta.seq_lens,
                                           scale_value=self.scale, num_heads=cfg.num_heads,
                                           num_kv_heads=cfg.num_kv_heads, out=out)
        else:
            torch_npu._npu_paged_attention(query=q, key_cache=key_cache, value_cache=value_cache,
                                           num_kv_heads=cfg.num_kv_heads, num_heads=cfg.num_heads,
                                           scale_value=self.scale, block_table=meta.block_tables,
                                           context_lens=meta.seq_lens, out=out)
        return self.o_proj(out.view(n, -1))


class MLP(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gate_up = nn.Linear(cfg.hidden_size, 2 * cfg.intermediate_size, bias=False)
        self.down = nn.Linear(cfg.intermediate_size, cfg.hidden_size, bias=False)

    def forward(self, x):
        return self.down(torch_npu.npu_swiglu(self.gate_up(x)))


class Layer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.input_layernorm = RMSNorm(cfg.hidden_size, cfg.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(cfg.hidden_size, cfg.rms_norm_eps)
        self.attn = Attention(cfg)
        self.mlp = MLP(cfg)

    def forward(self, positions, x, residual, meta):
        if residual is None:
            residual = x
            x = self.input_layernorm(x)
        else:
            x, residual = self.input_layernorm(x, residual)
        x = self.attn(positions, x, meta)
        x, residual = self.post_attention_layernorm(x, residual)
        return self.mlp(x), residual


class Model(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab_size, cfg.hidden_size)
        self.layers = nn.ModuleList(Layer(cfg) for _ in range(cfg.num_layers))
        self.norm = RMSNorm(cfg.hidden_size, cfg.rms_norm_eps)
        self.lm_head = nn.Linear(cfg.hidden_size, cfg.vocab_size, bias=False)

    def forward(self, ids, positions, meta):
        x, residual = self.embed(ids), None
        for layer in self.layers:
            x, residual = layer(positions, x, residual, meta)
        x, _ = self.norm(x, residual)
        return self.lm_head(x)


class BlockManager:
    def __init__(self, num_blocks, block_size):
        self.free = list(range(num_blocks))[::-1]
        self.block_size = block_size
        self.tables = {}

    def slot(self, seq, position):
        table = self.tables.setdefault(seq, [])
        if position // self.block_size >= len(table):
            table.append(self.free.pop())
        return table[position // self.block_size] * self.block_size + position % self.block_size


def reference(model, prompt, steps, cfg):
    """Plain torch in float32 on the CPU."""
    sd = {k: v.float().cpu() for k, v in model.state_dict().items()}
    ids = list(prompt)

    def rms(x, w):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + cfg.rms_norm_eps) * w

    inv = 1.0 / (cfg.rope_theta ** (torch.arange(0, cfg.head_dim, 2).float() / cfg.head_dim))
    for _ in range(steps):
        x = sd["embed.weight"][ids]
        pos = torch.arange(len(ids)).float()[:, None] * inv
        cos, sin = pos.cos()[:, None], pos.sin()[:, None]
        for i in range(cfg.num_layers):
            p = f"layers.{i}."
            h = rms(x, sd[p + "input_layernorm.weight"])
            qkv = h @ sd[p + "attn.qkv_proj.weight"].t()
            qs, ks = cfg.num_heads * cfg.head_dim, cfg.num_kv_heads * cfg.head_dim
            q, k, v = qkv.split([qs, ks, ks], -1)
            q, k, v = (t.view(len(ids), -1, cfg.head_dim) for t in (q, k, v))

            def rot(t):
                a, b = t.chunk(2, -1)
                return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
            q, k = rot(q), rot(k)
            g = cfg.num_heads // cfg.num_kv_heads
            k, v = k.repeat_interleave(g, 1), v.repeat_interleave(g, 1)
            s = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(cfg.head_dim)
            s = s.masked_fill(torch.ones(len(ids), len(ids)).triu(1).bool(), float("-inf"))
            o = torch.einsum("hqk,khd->qhd", s.softmax(-1), v).reshape(len(ids), -1)
            x = x + o @ sd[p + "attn.o_proj.weight"].t()
            h = rms(x, sd[p + "post_attention_layernorm.weight"])
            a, b = (h @ sd[p + "mlp.gate_up.weight"].t()).chunk(2, -1)
            x = x + (F.silu(a) * b) @ sd[p + "mlp.down.weight"].t()
        logits = rms(x[-1], sd["norm.weight"]) @ sd["lm_head.weight"].t()
        ids.append(int(logits.argmax()))
    return ids[len(prompt):]


def prefill(model, prompts, blocks, dtype):
    """The first token of each sequence."""
    slots = torch.tensor([blocks.slot(s, p) for s, ids in enumerate(prompts) for p in range(len(ids))],
                         dtype=torch.int32).npu()
    positions = torch.cat([torch.arange(len(p)) for p in prompts]).npu()
    mask = torch.full((64, 64), float("-inf"), dtype=dtype).triu(1).npu()
    lens = torch.tensor([len(p) for p in prompts], dtype=torch.int32)
    logits = model(torch.tensor(sum(prompts, [])).npu(), positions, AttnMetadata(True, slots, None, lens, mask))
    return logits[(lens.cumsum(0) - 1).long().npu()].argmax(-1), lens


def table_of(blocks, count, width):
    return torch.tensor([blocks.tables[s] + [0] * (width - len(blocks.tables[s])) for s in range(count)],
                        dtype=torch.int32)


class GraphedStep:
    """A step of decode whose inputs stay where they are."""

    def __init__(self, model, count, width):
        self.ids, self.positions = (torch.zeros(count, dtype=torch.long, device="npu") for _ in range(2))
        self.slots = torch.full((count,), -1, dtype=torch.int32, device="npu")
        self.table = torch.zeros(count, width, dtype=torch.int32, device="npu")
        self.lens = torch.ones(count, dtype=torch.int32)
        meta = AttnMetadata(False, self.slots, self.table, self.lens, None)
        model(self.ids, self.positions, meta)
        self.graph = torch.npu.NPUGraph()
        with torch.npu.graph(self.graph):
            self.tokens = model(self.ids, self.positions, meta).argmax(-1)

    def __call__(self, tokens, positions, slots, table, lens):
        for own, given in ((self.ids, tokens), (self.positions, positions), (self.slots, slots),
                           (self.table, table), (self.lens, lens)):
            own.copy_(given)
        self.graph.replay()
        return self.tokens.clone()


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", default="float16")
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    torch.npu.set_device(0)
    cfg, dtype = ModelConfig(), getattr(torch, args.dtype)
    prompts = [[5, 17, 200, 3, 9, 11, 44], list(range(20, 41))]
    for graphed in (False, True):
        torch.manual_seed(0)
        model = Model(cfg).to(dtype).npu().eval()
        for layer in model.layers:
            layer.attn.kv_cache = torch.zeros(2, 16, 16, cfg.num_kv_heads, cfg.head_dim, dtype=dtype, device="npu")
        step = GraphedStep(model, len(prompts), 4) if graphed else None
        blocks = BlockManager(16, 16)
        tokens, lens = prefill(model, prompts, blocks, dtype)
        outputs: List[List[int]] = [[t] for t in tokens.tolist()]
        for _ in range(args.steps - 1):
            positions = lens.clone()
            slots = torch.tensor([blocks.slot(s, int(p)) for s, p in enumerate(positions)], dtype=torch.int32)
            lens = lens + 1
            table = table_of(blocks, len(prompts), 4)
            if step:
                tokens = step(tokens, positions, slots, table, lens)
            else:
                meta = AttnMetadata(False, slots.npu(), table.npu(), lens, None)
                tokens = model(tokens, positions.long().npu(), meta).argmax(-1)
            for out, token in zip(outputs, tokens.tolist()):
                out.append(token)
        for prompt, out in zip(prompts, outputs):
            want = reference(model, prompt, args.steps, cfg)
            assert out == want, (out, want)
    print("test pass")


if __name__ == "__main__":
    main()
