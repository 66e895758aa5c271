import argparse
import ctypes
import os

import torch
import torch_npu


def do_bench(fn, warmup_iters=3, benchmark_iters=10, flush_cache=False):
    cache = torch.empty(1 << 20, dtype=torch.int8, device="npu")
    for _ in range(warmup_iters):
        fn()
    torch_npu.npu.synchronize()
    start = [torch.npu.Event(enable_timing=True) for _ in range(benchmark_iters)]
    end = [torch.npu.Event(enable_timing=True) for _ in range(benchmark_iters)]
    for i in range(benchmark_iters):
        if flush_cache:
            cache.zero_()
        start[i].record()
        fn()
        end[i].record()
    torch.npu.synchronize()
    times = [s.elapsed_time(e) * 1e3 for s, e in zip(start, end)]
    return sum(times) / len(times)


parser = argparse.ArgumentParser()
parser.add_argument("--elements", type=int, default=1 << 18)
args = parser.parse_args()
device = torch.device("npu", 0)
torch.npu.set_device(device)
print(torch.npu.get_device_name(), torch_npu.npu.get_soc_version(), torch.npu.device_count())
lib = ctypes.CDLL(os.path.abspath("libkernels.so"))
x = torch.randn(args.elements, device=device)
z = torch.zeros(args.elements, device=device)


def run(blocks):
    lib.add_scaled_do(ctypes.c_uint32(blocks), torch.npu.current_stream()._as_parameter_,
                      ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(x.data_ptr()),
                      ctypes.c_void_p(z.data_ptr()), ctypes.c_uint32(x.numel()),
                      ctypes.c_float(1.0))


few, many = do_bench(lambda: run(4)), do_bench(lambda: run(40), flush_cache=True)
bandwidth = 3 * x.numel() * 4 / many / 1e3
print(f"4 blocks {few:.2f} us, 40 blocks {many:.2f} us, {bandwidth:.1f} GB/s")
assert many < few / 2 and (z - 2 * x).abs().max().item() == 0
free, total = torch.npu.mem_get_info()
assert 0 < free < total
print("test pass")
