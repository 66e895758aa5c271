#include "runtime/core/simulator.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <cstdlib>

#include "runtime/core/api_error.hpp"
#include "runtime/core/exception.hpp"
#include "runtime/core/fault_code.hpp"
#include "runtime/core/symmetric_heaps.hpp"
#include "runtime/core/timeout.hpp"
#include "runtime/core/visible_devices.hpp"
#include "session/crash_report.hpp"
#include "session/fault_text.hpp"
#include "session/program_crash.hpp"

namespace davsim::runtime {
namespace {

std::atomic<Simulator*> g_started{nullptr};

constexpr int kFoundSomething = 4;

/// Ends at exit what the program left to do. A program that would end well has what was found as
/// its status.
void end_at_exit(int status, void*) {
  Simulator* simulator = Simulator::if_started();
  if (simulator == nullptr) return;
  if (!simulator->end() && status == 0) std::exit(kFoundSomething);
}

}  // namespace

Simulator& Simulator::instance() {
  static std::mutex making;
  static std::string refusal;
  if (Simulator* started = if_started()) return *started;
  if (g_started != nullptr) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "this process was forked by one that had used the device, and cannot use it: "
                   "fork before that, or start processes anew, as multiprocessing's spawn does");
  }
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
  Simulator* const started = g_started;
  return started != nullptr && started->process_ == getpid() ? started : nullptr;
}

Simulator::Simulator() : process_(getpid()) {
  const session::Settings settings = session::settings_from_environment();
  session::tell_crashes();
  session::give_handler_stack();
  if (!settings.exports.empty() || !settings.report.empty()) session::clean_up_when_interrupted();
  tools_.emplace(settings);
  queue_.start([&] { make_device(settings); });
}

void Simulator::make_device(const session::Settings& settings) {
  session::give_handler_stack();
  session::tell_exits();
  session::Settings communicating = settings;
  communicating.communicators = true;
  device_ = session::make_device(communicating);
  memory_ = std::make_unique<DeviceMemory>(*device_, queue_, tools_->checks());
  const std::uint32_t aics = device_->soc().aic_count();
  timeline_ = std::make_unique<Timeline>(device_->dies(), aics, device_->soc().aiv_count() / aics);
  rates_.emplace(device_->soc());
  constexpr std::chrono::hours kNoLimit{24 * 365};
  group_limit_ =
      settings.host_timeout == 0 ? kNoLimit : std::chrono::seconds(settings.host_timeout);
  device_->let_write(&sharing_);
  queued_launches_.emplace(queue_, *memory_, group_limit_,
                           [this] { return failure().has_value(); });
  device_->let_join(&*queued_launches_);
  tools_->attach(*device_, session::Tools::Told::kByCaller);
}

bool Simulator::end() {
  if (queue_.on_own_thread()) return true;  // a callback ends the process
  queue_.stop();
  if (queue_.done_through() < queue_.last()) {
    const std::string awaited = PeerProcesses::instance().awaited();
    std::fprintf(
        stderr, "davsim: warning: a stream waits for %s; what was queued behind that is not done\n",
        awaited.empty() ? "a value that nobody writes" : awaited.c_str());
  }
  return tools_->finish(timeline_->end()) == session::Tools::Outcome::kRight;
}

namespace {

void replace(Replacement& replacement, CapturedWork::Task by) {
  if (replacement.next == replacement.tasks.size()) {
    throw ApiError(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                   "the group has " + std::to_string(replacement.next) +
                       " tasks; there is none left to be replaced");
  }
  replacement.of->replace(replacement.tasks[replacement.next++], std::move(by));
}

}  // namespace

void Simulator::queue_on(const std::shared_ptr<Stream>& stream, std::function<Demand()> todo,
                         const Recording* after) {
  await_group(*stream);
  const auto die = static_cast<std::uint32_t>(stream->context->device);
  auto work = [todo = std::move(todo), die] {
    Demand demand = todo();
    demand.die = die;
    return demand;
  };
  const auto end = std::make_shared<Moment>();
  const std::lock_guard lock(stream->mutex);
  MomentPtr moment = after == nullptr ? nullptr : after->at;
  if (stream->capture) return stream->capture->add(*stream, std::move(work), std::move(moment));
  if (stream->replacement) return replace(*stream->replacement, std::move(work));
  std::vector<MomentPtr> behind{stream->end, host_waited_until(), std::move(moment)};
  stream->end = end;
  stream->last = queue_.push(
      [this, stream, work = std::move(work), behind = std::move(behind), end] {
        ending_ = end;
        timeline_->add(behind, stream->abandoned ? Demand{} : work(), end);
      },
      {{stream.get()}, after == nullptr ? 0 : after->ticket, {}, die});
}

