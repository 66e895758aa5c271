// The way of a base block of results out of L0C: conversion, quantisation, layout.
#pragma once

#include "lib/matmul/matmul_operand.h"

namespace davsim::api {

enum class MatmulQuant : std::uint8_t { kNone, kScalar, kVector };

/// How results become elements of C.
struct MatmulConversion {
  MatmulQuant quant = MatmulQuant::kNone;
  std::uint64_t scalar = 0;                    ///< quantisation word of kScalar
  AscendC::GlobalTensor<std::uint64_t> words;  ///< of kVector, a word a column of C
  AscendC::LocalTensor<std::uint64_t> l1_words;
  bool words_in_l1 = false;
};

template <class To, class Sum>
QuantMode_t matmul_quant_mode(MatmulQuant quant, Location where) {
  const bool vector = quant == MatmulQuant::kVector;
  if constexpr (std::is_same_v<To, Sum>) {
    return QuantMode_t::NoQuant;
  } else if constexpr (std::is_same_v<Sum, float> && std::is_same_v<To, half>) {
    return QuantMode_t::F322F16;
  } else if constexpr (std::is_same_v<Sum, float> && std::is_same_v<To, bfloat16_t>) {
    return QuantMode_t::F322BF16;
  } else {
    if (quant == MatmulQuant::kNone) {
      fail(isa::FaultClass::kParameter, "Matmul::GetTensorC",
           {"C of this type needs SetQuantScalar or SetQuantVector first"}, where);
    }
    if constexpr (std::is_same_v<Sum, float>) {
      return vector ? QuantMode_t::VQF322B8_PRE : QuantMode_t::QF322B8_PRE;
    } else if constexpr (std::is_same_v<To, half>) {
      return vector ? QuantMode_t::VDEQF16 : QuantMode_t::DEQF16;
    } else {
      return vector ? QuantMode_t::VREQ8 : QuantMode_t::REQ8;
    }
  }
}

/// A block of C by its place in C, in elements, and how rows of C follow each other.
struct MatmulTarget {
  std::uint32_t row = 0, col = 0, rows = 0, cols = 0;
  std::uint32_t matrix_rows = 0;  ///< of C in NZ
  std::uint64_t pitch = 0;        ///< elements between rows of C otherwise
  bool dense = false;             ///< the block is stored by itself, base_m x base_n
  std::uint32_t base_m = 0, base_n = 0;
};

/// `kSplit`: fractals of C, of float in NZ, have 8 columns (isEnableChannelSplit).
template <class Type, class Sum, bool kSplit = false>
class MatmulStore {
 public:
  using T = typename Type::T;
  static_assert(Type::format == AscendC::CubeFormat::ND ||
                    Type::format == AscendC::CubeFormat::NZ ||
                    Type::format == AscendC::CubeFormat::ND_ALIGN,
                "Matmul: on architecture 2201 the CubeFormat of C is ND, NZ or ND_ALIGN");
  static constexpr bool kNz = Type::format == AscendC::CubeFormat::NZ;
  static_assert(!kSplit || (kNz && std::is_same_v<T, float>),
                "Matmul: with isEnableChannelSplit C is float in CubeFormat NZ");
  static constexpr std::uint32_t kBits = isa::dtype_bits(dtype_of<T>());
  /// Columns of a fractal of C.
  static constexpr std::uint32_t kColumns = kSplit ? 8 : kBits == 8 ? 32 : 16;

  /// Where the block begins, in elements from the start of C.
  static std::uint64_t offset(const MatmulTarget& target) {
    if (target.dense) return 0;
    if constexpr (kNz) {
      return std::uint64_t{target.col} * matmul_up(target.matrix_rows, 16) +
             std::uint64_t{target.row} * kColumns;
    } else {
      return target.row * target.pitch + target.col;
    }
  }

  static AscendC::FixpipeParamsV220 params(const MatmulTarget& target) {
    AscendC::FixpipeParamsV220 params;
    constexpr std::uint32_t kWhole = kSplit ? 8 : 16;
    params.nSize = static_cast<std::uint16_t>(kNz ? matmul_up(target.cols, kWhole) : target.cols);
    params.mSize = static_cast<std::uint16_t>(target.rows);
    params.srcStride = static_cast<std::uint16_t>(matmul_up(target.rows, 16));
    if constexpr (kNz) {
      const std::uint32_t rows = target.dense ? target.base_m : target.matrix_rows;
      params.dstStride = matmul_up(rows, 16) * kColumns * kBits / 8 / isa::kBlockBytes;
    } else {
      params.dstStride = target.dense ? target.base_n : static_cast<std::uint32_t>(target.pitch);
    }
    return params;
  }

  /// L0C to global memory. The words of a vector lie in L1 at `words`.
  static void store(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<Sum>& sums,
                    const MatmulTarget& target, const MatmulConversion& conversion,
                    const AscendC::LocalTensor<std::uint64_t>& words, bool unit_flag,
                    Location where) {
    AscendC::FixpipeParamsV220 fixpipe = params(target);
    fixpipe.quantPre = matmul_quant_mode<T, Sum>(conversion.quant, where);
    fixpipe.deqScalar = conversion.scalar;
    // The bit of the word that asks for signed results follows from the type of C.
    if constexpr (std::is_same_v<T, std::int8_t>) fixpipe.deqScalar |= std::uint64_t{1} << 46;
    fixpipe.unitFlag = unit_flag ? 3 : 0;
    fixpipe.isChannelSplit = kSplit;
    if (is_vector_quant(static_cast<isa::QuantMode>(fixpipe.quantPre))) {
      AscendC::Fixpipe<T, Sum, kLayout>(gm[offset(target)], sums, words, fixpipe, where);
    } else {
      AscendC::Fixpipe<T, Sum, kLayout>(gm[offset(target)], sums, fixpipe, where);
    }
  }

 private:
  static constexpr AscendC::FixpipeConfig kLayout = kNz ? AscendC::CFG_NZ : AscendC::CFG_ROW_MAJOR;
};

}  // namespace davsim::api
