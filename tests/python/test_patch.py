"""davsim.patch(): programs that import torch_npu run unchanged. Each runs in a Python of its own."""

import importlib.util
import os
import subprocess
import sys

import pytest

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None,
                                 reason="Debian's python3-torch is not installed")


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", program], env=os.environ | environment,
                          capture_output=True, text=True)


def printed(program):
    done = run(program)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_import_torch_npu_finds_the_functions():
    assert printed("""
import davsim, numpy as np
davsim.patch()
davsim.patch()
import torch_npu
one = np.ones((1, 1, 16), np.float16)
print(torch_npu.npu_fused_infer_attention_score_v2(one, one, one)[0].sum())
""") == ["16.0"]


@needs_torch
def test_operators_of_torch_are_registered():
    assert printed("""
import torch, davsim
davsim.patch()
kv, ones = torch.ones(2, 1, 1, 576).half(), torch.ones(2, 1, 1, 64).half()
k_cache, ckv_cache = torch.zeros(2, 1, 16, 64).half(), torch.zeros(2, 1, 16, 512).half()
results = torch.ops.npu.npu_kv_rmsnorm_rope_cache(
    kv, torch.ones(512).half(), ones, torch.zeros_like(ones), torch.tensor([[3], [5]]), k_cache,
    ckv_cache, epsilon=0.0)
print(results[0].data_ptr() == k_cache.data_ptr(), [r.numel() for r in results[2:]] == [0, 0])
print(ckv_cache.sum().item(), k_cache[0, 0, 3].sum().item(), k_cache[1, 0, 5].sum().item())
query = torch.ones(1, 1, 16).bfloat16()
print(torch.ops.npu.npu_fused_infer_attention_score_v2(query, query, query)[0].dtype)
try:
    torch.ops.npu.npu_fused_infer_attention_score_v2(query, query, query, num_query_heads=3)
except davsim.RefusedError as error:
    print("refused")
try:
    torch.ops.npu.npu_fused_infer_attention_score_v2(query, query, query, learnable_sink=query)
except RuntimeError as error:
    print("learnable_sink" in str(error))
""") == ["True", "True", "1024.0", "64.0", "64.0", "torch.bfloat16", "refused", "True"]


def test_a_real_torch_npu_is_not_replaced(tmp_path):
    (tmp_path / "torch_npu.py").write_text("")
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    for before in ("", "import torch_npu\n"):
        done = run(before + "import davsim; davsim.patch()", PYTHONPATH=path)
        assert "UsageError: this host has a torch_npu of its own" in done.stderr
