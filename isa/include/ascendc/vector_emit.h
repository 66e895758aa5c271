// Builds the instruction records of the vector API: masks, repeats, strides, scalars.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ascendc/data_copy_emit.h"
#include "ascendc/sync.h"
#include "ascendc/vector_params.h"
#include "isa/instr/vector_types.hpp"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// Repeats of a call. Wider than the instruction's 8-bit field, so that a number that the field
/// would cut off is refused.
using RepeatTime = std::int64_t;

/// A vector instruction on its way from call to record.
struct VectorCall {
  std::string_view name;
  isa::Opcode op;
  Location where;
};

inline void set_strides(isa::VectorParams& params, const AscendC::BinaryRepeatParams& strides) {
  params.dst = {strides.dstBlkStride, strides.dstRepStride};
  params.src0 = {strides.src0BlkStride, strides.src0RepStride};
  params.src1 = {strides.src1BlkStride, strides.src1RepStride};
}

inline void set_strides(isa::VectorParams& params, const AscendC::UnaryRepeatParams& strides) {
  params.dst = {strides.dstBlkStride, strides.dstRepStride};
  params.src0 = {strides.srcBlkStride, strides.srcRepStride};
}

/// Lanes that a repeat has when its widest element has `bytes` bytes.
constexpr std::int64_t lanes_per_repeat(std::size_t bytes) {
  return static_cast<std::int64_t>(isa::kRepeatBytes / bytes);
}

/// A range of lanes [0, len) as mask bits.
constexpr std::array<std::uint64_t, 2> first_lanes(std::int64_t len) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  if (len >= 128) return {kAll, kAll};
  if (len >= 64) return {kAll, (std::uint64_t{1} << (len - 64)) - 1};
  return {(std::uint64_t{1} << len) - 1, 0};
}

/// Tells whoever checks the running core of a mask of `asked` lanes where a repeat has `lanes`.
void cut_mask(std::string_view call, std::int64_t asked, std::int64_t lanes, Location where);

/// Sets the mask register to the first `len` lanes of every repeat, all of them if it has fewer; in
/// counter mode to `len` elements in all.
inline void set_mask(const VectorCall& call, std::uint64_t len, std::int64_t lanes) {
  const bool counter = registers().mask_mode == isa::MaskMode::kCounter;
  const auto asked = static_cast<std::int64_t>(len);
  require_range(call.name, "mask", asked, 0, UINT32_MAX, call.where);
  if (counter) {
    registers().mask = {len, 0};
    return;
  }
  if (asked > lanes) cut_mask(call.name, asked, lanes, call.where);
  registers().mask = first_lanes(asked);
}

/// The same with a bit a lane: mask[0] has lanes 0 to 63, mask[1] lanes 64 to 127. Bits beyond the
/// lanes of a repeat mean nothing.
inline void set_mask(const VectorCall& call, const std::uint64_t* mask, std::int64_t) {
  if (mask == nullptr) refuse(call.name, "mask", 0, "arrays of two words", call.where);
  registers().mask = {mask[0], mask[1]};
}

/// Leaves normal mode and a full mask, as every call of the first `count` elements does.
inline void leave_full_mask() {
  registers().mask_mode = isa::MaskMode::kNormal;
  registers().mask = first_lanes(128);
}

/// While it lives, calls with masks mean lanes of repeats, whatever mode the kernel has set: for
/// calls that consist of others, such as those of the first `count` elements.
class InNormalMode {
 public:
  InNormalMode() { registers().mask_mode = isa::MaskMode::kNormal; }
  ~InNormalMode() { leave_full_mask(); }
  InNormalMode(const InNormalMode&) = delete;
  InNormalMode& operator=(const InNormalMode&) = delete;
};

/// Mask and modes as the registers hold them when the call is made.
inline isa::VectorParams masked_by_register() {
  isa::VectorParams params;
  params.overflow = registers().overflow();
  params.mask_mode = registers().mask_mode;
  params.mask = registers().mask;
  return params;
}

/// Mask, mode and repeats of a call with repeats. Unless the kernel set the mask itself
/// (isSetMask = false), the call sets the register, which keeps it.
template <bool isSetMask, typename Mask>
isa::VectorParams repeated(const VectorCall& call, Mask mask, std::int64_t lanes,
                           RepeatTime repeats) {
  require_range(call.name, "repeatTime", repeats, 0, 255, call.where);
  if constexpr (isSetMask) set_mask(call, mask, lanes);
  isa::VectorParams params = masked_by_register();
  params.repeats = static_cast<std::uint16_t>(repeats);
  return params;
}

/// `count` consecutive elements: one instruction in counter mode. The calls that can leave the mask
/// to the kernel take it, and its mode, from the register (isSetMask = false; count is ignored).
template <bool isSetMask = true>
isa::VectorParams counted(const VectorCall& call, std::int64_t count) {
  if constexpr (!isSetMask) return masked_by_register();
  require_range(call.name, "count", count, 0, UINT32_MAX, call.where);
  isa::VectorParams params;
  params.overflow = registers().overflow();
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {static_cast<std::uint64_t>(count), 0};
  leave_full_mask();
  return params;
}

/// Strides of operands of T that lie densely where a repeat has `lanes` lanes: a narrow operand of
/// a call with two widths fills less than eight blocks.
template <typename T>
constexpr isa::BlockStride dense(std::int64_t lanes) {
  const std::size_t bytes = static_cast<std::size_t>(lanes) * isa::dtype_bits(dtype_of<T>()) / 8;
  return {1, static_cast<std::uint16_t>(bytes / isa::kBlockBytes)};
}

/// Words of 16 bits that hold `count` elements of T.
template <typename T>
constexpr std::int32_t words_of(std::int32_t count) {
  return static_cast<std::int32_t>((static_cast<std::int64_t>(count) * kElementBytes<T> + 1) / 2);
}

/// Hands the record over. On the cube core, which has no vector unit, a vector call does nothing,
/// as on the device: code that both halves of a mixed kernel run may hold it.
inline void emit_vector(const VectorCall& call, const isa::Operand& dst, const isa::Operand& src0,
                        const isa::Operand& src1, const isa::VectorParams& params) {
  if (!core_has(isa::Pipe::V)) return;
  emit(call.op, isa::Pipe::V, dst, src0, src1, params, call.where);
}

}  // namespace davsim::api
