#include <algorithm>
#include <bit>

#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/tpipe_buffers.h"
#include "ascendc/vector_select.h"

namespace davsim::api {

using AscendC::HardEvent;
using AscendC::INVALID_TEVENTID;
using AscendC::TBufState;
using AscendC::TEventID;
using AscendC::TPosition;

namespace {

/// Ids of M_MTE1 that the device library sets at a kernel's start on the AIC and awaits at its end:
/// its matrix products rely on finding them set.
constexpr TEventID kMatrixEventIds = 3;

std::uint64_t next_generation() {
  static std::uint64_t generation = 0;
  return ++generation;
}

bool on_cube_core() {
  return isa::current_core().identity().type == isa::CoreType::AIC;
}

std::string text(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

void queue_fault(std::string_view call, TPosition position, const std::string& what,
                 Location where) {
  const std::string place =
      position == TPosition::MAX ? "" : " at " + std::string(position_name(position));
  isa::Fault fault(isa::FaultClass::kQueue, std::string(call) + place + ": " + what, where);
  fault.instruction = call;
  throw fault;
}

TEventID EventIds::lowest_free(HardEvent event, std::string_view call, Location where) {
  const int id = std::countr_one(taken_[index(event)]);
  if (id >= kEventIds) {
    queue_fault(
        call, TPosition::MAX,
        "all " + text(kEventIds) + " ids of event " + event_name(event) +
            " are taken; queues at one position can have that many buffers in use together, "
            "and FreeAllEvent gives a queue's ids back",
        where);
  }
  given_[index(event)] |= static_cast<std::uint8_t>(1u << id);
  return static_cast<TEventID>(id);
}

bool tpipe_gave(HardEvent event, std::int64_t id) {
  const auto* pipe = static_cast<const PipeState*>(registers().tpipe);
  return pipe != nullptr && pipe->events().gave(event, id);
}

std::uint16_t watch_static(TPosition position, std::uint32_t addr, std::uint32_t bytes,
                           Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher == nullptr) return 0;
  return watcher->buffer_made({space_of(position), isa::LocalBuffer::Kind::kStatic, addr, bytes,
                               position_name(position), where});
}

std::uint16_t watch_reserved(std::string_view call, std::uint32_t addr, std::uint32_t bytes,
                             Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher == nullptr) return 0;
  return watcher->buffer_made(
      {isa::Space::kUb, isa::LocalBuffer::Kind::kReserved, addr, bytes, call, where});
}

void watch_buffers(std::span<QueueBuffer> buffers, TPosition position, isa::LocalBuffer::Kind kind,
                   Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher == nullptr) return;
  for (QueueBuffer& buffer : buffers) {
    buffer.watched = watcher->buffer_made(
        {space_of(position), kind, buffer.address, buffer.bytes, position_name(position), where});
  }
}

namespace {

void pass_buffer(const QueueBuffer& buffer, isa::BufferOwner to, Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher != nullptr) watcher->buffer_passed(buffer.watched, to, where);
}

void forget_watched(bool reset, Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher != nullptr) watcher->buffers_forgotten(reset, where);
}

}  // namespace

void cut_buffers(std::span<QueueBuffer> buffers, BufferRange& range, TPosition position,
                 std::uint32_t bytes, Location where, std::string_view call) {
  if (bytes == 0) queue_fault(call, position, "the length is 0 bytes", where);
  const std::uint64_t each =
      (std::uint64_t{bytes} + isa::kBlockBytes - 1) / isa::kBlockBytes * isa::kBlockBytes;
  const std::uint64_t total = each * buffers.size();
  const std::uint64_t size = range.size != 0 ? range.size : UINT32_MAX;
  if (total > size - range.used) {
    queue_fault(call, position,
                text(buffers.size()) + " x " + text(each) + " bytes requested, " +
                    text(range.used) + " of the " + text(size) + " bytes of " +
                    std::string(isa::space_name(space_of(position))) + " are used, " +
                    text(size - range.used) + " are available",
                where);
  }
  for (QueueBuffer& buffer : buffers) {
    buffer = {};
    buffer.address = range.start + range.used;
    buffer.bytes = static_cast<std::uint32_t>(each);
    range.used += buffer.bytes;
  }
}

