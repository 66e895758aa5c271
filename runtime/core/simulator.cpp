#include "runtime/core/simulator.hpp"

#include <cstdio>
#include <cstdlib>

#include "runtime/core/api_error.hpp"
#include "runtime/core/fault_code.hpp"

namespace davsim::runtime {
namespace {

constexpr const char* kDefaultSoc = "Ascend910B3";

std::atomic<Simulator*> g_started{nullptr};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Ends at exit what the program left to do.
void end_at_exit() {
  if (Simulator* simulator = Simulator::if_started()) simulator->queue().stop();
}

}  // namespace

Simulator& Simulator::instance() {
  static std::mutex making;
  static std::string refusal;
  if (Simulator* started = g_started) return *started;
  const std::lock_guard lock(making);
  if (Simulator* started = g_started) return *started;
  if (refusal.empty()) {
    try {
      // It lives until the process ends: static variables of the program may still use it.
      g_started = new Simulator();
      std::atexit(end_at_exit);
      return *g_started;
    } catch (const std::exception& error) {
      refusal = error.what();
      std::fprintf(stderr, "davsim: %s\n", refusal.c_str());
    }
  }
  throw ApiError(ACL_ERROR_RT_NO_DEVICE, refusal);
}

Simulator* Simulator::if_started() {
  return g_started;
}

Simulator::Simulator() {
  const std::string soc = environment("DAVSIM_SOC");
  queue_.start([&] { make_device(soc.empty() ? kDefaultSoc : soc); });
}

void Simulator::make_device(const std::string& soc) {
  sim::DeviceOptions options;
  if (environment("DAVSIM_FUNCTIONAL") == "1") options.mode = sim::Mode::kFunctional;
  device_ = std::make_unique<sim::Device>(sim::SocConfig::named(soc), options);
  memory_ = std::make_unique<DeviceMemory>(device_->memory(), queue_);
  const std::uint32_t aics = device_->soc().aic_count();
  timeline_ = std::make_unique<CoreTimeline>(aics, device_->soc().aiv_count() / aics);
}

void Simulator::queue_on(const std::shared_ptr<Stream>& stream,
                         std::function<Microseconds(Microseconds)> work) {
  const std::lock_guard lock(stream->mutex);
  stream->last =
      queue_.push([stream, work = std::move(work)] { stream->ready = work(stream->ready); });
}

void Simulator::launch(const std::shared_ptr<Stream>& stream, Launch launch) {
  const std::vector<std::uint64_t> words = launch.slots;
  queue_on(stream,
           [this, launch = std::move(launch)](Microseconds ready) { return run(launch, ready); });
  const std::lock_guard lock(stream->mutex);
  memory_->used(stream->last, words.data(), words.size());
}

Microseconds Simulator::run(const Launch& launch, Microseconds ready) {
  if (failure()) return ready;
  const auto half = [&launch](isa::KernelFunction function) -> std::function<void()> {
    if (function == nullptr) return {};
    const auto* slots = reinterpret_cast<const std::byte*>(launch.slots.data());
    return [call = launch.call, function, slots] { call(function, slots); };
  };
  std::string text;
  int code = ACL_ERROR_RT_INTERNAL_ERROR;
  try {
    device_->set_tiling_key(launch.tiling_key);
    const observe::LaunchReport report = device_->launch(
        launch.kernel, launch.blocks, half(launch.kernel.aic), half(launch.kernel.aiv));
    return timeline_->place(ready, report).end;
  } catch (const isa::Fault& fault) {
    code = fault_code(fault.cls, launch.kernel.type_for(launch.tiling_key));
    text = fault_text(fault);
  } catch (const std::exception& error) {
    text = std::string("davsim: ") + error.what() + "\n";
  }
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  const std::lock_guard lock(mutex_);
  failure_ = DeviceError{code, text};
  return ready;
}

void Simulator::waited(WorkQueue::Ticket ticket) {
  if (!queue_.on_own_thread()) memory_->synchronised(ticket);
}

bool Simulator::synchronise(Stream& stream, std::optional<std::chrono::milliseconds> limit) {
  WorkQueue::Ticket last = 0;
  {
    const std::lock_guard lock(stream.mutex);
    last = stream.last;
  }
  if (!queue_.wait(last, limit)) return false;
  waited(last);
  return true;
}

void Simulator::synchronise_all() {
  const WorkQueue::Ticket last = queue_.last();
  queue_.wait(last);
  waited(last);
}

std::optional<DeviceError> Simulator::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Simulator::forget_failure() {
  const std::lock_guard lock(mutex_);
  failure_.reset();
}

}  // namespace davsim::runtime
