import ctypes
import os

import pytest
import torch
import torch_npu  # noqa: F401

DEVICE = "npu"
lib = ctypes.CDLL(os.path.abspath("libkernels.so"))


def torch_to_ctypes(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def add_scaled(x, y, alpha, blocks=4, stream_ptr=None):
    z = torch.empty_like(x)
    if stream_ptr is None:
        stream_ptr = torch.npu.current_stream()._as_parameter_
    lib.add_scaled_do(blocks, stream_ptr, torch_to_ctypes(x), torch_to_ctypes(y),
                      torch_to_ctypes(z), ctypes.c_uint32(x.numel()), ctypes.c_float(alpha))
    return z


@pytest.fixture(scope="session", autouse=True)
def npu_device():
    if not torch.npu.is_available():
        pytest.skip("no NPU")
    torch.npu.set_device(int(os.environ.get("ASCEND_DEVICE_ID", "0")))
    yield
    torch.npu.empty_cache()


@pytest.mark.parametrize("shape", [(1,), (127,), (4, 1024), (3, 5, 333)])
@pytest.mark.parametrize("alpha", [0.0, 1.5])
@pytest.mark.parametrize("seed", [0, 42])
def test_add_scaled(shape, alpha, seed):
    torch.manual_seed(seed)
    x = torch.randn(shape, dtype=torch.float32, device=DEVICE)
    y = torch.randn(shape, dtype=torch.float32).to(DEVICE)
    z = add_scaled(x, y, alpha)
    torch.npu.synchronize()
    torch.testing.assert_close(z.cpu(), (alpha * x + y).cpu(), rtol=1e-6, atol=1e-6)


def test_streams():
    x = torch.ones(4096, device=DEVICE)
    s1, s2 = torch.npu.Stream(), torch_npu.npu.Stream()
    with torch.npu.stream(s1):
        a = add_scaled(x, x, 2.0)
    with torch_npu.npu.stream(s2):
        s2.wait_stream(s1)
        b = add_scaled(a, x, 2.0)
    torch.npu.current_stream().wait_stream(s2)
    torch.npu.synchronize()
    assert torch.all(b == 7).item()


if __name__ == "__main__":
    pytest.main([__file__, "-q"])
