// The queues of a TPipe: the states of their buffers, and the flags that order the pipes that use
// these.
#include <algorithm>
#include <string>

#include "ascendc/sync.h"
#include "ascendc/tpipe_buffers.h"
#include "isa/api/queue_fault.hpp"
#include "isa/core/scalar_work.hpp"

namespace davsim::api {

using AscendC::INVALID_TEVENTID;
using AscendC::TBufState;

namespace {

void pass_buffer(const QueueBuffer& buffer, isa::BufferOwner to, Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher != nullptr) watcher->buffer_passed(buffer.watched, to, where);
}

}  // namespace

void BufferQueue::attach(PipeState& pipe, QueueBuffer* first, std::uint32_t count) {
  *this = {};
  pipe_ = PipeLink(pipe);
  buffers_ = first;
  count_ = count;
}

QueueBuffer& BufferQueue::buffer_at(std::string_view call, const Traits& traits,
                                    std::uint32_t index, Location where) const {
  if (index >= count_) {
    queue_fault(call, traits.position, {"buffer ", index, " of ", count_, " in the queue"}, where);
  }
  return buffers_[index];
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
  isa::note_scalar_call(isa::ScalarCall::kAllocTensor);
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
              "all " + std::to_string(count_) +
                  " buffers of the queue are in use; FreeTensor gives one back",
              where);
}

void BufferQueue::enqueue(const Traits& traits, void* handle, std::span<QueueBuffer*> order,
                          Location where) {
  EventIds& event_ids = ids("EnQue", traits, where);
  isa::note_scalar_call(isa::ScalarCall::kEnQue);
  QueueBuffer& buffer = buffer_of("EnQue", traits, handle, where);
  if (buffer.state == TBufState::FREE) {
    queue_fault("EnQue", traits.position, "the tensor was freed; AllocTensor comes first", where);
  }
  if (buffer.state == TBufState::ENQUE) {
    queue_fault(
        "EnQue", traits.position,
        "the tensor stands in the queue since line " + std::to_string(buffer.enqueued.line()),
        where);
  }
  if (traits.depth > 0) {
    if (enqueued_ == traits.depth) {
      queue_fault("EnQue", traits.position,
                  "the queue is full: its depth is " + std::to_string(order.size()) +
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
                    " in line " + std::to_string(buffer.enqueued.line()) + ", not with " +
                    event_name(traits.events.full),
                where);
  }
  isa::note_scalar_call(isa::ScalarCall::kDeQue);
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
  isa::note_scalar_call(isa::ScalarCall::kFreeTensor);
  QueueBuffer& buffer = buffer_of("FreeTensor", traits, handle, where);
  if (buffer.state == TBufState::FREE) {
    queue_fault("FreeTensor", traits.position, "the tensor is not allocated (freed before)", where);
  }
  if (buffer.state == TBufState::ENQUE) {
    queue_fault("FreeTensor", traits.position,
                "the tensor stands in the queue since line " +
                    std::to_string(buffer.enqueued.line()) + "; DeQue comes first",
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
