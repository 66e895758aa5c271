// Synchronisation of pipes and of cores.
#pragma once

#include "ascendc/emit.h"
#include "ascendc/system.h"

namespace AscendC {

// The flags of SyncAll, by the names that kernels synchronise all cores with themselves.
inline constexpr std::uint16_t SYNC_AIC_FLAG = 11;      ///< AICs among each other
inline constexpr std::uint16_t SYNC_AIV_FLAG = 12;      ///< the AIVs of an AI core to their AIC
inline constexpr std::uint16_t SYNC_AIC_AIV_FLAG = 13;  ///< an AIC to its AIVs
inline constexpr std::uint16_t SYNC_AIV_ONLY_ALL = 14;  ///< AIVs among each other

}  // namespace AscendC

namespace davsim::api {

/// Event ids of a pipe pair.
inline constexpr std::int64_t kEventIds = 8;
/// Cross-core flag ids; SyncAll uses 11 to 14.
inline constexpr std::int64_t kCrossCoreFlagIds = 16;

/// Whether the running core has a pipe.
inline bool core_has(isa::Pipe pipe) {
  return isa::current_core().identity().pipes.has(pipe);
}

/// The event whose first pipe sets and whose second waits; MAX if there is none.
constexpr AscendC::HardEvent event_between(isa::Pipe set, isa::Pipe wait) {
  using AscendC::HardEvent;
  for (int event = 0; event < static_cast<int>(HardEvent::MAX); ++event) {
    const PipePair pipes = pipes_of(static_cast<HardEvent>(event));
    if (pipes.set == set && pipes.wait == wait) return static_cast<HardEvent>(event);
  }
  return HardEvent::MAX;
}

inline void emit_barrier(isa::Pipe pipe, Location where) {
  if (core_has(pipe)) emit(isa::Opcode::kPipeBarrier, pipe, {}, {}, {}, {}, where);
}

/// A flag to or from a pipe that this core does not have does nothing, as on the device: code that
/// both halves of a mixed kernel run may hold it. A flag from a pipe to itself is a barrier.
inline void emit_flag(isa::Opcode op, AscendC::HardEvent event, std::int64_t id, Location where) {
  const bool set = op == isa::Opcode::kSetFlag;
  require_range(set ? "SetFlag" : "WaitFlag", "eventID", id, 0, kEventIds - 1, where);
  const PipePair pipes = pipes_of(event);
  if (!core_has(pipes.set) || !core_has(pipes.wait)) return;
  if (pipes.set == pipes.wait) {
    if (set) emit_barrier(pipes.set, where);
    return;
  }
  emit(op, set ? pipes.set : pipes.wait, {}, {}, {},
       isa::FlagParams{pipes.set, pipes.wait, static_cast<std::uint8_t>(id)}, where);
}

inline void emit_cross_core(isa::Opcode op, isa::Pipe pipe, std::int64_t mode, std::int64_t id,
                            Location where) {
  const bool set = op == isa::Opcode::kCrossCoreSetFlag;
  const char* call = set ? "CrossCoreSetFlag" : "CrossCoreWaitFlag";
  require_range(call, "modeId", mode, 0, 2, where);
  require_range(call, "flagId", id, 0, kCrossCoreFlagIds - 1, where);
  if (!core_has(pipe)) {
    const isa::CoreType core = isa::current_core().identity().type;
    refuse(call, "pipe", static_cast<std::int64_t>(pipe),
           {"the pipes of the ", isa::core_type_name(core), ", which has no pipe ",
            isa::pipe_name(pipe)},
           where);
  }
  emit(op, pipe, {}, {}, {},
       isa::CrossCoreFlagParams{static_cast<std::uint8_t>(mode), static_cast<std::uint8_t>(id)},
       where);
}

}  // namespace davsim::api

namespace AscendC {

/// Sets event `eventID` of the pair when everything before it on the setting pipe has ended.
template <HardEvent event>
void SetFlag(std::int32_t eventID, davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(event < HardEvent::MAX, "SetFlag: no such event");
  davsim::api::emit_flag(davsim::isa::Opcode::kSetFlag, event, eventID, where);
}

/// Holds the waiting pipe back until event `eventID` of the pair is set, and clears it.
template <HardEvent event>
void WaitFlag(std::int32_t eventID,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(event < HardEvent::MAX, "WaitFlag: no such event");
  davsim::api::emit_flag(davsim::isa::Opcode::kWaitFlag, event, eventID, where);
}

/// Lets nothing after it on `pipe` start before everything ahead of it has ended. PIPE_ALL drains
/// every pipe and holds the scalar unit. PIPE_S does nothing: the scalar unit keeps its own order.
/// The documentation advises against it; kernels have it all the same.
template <pipe_t pipe>
void PipeBarrier(davsim::api::Location where = davsim::api::Location::current()) {
  if constexpr (pipe != PIPE_S) davsim::api::emit_barrier(davsim::api::pipe_of(pipe), where);
}

/// SetFlag and WaitFlag by the two pipes instead of an event name.
template <pipe_t src, pipe_t dst>
class TQueSync {
  static_assert(src != PIPE_ALL && dst != PIPE_ALL && src != dst, "TQueSync: two different pipes");
  static constexpr HardEvent kEvent =
      davsim::api::event_between(davsim::api::pipe_of(src), davsim::api::pipe_of(dst));
  static_assert(kEvent != HardEvent::MAX, "TQueSync: no event orders these two pipes");