void await_free_events(std::string_view call, std::span<QueueBuffer> buffers, EventIds& ids,
                       Location where) {
  for (QueueBuffer& buffer : buffers) {
    if (buffer.full_id != INVALID_TEVENTID) {
      queue_fault(call, TPosition::MAX,
                  "the tensor enqueued in line " + text(buffer.enqueued.line()) +
                      " still stands in its queue: its event " + event_name(buffer.full_event) +
                      " would stay set",
                  where);
    }
    if (buffer.free_id == INVALID_TEVENTID) continue;
    emit_flag(isa::Opcode::kWaitFlag, buffer.free_event, buffer.free_id, where);
    ids.release(buffer.free_event, buffer.free_id);
    buffer.free_id = INVALID_TEVENTID;
  }
}

// --- PipeState -----------------------------------------------------------------------------------

void PipeState::start(Location where) {
  isa::Registers& core = registers();
  if (running_)
    queue_fault("Init", TPosition::MAX, "this TPipe is in use; Destroy ends that", where);
  if (core.tpipe != nullptr && static_cast<PipeState*>(core.tpipe)->running_) {
    queue_fault("TPipe", TPosition::MAX,
                "the kernel has a TPipe already; there is one at a time, Destroy ends it", where);
  }
  forget_buffers();
  AscendC::InitSocState();
  core.tpipe = this;
  core_ = &core;
  running_ = true;
  if (!on_cube_core()) return;
  for (TEventID id = 0; id < kMatrixEventIds; ++id) {
    events_.allocate(HardEvent::M_MTE1, "TPipe", where);
    emit_flag(isa::Opcode::kSetFlag, HardEvent::M_MTE1, id, where);
  }
}

void PipeState::stop(Location where) {
  if (!running_) queue_fault("Destroy", TPosition::MAX, "this TPipe was destroyed before", where);
  await_free_events("Destroy", {buffers_.data(), buffer_count_}, events_, where);
  if (on_cube_core()) {
    for (TEventID id = 0; id < kMatrixEventIds; ++id) {
      emit_flag(isa::Opcode::kWaitFlag, HardEvent::M_MTE1, id, where);
      events_.release(HardEvent::M_MTE1, id);
    }
  }
  AscendC::PipeBarrier<PIPE_ALL>(where);
  forget_watched(false, where);
  running_ = false;
}

void PipeState::restart(Location where) {
  if (!running_) queue_fault("Reset", TPosition::MAX, "this TPipe was destroyed before", where);
  await_free_events("Reset", {buffers_.data(), buffer_count_}, events_, where);
  forget_watched(true, where);
  AscendC::InitSocState();
  forget_buffers();
  // These stay set.
  for (TEventID id = 0; on_cube_core() && id < kMatrixEventIds; ++id) {
    events_.allocate(HardEvent::M_MTE1, "Reset", where);
  }
}

void PipeState::leave_core() noexcept {
  if (core_ != nullptr && core_->tpipe == this) core_->tpipe = nullptr;
}

void PipeState::forget_buffers() {
  buffer_count_ = 0;
  events_.release_all();
  for (std::size_t space = 0; space < ranges_.size(); ++space) {
    ranges_[space] = {0, 0, isa::current_core().buffer_size(static_cast<isa::Space>(space))};
  }
  generation_ = next_generation();
}

QueueBuffer* PipeState::next_slots(TPosition position, std::uint32_t count, Location where) {
  if (!running_) queue_fault("InitBuffer", position, "this TPipe was destroyed before", where);
  if (count == 0 || count > kMaxBuffers - buffer_count_) {
    queue_fault("InitBuffer", position,
                "num is " + text(count) + ", allowed are 1 to " +
                    text(kMaxBuffers - buffer_count_) + ": a kernel has at most " +
                    text(kMaxBuffers) + " buffers, " + text(buffer_count_) + " are in use",
                where);
  }
  return buffers_.data() + buffer_count_;
}

QueueBuffer* PipeState::init_buffers(TPosition position, std::uint32_t count, std::uint32_t bytes,
                                     Location where) {
  QueueBuffer* first = next_slots(position, count, where);
  cut_buffers({first, count}, ranges_[static_cast<std::size_t>(space_of(position))], position,
              bytes, where, "InitBuffer");
  buffer_count_ += count;
  return first;
}

