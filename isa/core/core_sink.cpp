#include "isa/core/core_sink.hpp"

#include <stdexcept>
#include <thread>

#include "isa/core/kernel_print.hpp"
#include "isa/core/running_kernel.hpp"
#include "isa/core/running_launch.hpp"

namespace davsim::isa {
namespace {

// One OS thread runs all kernels (SystemC's threads are coroutines), so a plain pointer is enough.
CoreSink* g_current_core = nullptr;
std::thread::id g_kernel_thread;

}  // namespace

RunningKernel g_running_kernel;
std::atomic<std::uint64_t> g_running_launch{0};
std::atomic<pthread_t> g_launch_thread{};

CoreSink& current_core() {
  if (g_current_core == nullptr) {
    throw std::logic_error("a kernel API call was made outside a kernel: no core is running");
  }
  if (g_current_core->unused_element_ != nullptr) g_current_core->load_unused_element();
  return *g_current_core;
}

void CoreSink::load_unused_element() {
  const UnusedElement* element = unused_element_;
  element->take();
  element->load_(*element);
}

UnusedElement::UnusedElement(Load load) : load_(load), core_(&current_core()) {
  core_->unused_element_ = this;
}

CoreWatcher* current_watcher() {
  return g_current_core == nullptr ? nullptr : g_current_core->watcher();
}

bool is_in_kernel() {
  return g_current_core != nullptr && std::this_thread::get_id() == g_kernel_thread;
}

void set_current_core(CoreSink* core) {
  if (g_current_core == nullptr) g_kernel_thread = std::this_thread::get_id();
  g_current_core = core;
}

}  // namespace davsim::isa
