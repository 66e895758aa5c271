"""What programs of torch_npu ask beside tensors: devices by number, types and layouts, loaders of data, groups
of processes, and what there is not."""

import importlib
import importlib.util
import os
import subprocess
import sys

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch
import torch.distributed as dist

import torch_npu


def test_devices_by_number():
    host = torch.ones(2, 3)
    for made in (torch.ones(2, device=0), torch.tensor([1, 2], device=torch.npu.current_device()),
                 torch.zeros_like(host, device=0), host.to(0), host.to(device=0),
                 torch.nn.Linear(2, 3).to(0).weight):
        assert made.is_npu
    assert torch.ones(2).device.type == torch.ones(2, device="cpu").device.type == "cpu"
    with pytest.raises(RuntimeError, match="npu:1"):
        torch.zeros(2, device=1)


@torch.jit.script
def scripted(x):
    return torch.zeros(2) + torch.ones_like(x) + torch.full((2,), 2.0) + torch.tensor([1.0, 2.0])


def test_scripts_find_the_functions_that_take_numbers():
    assert scripted(torch.ones(2)).tolist() == [4, 5]


def test_types_by_name():
    npu = torch.ones(3).npu()
    assert npu.type() == "torch.npu.FloatTensor" and torch.ones(1).type() == "torch.FloatTensor"
    for half in ("torch.npu.HalfTensor", torch.npu.HalfTensor, torch.float16):
        assert npu.type(half).dtype == torch.float16 and npu.type(half).is_npu
    assert torch.ones(2).type("torch.DoubleTensor").dtype == torch.float64
    assert npu.type_as(torch.ones(1).int()).dtype == torch.int32


def test_casts_and_layouts():
    npu = torch.arange(3.0).npu().requires_grad_()
    half = torch_npu.npu_dtype_cast(npu, torch.float16)
    assert half.dtype == torch.float16 and half.is_npu
    torch.ops.npu.npu_dtype_cast(npu, torch.float64).sum().backward()
    assert npu.grad.tolist() == [1, 1, 1]
    assert torch_npu.npu_dtype_cast_(torch.zeros(3).int().npu(), half).tolist() == [0, 1, 2]
    assert torch_npu.npu_format_cast(half, torch_npu.Format.ND) is half
    assert torch.ops.npu.get_npu_format(half) == torch_npu.Format.ND == 2
    for cast in (torch_npu.npu_format_cast_, torch.ops.npu.npu_format_cast):
        with pytest.raises(RuntimeError, match="found format 3"):
            cast(half, 3)


@pytest.mark.parametrize("options", [{}, {"pin_memory_device": "npu"}, {"num_workers": 1},
                                     {"num_workers": 1, "pin_memory_device": "npu:0"}])
def test_loaders_pin(options):
    data = torch.utils.data.TensorDataset(torch.arange(20.0).view(10, 2), torch.arange(10))
    loader = torch.utils.data.DataLoader(data, batch_size=4, pin_memory=True, **options)
    total = 0
    for rows, numbers in loader:
        assert rows.is_pinned() and numbers.is_pinned()
        total += rows.npu(non_blocking=True).sum().item()
    assert total == 190
    assert torch.ones(2).pin_memory("npu").is_pinned("npu")
    assert not next(iter(torch.utils.data.DataLoader(data)))[0].is_pinned()


@pytest.fixture
def alone(tmp_path):
    dist.init_process_group("hccl", rank=0, world_size=1, init_method=f"file://{tmp_path}/store")
    yield
    dist.destroy_process_group()


def test_a_process_alone_in_its_group(alone):
    assert dist.get_backend() == "hccl" and dist.is_hccl_available()
    x, y = torch.arange(3.0).npu(), torch.zeros(3).npu()
    for call in (lambda: dist.all_gather([y], x), lambda: dist.all_gather_into_tensor(y, x),
                 lambda: dist.reduce_scatter(y, [x]), lambda: dist.reduce_scatter_tensor(y, x),
                 lambda: dist.all_to_all([y], [x]), lambda: dist.all_to_all_single(y, x),
                 lambda: dist.scatter(y, [x]), lambda: dist.gather(x, [y])):
        y.zero_()
        call()
        assert y.tolist() == [0, 1, 2]
    work = dist.all_reduce(x, op=dist.ReduceOp.MAX, async_op=True)
    assert work.wait() and work.is_completed()
    dist.broadcast(x, 0)
    dist.reduce(x, 0, group=dist.new_group([0]))
    dist.barrier()
    assert x.tolist() == [0, 1, 2]
    objects = [None]
    dist.all_gather_object(objects, {"rank": 0})
    assert objects == [{"rank": 0}]
    with pytest.raises(RuntimeError, match="another one of ranks"):
        dist.group.WORLD.send([x], 0, 0)


def test_data_parallel(alone):
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    for device_ids in ([0], None):
        layer = torch.nn.Linear(3, 2).npu()
        model = torch.nn.parallel.DistributedDataParallel(layer, device_ids=device_ids)
        model(torch.ones(4, 3, device="cpu" if device_ids else "npu")).sum().backward()
        assert layer.weight.grad.tolist() == [[4, 4, 4], [4, 4, 4]]
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
        model(torch.ones(4, 3).npu()).sum().backward()
        assert layer.weight.grad.tolist() == [[8, 8, 8], [8, 8, 8]]


