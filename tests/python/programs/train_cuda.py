import torch
import torch.nn as nn
import torch_npu
from torch_npu.contrib import transfer_to_npu  # noqa: F401
from torch.cuda.amp import GradScaler, autocast


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    torch.cuda.set_device(device)
    torch.cuda.manual_seed_all(0)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = GradScaler()
    x = torch.randn(64, 8, device="cuda")
    y = (x.sum(dim=1, keepdim=True) * 0.3).to(0)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        with autocast():
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    torch.cuda.synchronize()
    assert losses[-1] < losses[0] / 4, losses
    assert next(model.parameters()).is_cuda and x.device.type == "npu" and x.is_npu
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        start.record()
        end.record()
    stream.synchronize()
    assert start.elapsed_time(end) >= 0 and torch.cuda.memory_allocated() > 0
    assert torch.cuda.get_device_name(0).startswith("Ascend")
    properties = torch.cuda.get_device_properties(0)
    assert properties.cube_core_num == 20 and properties.vector_core_num == 40
    assert torch.device("cpu").type == "cpu" and model(x).cpu().device == torch.device("cpu")
    assert isinstance(device, torch.device)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                            torch.profiler.ProfilerActivity.CUDA]) as prof:
        query = torch.ones(1, 1, 16).half().cuda()
        torch_npu.npu_fused_infer_attention_score_v2(query, query, query)
    prof.export_chrome_trace("cuda_trace.json")
    print("test pass")


if __name__ == "__main__":
    main()
