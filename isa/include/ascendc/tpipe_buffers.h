// The common base of TPipe, TQue and TBufPool: the buffers of queues, the ids of events, and their
// rules. It has no templates, so that kernels do not compile it again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ascendc/emit.h"
#include "ascendc/tpipe_position.h"

namespace AscendC {

constexpr TEventID INVALID_TEVENTID = -1;
using TBufHandle = std::uint8_t*;
enum class TBufState : std::uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

}  // namespace AscendC

namespace davsim::api {

/// Buffers of one kernel at most, queues and TBufs together (documented limit of InitBuffer).
inline constexpr std::uint32_t kMaxBuffers = 64;

/// Stops the kernel with Fault(kQueue): "AllocTensor at VECIN: ...".
[[noreturn]] void queue_fault(std::string_view call, AscendC::TPosition position, isa::Message what,
                              Location where);
[[noreturn]] inline void queue_fault(std::string_view call, AscendC::TPosition position,
                                     const char* what, Location where) {
  queue_fault(call, position, isa::Message{what}, where);
}

/// One buffer of a queue. Events that are set and not yet awaited are remembered in it.
struct QueueBuffer {
  std::uint32_t address = 0;  ///< byte offset in its physical buffer
  std::uint32_t bytes = 0;
  AscendC::TBufState state = AscendC::TBufState::FREE;
  AscendC::HardEvent full_event = AscendC::HardEvent::MAX;  ///< by which it was enqueued
  AscendC::HardEvent free_event = AscendC::HardEvent::MAX;
  AscendC::TEventID full_id = AscendC::INVALID_TEVENTID;
  AscendC::TEventID free_id = AscendC::INVALID_TEVENTID;
  Location enqueued;          ///< line of the EnQue
  std::uint16_t watched = 0;  ///< number of the buffer where a checker watches
};

/// Tells whoever checks the running core of these buffers.
void watch_buffers(std::span<QueueBuffer> buffers, AscendC::TPosition position,
                   isa::LocalBuffer::Kind kind, Location where);

/// The eight ids of every event: which are taken.
class EventIds {
 public:
  /// Takes the lowest free id. Throws Fault(kQueue) when there is none.
  AscendC::TEventID allocate(AscendC::HardEvent event, std::string_view call, Location where) {
    const AscendC::TEventID id = lowest_free(event, call, where);
    taken_[index(event)] |= static_cast<std::uint8_t>(1u << id);
    return id;
  }
  /// Throws Fault(kQueue) when all are taken.
  AscendC::TEventID lowest_free(AscendC::HardEvent event, std::string_view call, Location where);
  void release(AscendC::HardEvent event, AscendC::TEventID id) {
    taken_[index(event)] &= static_cast<std::uint8_t>(~(1u << id));
  }
  void release_all() { taken_ = {}; }

 private:
  static std::size_t index(AscendC::HardEvent event) { return static_cast<std::size_t>(event); }
  using Bits = std::array<std::uint8_t, static_cast<std::size_t>(AscendC::HardEvent::MAX)>;
  Bits taken_{};
};

/// Bump allocation in one physical buffer.
struct BufferRange {
  std::uint32_t start = 0;
  std::uint32_t used = 0;  ///< bytes from start
  std::uint64_t size = 0;  ///< bytes; 0 on a core that does not have the buffer: nothing is checked
};

/// The untyped part of TPipe.
class PipeState {
 public:
  PipeState(const PipeState&) = delete;
  PipeState& operator=(const PipeState&) = delete;

  EventIds& events() { return events_; }
  const EventIds& events() const { return events_; }
  /// Differs between any two lives of any two pipes, so that a queue knows whether its buffers are
  /// still there.
  std::uint64_t generation() const { return generation_; }

  /// `count` free buffers of `bytes` each (rounded up to 32) at `position`; 0 bytes are an empty
  /// buffer, as kernels make where a tiling leaves nothing for it.
  /// Throws Fault(kQueue) where the number is out of range or memory is full.
  QueueBuffer* init_buffers(AscendC::TPosition position, std::uint32_t count, std::uint32_t bytes,
                            Location where);
  /// One free buffer at an address of the caller's choice.
  QueueBuffer* init_buffer_at(AscendC::TPosition position, std::int64_t address, std::int64_t bytes,
                              Location where);
  /// Reserves a stretch of `bytes` for a TBufPool.
  BufferRange reserve(AscendC::TPosition position, std::uint32_t bytes, Location where);

  /// Bytes of a physical buffer that are in use.
  std::uint32_t used(isa::Space space) const {
    return ranges_[static_cast<std::size_t>(space)].used;
  }

