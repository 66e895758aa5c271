// The vector mask register. It selects the lanes that calls with isSetMask = false compute.
#pragma once

#include "ascendc/control_register.h"
#include "ascendc/vector_emit.h"

namespace AscendC {

/// Counter mode: the mask is the number of elements of a whole instruction.
inline void SetMaskCount(davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::registers().mask_mode = davsim::isa::MaskMode::kCounter;
  davsim::api::emit_set_register(where);
}

/// Normal mode: the mask has a bit a lane of one repeat.
inline void SetMaskNorm(davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::registers().mask_mode = davsim::isa::MaskMode::kNormal;
  davsim::api::emit_set_register(where);
}

/// Mask bits of lanes 64 to 127 and 0 to 63; in counter mode `maskLow` elements and maskHigh 0.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const std::uint64_t maskHigh, const std::uint64_t maskLow,
                   davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  if constexpr (mode == MaskMode::COUNTER) {
    davsim::api::require_range("SetVectorMask", "maskHigh", static_cast<std::int64_t>(maskHigh), 0,
                               0, where);
  }
  davsim::api::registers().mask = {maskLow, maskHigh};
  davsim::api::emit_set_register(where);
}

/// The first `len` lanes of every repeat of elements of T; in counter mode `len` elements in all.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(std::int32_t len,
                   davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  // A repeat of one-byte elements still has only 128 lanes: its other operand has two bytes.
  constexpr std::int64_t kLanes = davsim::api::lanes_per_repeat(
      davsim::api::kElementBytes<T> < 2 ? 2 : davsim::api::kElementBytes<T>);
  if constexpr (mode == MaskMode::COUNTER) {
    davsim::api::require_range("SetVectorMask", "len", len, 0, INT32_MAX, where);
    davsim::api::registers().mask = {static_cast<std::uint64_t>(len), 0};
  } else {
    davsim::api::require_range("SetVectorMask", "len", len, 0, INT32_MAX, where);
    if (len > kLanes) davsim::api::cut_mask("SetVectorMask", len, kLanes, where);
    davsim::api::registers().mask = davsim::api::first_lanes(len);
  }
  davsim::api::emit_set_register(where);
}

/// All lanes.
inline void ResetMask(davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::registers().mask = davsim::api::first_lanes(128);
  davsim::api::emit_set_register(where);
}

/// Calls by the names that the device library uses itself.
struct AscendCUtils {
  template <typename T, bool isSetMask = true>
  static void SetMask(const std::uint64_t& maskHigh, const std::uint64_t& maskLow,
                      davsim::api::Location where = davsim::api::Location::current()) {
    if constexpr (isSetMask) SetVectorMask<T>(maskHigh, maskLow, where);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(std::int32_t len,
                      davsim::api::Location where = davsim::api::Location::current()) {
    if constexpr (isSetMask) SetVectorMask<T>(len, where);
  }
  static void ResetMask(davsim::api::Location where = davsim::api::Location::current()) {
    AscendC::ResetMask(where);
  }
  template <typename T = half>
  static void SetMaskCount(davsim::api::Location where = davsim::api::Location::current()) {
    AscendC::SetMaskCount(where);
  }
  template <typename T = half>
  static void SetMaskNorm(davsim::api::Location where = davsim::api::Location::current()) {
    AscendC::SetMaskNorm(where);
  }
  /// Bit 48 of CTRL: 1 keeps infinities and NaN in results of 16 bits, every other value makes them
  /// numbers.
  static void SetOverflow(std::uint64_t ctrlValue,
                          davsim::api::Location where = davsim::api::Location::current()) {
    SetCtrlSpr<davsim::isa::kCtrlKeepsInfNan, davsim::isa::kCtrlKeepsInfNan>(ctrlValue == 1, where);
  }
  static constexpr std::int32_t GetBitSize(std::int32_t byteSize) { return byteSize * 8; }
  static constexpr std::int32_t GetC0Size() { return 32; }
  /// Elements of so many bytes in a DataBlock.
  static constexpr std::int32_t GetC0Count(const std::int32_t dtypeSize) {
    return dtypeSize == 0 ? 0 : 32 / dtypeSize;
  }
};

}  // namespace AscendC
