// Which element types and rounding modes an instruction takes on NPU architecture 2201, and how
// large the results of reductions are: questions to the rows of opcodes.def. The kernel API asks
// them when a kernel is compiled, decode() asks them for every record.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instr/opcode_facts.hpp"
#include "isa/instr/params.hpp"

namespace davsim::isa {

/// True if `op` exists for a destination of `dst` and sources of `src` (kNone where it has none).
constexpr bool types_exist(Opcode op, DType dst, DType src) {
  return facts(op).types.find(dst, src) != TypeRules::kNoRule;
}

/// The same where destination and sources have one type.
constexpr bool type_exists(Opcode op, DType type) {
  return types_exist(op, type, type);
}

/// True if a comparison exists for elements of `type`, into whichever bits.
constexpr bool can_compare(Opcode op, DType type) {
  return types_exist(op, DType::kU8, type);
}

/// True if `op` compares elements of `type` that way. Integers are compared for equality only.
constexpr bool comparison_exists(Opcode op, CompareMode mode, DType type) {
  return can_compare(op, type) && (type != DType::kI32 || mode == CompareMode::kEqual);
}

/// Element types of a tensor of Select's bits.
constexpr bool is_select_mask(DType type) {
  return type == DType::kU8 || type == DType::kU16 || type == DType::kU32 || type == DType::kU64;
}

/// True if Cast takes `mode` between these types.
constexpr bool cast_mode_exists(DType dst, DType src, RoundMode mode) {
  const TypeRules& types = facts(Opcode::kCast).types;
  const std::size_t rule = types.find(dst, src);
  return rule != TypeRules::kNoRule && (types.rules[rule].modes & mode_bit(mode)) != 0;
}

constexpr std::string_view round_mode_name(RoundMode mode) {
  switch (mode) {
    case RoundMode::kNone:
      return "CAST_NONE";
    case RoundMode::kRint:
      return "CAST_RINT";
    case RoundMode::kFloor:
      return "CAST_FLOOR";
    case RoundMode::kCeil:
      return "CAST_CEIL";
    case RoundMode::kRound:
      return "CAST_ROUND";
    case RoundMode::kTrunc:
      return "CAST_TRUNC";
    case RoundMode::kOdd:
      return "CAST_ODD";
  }
  return "?";
}

/// Lanes that one result of a reduction is made of, where an element has `bytes` bytes.
constexpr std::uint32_t lanes_per_result(Opcode op, std::uint32_t bytes) {
  if (facts(op).group == Group::kPair) return 2;
  return (facts(op).group == Group::kRepeat ? kRepeatBytes : kBlockBytes) / bytes;
}

constexpr std::uint32_t results_per_repeat(Opcode op, std::uint32_t bytes) {
  return kRepeatBytes / bytes / lanes_per_result(op, bytes);
}

/// True if the reduction knows which lane its result comes from.
constexpr bool finds_index(Opcode op) {
  return facts(op).group == Group::kRepeat && facts(op).reduces != Reduction::kSum;
}

/// Bytes of one result: a value, a value with an index of the same width, or an index of 32 bits.
constexpr std::uint32_t result_bytes(Opcode op, ReduceOrder order, std::uint32_t bytes) {
  if (!finds_index(op)) return bytes;
  if (order == ReduceOrder::kOnlyIndex) return 4;
  return order == ReduceOrder::kOnlyValue ? bytes : 2 * bytes;
}

}  // namespace davsim::isa
