// TPipe: its start and end, and the buffers that it gives to queues.
#include <algorithm>
#include <string>

#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/tpipe_buffers.h"
#include "isa/api/queue_fault.hpp"
#include "isa/core/scalar_work.hpp"

namespace davsim::api {

using AscendC::HardEvent;
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

void forget_watched(bool reset, Location where) {
  isa::CoreWatcher* watcher = isa::current_watcher();
  if (watcher != nullptr) watcher->buffers_forgotten(reset, where);
}

}  // namespace

void PipeState::start(Location where) {
  isa::Registers& core = registers();
  if (running_)
    queue_fault("Init", TPosition::MAX, "this TPipe is in use; Destroy ends that", where);
  if (core.tpipe != nullptr && static_cast<PipeState*>(core.tpipe)->running_) {
    queue_fault("TPipe", TPosition::MAX,
                "the kernel has a TPipe already; there is one at a time, Destroy ends it", where);
  }
  isa::note_scalar_call(isa::ScalarCall::kTPipe);
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
  isa::note_scalar_call(isa::ScalarCall::kTPipeEnd);
  isa::note_scalar_call(isa::ScalarCall::kBufferEnd, buffer_count_);
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
  // The upper half of L1 belongs to the vector cores; Matmul objects take L1 from its start.
  const isa::CoreIdentity& me = isa::current_core().identity();
  const std::uint32_t vectors = std::max(me.sub_block_num, 1u);
  const std::uint32_t part = AscendC::TOTAL_L1_SIZE / 2 / vectors;
  scm_ = {AscendC::TOTAL_L1_SIZE / 2 + me.sub_block_idx * part, 0, part};
  generation_ = next_generation();
}

BufferRange& PipeState::range_of(TPosition position) {
  if (position == TPosition::TSCM && !on_cube_core()) return scm_;
  return ranges_[static_cast<std::size_t>(space_of(position))];
}

QueueBuffer* PipeState::next_slots(TPosition position, std::uint32_t count, Location where) {
  if (!running_) queue_fault("InitBuffer", position, "this TPipe was destroyed before", where);
  if (count == 0 || count > kMaxBuffers - buffer_count_) {
    queue_fault("InitBuffer", position,
                "num is " + std::to_string(count) + ", allowed are 1 to " +
                    std::to_string(kMaxBuffers - buffer_count_) + ": a kernel has at most " +
                    std::to_string(kMaxBuffers) + " buffers, " + std::to_string(buffer_count_) +
                    " are in use",
                where);
  }
  return buffers_.data() + buffer_count_;
}

QueueBuffer* PipeState::init_buffers(TPosition position, std::uint32_t count, std::uint32_t bytes,
                                     Location where) {
  QueueBuffer* first = next_slots(position, count, where);
  isa::note_scalar_call(isa::ScalarCall::kInitBuffer);
  isa::note_scalar_call(isa::ScalarCall::kBuffer, count);
  cut_buffers({first, count}, range_of(position), position, bytes, where, "InitBuffer");
  buffer_count_ += count;
  return first;
}

QueueBuffer* PipeState::init_buffer_at(TPosition position, std::int64_t address, std::int64_t bytes,
                                       Location where) {
  QueueBuffer* buffer = next_slots(position, 1, where);
  const isa::Space space = space_of(position);
  const std::uint64_t size = ranges_[static_cast<std::size_t>(space)].size;
  const auto limit = static_cast<std::int64_t>(size != 0 ? size : UINT32_MAX);
  if (address < 0 || address % isa::kBlockBytes != 0 || bytes < 0 || bytes > limit ||
      address > limit - bytes) {
    queue_fault("InitBuffer", position,
                std::to_string(bytes) + " bytes at address " + std::to_string(address) +
                    "; the address must be a multiple of " + std::to_string(isa::kBlockBytes) +
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
  require_length("InitBufPool", position, bytes, where);
  QueueBuffer stretch;
  cut_buffers({&stretch, 1}, ranges_[static_cast<std::size_t>(space_of(position))], position, bytes,
              where, "InitBufPool");
  return {stretch.address, 0, stretch.bytes};
}

PipeState& running_pipe(std::string_view call, TPosition position, Location where) {
  void* state = registers().tpipe;
  if (state == nullptr) queue_fault(call, position, "the kernel has no TPipe", where);
  return *static_cast<PipeState*>(state);
}

}  // namespace davsim::api
