"""Groups of torch.distributed with hccl and a process for each rank, and several devices in one process.
programs/train_ranks.py trains with them."""

import importlib.util
import os
import subprocess
import sys

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

BEGIN = """
import os, sys
import torch, torch_npu
import torch.distributed as dist
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.npu.set_device(rank)
"""
JOIN = BEGIN + """
dist.init_process_group("hccl", rank=rank, world_size=size, init_method="file://" + sys.argv[1])
"""


def run(tmp_path, program, ranks=3):
    environment = {**os.environ, "DAVSIM_SYSTEM": "atlas_a2_server:4", "WORLD_SIZE": str(ranks)}
    processes = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "store")],
                                  env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for rank in range(ranks)]
    outputs = []
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        outputs.append(output)
    return outputs


def test_collective_operations(tmp_path):
    outputs = run(tmp_path, JOIN + """
def tensor(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype).npu()

x = tensor(rank, 10.0 * rank)
assert x.device == torch.device("npu", rank)
dist.all_reduce(x)
assert x.tolist() == [3, 30]
mean = tensor(float(rank), dtype=torch.float16)
dist.all_reduce(mean, op=dist.ReduceOp.AVG)
assert mean.tolist() == [1]
most = torch.arange(6).view(2, 3).t().npu() + rank  # not contiguous
dist.all_reduce(most, op=dist.ReduceOp.MAX)
assert most.tolist() == [[2, 5], [3, 6], [4, 7]]
flag = torch.tensor([rank == 1]).npu()
dist.all_reduce(flag)
assert flag.tolist() == [True]
host = torch.tensor([rank])
dist.broadcast(host, 2)
assert host.tolist() == [2]
sums = tensor(1.0)
dist.reduce(sums, 1)
assert sums.tolist() == ([3] if rank == 1 else [1])

parts = [torch.zeros(2).npu() for _ in range(size)]
dist.all_gather(parts, tensor(rank, rank + 0.5))
assert [part.tolist() for part in parts] == [[0, 0.5], [1, 1.5], [2, 2.5]]
whole = torch.zeros(3).npu()
dist.all_gather_into_tensor(whole, tensor(rank))
assert whole.tolist() == [0, 1, 2]
own = torch.zeros(1).npu()
dist.reduce_scatter(own, [tensor(10.0 * i + rank) for i in range(size)])
assert own.tolist() == [30 * rank + 3]
dist.reduce_scatter_tensor(own, tensor(1.0, 2.0, 3.0))
assert own.tolist() == [3 * (rank + 1)]
dist.scatter(own, [tensor(5.0 + i) for i in range(size)] if rank == 1 else None, src=1)
assert own.tolist() == [5 + rank]
kept = [torch.zeros(1).npu() for _ in range(size)] if rank == 0 else None
dist.gather(own, kept)
assert rank != 0 or [part.item() for part in kept] == [5, 6, 7]

swapped = torch.zeros(3).npu()
dist.all_to_all_single(swapped, tensor(10.0 * rank, 10.0 * rank + 1, 10.0 * rank + 2))
assert swapped.tolist() == [rank, 10 + rank, 20 + rank]
# Rank r sends i + 1 rows to rank i.
rows = torch.full((6, 2), float(rank)).npu()
got = torch.zeros(3 * (rank + 1), 2).npu()
dist.all_to_all_single(got, rows, [rank + 1] * 3, [1, 2, 3])
assert got[:, 1].tolist() == [float(i) for i in range(3) for _ in range(rank + 1)]
dist.all_to_all(parts, [tensor(rank, i) for i in range(size)])
assert [part.tolist() for part in parts] == [[0, rank], [1, rank], [2, rank]]

if rank == 0:
    dist.send(tensor(7.0), 2)
elif rank == 2:
    dist.recv(own, 0)
    assert own.tolist() == [7]
# Round the ring, where everybody sends before it receives, and goes on with what has come.
received = torch.zeros(1000).npu()
for turn in range(3):
    sent = torch.full((1000,), float(10 * turn + rank)).npu()
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, sent, (rank + 1) % size),
                                    dist.P2POp(dist.irecv, received, (rank - 1) % size)])
    for work in works:
        work.wait()
    sent.zero_()
    assert (received * 2).tolist() == [2.0 * (10 * turn + (rank - 1) % size)] * 1000
# Batches of other sizes, as one batch on the CPU.
torch.manual_seed(0)
whole = torch.randn(6, 3, 4, requires_grad=True)
reference = torch.nn.BatchNorm1d(3)
reference(whole).pow(3).sum().backward()
layer = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.BatchNorm1d(3)).npu()
mine = slice(rank * (rank + 1) // 2, (rank + 1) * (rank + 2) // 2)
part = whole.detach()[mine].npu().requires_grad_()
layer(part).pow(3).sum().backward()
assert torch.allclose(part.grad.cpu(), whole.grad[mine], atol=1e-4)
assert torch.allclose(layer.running_var.cpu(), reference.running_var, atol=1e-5)
assert torch.allclose(layer.running_mean.cpu(), reference.running_mean, atol=1e-5)
of_weight = layer.weight.grad.clone()
dist.all_reduce(of_weight)
assert torch.allclose(of_weight.cpu(), reference.weight.grad, atol=1e-3)
assert torch.allclose(layer.eval()(part).cpu(), reference.eval()(whole)[mine], atol=1e-4)
pair = dist.new_group([0, 2])
if rank != 1:
    dist.all_reduce(own, group=pair)
objects = [None] * size
dist.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": i} for i in range(size)]
dist.barrier()
dist.barrier(device_ids=[rank])
mine, all_of_them = dist.new_subgroups(1)
assert dist.get_world_size(mine) == 1 and len(all_of_them) == 3
dist.barrier(mine, device_ids=[rank])
print("right")
""")
    assert outputs == ["right\n"] * 3


