"""What programs say about a profile: names of the vendor's options."""

from __future__ import annotations

import enum
from typing import Any


class ProfilerActivity(enum.Enum):
    CPU = 0
    NPU = 1


class ProfilerAction(enum.Enum):
    """What a profile does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class ProfilerLevel(enum.Enum):
    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(enum.Enum):
    AiCoreNone = "ACL_AICORE_NONE"
    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"


class ExportType(enum.Enum):
    Text = "text"
    Db = "db"


class HostSystem(enum.Enum):
    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class _ExperimentalConfig:
    """Options of the vendor's profiler. The level, the metrics and the rest are kept and change
    nothing: a profile always has the times of the pipes."""

    def __init__(self, profiler_level: ProfilerLevel = ProfilerLevel.Level0,
                 aic_metrics: AiCMetrics = AiCMetrics.AiCoreNone, l2_cache: bool = False,
                 msprof_tx: bool = False, data_simplification: bool = True,
                 record_op_args: bool = False, op_attr: bool = False,
                 gc_detect_threshold: float | None = None, export_type: Any = ExportType.Text,
                 host_sys: Any = None, mstx: bool = False, mstx_domain_include: Any = None,
                 mstx_domain_exclude: Any = None, sys_io: bool = False,
                 sys_interconnection: bool = False) -> None:
        self.profiler_level = profiler_level
        self.aic_metrics = aic_metrics
        self.l2_cache = l2_cache
        self.msprof_tx = msprof_tx
        self.data_simplification = data_simplification
        self.record_op_args = record_op_args
        self.op_attr = op_attr
        self.gc_detect_threshold = gc_detect_threshold
        self.export_type = export_type
        self.host_sys = host_sys
        self.mstx = mstx
        self.mstx_domain_include = mstx_domain_include
        self.mstx_domain_exclude = mstx_domain_exclude
        self.sys_io = sys_io
        self.sys_interconnection = sys_interconnection


class schedule:
    """skip_first steps nothing, then, `repeat` times (0: for ever), `wait` steps nothing, `warmup`
    steps nothing either, `active` steps a profile, which is ready when they end."""

    def __init__(self, wait: int, active: int, warmup: int = 0, repeat: int = 0,
                 skip_first: int = 0, skip_first_wait: int = 0) -> None:
        for name, value, least in (("wait", wait, 0), ("active", active, 1), ("warmup", warmup, 0),
                                   ("repeat", repeat, 0), ("skip_first", skip_first, 0)):
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is {value!r}; it is a whole number from {least}")
        self.wait, self.active, self.warmup = wait, active, warmup
        self.repeat, self.skip_first, self.skip_first_wait = repeat, skip_first, skip_first_wait

    def __call__(self, step: int) -> ProfilerAction:
        step -= self.skip_first
        if step < 0:
            return ProfilerAction.NONE
        if self.skip_first_wait:
            step += self.wait
        round_number, step = divmod(step, self.wait + self.warmup + self.active)
        if (self.repeat and round_number >= self.repeat) or step < self.wait:
            return ProfilerAction.NONE
        if step < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        last = step == self.wait + self.warmup + self.active - 1
        return ProfilerAction.RECORD_AND_SAVE if last else ProfilerAction.RECORD


def supported_activities() -> set[ProfilerActivity]:
    return set(ProfilerActivity)


def supported_profiler_level() -> set[ProfilerLevel]:
    return set(ProfilerLevel)


def supported_ai_core_metrics() -> set[AiCMetrics]:
    return set(AiCMetrics)


def supported_export_type() -> set[ExportType]:
    return {ExportType.Text}
