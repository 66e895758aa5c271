"""torch's device npu: tensors, streams and errors of the package torch_npu.

The package compiles its part in C++ at the first import; the test of the extensions runs after this.
"""

import importlib.util
import os
import subprocess
import sys

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch

import davsim
import torch_npu

# Copies bytes, with the output first.
SOURCE = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void copied(GM_ADDR to, GM_ADDR from, uint32_t bytes) {
  GlobalTensor<uint8_t> x, y;
  x.SetGlobalBuffer(from);
  y.SetGlobalBuffer(to);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, bytes);
  DataCopy(buffer.Get<uint8_t>(), x, bytes);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, buffer.Get<uint8_t>(), bytes);
}
"""


@pytest.fixture
def pair():
    torch.manual_seed(3)
    host = torch.randn(4, 6)
    return host, host.npu()


def same(npu, host):
    return npu.device.type == "npu" and torch.equal(npu.detach().cpu(), host)


def test_the_device_has_its_name(pair):
    assert str(torch.device("npu")) == "npu" and torch.device("npu:0").index == 0
    assert pair[1].is_npu and str(pair[1].device) == "npu:0" and "device='npu:0'" in repr(pair[1])
    assert torch.npu.is_available() and torch.npu.device_count() == 1
    assert torch.npu.get_device_name() == "Ascend910B3"
    for wrong in (lambda: torch.ones(1, device="npu:1"), lambda: torch.npu.set_device(3),
                  lambda: pair[0].npu(1), lambda: torch.device("nqu")):
        with pytest.raises(RuntimeError):
            wrong()


def test_copies_and_views(pair):
    host, npu = pair
    assert same(npu, host) and same(npu.clone(), host) and same(host.to("npu:0"), host)
    assert same(npu.half(), host.half()) and same(npu.bfloat16(), host.bfloat16())
    npu.view(24)[3] = 7
    host.view(24)[3] = 7
    assert same(npu, host) and npu[0, 3].item() == 7
    for change in (lambda t: t.t(), lambda t: t[1:3, ::2], lambda t: t.permute(1, 0).reshape(-1),
                   lambda t: t.unsqueeze(0).expand(2, 4, 6), lambda t: t.t().contiguous(),
                   lambda t: t.split(2)[1], lambda t: t.unfold(0, 2, 1), lambda t: t.diagonal(),
                   lambda t: t[torch.tensor([0, 2])], lambda t: t.view(torch.int32)):
        assert same(change(npu), change(host))
    row = npu.unfold(0, 2, 1)
    row.zero_()
    assert npu.abs().sum().item() == 0


def test_complex_views_share_memory():
    for made in (lambda t: torch.view_as_complex(t.view(2, 3, 2)),
                 lambda t: torch.view_as_complex(t[4:].view(4, 2)).real,
                 lambda t: torch.view_as_complex(t.view(6, 2)).imag[1:],
                 lambda t: torch.view_as_complex(t.view(6, 2)).conj(),
                 lambda t: torch.view_as_complex(t.view(6, 2)).conj().imag):
        host = torch.arange(12.0)
        npu = host.npu()
        view = made(npu)
        assert view.data_ptr() - npu.data_ptr() == made(host).data_ptr() - host.data_ptr()
        assert torch.equal(view.cpu().resolve_conj(), made(host).resolve_conj())
        view.mul_(3)
        made(host).mul_(3)
        assert same(npu, host)
    spectrum = torch.fft.fft(torch.arange(4.0).npu())
    assert torch.equal(spectrum.conj().cpu(), torch.fft.fft(torch.arange(4.0)).conj())
    assert (-spectrum.conj().imag).cpu().tolist() == torch.fft.fft(torch.arange(4.0)).imag.tolist()


def test_operators_without_a_kernel_run_in_the_same_memory(pair):
    host, npu = pair
    assert same(npu + 1.5, host + 1.5) and same(npu @ npu.t(), host @ host.t())
    assert same(torch.cat([npu, npu]), torch.cat([host, host]))
    assert same(torch.where(npu > 0, npu, torch.zeros_like(npu)), host.clamp(min=0))
    assert same(npu * torch.tensor(2.0), host * 2)
    before = npu.data_ptr()
    assert same(npu.add_(1).mul_(2), (host + 1) * 2) and npu.data_ptr() == before
    out = torch.empty(0, device="npu")
    torch.add(npu, npu, out=out)
    assert same(out, npu.cpu() * 2)
    values, indices = npu.sort(dim=1)
    assert values.is_npu and indices.is_npu
    with pytest.raises(RuntimeError, match="same device"):
        npu + host
    for made in (torch.arange(4, device="npu"), torch.zeros(2, 3, device="npu"),
                 torch.randn(3, device="npu"), torch.tensor([1, 2], device="npu"),
                 npu.new_zeros(2), torch.empty_like(npu), torch.ones(2).pin_memory().npu()):
        assert made.is_npu


@pytest.mark.parametrize("rows", [0, 2])
def test_group_norms_of_any_number_of_rows(rows):
    host = torch.arange(rows * 24.0).view(rows, 4, 6).requires_grad_()
    npu = host.detach().npu().requires_grad_()
    norm = torch.nn.GroupNorm(2, 4)
    expected = norm(host)
    expected.square().sum().backward()
    normed = norm.npu()(npu)
    normed.square().sum().backward()
    assert normed.is_npu and same(normed.detach(), expected.detach())
    assert torch.allclose(npu.grad.cpu(), host.grad)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_operators_with_numbers_of_16_bits(dtype):
    functional = torch.nn.functional
    torch.manual_seed(0)
    npu = torch.randn(8, 8).to(dtype).npu()
    wide = npu.cpu().float()
    for made in (lambda t: t @ t.t(), lambda t: t.softmax(1), lambda t: torch.bmm(t[None], t[None]),
                 lambda t: functional.layer_norm(t, (8,), t[0], t[1]), functional.gelu, torch.exp,
                 lambda t: functional.conv2d(t.view(1, 2, 4, 8), t[:2].reshape(2, 2, 2, 2)),
                 lambda t: torch.matmul(t, t, out=torch.empty_like(t)), lambda t: t.cumsum(1),
                 lambda t: t.clone().addmm_(t, t), lambda t: functional.max_pool2d(t[None], 2)):
        result = made(npu)
        assert result.dtype == dtype and result.is_npu
        assert torch.allclose(result.cpu().float(), made(wide), rtol=0.02, atol=0.05)
    assert npu.softmax(1, dtype=torch.float32).dtype == torch.float32
    model = torch.nn.Sequential(torch.nn.Unflatten(1, (2, 4)), torch.nn.Conv1d(2, 4, 3),
                                torch.nn.BatchNorm1d(4), torch.nn.GELU(), torch.nn.Softmax(2),
                                torch.nn.LayerNorm(2), torch.nn.Flatten(), torch.nn.Linear(8, 2))
    model.to("npu", dtype)
    model(npu).float().square().sum().backward()
    assert all(weight.grad.dtype == dtype for weight in model.parameters())


def test_gradients_and_modules(pair):
    layer = torch.nn.Linear(6, 3)
    expected = torch.autograd.grad(layer(pair[0]).square().sum(), layer.weight)[0]
    layer.npu()
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    layer(pair[1]).square().sum().backward()
    assert torch.allclose(layer.weight.grad.cpu(), expected, rtol=1e-5)
    optimizer.step()
    assert layer.weight.is_npu and layer.weight.grad.is_npu


def test_losses_and_results_of_other_sizes(pair):
    host, npu = pair
    functional = torch.nn.functional
    for loss in (functional.mse_loss, functional.l1_loss, functional.smooth_l1_loss,
                 functional.binary_cross_entropy_with_logits):
        for reduction in ("none", "mean", "sum"):
            made = loss(npu, npu.flip(0), reduction=reduction)
            assert same(made, loss(host, host.flip(0), reduction=reduction)), (loss, reduction)
    classes = torch.tensor([0, 5, 2, 1])
    assert same(functional.cross_entropy(npu, classes.npu()),
                functional.cross_entropy(host, classes))
    out = torch.empty(2, 2, device="npu")
    with pytest.warns(UserWarning, match="resized"):
        torch.mul(npu, 2, out=out)
    assert same(out, host * 2)
    target = npu.t()
    torch.mul(npu.t(), 3, out=target)
    assert same(npu, host * 3)


def test_options_and_properties():
    torch.npu.config.allow_internal_format = False
    torch_npu.npu.set_compile_mode(jit_compile=True)
    assert not torch.npu.is_jit_compile_false()
    with pytest.raises(AttributeError, match="allow_internal_format"):
        torch.npu.config.alow_internal_format = False
    properties = torch.npu.get_device_properties("npu:0")
    assert (properties.cube_core_num, properties.vector_core_num) == (20, 40)
    assert properties.L2_cache_size == 192 << 20 and properties.name == "Ascend910B3"


def test_results_in_memory_of_the_arguments_are_refused_as_on_the_cpu():
    def calls(x):
        return (lambda: torch.cat([x[:6], x[2:8]], out=x), lambda: x[1:].add_(x[:-1]),
                lambda: x[1:].copy_(x[:-1]), lambda: torch.mul(x[:4], 2, out=x[1:5]))

    host, npu = torch.arange(12.0), torch.arange(12.0).npu()
    for of_host, of_npu in zip(calls(host), calls(npu)):
        with pytest.raises(RuntimeError, match="unsupported operation"):
            of_host()
        with pytest.raises(RuntimeError, match="unsupported operation"):
            of_npu()
    assert npu.tolist() == host.tolist()
    npu[1:].add_(npu[1:])
    npu[:6].copy_(npu[6:])
    torch.mul(npu, npu, out=npu)
    assert npu[1].item() == 14**2


def test_a_schedule_says_what_a_step_does():
    action = torch_npu.profiler.ProfilerAction
    plan = torch_npu.profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    round_of = [action.NONE, action.WARMUP, action.RECORD, action.RECORD_AND_SAVE]
    assert [plan(step) for step in range(11)] == [action.NONE, *round_of, *round_of, action.NONE,
                                                  action.NONE]
    with pytest.raises(ValueError, match="active is 0"):
        torch_npu.profiler.schedule(wait=1, warmup=1, active=0)
    with pytest.raises(RuntimeError, match="nothing was recorded"):
        torch_npu.profiler.profile().export_chrome_trace("trace.json")


def test_streams_events_and_memory():
    assert torch.npu.current_stream() == torch.npu.default_stream()
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        assert torch.npu.current_stream() == stream and stream.npu_stream
        begin, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
        begin.record()
        end.record()
    torch.npu.current_stream().wait_stream(stream)
    torch.npu.synchronize()
    assert stream.query() and end.query() and begin.elapsed_time(end) == 0
    before = torch.npu.memory_allocated()
    for _ in range(300):
        block = torch.empty(1 << 20, device="npu")
    assert torch.npu.memory_allocated() == before + (4 << 20)
    del block
    assert torch.npu.memory_allocated() == before
    with pytest.raises(RuntimeError, match="out of memory"):
        torch.empty(1 << 45, device="npu")


def test_the_public_functions_take_tensors_of_npu():
    query = torch.ones(1, 1, 16).half().npu()
    out = torch_npu.npu_fused_infer_attention_score_v2(query, query, query)[0]
    assert out.is_npu and out.sum().item() == 16
    assert torch.ops.npu.npu_fused_infer_attention_score_v2(query, query, query)[0].is_npu
    kv, ones = torch.ones(2, 1, 1, 576).bfloat16(), torch.ones(2, 1, 1, 64).bfloat16()
    k_cache = torch.zeros(2, 1, 16, 64, dtype=torch.bfloat16, device="npu")
    ckv_cache = torch.zeros(2, 1, 16, 512, dtype=torch.bfloat16, device="npu")
    torch_npu.npu_kv_rmsnorm_rope_cache(
        kv.npu(), torch.ones(512).bfloat16().npu(), ones.npu(), torch.zeros_like(ones).npu(),
        torch.tensor([[3], [5]]).npu(), k_cache, ckv_cache, epsilon=0.0)
    assert ckv_cache.sum().item() == 1024 and k_cache[0, 0, 3].sum().item() == 64


def test_kernels_of_source_see_the_memory_of_npu():
    kernel = davsim.compile(SOURCE)
    for dtype in (torch.float16, torch.float32):
        x = torch.zeros(64, dtype=dtype, device="npu")
        kernel[1](x, x.view(8, 8), 64 * x.element_size())
        assert x.cpu().tolist() == [0] * 64
    rows = torch.arange(128, dtype=torch.int32, device="npu").view(64, 2)
    kernel[1](rows[:, 1], rows[:, 0], 256)
    assert torch.equal(rows[:, 1], rows[:, 0]) and rows[63, 1].item() == 126
    whole = torch.arange(96, dtype=torch.int32, device="npu")
    kernel[1](whole[32:], whole[:64], 256)
    assert whole[32:].cpu().tolist() == list(range(64))
    with pytest.raises(davsim.DtypeError, match="complex64"):
        kernel[1](rows, torch.zeros(2, dtype=torch.complex64, device="npu"), 0)
    assert davsim.run("matmul", a=torch.ones(2, 3).half().npu(),
                      b=torch.ones(3, 4).half().npu())["c"].sum().item() == 24


def test_patch_leaves_the_package_alone():
    program = ("import davsim, torch_npu, sys; davsim.patch(); "
               "print(sys.modules['torch_npu'].__davsim__)")
    done = subprocess.run([sys.executable, "-c", program], env=os.environ, capture_output=True,
                          text=True)
    assert done.stdout == "True\n", done.stderr