 protected:
  PipeState() = default;
  ~PipeState() = default;
  /// Registers the pipe with its core and takes what the device library takes at a kernel's start.
  void start(Location where);
  /// Awaits everything outstanding, so that no flag stays set. Throws Fault(kQueue) if a tensor
  /// still stands in a queue.
  void stop(Location where);
  void restart(Location where);
  void leave_core() noexcept;
  bool running() const { return running_; }

 private:
  void forget_buffers();
  /// The memory of a position.
  BufferRange& range_of(AscendC::TPosition position);
  /// Where the next `count` buffers go; they are not taken yet.
  QueueBuffer* next_slots(AscendC::TPosition position, std::uint32_t count, Location where);

  std::array<QueueBuffer, kMaxBuffers> buffers_{};
  std::uint32_t buffer_count_ = 0;
  std::array<BufferRange, isa::kSpaceCount> ranges_{};
  BufferRange scm_;  ///< a vector core's part of L1 of its cube core, for TSCM
  EventIds events_;
  std::uint64_t generation_ = 0;
  bool running_ = false;
  isa::Registers* core_ = nullptr;  ///< of the core that this pipe was started on
};

/// Knows whether the life of the pipe that it was made in still lasts.
class PipeLink {
 public:
  PipeLink() = default;
  explicit PipeLink(PipeState& pipe) : pipe_(&pipe), generation_(pipe.generation()) {}
  /// Compares addresses first: a pipe that is gone must not be looked into.
  bool alive() const {
    return pipe_ != nullptr && registers().tpipe == pipe_ && pipe_->generation() == generation_;
  }
  PipeState& operator*() const { return *pipe_; }
  PipeState* operator->() const { return pipe_; }

 private:
  PipeState* pipe_ = nullptr;
  std::uint64_t generation_ = 0;
};

/// The TPipe of the running kernel. Throws Fault(kQueue) if there is none.
PipeState& running_pipe(std::string_view call, AscendC::TPosition position, Location where);

/// Cuts `buffers` of `bytes` each (rounded up to 32, which leaves 0) from `range`.
/// Throws Fault(kQueue) naming requested, used and available bytes.
void cut_buffers(std::span<QueueBuffer> buffers, BufferRange& range, AscendC::TPosition position,
                 std::uint32_t bytes, Location where, std::string_view call);

/// What is to be divided again has bytes: a pool of none would be one without an end.
inline void require_length(std::string_view call, AscendC::TPosition position, std::uint64_t bytes,
                           Location where) {
  if (bytes == 0) queue_fault(call, position, "the length is 0 bytes", where);
}

/// Waits for the free events of `buffers` and gives their ids back.
/// Throws Fault(kQueue) if one of the buffers is still enqueued.
void await_free_events(std::string_view call, std::span<QueueBuffer> buffers, EventIds& ids,
                       Location where);

/// The untyped part of a queue: its buffers in turn, and the state of each.
class BufferQueue {
 public:
  void attach(PipeState& pipe, QueueBuffer* first, std::uint32_t count);

 protected:
  struct Traits {
    AscendC::TPosition position;
    QueueEvents events;
    std::int32_t depth;
  };

  QueueBuffer& allocate(const Traits& traits, Location where);
  /// The order in which buffers leave a queue of depth 1 or more is kept in `order`.
  void enqueue(const Traits& traits, void* handle, std::span<QueueBuffer*> order, Location where);
  QueueBuffer& dequeue(const Traits& traits, std::span<QueueBuffer*> order, Location where);
  /// Depth 0: the tensor itself says which buffer it is.
  QueueBuffer& dequeue_in_place(const Traits& traits, void* handle, Location where);
  void give_back(const Traits& traits, void* handle, Location where);
  void await_all_free(const Traits& traits, Location where);

  /// Throws Fault(kQueue) if the queue has not that many buffers.
  QueueBuffer& buffer_at(std::string_view call, const Traits& traits, std::uint32_t index,
                         Location where) const;
  QueueBuffer& buffer_of(std::string_view call, const Traits& traits, void* handle,
                         Location where) const;
  bool has_idle_buffer() const;
  std::int32_t enqueued() const { return enqueued_; }

 private:
  EventIds& ids(std::string_view call, const Traits& traits, Location where) const;
  void take_out(std::string_view call, const Traits& traits, QueueBuffer& buffer, EventIds& ids,
                Location where);

  PipeLink pipe_;
  QueueBuffer* buffers_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t cursor_ = 0;  ///< buffer that is tried first by the next allocate
  std::int32_t enqueued_ = 0;
  std::int32_t head_ = 0, tail_ = 0;
};

}  // namespace davsim::api
