// Filling L1, L0A and L0B with one value: L1 in queue MTE2, L0A and L0B in queue MTE1.
#pragma once

#include "ascendc/cube_params.h"
#include "ascendc/data_copy_emit.h"
#include "isa/instr/place_name.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::api {

/// Types of 16 and 32 bits that Fill takes on 2201.
template <typename T>
inline constexpr bool kCanFill =
    std::is_same_v<T, std::int16_t> || std::is_same_v<T, std::uint16_t> ||
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::uint32_t> || std::is_same_v<T, float>;

template <typename T>
void emit_fill(const isa::Operand& dst, const AscendC::InitConstValueParams<T>& params,
               Location where) {
  const bool l1 = dst.space == isa::Space::kL1;
  if (!l1 && dst.space != isa::Space::kL0A && dst.space != isa::Space::kL0B) {
    fail(isa::FaultClass::kParameter, "Fill",
         {"dst lies in ", isa::place_name(dst.space), ", it must lie in L1, L0A or L0B"}, where);
  }
  require_range("Fill", "repeatTimes", params.repeatTimes, 0, 32767, where);
  require_range("Fill", "blockNum", params.blockNum, 0, 32767, where);
  require_range("Fill", "dstGap", params.dstGap, 0, 32767, where);
  if (params.repeatTimes == 0 || params.blockNum == 0) return;  // documented as a no-op
  const std::uint32_t block = l1 ? isa::kBlockBytes : isa::kFractalBytes;
  isa::MoveParams move;
  move.bursts = params.repeatTimes;
  move.burst_bytes = params.blockNum * block;
  move.dst_pitch = (std::int64_t{params.blockNum} + params.dstGap) * block;
  move.pad_value = bits_of(params.initValue);
  emit(l1 ? isa::Opcode::kFillL1 : isa::Opcode::kFillL0, l1 ? isa::Pipe::MTE2 : isa::Pipe::MTE1,
       dst, {}, {}, move, where);
}

}  // namespace davsim::api

namespace AscendC {

/// dst = initValue, run by run. L1 addresses are multiples of 32 bytes, L0A and L0B addresses of
/// 512.
template <typename T, typename U = PrimT<T>>
requires std::is_same_v<PrimT<T>, U>
void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanFill<PrimT<T>>, "Fill: element types of 16 or 32 bits");
  davsim::api::emit_fill(dst.Operand(), initConstValueParams, where);
}

/// Older name of Fill.
template <typename T, typename U = PrimT<T>>
requires std::is_same_v<PrimT<T>, U>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams,
                    davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("InitConstValue", [&] { Fill(dst, initConstValueParams, where); });
}

}  // namespace AscendC
