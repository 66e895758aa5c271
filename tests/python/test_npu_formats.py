"""Tensors of npu in fractals, the layout FRACTAL_NZ: what lies in their memory, and that all that torch
does with them is as with tensors in ND."""

import ctypes
import importlib.util
import io

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402

import davsim  # noqa: E402

NZ = 29


def memory_of(tensor, count, dtype):
    torch.npu.synchronize()
    size = count * torch.empty(0, dtype=dtype).element_size()
    memory = (ctypes.c_char * size).from_address(tensor.data_ptr())
    return torch.frombuffer(bytearray(memory), dtype=dtype)


@pytest.mark.parametrize("dtype,c0", [(torch.float16, 16), (torch.bfloat16, 16), (torch.float32, 8),
                                      (torch.int8, 32), (torch.int32, 8)])
@pytest.mark.parametrize("shape", [(16, 32), (19, 40), (2, 3, 5, 33)])
def test_memory_is_that_of_fractals(dtype, c0, shape):
    values = torch.arange(torch.Size(shape).numel()).remainder(100).view(shape).to(dtype)
    nz = torch_npu.npu_format_cast(values.npu(), NZ)
    assert torch_npu.get_npu_format(nz) == torch_npu.Format.FRACTAL_NZ == NZ and nz.shape == values.shape
    rows, columns = shape[-2:]
    high, wide = -(-rows // 16), -(-columns // c0)
    planes = values.reshape(-1, rows, columns)
    memory = memory_of(nz, len(planes) * wide * high * 16 * c0, dtype).view(-1, wide, high, 16, c0)
    for plane, found in zip(planes, memory):
        for r in range(rows):
            for c in range(columns):
                assert found[c // c0, r // 16, r % 16, c % c0] == plane[r, c]
    back = torch_npu.npu_format_cast(nz, 2)
    assert torch_npu.get_npu_format(back) == 2 and torch.equal(back.cpu(), values)


def test_torch_sees_what_it_is():
    values = torch.randn(20, 40)
    nz = torch_npu.npu_format_cast(values.npu(), NZ)
    assert torch.equal(nz.cpu(), values) and nz.tolist() == values.tolist()
    assert torch.equal((nz + 1).cpu(), values + 1) and nz[3, 5] == values[3, 5]
    turned = nz.transpose(0, 1)
    assert torch_npu.get_npu_format(turned) == NZ and torch.equal(turned.cpu(), values.t())
    part = turned[3:9, 2:7]
    assert torch.equal(part.cpu(), values.t()[3:9, 2:7]) and torch.equal(part.clone().cpu(), values.t()[3:9, 2:7])
    x = torch.randn(4, 20)
    assert torch.allclose((x.npu() @ nz).cpu(), x @ values, atol=1e-5)
    nz[2:4].copy_(torch.ones(2, 40))
    values[2:4] = 1
    assert torch.equal(nz.cpu(), values)
    layer = torch.nn.Linear(20, 40, bias=False).npu()
    layer.weight.data = torch_npu.npu_format_cast(layer.weight.data, NZ)
    out = layer(x.npu())
    assert torch.allclose(out.cpu(), x @ layer.weight.cpu().t(), atol=1e-5)
    out.sum().backward()
    assert layer.weight.grad.shape == (40, 20)


def test_in_place_and_by_the_other_names():
    values = torch.randn(16, 16).npu()
    expected = values.cpu()
    assert torch_npu.npu_format_cast_(values, NZ) is values and torch_npu.get_npu_format(values) == NZ
    assert torch.equal(values.cpu(), expected)
    like = torch.ops.npu.npu_format_cast(torch.ones(3, 3).npu(), NZ)
    assert torch_npu.get_npu_format(torch_npu.npu_format_cast(torch.ones(2, 2).npu(), like)) == NZ
    made = torch_npu.empty_with_format((5, 6), dtype=torch.float16, device="npu", acl_format=NZ)
    assert made.shape == (5, 6) and torch_npu.get_npu_format(made) == NZ
    assert torch_npu.npu_format_cast(made, NZ) is made


def test_operators_of_davsim_take_them():
    a, b = torch.randn(32, 48).half(), torch.randn(48, 32).half()
    nz = torch_npu.npu_format_cast(b.npu(), NZ)
    product = torch_npu.matmul(a.npu(), nz)
    assert torch.equal(product, torch_npu.matmul(a.npu(), b.npu()))
    x, w = torch.randint(-9, 9, (4, 32)).to(torch.int8), torch.randint(-9, 9, (32, 8)).to(torch.int8)
    got = torch_npu.npu_quant_matmul(x.npu(), torch_npu.npu_format_cast(w.npu(), NZ), torch.ones(8).npu(),
                                     output_dtype=torch.float16)
    assert torch.equal(got.cpu(), (x.float() @ w.float()).half())


def test_what_needs_memory_in_order_says_so():
    nz = torch_npu.npu_format_cast(torch.ones(16, 16).npu(), NZ)
    with pytest.raises(RuntimeError, match="aten::add writes to a tensor in the layout FRACTAL_NZ"):
        nz.add_(1)
    with pytest.raises(RuntimeError, match="neither saved nor copied"):
        torch.save(nz, io.BytesIO())
    with pytest.raises(RuntimeError, match="DLPack takes no tensor"):
        torch.utils.dlpack.to_dlpack(nz)
    with pytest.raises(RuntimeError, match="is a layout of matrices"):
        torch_npu.npu_format_cast(torch.ones(4).npu(), NZ)
    with pytest.raises(RuntimeError, match="has no elements of Long"):
        torch_npu.npu_format_cast(torch.ones(4, 4).long().npu(), NZ)
    cache = torch_npu.npu_format_cast(torch.zeros(2, 16, 1, 64).half().npu(), NZ)
    with pytest.raises(davsim.UsageError, match="read-only"):
        davsim.run("kv_rmsnorm_rope_cache", k_cache=cache, ckv_cache=cache)
