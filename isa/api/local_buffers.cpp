// What TPipe, its queues and its pools share: ids of events, places of buffers, and what a checker
// is told of buffers.
#include <bit>
#include <string>

#include "ascendc/sync.h"
#include "ascendc/tpipe_buffers.h"
#include "ascendc/vector_select.h"
#include "isa/api/queue_fault.hpp"

namespace davsim::api {

using AscendC::HardEvent;
using AscendC::INVALID_TEVENTID;
using AscendC::TEventID;
using AscendC::TPosition;

TEventID EventIds::lowest_free(HardEvent event, std::string_view call, Location where) {
  const int id = std::countr_one(taken_[index(event)]);
  if (id >= kEventIds) {
    queue_fault(
        call, TPosition::MAX,
        "all " + std::to_string(kEventIds) + " ids of event " + event_name(event) +
            " are taken; queues at one position can have that many buffers in use together, "
            "and FreeAllEvent gives a queue's ids back",
        where);
  }
  return static_cast<TEventID>(id);
}

std::uint16_t watch_static(TPosition position, std::uint32_t addr, std::uint32_t bytes,
                           Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher == nullptr) return 0;
  return watcher->buffer_made({space_of(position), isa::LocalBuffer::Kind::kStatic, addr, bytes,
                               position_name(position), where});
}

std::uint16_t watch_global(std::uint64_t addr, std::uint64_t bytes, Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  return watcher == nullptr ? std::uint16_t{0} : watcher->global_made({addr, bytes, where});
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

void cut_buffers(std::span<QueueBuffer> buffers, BufferRange& range, TPosition position,
                 std::uint32_t bytes, Location where, std::string_view call) {
  const std::uint64_t each =
      (std::uint64_t{bytes} + isa::kBlockBytes - 1) / isa::kBlockBytes * isa::kBlockBytes;
  const std::uint64_t total = each * buffers.size();
  const std::uint64_t size = range.size != 0 ? range.size : UINT32_MAX;
  if (total > size - range.used) {
    queue_fault(call, position,
                std::to_string(buffers.size()) + " x " + std::to_string(each) +
                    " bytes requested, " + std::to_string(range.used) + " of the " +
                    std::to_string(size) + " bytes of " +
                    std::string(isa::space_name(space_of(position))) + " are used, " +
                    std::to_string(size - range.used) + " are available",
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
                  "the tensor enqueued in line " + std::to_string(buffer.enqueued.line()) +
                      " still stands in its queue: its event " + event_name(buffer.full_event) +
                      " would stay set",
                  buffer.enqueued);  // not the end of the TPipe, which has no line of the kernel
    }
    if (buffer.free_id == INVALID_TEVENTID) continue;
    emit_flag(isa::Opcode::kWaitFlag, buffer.free_event, buffer.free_id, where);
    ids.release(buffer.free_event, buffer.free_id);
    buffer.free_id = INVALID_TEVENTID;
  }
}

}  // namespace davsim::api