QueueBuffer* PipeState::init_buffer_at(TPosition position, std::int64_t address, std::int64_t bytes,
                                       Location where) {
  QueueBuffer* buffer = next_slots(position, 1, where);
  const isa::Space space = space_of(position);
  const std::uint64_t size = ranges_[static_cast<std::size_t>(space)].size;
  const auto limit = static_cast<std::int64_t>(size != 0 ? size : UINT32_MAX);
  if (address < 0 || address % isa::kBlockBytes != 0 || bytes <= 0 || bytes > limit ||
      address > limit - bytes) {
    queue_fault("InitBuffer", position,
                std::to_string(bytes) + " bytes at address " + std::to_string(address) +
                    "; the address must be a multiple of " + text(isa::kBlockBytes) +
                    " and the end inside the " + std::to_string(limit) + " bytes of " +
                    std::string(isa::space_name(space)),
                where);
  }
  *buffer = {};
  buffer->address = static_cast<std::uint32_t>(address);
  buffer->bytes = static_cast<std::uint32_t>(bytes);
  ++buffer_count_;
  return buffer;
}

BufferRange PipeState::reserve(TPosition position, std::uint32_t bytes, Location where) {
  if (!running_) queue_fault("InitBufPool", position, "this TPipe was destroyed before", where);
  QueueBuffer stretch;
  cut_buffers({&stretch, 1}, ranges_[static_cast<std::size_t>(space_of(position))], position, bytes,
              where, "InitBufPool");
  return {stretch.address, 0, stretch.bytes};
}

// --- BufferQueue ---------------------------------------------------------------------------------

void BufferQueue::attach(PipeState& pipe, QueueBuffer* first, std::uint32_t count) {
  *this = {};
  pipe_ = PipeLink(pipe);
  buffers_ = first;
  count_ = count;
}

EventIds& BufferQueue::ids(std::string_view call, const Traits& traits, Location where) const {
  if (!pipe_.alive()) {
    queue_fault(call, traits.position, "InitBuffer was not called for this queue", where);
  }
  return pipe_->events();
}

QueueBuffer& BufferQueue::buffer_of(std::string_view call, const Traits& traits, void* handle,
                                    Location where) const {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  const auto first = reinterpret_cast<std::uintptr_t>(buffers_);
  const auto last = reinterpret_cast<std::uintptr_t>(buffers_ + count_);
  if (handle == nullptr || address < first || address >= last) {
    queue_fault(call, traits.position, "the tensor does not come from this queue's AllocTensor",
                where);
  }
  return *static_cast<QueueBuffer*>(handle);
}

bool BufferQueue::has_idle_buffer() const {
  return pipe_.alive() && std::any_of(buffers_, buffers_ + count_, [](const QueueBuffer& buffer) {
           return buffer.state == TBufState::FREE;
         });
}

QueueBuffer& BufferQueue::allocate(const Traits& traits, Location where) {
  EventIds& event_ids = ids("AllocTensor", traits, where);
  for (std::uint32_t tried = 0; tried < count_; ++tried) {
    QueueBuffer& buffer = buffers_[cursor_];
    cursor_ = cursor_ + 1 == count_ ? 0 : cursor_ + 1;
    if (buffer.state != TBufState::FREE) continue;
    buffer.state = TBufState::OCCUPIED;
    if (buffer.free_id != INVALID_TEVENTID) {
      emit_flag(isa::Opcode::kWaitFlag, buffer.free_event, buffer.free_id, where);
      event_ids.release(buffer.free_event, buffer.free_id);
      buffer.free_id = INVALID_TEVENTID;
    }
    pass_buffer(buffer, isa::BufferOwner::kTaken, where);
    return buffer;
  }
  queue_fault("AllocTensor", traits.position,
              "all " + text(count_) + " buffers of the queue are in use; FreeTensor gives one back",
              where);
}

