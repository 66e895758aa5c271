// Work of the host while a graph is captured: what the device is given it keeps by itself, and
// operators that the CPU does are done again at each execution.
#pragma once

#include <c10/core/Stream.h>

#include <functional>
#include <memory>

namespace c10_npu::graph {

/// Memory that a capture allocated. It is nobody else's while the graph or a tensor has it.
class Pool;

/// Threads that have chosen no stream work on this one; -1: on the default one.
void share_stream(c10::StreamId captured);
/// Whether the thread's current stream is captured.
bool capturing();
/// Has `work` done at each execution, behind what the current stream was given before. Must be
/// called while capturing().
void keep(std::function<void()> work);
/// Throws what went wrong in executions since the last call.
void throw_failure();
/// The pool of the capture that the current stream is in; null where it is in none.
std::shared_ptr<Pool> pool();
/// Gives memory of the device to a pool, which frees it in its end.
void put(Pool& pool, void* data);

}  // namespace c10_npu::graph
