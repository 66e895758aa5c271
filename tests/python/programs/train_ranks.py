"""DistributedDataParallel with a process for each device, which torch.multiprocessing starts."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_npu  # noqa: F401


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
    train(rank, size, f"npu:{rank}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(3, f"{folder}/store"), nprocs=3)
    print("test pass")
