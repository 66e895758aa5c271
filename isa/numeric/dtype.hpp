// Element types as they appear in tensors, instruction operands and files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace davsim::isa {

enum class DType : std::uint8_t {
  kNone,
  kF16,
  kBF16,
  kF32,
  kI4,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kBool,
  kF64  ///< moved, never computed with
};

/// Bits of one element; int4 is packed two to a byte.
constexpr std::size_t dtype_bits(DType type) {
  switch (type) {
    case DType::kNone:
      return 0;
    case DType::kI4:
      return 4;
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
      return 8;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16:
    case DType::kU16:
      return 16;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32:
      return 32;
    case DType::kI64:
    case DType::kU64:
    case DType::kF64:
      return 64;
  }
  return 0;
}

/// Bytes of one element; 0 for int4, whose sizes are counted in bits.
constexpr std::size_t dtype_bytes(DType type) {
  return dtype_bits(type) / 8;
}

/// Name as the operator pages and Ascend C write it: "float16", "bfloat16", "int8", ...
constexpr std::string_view dtype_name(DType type) {
  switch (type) {
    case DType::kNone:
      return "none";
    case DType::kF16:
      return "float16";
    case DType::kBF16:
      return "bfloat16";
    case DType::kF32:
      return "float32";
    case DType::kI4:
      return "int4";
    case DType::kI8:
      return "int8";
    case DType::kU8:
      return "uint8";
    case DType::kI16:
      return "int16";
    case DType::kU16:
      return "uint16";
    case DType::kI32:
      return "int32";
    case DType::kU32:
      return "uint32";
    case DType::kI64:
      return "int64";
    case DType::kU64:
      return "uint64";
    case DType::kBool:
      return "bool";
    case DType::kF64:
      return "float64";
  }
  return "?";
}

}  // namespace davsim::isa
