"""Tensors of torch, where the host has it."""

import numpy as np
import pytest

import davsim

torch = pytest.importorskip("torch", reason="Debian's python3-torch is not installed")


def test_outputs_are_of_torch_where_an_input_is(sim, matmul):
    a, b, product = matmul
    c = sim.run("matmul", a=torch.from_numpy(a), b=b)["c"]
    assert isinstance(c, torch.Tensor) and c.dtype == torch.float16
    assert np.array_equal(c.numpy(), product)


def test_bfloat16_and_strides(sim, matmul):
    a, b, product = matmul
    left = torch.from_numpy(a).to(torch.bfloat16)
    right = torch.from_numpy(b).t().contiguous().t().to(torch.bfloat16)
    c = sim.run("matmul", a=left, b=right)["c"]
    assert c.dtype == torch.bfloat16
    assert torch.equal(c, torch.from_numpy(product).to(torch.bfloat16))


def test_tensors_of_the_device_are_not_copied(sim, matmul):
    a, b, product = matmul
    sim.run("matmul", a=a, b=b)
    for dtype in (torch.float16, torch.bfloat16):
        left = sim.to_device(torch.from_numpy(a).to(dtype))
        right = sim.to_device(torch.from_numpy(b).to(dtype))
        before = sim.allocated_bytes()
        c = sim.run("matmul", a=left, b=right)["c"]
        assert sim.allocated_bytes() == before + c.numel() * 2
        davsim.testing.assert_close(c, torch.from_numpy(product).to(dtype), rtol=0, atol=0)
        del c


def test_updates_in_place_reach_the_tensor(sim):
    caches = [torch.ones(4, 16, 1, 128, dtype=torch.int8) for _ in range(2)]
    outputs = sim.run("rope_quant_kvcache", qkv=torch.ones(4, 1, 768, dtype=torch.float16),
                      cos=torch.ones(4, 1, 1, 128, dtype=torch.float16),
                      sin=torch.zeros(4, 1, 1, 128, dtype=torch.float16),
                      quant_scale=torch.full((128,), 2.0), quant_offset=torch.zeros(128).int(),
                      k_cache=caches[0], v_cache=caches[1], indice=torch.arange(4).int(),
                      size_splits=torch.Size([512, 128, 128]))
    assert torch.equal(outputs["q"], torch.ones(4, 1, 4, 128, dtype=torch.float16))
    for row in range(4):
        changed = (caches[0][row] != 1).any(-1).any(-1).nonzero().flatten().tolist()
        assert changed == [row]


def test_dtypes_that_the_device_lacks(sim):
    with pytest.raises(davsim.DtypeError, match="complex64"):
        sim.run("matmul", a=torch.zeros(2, 2, dtype=torch.complex64), b=torch.zeros(2, 2))


def test_tensors_that_numpy_cannot_show(sim, matmul):
    a, b, product = matmul
    c = sim.run("matmul", a=torch._neg_view(torch.from_numpy(a)), b=b)["c"]
    assert np.array_equal(c.numpy(), -product)
    with pytest.raises(davsim.UsageError, match="a has the layout torch.sparse_coo"):
        sim.run("matmul", a=torch.from_numpy(a).to_sparse(), b=b)