 public:
  void SetFlag(TEventID id, davsim::api::Location where = davsim::api::Location::current()) {
    AscendC::SetFlag<kEvent>(id, where);
  }
  void WaitFlag(TEventID id, davsim::api::Location where = davsim::api::Location::current()) {
    AscendC::WaitFlag<kEvent>(id, where);
  }
};

/// Raises a flag between cores when everything before it on `pipe` has ended. Mode 0: all cores of
/// this type; 1: the two AIVs of an AI core; 2: the AIC and its AIVs.
template <std::uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(std::uint16_t flagId,
                      davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(modeId <= 2, "CrossCoreSetFlag: modes of NPU architecture 2201 are 0, 1 and 2");
  static_assert(pipe != PIPE_S && pipe != PIPE_ALL,
                "CrossCoreSetFlag: pipe must be a queue, not S or ALL");
  davsim::api::emit_cross_core(davsim::isa::Opcode::kCrossCoreSetFlag, davsim::api::pipe_of(pipe),
                               modeId, flagId, where);
}

/// Holds `pipe` back until the flag was raised, and takes one raise. PIPE_S holds the issue of
/// everything that follows.
template <std::uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(std::uint16_t flagId,
                       davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(modeId <= 2, "CrossCoreWaitFlag: modes of NPU architecture 2201 are 0, 1 and 2");
  static_assert(pipe != PIPE_ALL, "CrossCoreWaitFlag: pipe must be a queue or S, not ALL");
  davsim::api::emit_cross_core(davsim::isa::Opcode::kCrossCoreWaitFlag, davsim::api::pipe_of(pipe),
                               modeId, flagId, where);
}

/// CrossCoreSetFlag of mode 2 and its wait, by their older names.
template <pipe_t pipe>
void NotifyEvent(std::uint16_t flagId,
                 davsim::api::Location where = davsim::api::Location::current()) {
  CrossCoreSetFlag<2, pipe>(flagId, where);
}
template <pipe_t pipe = PIPE_S>
void WaitEvent(std::uint16_t flagId,
               davsim::api::Location where = davsim::api::Location::current()) {
  CrossCoreWaitFlag<2, pipe>(flagId, where);
}

/// Borders of the kernels of a SuperKernel; documented to do nothing outside one.
template <pipe_t AICPipe = PIPE_MTE3, pipe_t AIVPipe = PIPE_MTE3>
void SetNextTaskStart() {}
inline void WaitPreTaskEnd() {}

/// Waits until all cores of the launch stand here: all AIVs (isAIVOnly) or all AICs and AIVs.
template <bool isAIVOnly = true>
void SyncAll(davsim::api::Location where = davsim::api::Location::current()) {
  PipeBarrier<PIPE_ALL>(where);
  if constexpr (isAIVOnly) {
    CrossCoreSetFlag<0, PIPE_MTE3>(SYNC_AIV_ONLY_ALL, where);
    CrossCoreWaitFlag<0, PIPE_S>(SYNC_AIV_ONLY_ALL, where);
    return;
  }
  // AIVs report to their AIC, the AICs meet, and each AIC lets its AIVs go.
  if (davsim::isa::current_core().identity().type == davsim::isa::CoreType::AIC) {
    CrossCoreWaitFlag<2, PIPE_S>(SYNC_AIV_FLAG, where);
    CrossCoreSetFlag<0, PIPE_FIX>(SYNC_AIC_FLAG, where);
    CrossCoreWaitFlag<0, PIPE_S>(SYNC_AIC_FLAG, where);
    CrossCoreSetFlag<2, PIPE_FIX>(SYNC_AIC_AIV_FLAG, where);
  } else {
    CrossCoreSetFlag<2, PIPE_MTE3>(SYNC_AIV_FLAG, where);
    CrossCoreWaitFlag<2, PIPE_S>(SYNC_AIC_AIV_FLAG, where);
  }
}

}  // namespace AscendC
