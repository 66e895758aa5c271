"""Graphs of torch.npu: kernels and operators of torch that are captured once and executed again."""

import copy
import ctypes
import gc
import importlib.util
import subprocess

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402,F401
from davsim._toolchain import Toolchain  # noqa: E402

SCALE = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, float factor, uint32_t length) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, length * sizeof(float));
  LocalTensor<float> values = buffer.Get<float>();
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x);
  to.SetGlobalBuffer((__gm__ float*)y);
  DataCopy(values, from, length);
  PipeBarrier<PIPE_ALL>();
  Muls(values, values, factor, length);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, values, length);
}
extern "C" void scale_do(void* stream, void* x, void* y, float factor, uint32_t length) {
  scale<<<1, nullptr, stream>>>((uint8_t*)x, (uint8_t*)y, factor, length);
}
"""


@pytest.fixture(scope="module")
def scale(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    (folder / "scale.cpp").write_text(SCALE)
    subprocess.run([Toolchain().program, "-shared", "-fPIC", folder / "scale.cpp", "-o",
                    folder / "libscale.so"], check=True)
    library = ctypes.CDLL(str(folder / "libscale.so"))

    def launch(x, factor):
        y = torch.empty_like(x)
        library.scale_do(ctypes.c_void_p(torch.npu.current_stream().npu_stream),
                         ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()),
                         ctypes.c_float(factor), ctypes.c_uint32(x.numel()))
        return y

    return launch


def test_kernels_and_operators_are_done_again_in_their_order(scale):
    x, count = torch.zeros(64).npu(), torch.zeros(1).npu()
    cache, place = torch.zeros(4, 64).npu(), torch.zeros(1, dtype=torch.int64).npu()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        assert torch.npu.is_current_stream_capturing()
        count.add_(1)
        scaled = scale(x + count, 2.0)  # of a tensor that nobody else has
        rows = scaled.view(8, 8)[2:4]
        sums = (rows.sum(1) + scale(scaled, 0.5)[16:18]).half()
        cache.index_copy_(0, place, scaled[None])
        chosen = cache[scaled[:2].long() * 0]  # indices that a kernel gives
    assert not torch.npu.is_current_stream_capturing()
    assert count.item() == 0 and cache.abs().sum().item() == 0, "a capture does nothing"
    for turn in range(3):
        given = torch.arange(64.0) + 10 * turn
        x.copy_(given)
        place.fill_(turn)
        torch.empty(64).npu().fill_(-1)  # not where the graph has its own
        graph.replay()
        torch.npu.synchronize()
        expected = 2 * (given + turn + 1)
        assert count.item() == turn + 1 and torch.equal(scaled.cpu(), expected)
        assert torch.equal(sums.cpu(), (expected.view(8, 8)[2:4].sum(1) + expected[16:18] / 2).half())
        assert torch.equal(cache[turn].cpu(), expected)
        assert torch.equal(chosen.cpu(), cache[:1].cpu().repeat(2, 1))


def test_modules_with_convolutions_and_short_numbers():
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3, padding=1), torch.nn.BatchNorm2d(3),
                                torch.nn.GELU(), torch.nn.Flatten(), torch.nn.Linear(48, 5)).eval()
    for dtype in (torch.float32, torch.float16):
        on_npu = copy.deepcopy(model).npu().to(dtype)
        x = torch.zeros(2, 2, 4, 4, dtype=dtype).npu()
        graph = torch.npu.NPUGraph()
        with torch.no_grad(), torch.npu.graph(graph, pool=torch.npu.graph_pool_handle()):
            y = on_npu(x)
        given = torch.randn(2, 2, 4, 4).to(dtype)
        x.copy_(given)
        graph.replay()
        assert torch.equal(y.cpu(), on_npu(given.npu()).cpu())
        graph.reset()


def test_backward_passes():
    module = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.Tanh(), torch.nn.Linear(6, 4))
    reference, module = copy.deepcopy(module), module.npu()
    graphed = torch.npu.make_graphed_callables(module, (torch.randn(5, 8).npu(),))
    optimizers = [torch.optim.SGD(each.parameters(), 0.1) for each in (module, reference)]
    for _ in range(3):
        x = torch.randn(5, 8)
        for optimizer, loss in zip(optimizers, (graphed(x.npu()).pow(2).mean().cpu(),
                                                reference(x).pow(2).mean())):
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    assert torch.allclose(module[0].weight.cpu(), reference[0].weight, atol=1e-6)


def test_backward_passes_after_those_of_data_parallel(tmp_path):
    """The thread of torch's backward passes has worked under guards of streams, and takes part in a
    capture afterwards."""
    import torch.distributed as dist
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    dist.init_process_group("hccl", rank=0, world_size=1, init_method=f"file://{tmp_path}/store")
    try:
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2).npu(), device_ids=[0])
        model(torch.ones(4, 3)).sum().backward()  # DDP moves it under a guard
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
        model(torch.ones(4, 3).npu()).sum().backward()
    finally:
        dist.destroy_process_group()
    test_backward_passes()


def test_memory_is_the_graphs_until_it_ends():
    gc.collect()
    before = torch.npu.memory_allocated()
    graph = torch.npu.NPUGraph()
    x = torch.ones(1000).npu()
    with torch.npu.graph(graph):
        y = (x * 2) + 1
    del y
    graph.replay()
    torch.npu.synchronize()
    graph.reset()
    del x
    assert torch.npu.memory_allocated() == before


def test_what_a_capture_cannot_have_is_told():
    x = torch.ones(3).npu()
    short = torch.ones(4, 4, dtype=torch.float16).npu()
    for refused, message in ((lambda: torch_npu.matmul(short, short), "outside of"),
                             (lambda: x.sum().item(), "gives a value to the host"),
                             (lambda: x.cpu(), "cannot wait for a copy")):
        with pytest.raises(RuntimeError, match=message):
            with torch.npu.graph(torch.npu.NPUGraph()):
                refused()
        assert not torch.npu.is_current_stream_capturing() and x.sum().item() == 3
    graph, place = torch.npu.NPUGraph(), torch.zeros(1, dtype=torch.int64).npu()
    with torch.npu.graph(graph):
        x.index_select(0, place)
    place.fill_(3)
    graph.replay()
    with pytest.raises(RuntimeError, match="in the execution of a graph: .*out of range"):
        torch.npu.synchronize()
    graph = torch.npu.NPUGraph()
    with pytest.raises(RuntimeError, match="no capture"):
        graph.replay()
    with torch.npu.graph(graph):
        x.add_(1)
    with pytest.raises(RuntimeError, match="already owns"):
        graph.capture_begin()
