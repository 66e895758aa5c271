// The positions of queues: they determine a queue's memory and the events between its two ends.
#pragma once

#include <cstdint>
#include <string_view>

#include "ascendc/types.h"

namespace AscendC {

/// Physical memories, by the names of the static allocation API.
enum class Hardware : std::uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

/// Compile-time configuration of a queue. A length or number other than 0 must be what InitBuffer
/// is given; the remaining members are reserved on NPU architecture 2201.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  std::uint32_t bufferLen = 0;     ///< bytes
  std::uint32_t bufferNumber = 0;  ///< buffers
  std::uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

constexpr TQueConfig GetTQueConfig(bool nd2nzIn, bool nz2ndIn, bool scmBlockGroupIn,
                                   std::uint32_t bufferLenIn, std::uint32_t bufferNumberIn,
                                   std::uint32_t consumerSizeIn, const TPosition consumerIn[],
                                   bool enableStaticEvtIdIn, bool enableLoopQueueIn) {
  TQueConfig config{nd2nzIn,        nz2ndIn, scmBlockGroupIn,     bufferLenIn,      bufferNumberIn,
                    consumerSizeIn, {},      enableStaticEvtIdIn, enableLoopQueueIn};
  for (int i = 0; i < 8; ++i) config.consumer[i] = consumerIn[i];
  return config;
}

}  // namespace AscendC

namespace davsim::api {

/// LCM, which a TBuf has by default, is VECCALC by another number.
constexpr std::string_view position_name(AscendC::TPosition position) {
  constexpr std::string_view kNames[] = {
      "GM",    "A1",     "A2",      "B1",      "B2",  "C1",  "C2",   "CO1",       "CO2",
      "VECIN", "VECOUT", "VECCALC", "VECCALC", "SPM", "SHM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  const auto index = static_cast<std::size_t>(position);
  return index < std::size(kNames) ? kNames[index] : "no position";
}

constexpr isa::Space space_of(AscendC::Hardware hardware) {
  using H = AscendC::Hardware;
  switch (hardware) {
    case H::GM:
      return isa::Space::kGm;
    case H::UB:
      return isa::Space::kUb;
    case H::L1:
      return isa::Space::kL1;
    case H::L0A:
      return isa::Space::kL0A;
    case H::L0B:
      return isa::Space::kL0B;
    case H::L0C:
      return isa::Space::kL0C;
    case H::BIAS:
      return isa::Space::kBt;
    case H::FIXBUF:
      return isa::Space::kFb;
    case H::MAX:
      break;
  }
  return isa::Space::kNone;
}

/// Whence a queue's tensors come and whither they go.
struct QueueEnds {
  AscendC::TPosition src, dst;
};

/// Ends of a TQue at `position`; MAX where no queue can be.
constexpr QueueEnds queue_ends(AscendC::TPosition position) {
  using P = AscendC::TPosition;
  switch (position) {
    case P::A1:
    case P::B1:
    case P::C1:
    case P::VECIN:
      return {P::GM, position};
    case P::A2:
      return {P::A1, position};
    case P::B2:
      return {P::B1, position};
    case P::C2:
      return {P::C1, position};
    case P::C2PIPE2GM:
      return {P::B1, position};
    case P::CO1:
      return {position, P::CO2};
    // On 2201 CO2 is global memory: a queue there can be declared, but has no buffers.
    case P::CO2:
    case P::VECOUT:
      return {position, P::GM};
    case P::VECCALC:
      return {position, position};
    default:
      return {P::MAX, P::MAX};
  }
}

/// Which of its ends holds a queue's buffers: the one on the chip.
constexpr AscendC::TPosition buffer_position(QueueEnds ends) {
  return space_of(ends.dst) == isa::Space::kGm ? ends.src : ends.dst;
}

/// The event that hands a full buffer over and the one that gives an empty buffer back.
struct QueueEvents {
  AscendC::HardEvent full, free;
  constexpr bool exist() const { return full != AscendC::HardEvent::MAX; }
};

/// Events between the pipe that fills a buffer and the pipe that reads it; MAX where architecture
/// 2201 has no such path.
constexpr QueueEvents queue_events(QueueEnds ends) {
  using E = AscendC::HardEvent;
  using S = isa::Space;
  const S src = space_of(ends.src), dst = space_of(ends.dst);
  if (ends.src == AscendC::TPosition::VECCALC && ends.dst == AscendC::TPosition::VECCALC) {
    return {E::V_V, E::V_V};  // one vector instruction after the other
  }
  const bool into_l0 = dst == S::kL0A || dst == S::kL0B;
  if (src == S::kGm) {
    if (dst == S::kUb) return {E::MTE2_V, E::V_MTE2};
    if (dst == S::kL1) return {E::MTE2_MTE1, E::MTE1_MTE2};
    if (into_l0) return {E::MTE2_M, E::M_MTE2};
  } else if (src == S::kUb) {
    if (dst == S::kGm) return {E::V_MTE3, E::MTE3_V};
    // One buffer for input and output: what MTE2 brings, MTE3 takes away.
    if (dst == S::kUb) return {E::MTE2_MTE3, E::MTE3_MTE2};
    // A TSCM that a vector core fills; the message that asks for the copy orders it.
    if (dst == S::kL1) return {E::MTE3_MTE1, E::MTE1_MTE3};
  } else if (src == S::kL1) {
    if (into_l0 || dst == S::kBt) return {E::MTE1_M, E::M_MTE1};
    if (dst == S::kFb) return {E::MTE1_FIX, E::FIX_MTE1};
  } else if (src == S::kL0C) {
    if (dst == S::kGm) return {E::M_FIX, E::FIX_M};
  }
  return {E::MAX, E::MAX};
}

constexpr AscendC::TQueConfig queue_config(int) {
  return {};
}
constexpr AscendC::TQueConfig queue_config(const AscendC::TQueConfig* config) {
  return *config;
}

}  // namespace davsim::api
