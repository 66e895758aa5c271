"""torch.npu: the simulated device as torch sees it, npu:0, or those of the system that
DAVSIM_SYSTEM names.

DAVSIM_SOC, DAVSIM_SET, DAVSIM_TRACE and the like choose it and say what is written about the run
(docs/runtime.md).
"""

from __future__ import annotations

from . import _types, amp, graphs, memory, mstx, random, streams, utils
from ._library import _get_device_index
from .amp import (get_autocast_dtype, is_autocast_enabled, set_autocast_dtype,
                  set_autocast_enabled)
from ._options import (aclnn, are_compatible_impl_enabled, config, conv,
                       disable_deterministic_with_backward, enable_deterministic_with_backward,
                       get_deterministic_level, get_sync_debug_mode, is_jit_compile_false, matmul,
                       set_compile_mode, set_deterministic_level, set_option, set_sync_debug_mode)
from .graphs import NPUGraph, graph, graph_pool_handle, make_graphed_callables
from .memory import (caching_allocator_alloc, caching_allocator_delete, empty_cache,
                     host_empty_cache, get_allocator_backend, max_memory_allocated,
                     max_memory_cached, max_memory_reserved, mem_get_info, memory_allocated,
                     memory_cached, memory_reserved, memory_snapshot, memory_stats,
                     memory_stats_as_nested_dict, memory_summary, reset_accumulated_memory_stats,
                     reset_max_memory_allocated, reset_max_memory_cached, reset_peak_memory_stats,
                     set_per_process_memory_fraction)
from .random import (fork_rng, get_rng_state, get_rng_state_all, initial_seed, manual_seed,
                     manual_seed_all, seed, seed_all, set_rng_state, set_rng_state_all)
from .streams import (Event, Stream, StreamContext, SyncLaunchStream, current_stream,
                      default_stream, set_stream, stream)
from .utils import (_is_in_bad_fork, _lazy_call, _lazy_init, can_device_access_peer, current_device,
                    device, device_count, device_of, get_amp_supported_dtype, get_cann_version,
                    get_device_capability, get_device_limit, get_device_name, get_device_properties,
                    get_soc_version, get_stream_limit, init, ipc_collect, is_available,
                    is_bf16_supported, is_current_stream_capturing, is_initialized,
                    npu_check_overflow, reset_stream_limit, set_device, set_device_limit,
                    set_stream_limit, synchronize, utilization)

globals().update(_types.made())