void BufferQueue::enqueue(const Traits& traits, void* handle, std::span<QueueBuffer*> order,
                          Location where) {
  EventIds& event_ids = ids("EnQue", traits, where);
  QueueBuffer& buffer = buffer_of("EnQue", traits, handle, where);
  if (buffer.state == TBufState::FREE) {
    queue_fault("EnQue", traits.position, "the tensor was freed; AllocTensor comes first", where);
  }
  if (buffer.state == TBufState::ENQUE) {
    queue_fault("EnQue", traits.position,
                "the tensor stands in the queue since line " + text(buffer.enqueued.line()), where);
  }
  if (traits.depth > 0) {
    if (enqueued_ == traits.depth) {
      queue_fault("EnQue", traits.position,
                  "the queue is full: its depth is " + text(order.size()) +
                      " and as many tensors wait for DeQue",
                  where);
    }
    order[static_cast<std::size_t>(tail_)] = &buffer;
    tail_ = tail_ + 1 == traits.depth ? 0 : tail_ + 1;
  }
  ++enqueued_;
  buffer.state = TBufState::ENQUE;
  buffer.enqueued = where;
  buffer.full_event = traits.events.full;
  buffer.full_id = event_ids.allocate(buffer.full_event, "EnQue", where);
  emit_flag(isa::Opcode::kSetFlag, buffer.full_event, buffer.full_id, where);
  pass_buffer(buffer, isa::BufferOwner::kEnqueued, where);
}

void BufferQueue::take_out(std::string_view call, const Traits& traits, QueueBuffer& buffer,
                           EventIds& event_ids, Location where) {
  if (buffer.full_event != traits.events.full) {
    queue_fault(call, traits.position,
                "the tensor was enqueued with event " + event_name(buffer.full_event) +
                    " in line " + text(buffer.enqueued.line()) + ", not with " +
                    event_name(traits.events.full),
                where);
  }
  --enqueued_;
  buffer.state = TBufState::DEQUE;
  emit_flag(isa::Opcode::kWaitFlag, buffer.full_event, buffer.full_id, where);
  event_ids.release(buffer.full_event, buffer.full_id);
  buffer.full_id = INVALID_TEVENTID;
  pass_buffer(buffer, isa::BufferOwner::kTaken, where);
}

QueueBuffer& BufferQueue::dequeue(const Traits& traits, std::span<QueueBuffer*> order,
                                  Location where) {
  EventIds& event_ids = ids("DeQue", traits, where);
  if (enqueued_ == 0) {
    queue_fault("DeQue", traits.position, "the queue is empty; EnQue comes first", where);
  }
  QueueBuffer& buffer = *order[static_cast<std::size_t>(head_)];
  take_out("DeQue", traits, buffer, event_ids, where);
  head_ = head_ + 1 == traits.depth ? 0 : head_ + 1;
  return buffer;
}

QueueBuffer& BufferQueue::dequeue_in_place(const Traits& traits, void* handle, Location where) {
  EventIds& event_ids = ids("DeQue", traits, where);
  QueueBuffer& buffer = buffer_of("DeQue", traits, handle, where);
  if (buffer.state != TBufState::ENQUE) {
    queue_fault("DeQue", traits.position, "the tensor is not in the queue; EnQue comes first",
                where);
  }
  take_out("DeQue", traits, buffer, event_ids, where);
  return buffer;
}

void BufferQueue::give_back(const Traits& traits, void* handle, Location where) {
  EventIds& event_ids = ids("FreeTensor", traits, where);
  QueueBuffer& buffer = buffer_of("FreeTensor", traits, handle, where);
  if (buffer.state == TBufState::FREE) {
    queue_fault("FreeTensor", traits.position, "the tensor is not allocated (freed before)", where);
  }
  if (buffer.state == TBufState::ENQUE) {
    queue_fault("FreeTensor", traits.position,
                "the tensor stands in the queue since line " + text(buffer.enqueued.line()) +
                    "; DeQue comes first",
                where);
  }
  buffer.free_event = traits.events.free;
  buffer.free_id = event_ids.allocate(buffer.free_event, "FreeTensor", where);
  emit_flag(isa::Opcode::kSetFlag, buffer.free_event, buffer.free_id, where);
  buffer.state = TBufState::FREE;
  pass_buffer(buffer, isa::BufferOwner::kNobody, where);
}

void BufferQueue::await_all_free(const Traits& traits, Location where) {
  EventIds& event_ids = ids("FreeAllEvent", traits, where);
  await_free_events("FreeAllEvent", {buffers_, count_}, event_ids, where);
}

}  // namespace davsim::api