def test_a_process_sees_the_device_of_its_own_alone(tmp_path):
    run(tmp_path, """
import os
os.environ["ASCEND_RT_VISIBLE_DEVICES"] = str(3 - int(os.environ["RANK"]))
""" + JOIN.replace("set_device(rank)", "set_device(0)") + """
assert torch.npu.device_count() == 1
x = torch.tensor([rank + 1.0]).npu()
dist.all_reduce(x)
assert x.device == torch.device("npu", 0) and x.tolist() == [6]
dist.destroy_process_group()
""")


def test_several_devices_in_one_process(tmp_path):
    run(tmp_path, BEGIN + """
assert torch.npu.device_count() == 4 and torch.npu.current_device() == 0
x = torch.arange(3.0, device="npu:2")
assert (x + 1).device == x.device and (x + 1).tolist() == [1, 2, 3]
assert torch.zeros(2, device="npu").device.index == 0
with torch.npu.device(3):
    assert torch.npu.current_device() == 3 and torch.ones(1).npu().device.index == 3
    assert torch.npu.current_stream().device.index == 3
assert torch.npu.current_device() == 0
y = x.to("npu:1")
assert y.device.index == 1 and y.tolist() == [0, 1, 2] and y.npu(2).device == x.device
stream = torch.npu.Stream(2)
event = torch.npu.Event(enable_timing=True)
with torch.npu.stream(stream):
    assert torch.npu.current_device() == 2 and torch.npu.current_stream() == stream
    event.record()
assert torch.npu.current_device() == 0 and torch.npu.current_stream(2) != stream
event.record(stream)  # from another device
torch.npu.synchronize()
for wrong in (lambda: x + y, lambda: torch.zeros(1, device="npu:4")):
    try:
        wrong()
    except RuntimeError as error:
        print(error)
    else:
        raise AssertionError("not refused")
""", ranks=1)


