"""Collective operations and DistributedDataParallel, with a process for each device."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_npu  # noqa: F401


def collectives(rank, size, device):
    x = torch.full((5,), rank + 1.0, device=device)
    dist.all_reduce(x)
    assert str(x.device) == device and x.tolist() == [size * (size + 1) / 2] * 5
    x.fill_(rank)
    dist.all_reduce(x, op=dist.ReduceOp.MAX)
    assert x.tolist() == [size - 1] * 5
    rows = torch.full((3, 2), rank, dtype=torch.int64).npu()
    dist.broadcast(rows, 1)
    assert rows.tolist() == [[1, 1]] * 3
    parts = [torch.zeros(2, 2, device=device) for _ in range(size)]
    dist.all_gather(parts, torch.full((2, 2), float(rank), device=device).t())
    assert [part[1, 0].item() for part in parts] == list(range(size))
    whole = torch.zeros(size * 3, device=device)
    dist.all_gather_into_tensor(whole, torch.full((3,), float(rank), device=device))
    assert whole.view(size, 3)[:, 2].tolist() == list(range(size))
    pair = torch.zeros(2, device=device)
    dist.reduce_scatter_tensor(pair, torch.arange(2.0 * size, device=device))
    assert pair.tolist() == [size * 2.0 * rank, size * (2.0 * rank + 1)]
    dist.reduce_scatter(pair, [torch.full((2,), float(i), device=device) for i in range(size)])
    assert pair.tolist() == [size * rank] * 2
    total = torch.full((2,), rank + 1.0, device=device)
    dist.reduce(total, 0)
    assert total[0].item() == (size * (size + 1) / 2 if rank == 0 else rank + 1)


def exchanges(rank, size, device):
    got = torch.empty(size, dtype=torch.int64, device=device)
    dist.all_to_all_single(got, torch.arange(size, device=device) + 10 * rank)
    assert got.tolist() == [10 * i + rank for i in range(size)]
    got = torch.empty(sum(range(1, size + 1)), 2, device=device)
    dist.all_to_all_single(got, torch.full((size * (rank + 1), 2), float(rank), device=device),
                           [i + 1 for i in range(size)], [rank + 1] * size)
    assert got[:, 1].tolist() == [float(i) for i in range(size) for _ in range(i + 1)]
    parts = [torch.zeros(i + 1, device=device) for i in range(size)]
    dist.all_to_all(parts, [torch.full((rank + 1,), float(rank), device=device)] * size)
    assert [part.tolist() for part in parts] == [[float(i)] * (i + 1) for i in range(size)]
    part = torch.zeros(2, device=device)
    sent = [torch.full((2,), float(i), device=device) for i in range(size)] if rank == 1 else None
    dist.scatter(part, sent, src=1)
    assert part.tolist() == [rank] * 2
    gathered = [torch.zeros(2, device=device) for _ in range(size)] if rank == 0 else None
    dist.gather(part, gathered, dst=0)
    assert rank or [row[0].item() for row in gathered] == list(range(size))
    if rank == 0:
        dist.send(torch.full((4,), 7.0, device=device), 1)
    elif rank == 1:
        dist.recv(part := torch.zeros(4, device=device), 0)
        assert part.tolist() == [7] * 4
    objects = [None] * size
    dist.all_gather_object(objects, {"rank": rank})
    assert objects == [{"rank": i} for i in range(size)]
    pair = dist.new_group([0, 1])
    if rank < 2:
        dist.all_reduce(one := torch.ones(1, device=device), group=pair)
        assert one.item() == 2


def train(rank, size, device):
    batches = torch.arange(12.0 * size).view(size, 4, 3)
    torch.manual_seed(rank)
    layer = torch.nn.Linear(3, 1).to(device)
    model = torch.nn.parallel.DistributedDataParallel(layer, device_ids=[rank])
    model(batches[rank].to(rank)).sum().backward()
    assert torch.allclose(layer.weight.grad[0].cpu(), batches.sum(1).mean(0))
    weights = [torch.zeros(1, 3, device=device) for _ in range(size)]
    dist.all_gather(weights, layer.weight.data)
    assert all(torch.equal(weights[0], other) for other in weights)


def work(rank, size, path):
    torch.npu.set_device(rank)
    assert torch.npu.current_device() == rank and torch.npu.device_count() == 4
    dist.init_process_group("hccl", rank=rank, world_size=size, init_method=f"file://{path}")
    for part in (collectives, exchanges, train):
        part(rank, size, f"npu:{rank}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(3, f"{folder}/store"), nprocs=3)
    print("test pass")
