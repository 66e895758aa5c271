#include "graph.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <acl/acl.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace c10_npu::graph {

class Pool {
 public:
  ~Pool() {
    for (void* data : all_) aclrtFree(data);
  }
  void put(void* data) {
    const std::lock_guard lock(mutex_);
    all_.push_back(data);
  }

 private:
  std::mutex mutex_;
  std::vector<void*> all_;
};

namespace {

struct Graph {
  aclmdlRI model = nullptr;
  aclrtStream stream = nullptr;  ///< on which the capture began
  std::shared_ptr<Pool> memory = std::make_shared<Pool>();
  std::vector<std::unique_ptr<std::function<void()>>> kept;
};

/// Graphs whose capture goes on, by the runtime's model.
std::mutex g_mutex;
std::map<aclmdlRI, Graph*> g_captures;
std::atomic<int> g_going_on{0};

aclmdlRI model_of(aclrtStream stream) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRI model = nullptr;
  NPU_CHECK_ERROR(aclmdlRICaptureGetInfo(stream, &status, &model));
  return status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE ? model : nullptr;
}

/// Null where the current stream is not captured.
Graph* current() {
  if (g_going_on == 0) return nullptr;
  const aclmdlRI model = model_of(getCurrentNPUStream().stream());
  const std::lock_guard lock(g_mutex);
  const auto found = g_captures.find(model);
  return found == g_captures.end() ? nullptr : found->second;
}

/// What went wrong in an execution, for who waits next.
std::string g_failure;

/// In the thread of the device, which an exception may not end.
void call(void* work) {
  const at::AutoDispatchBelowAutograd no_gradients;
  const char* const failure =
      text_of_failure([&] { (*static_cast<std::function<void()>*>(work))(); });
  if (failure == nullptr) return;
  const std::lock_guard lock(g_mutex);
  if (g_failure.empty()) g_failure = failure;
}

}  // namespace

bool capturing() {
  return current() != nullptr;
}

void keep(std::function<void()> work) {
  Graph* const graph = current();
  auto kept = std::make_unique<std::function<void()>>(std::move(work));
  NPU_CHECK_ERROR(
      aclrtLaunchCallback(&call, kept.get(), ACL_CALLBACK_BLOCK, getCurrentNPUStream().stream()));
  const std::lock_guard lock(g_mutex);
  graph->kept.push_back(std::move(kept));
}

void throw_failure() {
  std::string failure;
  {
    const std::lock_guard lock(g_mutex);
    failure.swap(g_failure);
  }
  TORCH_CHECK(failure.empty(), "in the execution of a graph: ", failure);
}

std::shared_ptr<Pool> pool() {
  Graph* const graph = current();
  return graph == nullptr ? nullptr : graph->memory;
}

void put(Pool& pool, void* data) {
  pool.put(data);
}

namespace {

void begin(Graph& graph, int mode) {
  graph.stream = getCurrentNPUStream().stream();
  NPU_CHECK_ERROR(aclmdlRICaptureBegin(graph.stream, static_cast<aclmdlRICaptureMode>(mode)));
  const aclmdlRI model = model_of(graph.stream);
  const std::lock_guard lock(g_mutex);
  g_captures[model] = &graph;
  ++g_going_on;
  share_stream(getCurrentNPUStream().id());
}

void end(Graph& graph) {
  share_stream(-1);
  {
    const std::lock_guard lock(g_mutex);
    for (auto it = g_captures.begin(); it != g_captures.end(); ++it) {
      if (it->second != &graph) continue;
      g_captures.erase(it);
      --g_going_on;
      break;
    }
  }
  NPU_CHECK_ERROR(aclmdlRICaptureEnd(graph.stream, &graph.model));
}

/// What was queued may still need it.
void destroy(Graph* graph) {
  device_synchronize();
  if (graph->model != nullptr) aclmdlRIDestroy(graph->model);
  delete graph;
}

}  // namespace
}  // namespace c10_npu::graph

// --- what the Python module calls by ctypes, as in device.cpp

extern "C" {

void* davsim_torch_graph_make() {
  return new c10_npu::graph::Graph;
}
const char* davsim_torch_graph_begin(void* graph, int mode) {
  return c10_npu::text_of_failure(
      [&] { c10_npu::graph::begin(*static_cast<c10_npu::graph::Graph*>(graph), mode); });
}
const char* davsim_torch_graph_end(void* graph) {
  return c10_npu::text_of_failure(
      [&] { c10_npu::graph::end(*static_cast<c10_npu::graph::Graph*>(graph)); });
}
const char* davsim_torch_graph_replay(void* graph) {
  return c10_npu::text_of_failure([&] {
    NPU_CHECK_ERROR(aclmdlRIExecuteAsync(static_cast<c10_npu::graph::Graph*>(graph)->model,
                                         c10_npu::getCurrentNPUStream().stream()));
  });
}
const char* davsim_torch_graph_destroy(void* graph) {
  return c10_npu::text_of_failure(
      [&] { c10_npu::graph::destroy(static_cast<c10_npu::graph::Graph*>(graph)); });
}
int davsim_torch_capturing() {
  return c10_npu::graph::capturing() ? 1 : 0;
}

}  // extern "C"
