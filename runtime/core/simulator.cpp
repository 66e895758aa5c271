#include "runtime/core/simulator.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "runtime/core/api_error.hpp"
#include "runtime/core/crash.hpp"
#include "runtime/core/fault_code.hpp"
#include "session/chosen_soc.hpp"
#include "session/crash_report.hpp"
#include "session/fault_text.hpp"

namespace davsim::runtime {
namespace {

std::atomic<Simulator*> g_started{nullptr};

constexpr int kFoundSomething = 4;

/// Ends at exit what the program left to do. A program that would end well has what was found as
/// its status.
void end_at_exit(int status, void*) {
  Simulator* simulator = Simulator::if_started();
  if (simulator == nullptr || !simulator->is_of_this_process()) return;
  if (!simulator->end() && status == 0) std::exit(kFoundSomething);
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
      on_exit(end_at_exit, nullptr);
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

Simulator::Simulator() : process_(getpid()) {
  const Settings settings = settings_from_environment();
  tell_crashes();
  session::give_handler_stack();
  if (!settings.exports.empty() || !settings.report.empty()) session::clean_up_when_interrupted();
  tools_.emplace(settings);
  queue_.start([&] { make_device(settings); });
}

void Simulator::make_device(const Settings& settings) {
  session::give_handler_stack();
  device_ = std::make_unique<sim::Device>(
      session::chosen_soc(settings.soc, settings.set, "DAVSIM_SET"), settings.device);
  memory_ = std::make_unique<DeviceMemory>(device_->memory(), queue_);
  const std::uint32_t aics = device_->soc().aic_count();
  timeline_ = std::make_unique<CoreTimeline>(aics, device_->soc().aiv_count() / aics);
  tools_->attach(*device_);
}

bool Simulator::is_of_this_process() const {
  return getpid() == process_;
}

bool Simulator::end() {
  if (queue_.on_own_thread()) return true;  // a callback ends the process
  queue_.stop();
  return tools_->finish(end_);
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

void Simulator::touched(Stream& stream, const void* to, const void* from) {
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(to),
                                 reinterpret_cast<std::uint64_t>(from)};
  touched(stream, words, 2);
}

void Simulator::touched(Stream& stream, const std::uint64_t* addresses, std::size_t count) {
  const std::lock_guard lock(stream.mutex);
  memory_->used(stream.last, addresses, count);
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
    tools_->launched(report);
    const Microseconds end = timeline_->place(ready, report).end;
    end_ = std::max(end_, end);
    return end;
  } catch (const isa::Fault& fault) {
    code = fault_code(fault.cls, launch.kernel.type_for(launch.tiling_key));
    text = session::fault_text(fault);
  } catch (const std::exception& error) {
    text = std::string("davsim: ") + error.what() + "\n";
  }
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  tools_->failed();
  const std::lock_guard lock(mutex_);
  failure_ = DeviceError{code, text};
  return ready;
}

void Simulator::record(const std::shared_ptr<Stream>& stream, Event& event) {
  const auto recording = std::make_shared<Recording>();
  const std::lock_guard lock(event.mutex);
  queue_on(stream, [recording](Microseconds ready) { return recording->at = ready; });
  const std::lock_guard stream_lock(stream->mutex);
  recording->ticket = stream->last;
  event.last = recording;
}

bool Simulator::wait_for(const std::shared_ptr<Stream>& stream, Event& event) {
  const std::lock_guard lock(event.mutex);
  if (!event.last) return false;
  // What is recorded was queued before, and the queue is in order.
  queue_on(stream,
           [recording = event.last](Microseconds ready) { return std::max(ready, recording->at); });
  return true;
}

void Simulator::call_back(const std::shared_ptr<Stream>& stream, std::function<void()> callback,
                          bool blocking) {
  std::optional<ThreadId> subscriber;
  {
    const std::lock_guard lock(stream->mutex);
    subscriber = stream->subscriber;
  }
  queue_on(stream,
           [this, subscriber, blocking, callback = std::move(callback)](Microseconds ready) {
             queue_.aside([&] {
               if (subscriber) {
                 reports_.post(*subscriber, callback, blocking);
               } else {
                 const InCallback here;
                 callback();
               }
             });
             return ready;
           });
}

bool Simulator::synchronise_to(WorkQueue::Ticket ticket,
                               std::optional<std::chrono::milliseconds> limit) {
  if (!queue_.wait(ticket, limit)) return false;
  if (!queue_.on_own_thread()) memory_->synchronised(ticket);
  return true;
}

bool Simulator::synchronise(Stream& stream, std::optional<std::chrono::milliseconds> limit) {
  WorkQueue::Ticket last = 0;
  {
    const std::lock_guard lock(stream.mutex);
    last = stream.last;
  }
  return synchronise_to(last, limit);
}

void Simulator::synchronise_all() {
  synchronise_to(queue_.last(), std::nullopt);
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
