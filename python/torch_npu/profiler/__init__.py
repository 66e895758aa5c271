"""torch_npu.profiler: profiles of what ran on the simulated device, in the vendor's files.

    with torch_npu.profiler.profile(
            on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./result")) as prof:
        ...

writes result/*_ascend_pt/ASCEND_PROFILER_OUTPUT with kernel_details.csv, op_statistic.csv,
step_trace_time.csv and trace_view.json.
"""

from . import dynamic_profile
from ._config import (AiCMetrics, ExportType, HostSystem, ProfilerAction, ProfilerActivity,
                      ProfilerLevel, _ExperimentalConfig, schedule, supported_activities,
                      supported_ai_core_metrics, supported_export_type, supported_profiler_level)
from .profiler import _KinetoProfile, analyse, profile, tensorboard_trace_handler

__all__ = ["AiCMetrics", "ExportType", "HostSystem", "ProfilerAction", "ProfilerActivity",
           "ProfilerLevel", "_ExperimentalConfig", "_KinetoProfile", "analyse", "dynamic_profile", "profile",
           "schedule", "supported_activities", "supported_ai_core_metrics",
           "supported_export_type", "supported_profiler_level", "tensorboard_trace_handler"]