def test_a_group_needs_a_device_for_each_rank(tmp_path):
    with pytest.raises(RuntimeError, match="2 ranks, the process 1 device; with DAVSIM_SYSTEM"):
        dist.init_process_group("hccl", rank=0, world_size=2, init_method=f"file://{tmp_path}/two")


def test_groups_of_nccl_are_of_hccl_where_cuda_is_npu(tmp_path):
    program = f"""
import torch, torch_npu, torch.distributed as dist
from torch_npu.contrib import transfer_to_npu
dist.init_process_group(backend="nccl", rank=0, world_size=1, init_method="file://{tmp_path}/one")
layer = torch.nn.Linear(3, 2).cuda()
torch.nn.parallel.DistributedDataParallel(layer, device_ids=[0])(torch.ones(1, 3)).sum().backward()
print(dist.get_backend(), layer.weight.grad.tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], env=os.environ, capture_output=True,
                          text=True)
    assert done.stdout == "hccl [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]\n", done.stderr


def test_dlpack():
    before = torch.npu.memory_allocated()
    npu = torch.arange(12, dtype=torch.int16).npu().view(3, 4)
    for taken in (torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(npu[1:, ::2])),
                  torch.from_dlpack(npu[1:, ::2])):
        assert taken.is_npu and taken.dtype == torch.int16 and taken.stride() == (4, 2)
        assert taken.tolist() == [[4, 6], [8, 10]] and taken.data_ptr() == npu.data_ptr() + 8
    taken.zero_()
    assert npu.sum().item() == 66 - 28 and npu.__dlpack_device__() == (12, 0)
    torch.utils.dlpack.to_dlpack(npu)
    used = npu.__dlpack__()
    torch.from_dlpack(used)
    with pytest.raises(RuntimeError, match="used_dltensor|consumed"):
        torch.from_dlpack(used)
    del npu
    assert taken.tolist() == [[0, 0], [0, 0]] and torch.npu.memory_allocated() > before
    del taken, used
    assert torch.npu.memory_allocated() == before
    host = torch.arange(3)
    assert torch.from_dlpack(host).data_ptr() == host.data_ptr()
    assert torch.from_dlpack(torch.utils.dlpack.to_dlpack(host)).tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="gradient"):
        torch.ones(2).npu().requires_grad_().__dlpack__()


def test_one_of_several_processes_compiles(tmp_path):
    """With a compiler that makes empty files."""
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\nsleep 0.1\nfor last; do :; done\necho compiled >> $CALLS\n: > $last\n")
    compiler.chmod(0o755)
    calls = tmp_path / "calls"
    program = f"""
import importlib.util
found = importlib.util.spec_from_file_location("backend", {torch_npu._backend.__file__!r})
backend = importlib.util.module_from_spec(found)
found.loader.exec_module(backend)
print(backend.library_folder())
"""
    environment = {**os.environ, "DAVSIM_CXX": str(compiler), "CALLS": str(calls),
                   "DAVSIM_CC_CACHE": str(tmp_path / "cache")}
    processes = [subprocess.Popen([sys.executable, "-c", program], env=environment, text=True,
                                  stdout=subprocess.PIPE) for _ in range(3)]
    folders = {process.communicate(timeout=100)[0] for process in processes}
    assert len(folders) == 1 and all(process.returncode == 0 for process in processes)
    assert len(calls.read_text().split()) == len(torch_npu._backend._SOURCES) + 1


def test_streams_of_the_pool_come_again():
    made = {torch.npu.Stream().stream_id for _ in range(100)}
    assert len(made) == 32 and torch.npu.default_stream().stream_id not in made


def test_limits_blocks_and_numbers_of_memory():
    stream = torch.npu.Stream()
    torch.npu.set_stream_limit(stream, 8, 16)
    assert torch.npu.get_stream_limit(stream) == {"cube_core_num": 8, "vector_core_num": 16}
    torch.npu.reset_stream_limit(stream)
    assert torch.npu.get_stream_limit(stream) == torch.npu.get_device_limit(0)
    block = torch.npu.caching_allocator_alloc(100)
    torch.npu.caching_allocator_delete(block)
    with pytest.raises(RuntimeError, match="aclrtFree"):
        torch.npu.caching_allocator_delete(block)
    assert "current" in torch.npu.memory_stats_as_nested_dict()["allocated_bytes"]["all"]
    with pytest.raises(ValueError, match="fraction"):
        torch.npu.set_per_process_memory_fraction(2)


def test_modules_and_what_launchers_ask():
    for name in ("memory", "random", "streams", "utils"):
        assert importlib.import_module(f"torch_npu.npu.{name}") is getattr(torch.npu, name)
    assert torch_npu.npu.utils.synchronize is torch.npu.synchronize
    stream = torch.npu.current_stream().npu_stream
    assert torch_npu._C._npu_getCurrentRawStream(0) == stream
    assert torch_npu.npu.utils.npu_check_overflow(torch.tensor([1, float("inf")]).npu())
    assert not torch_npu.npu.utils.npu_check_overflow(1.0)