void Simulator::queue_task(const std::shared_ptr<Stream>& stream, std::function<void()> task) {
  const LaunchPlace place{stream->context->device, stream->id};
  queue_on(stream, [this, task = std::move(task), place] {
    if (failure()) return Demand{};
    ++tasks_;
    attempt(place, task);
    return Demand{};
  });
}

void Simulator::execute(const CapturedWork& model, const std::shared_ptr<Stream>& stream) {
  await_group(*stream);
  const auto end = std::make_shared<Moment>();
  {
    const std::lock_guard lock(stream->mutex);
    if (stream->capture) {
      throw ApiError(ACL_ERROR_RT_STREAM_CAPTURED, "a stream that is captured executes no model");
    }
    stream->last = queue_.push(
        [this, run = model.run(), behind = std::vector<MomentPtr>{stream->end, host_waited_until()},
         end] { run(*timeline_, behind, end); },
        {{stream.get()}, 0, {}});
    stream->end = end;
  }
  const std::vector<std::uint64_t> words = model.touched();
  touched(*stream, words.data(), words.size());
}

void Simulator::launch(const std::shared_ptr<Stream>& stream, Launch launch) {
  launch.die = static_cast<std::uint32_t>(stream->context->device);
  number_contexts(launch);
  if (const auto heap = SymmetricHeaps::instance().of(launch.die)) {
    launch.symmetric_memory = heap->state;
  }
  const std::string communicator = communicator_of(*stream, launch);
  if (!communicator.empty()) {
    GroupPart part;
    part.stream = stream;
    part.launch = std::move(launch);
    return join(communicator, std::move(part));
  }
  const std::vector<std::uint64_t> words = launch.slots;
  log_.queued();
  const LaunchPlace place{stream->context->device, stream->id};
  queue_on(stream, [this, launch = std::move(launch), place] { return run(launch, place); });
  touched(*stream, words.data(), words.size());
}

void Simulator::operate(const std::shared_ptr<Stream>& stream, Operation operation,
                        const std::vector<std::uint64_t>& addresses) {
  log_.queued();
  const LaunchPlace place{stream->context->device, stream->id};
  queue_on(stream, [this, operation = std::move(operation), place] {
    device_->use_die(static_cast<std::uint32_t>(place.device));
    return carry_out(operation, isa::KernelType::kMix12, place);
  });
  touched(*stream, addresses.data(), addresses.size());
}

void Simulator::touched(Stream& stream, const void* to, const void* from) {
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(to),
                                 reinterpret_cast<std::uint64_t>(from)};
  touched(stream, words, 2);
}

void Simulator::touched(Stream& stream, const std::uint64_t* addresses, std::size_t count) {
  if (const auto keeper = keeper_of(stream)) return keeper->touched(addresses, count);
  const std::lock_guard lock(stream.mutex);
  memory_->used({stream.last, stream.end}, addresses, count);
}

std::function<void()> Simulator::half(const Launch& launch, isa::KernelFunction function) const {
  if (function == nullptr) return {};
  return [of = &launch, function] {
    auto& contexts = isa::current_core().registers().hccl_contexts;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      contexts[i] = reinterpret_cast<std::uint8_t*>(of->contexts[i]);
    }
    isa::current_core().registers().symmetric_memory =
        reinterpret_cast<std::uint8_t*>(of->symmetric_memory);
    of->call(function, reinterpret_cast<const std::byte*>(of->slots.data()));
  };
}