def test_operators_of_all_ranks(tmp_path):
    run(tmp_path, JOIN + """
group = dist.distributed_c10d._get_default_group()
assert group.get_hccl_comm_name(rank, init_comm=False) == ""
name = group.get_hccl_comm_name(rank)
assert name == group._get_backend(torch.device("npu")).get_hccl_comm_name(rank)
x = torch.full((2, 8, 32), rank + 1.0, dtype=torch.float16).npu()
other = torch.arange(32 * 16).view(32, 16).half().npu() / 512
y = torch_npu.npu_mm_all_reduce_base(x, other, name, reduce_op="sum")
assert y.shape == (2, 8, 16) and y.device == x.device
expected = 3 * (other.float().sum(0))
assert torch.allclose(y.float().cpu(), expected.cpu().expand(2, 8, 16), rtol=2e-3)
# A factor whose rows are stored as columns.
again = torch_npu.npu_mm_all_reduce_base(x[0], other.t().contiguous().t(), name)
assert torch.equal(again.cpu(), y[0].cpu())
output, rows = torch_npu.npu_all_gather_base_mm(x[0], other, name, size)
assert [rows[8 * i, 0].item() for i in range(size)] == [1, 2]
assert torch.allclose(output[8:].float().cpu(), 2 * other.float().sum(0).cpu().expand(8, 16), rtol=2e-3)
part = torch_npu.npu_mm_reduce_scatter_base(x[0], other, name, size)
assert part.shape == (4, 16) and torch.equal(part.cpu(), y[0, :4].cpu())
""", ranks=2)


def test_operators_of_some_ranks(tmp_path):
    run(tmp_path, JOIN + """
groups = [dist.new_group([0, 3]), dist.new_group([1, 2])]
group = groups[0] if rank in (0, 3) else groups[1]
name = group.get_hccl_comm_name(rank)
x = torch.full((8, 32), rank + 1.0, dtype=torch.float16).npu()
other = torch.full((32, 16), 0.125, dtype=torch.float16).npu()
for _ in range(2):
    y = torch_npu.npu_mm_all_reduce_base(x, other, name)
    assert (y == 20).all().item(), y
dist.all_reduce(x)
assert (x == 10).all().item()
""", ranks=4)


def test_experts_of_all_ranks(tmp_path):
    run(tmp_path, JOIN + """
name = dist.distributed_c10d._get_default_group().get_hccl_comm_name(rank)
tokens, width, top, experts = 8, 1024, 2, 4
torch.manual_seed(rank)
x = torch.rand(tokens, width).bfloat16().npu()
ids = torch.stack([torch.randperm(experts)[:top] for _ in range(tokens)]).int().npu()
scales = torch.full((tokens, top), 0.5).npu()
common = dict(group_ep=name, ep_world_size=size, ep_rank_id=rank, moe_expert_num=experts,
              shared_expert_num=0)
sent = torch_npu.npu_moe_distribute_dispatch_v2(x, ids, expert_scales=scales, **common)
expanded, assist, counts = sent[0], sent[2], sent[4]
all_ids = [torch.zeros_like(ids) for _ in range(size)]
dist.all_gather(all_ids, ids)
mine = sum(int(((i == 2 * rank) | (i == 2 * rank + 1)).sum()) for i in all_ids)
assert int(counts[experts - 1].item()) == mine, (counts.tolist(), mine)
back = torch_npu.npu_moe_distribute_combine_v2(
    expanded * 2, ids, assist, counts, scales, expand_scales=sent[6], **common)
assert torch.allclose(back.float().cpu(), 2 * x.float().cpu(), rtol=1e-2)
""", ranks=2)


def test_operators_refuse_what_is_wrong(tmp_path):
    run(tmp_path, JOIN + """
name = dist.distributed_c10d._get_default_group().get_hccl_comm_name(rank)
x, other = torch.ones(8, 32).half().npu(), torch.ones(16, 16).half().npu()
for arguments, text in (((x, other, name), "K"), ((x, x.t(), "nobody"), "nobody"),
                        ((x, x.t().cpu(), name), "another tensor")):
    try:
        torch_npu.npu_mm_all_reduce_base(*arguments)
        raise AssertionError("not refused")
    except RuntimeError as error:
        assert text in str(error), error
""", ranks=2)
