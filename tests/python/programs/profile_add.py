import csv
import ctypes
import glob
import json
import os

import torch
import torch_npu

lib = ctypes.CDLL(os.path.abspath("libkernels.so"))
x = torch.rand(1 << 16).npu()
y, z = torch.rand_like(x), torch.empty_like(x)


def step():
    stream = torch.npu.current_stream()._as_parameter_
    with torch_npu.npu.mstx.annotate("step"):
        lib.add_scaled_do(40, stream, *(ctypes.c_void_p(t.data_ptr()) for t in (x, y, z)),
                          x.numel(), ctypes.c_float(2.0))
        torch_npu.npu_fused_infer_attention_score_v2(*[torch.ones(1, 1, 16).half().npu()] * 3)


experimental_config = torch_npu.profiler._ExperimentalConfig(
    export_type=torch_npu.profiler.ExportType.Text,
    profiler_level=torch_npu.profiler.ProfilerLevel.Level1, msprof_tx=False,
    aic_metrics=torch_npu.profiler.AiCMetrics.PipeUtilization, l2_cache=False, op_attr=False,
    data_simplification=False, record_op_args=False, gc_detect_threshold=None)
with torch_npu.profiler.profile(
        activities=[torch_npu.profiler.ProfilerActivity.CPU,
                    torch_npu.profiler.ProfilerActivity.NPU],
        schedule=torch_npu.profiler.schedule(wait=1, warmup=1, active=3, repeat=1, skip_first=1),
        on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./result"),
        record_shapes=True, profile_memory=True, with_stack=False,
        experimental_config=experimental_config) as prof:
    for _ in range(8):
        step()
        prof.step()
torch.npu.synchronize()

(folder,) = glob.glob("./result/*_ascend_pt/ASCEND_PROFILER_OUTPUT")
with open(os.path.join(folder, "kernel_details.csv"), newline="", encoding="utf-8") as file:
    rows = [row for row in csv.DictReader(file) if row["Type"] == "add_scaled"]
durations = [float(row["Duration(us)"]) for row in rows]
assert len(rows) == 3 and [row["Step Id"] for row in rows] == ["3", "4", "5"], rows
assert all(row["Accelerator Core"] == "AI_VECTOR_CORE" and row["Block Dim"] == "40" for row in rows)
assert all(0 < float(row["aiv_mte2_ratio"]) < 1 and row["aic_total_cycles"] == "0" for row in rows)

begin, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
begin.record()
step()
end.record()
torch.npu.synchronize()
assert abs(begin.elapsed_time(end) * 1000 - durations[-1]) < 1e-2, (durations, begin.elapsed_time(end))

with open(os.path.join(folder, "op_statistic.csv"), newline="", encoding="utf-8") as file:
    kinds = {row["OP Type"]: row for row in csv.DictReader(file)}
assert kinds["add_scaled"]["Count"] == "3" and "fused_infer_attention_score_v2" in kinds
with open(os.path.join(folder, "trace_view.json"), encoding="utf-8") as file:
    trace = json.load(file)
assert sum(event["name"] == "add_scaled" for event in trace) == 3
assert sum(event["name"] == "step" and event["ph"] == "X" for event in trace) == 3
with open(os.path.join(folder, "step_trace_time.csv"), newline="", encoding="utf-8") as file:
    assert [row["Step"] for row in csv.DictReader(file)] == ["3", "4", "5"]

prof = torch_npu.profiler.profile()
prof.start()
step()
prof.stop()
prof.export_chrome_trace("./chrome/trace.json")
with open("./chrome/trace.json", encoding="utf-8") as file:
    assert any(event["name"] == "add_scaled" for event in json.load(file))
print("test pass")