namespace {

/// What lies on both sides of a launch: the kernel sees what the host wrote, and the host the
/// kernel's.
struct Exchange {
  explicit Exchange(HostMappings& of) : mappings(of) { mappings.exchange(); }
  ~Exchange() { mappings.exchange(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  HostMappings& mappings;
};

}  // namespace

Demand Simulator::run(const Launch& launch, const LaunchPlace& place) {
  const auto operation = [&](sim::Device& device) {
    std::vector<sim::DieLaunch> one;
    one.push_back({launch.die, &launch.kernel, launch.blocks, launch.tiling_key,
                   half(launch, launch.kernel.aic), half(launch, launch.kernel.aiv)});
    return device.launch(std::move(one)).front();
  };
  return carry_out(operation, launch.kernel.type_for(launch.tiling_key), place);
}

Demand Simulator::carry_out(const Operation& operation, isa::KernelType type,
                            const LaunchPlace& place) {
  if (failure()) return {};
  ++tasks_;
  const MomentPtr end = ending_;  // the launch may wait for others, which end before
  const Exchange around(mappings_);
  try {
    tools_->host_wrote(memory_->take_host_writes());
    const observe::LaunchReport report = operation(*device_);
    tools_->launched(report);
    if (log_.on()) log_.add(place, LaunchLog::launch_of(report), end);
    return rates_->launch(report);
  } catch (const isa::Fault& fault) {
    fail(fault_code(fault.cls, type), session::fault_text(fault), place);
  } catch (const std::exception& error) {
    fail(ACL_ERROR_RT_INTERNAL_ERROR, std::string("davsim: ") + error.what() + "\n", place);
  }
  return {};
}

void Simulator::fail(int code, const std::string& text, const LaunchPlace& place) {
  if (failure()) return;  // the launches that waited for this one end with it
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  tools_->failed();
  {
    const std::lock_guard lock(mutex_);
    failure_ = DeviceError{code, text};
  }
  tell_exception({tasks_ - 1, static_cast<std::uint32_t>(place.stream), 0,
                  static_cast<std::uint32_t>(device_of(static_cast<std::uint32_t>(place.device))),
                  static_cast<std::uint32_t>(code)});
}

void Simulator::call_back(const std::shared_ptr<Stream>& stream, std::function<void()> callback,
                          bool blocking) {
  std::optional<ThreadId> subscriber;
  {
    const std::lock_guard lock(stream->mutex);
    subscriber = stream->subscriber;
  }
  queue_on(stream, [this, subscriber, blocking, callback = std::move(callback)] {
    queue_.aside([&] {
      if (subscriber) {
        reports_.post(*subscriber, callback, blocking);
      } else {
        const InCallback here;
        callback();
      }
    });
    return Demand{};
  });
}

bool Simulator::wait_telling(Limit limit, const std::function<bool(Limit)>& wait) {
  if (limit) return wait(limit);
  if (wait(kQuietWait)) return true;
  const std::string awaited = PeerProcesses::instance().awaited();
  if (!awaited.empty()) {
    std::fprintf(stderr, "davsim: the host waits for %s to take part in an operation\n",
                 awaited.c_str());
    if (wait(group_limit_)) return true;
    const std::string still = PeerProcesses::instance().awaited();
    if (!still.empty()) throw waited_too_long("the host waits for " + still, group_limit_);
  } else if (queue_.is_held()) {
    std::fprintf(stderr,
                 "davsim: the host waits for a stream that waits for a value or a notify, and no "
                 "work of another stream is left\n");
  }
  return wait(std::nullopt);
}

bool Simulator::synchronise_to(WorkQueue::Ticket ticket,
                               std::optional<std::chrono::milliseconds> limit) {
  if (!wait_telling(limit, [&](Limit most) { return queue_.wait(ticket, most); })) return false;
  // Work before it may wait for a value still.
  if (!queue_.on_own_thread()) memory_->synchronised(std::min(ticket, queue_.done_through()));
  return true;
}

bool Simulator::synchronise_through(WorkQueue::Ticket ticket, Limit limit) {
  if (!wait_telling(limit, [&](Limit most) { return queue_.wait_through(ticket, most); })) {
    return false;
  }
  if (!queue_.on_own_thread()) memory_->synchronised(ticket);
  return true;
}

bool Simulator::synchronise(Stream& stream, std::optional<std::chrono::milliseconds> limit) {
  const auto start = std::chrono::steady_clock::now();
  if (!await_group(stream, limit)) return false;
  limit = left_of(limit, start);
  WorkQueue::Ticket last = 0;
  MomentPtr end;
  {
    const std::lock_guard lock(stream.mutex);
    if (stream.capture) {
      throw ApiError(ACL_ERROR_RT_STREAM_CAPTURED,
                     "the stream is captured; nothing on it runs before aclmdlRIExecuteAsync");
    }
    last = stream.last;
    end = stream.end;
  }
  if (!synchronise_to(last, limit)) return false;
  host_waited(std::move(end));
  return true;
}

bool Simulator::is_done(Stream& stream) {
  if (is_held(stream)) return false;
  const std::lock_guard lock(stream.mutex);
  return queue_.done(stream.last);
}

boost::json::array Simulator::logged_launches() {
  synchronise_all();
  return log_.launches(*timeline_);
}

void Simulator::synchronise_all() {
  synchronise_through(queue_.last(), std::nullopt);
  host_waited_for_all();
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
