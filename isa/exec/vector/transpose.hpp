// Transposition of sixteen DataBlocks: which element types it has and how much it handles.
#pragma once

#include "isa/instr/params.hpp"

namespace davsim::isa {

struct Instr;

inline constexpr std::uint32_t kTransposeBlocks = 16;

/// True if the instruction exists for elements of `type`.
constexpr bool transpose_exists(Opcode op, DType type) {
  switch (type) {
    case DType::kI16:
    case DType::kU16:
    case DType::kF16:
      return true;
    case DType::kI8:
    case DType::kU8:
    case DType::kI32:
    case DType::kU32:
    case DType::kF32:
      return op == Opcode::kTransDataTo5hd;
    default:
      return false;
  }
}

/// Elements of all DataBlocks that a record moves.
std::uint64_t transposed_elements(const Instr& instr);

}  // namespace davsim::isa
