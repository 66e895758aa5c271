#include "runtime/core/process.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/core/api_error.hpp"
#include "runtime/core/visible_devices.hpp"

namespace davsim::runtime {
namespace {

/// The context that this thread has made its own. A handle, because another thread may destroy it.
thread_local void* t_context = nullptr;

}  // namespace

Process& Process::instance() {
  static auto* process = new Process();  // static variables of the program may still use it
  return *process;
}

void Process::initialise() {
  Simulator::instance();
  const std::lock_guard lock(mutex_);
  if (initialised_) {
    throw ApiError(ACL_ERROR_REPEAT_INITIALIZE, "the interface is initialised already");
  }
  initialised_ = true;
}

void Process::finalise() {
  {
    const std::lock_guard lock(mutex_);
    if (!initialised_) {
      throw ApiError(ACL_ERROR_REPEAT_FINALIZE, "the interface is not initialised");
    }
    initialised_ = false;
  }
  Simulator::instance().abandon(streams_of(std::nullopt));
  Simulator::instance().synchronise_all();
}

void Process::set_device(std::int32_t device) {
  const auto die = static_cast<std::int32_t>(die_of(device));
  const std::lock_guard lock(mutex_);
  ++devices_set_[die];
  std::shared_ptr<Context>& primary = primary_[die];
  if (!primary) {
    primary = std::make_shared<Context>(die);
    contexts_[primary.get()] = primary;
  }
  t_context = primary.get();
}

void Process::reset_device(std::int32_t device, bool force) {
  const auto die = static_cast<std::int32_t>(die_of(device));
  {
    const std::lock_guard lock(mutex_);
    const auto set = devices_set_.find(die);
    if (set == devices_set_.end()) {
      if (force) return;
      throw ApiError(ACL_ERROR_RT_CONTEXT_NULL, "device " + std::to_string(device) + " is not set");
    }
    if (!force && --set->second > 0) return;
    devices_set_.erase(set);
  }
  Simulator& simulator = Simulator::instance();
  simulator.abandon(streams_of(die));
  simulator.synchronise_all();
  simulator.forget_failure();
  simulator.mappings().forget_all();
  simulator.memory().free_all(static_cast<std::uint32_t>(die));
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& entry) {
    return entry.second->context == nullptr || entry.second->context->device == die;
  });
  std::erase_if(contexts_, [&](const auto& entry) { return entry.second->device == die; });
  primary_.erase(die);
  if (contexts_.empty()) events_.clear();
  t_context = nullptr;
}

std::vector<std::shared_ptr<Stream>> Process::streams_of(std::optional<std::int32_t> device) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> streams;
  for (const auto& [handle, context] : contexts_) {
    if (device && context->device != *device) continue;
    streams.push_back(context->default_stream);
    for (const auto& [stream, made] : streams_) {
      if (made->context == context.get()) streams.push_back(made);
    }
  }
  return streams;
}

std::uint32_t Process::device_of_thread() {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(t_context);
  return found == contexts_.end() ? die_of(0) : static_cast<std::uint32_t>(found->second->device);
}

std::shared_ptr<Context> Process::context() {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(t_context);
  if (found != contexts_.end()) return found->second;
  throw ApiError(ACL_ERROR_RT_CONTEXT_NULL,
                 "this thread has no context; call aclrtSetDevice in it first");
}

std::shared_ptr<Context> Process::context_of(void* handle) {
  const auto found = contexts_.find(handle);
  if (found != contexts_.end()) return found->second;
  throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the context does not exist, or not any more");
}

void* Process::create_context(std::int32_t device) {
  const auto made = std::make_shared<Context>(static_cast<std::int32_t>(die_of(device)));
  const std::lock_guard lock(mutex_);
  contexts_[made.get()] = made;
  t_context = made.get();
  return made.get();
}

void Process::destroy_context(void* handle) {
  std::shared_ptr<Context> context;
  {
    const std::lock_guard lock(mutex_);
    context = context_of(handle);
    if (context == primary_[context->device]) {
      throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                     "the context is the one of aclrtSetDevice; aclrtResetDevice destroys it");
    }
  }
  Simulator::instance().synchronise_all();
  const std::lock_guard lock(mutex_);
  contexts_.erase(handle);
  std::erase_if(streams_, [&](const auto& entry) { return entry.second->context == handle; });
  if (t_context == handle) t_context = nullptr;
}

void Process::use_context(void* handle) {
  const std::lock_guard lock(mutex_);
  context_of(handle);
  t_context = handle;
}

void* Process::create_stream(std::uint32_t priority, std::uint32_t flags) {
  const std::shared_ptr<Context> of = context();
  const std::lock_guard lock(mutex_);
  const auto made = std::make_shared<Stream>(of.get(), ++stream_ids_);
  made->priority = priority;
  made->flags = flags;
  streams_[made.get()] = made;
  return made.get();
}

std::shared_ptr<Stream> Process::stream(void* handle) {
  const std::shared_ptr<Context> mine = context();
  if (handle == nullptr || handle == mine->default_stream.get()) return mine->default_stream;
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(handle);
  if (found == streams_.end()) {
    throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the stream does not exist, or not any more");
  }
  if (found->second->context != mine.get()) {
    throw ApiError(ACL_ERROR_RT_STREAM_CONTEXT,
                   "the stream belongs to another context than the one of this thread");
  }
  return found->second;
}

void Process::destroy_stream(void* handle) {
  const std::shared_ptr<Stream> found = stream(handle);
  Simulator::instance().synchronise(*found);
  const std::lock_guard lock(mutex_);
  streams_.erase(handle);
}

void* Process::create_event(bool ex) {
  context();
  const std::lock_guard lock(mutex_);
  const auto made = std::make_shared<Event>(event_ids_++, ex);
  events_[made.get()] = made;
  return made.get();
}

std::shared_ptr<Event> Process::event(void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(handle);
  if (found != events_.end()) return found->second;
  throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the event does not exist, or not any more");
}

void Process::destroy_event(void* handle) {
  event(handle);
  const std::lock_guard lock(mutex_);
  events_.erase(handle);
}

std::uint32_t Process::streams_left() {
  constexpr std::uint32_t kMost = 1984;  // documented for the A2
  const std::lock_guard lock(mutex_);
  return kMost - std::min(kMost, static_cast<std::uint32_t>(streams_.size()));
}

std::uint32_t Process::events_left() {
  constexpr std::uint32_t kMost = 65536;  // documented for the A2
  const std::lock_guard lock(mutex_);
  return kMost - std::min(kMost, static_cast<std::uint32_t>(events_.size()));
}

void require_device_sound(Simulator& simulator) {
  if (const auto failure = simulator.failure()) throw ApiError(failure->code, failure->text);
}

void require_sound(Simulator& simulator, Stream& stream) {
  require_device_sound(simulator);
  const std::lock_guard lock(stream.mutex);
  const std::optional<DeviceError> refused = std::exchange(stream.refused, std::nullopt);
  if (refused) throw ApiError(refused->code, refused->text);
}

}  // namespace davsim::runtime
