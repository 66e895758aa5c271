// The cube: matrix products on fractals in L0A and L0B into L0C (queue M), and its mode registers.
#pragma once

#include "ascendc/cube_params.h"
#include "ascendc/data_copy_emit.h"

namespace davsim::api {

/// Operand types of Mmad on 2201: C, A and B.
template <typename T, typename U, typename S>
inline constexpr bool kMmadTypes =
    std::is_same_v<U, S> &&
    ((std::is_same_v<T, float> &&
      (std::is_same_v<U, half> || std::is_same_v<U, bfloat16_t> || std::is_same_v<U, float>)) ||
     (std::is_same_v<T, std::int32_t> &&
      (std::is_same_v<U, std::int8_t> || std::is_same_v<U, AscendC::int4b_t>)));

inline isa::UnitFlag unit_flag(const char* call, std::uint8_t value, Location where) {
  if (value == 1 || value > 3) refuse(call, "unitFlag", value, "0, 2 and 3", where);
  return static_cast<isa::UnitFlag>(value);
}

/// Where C starts if no bias is given with the call.
inline isa::MmadInstrParams start_of(const AscendC::MmadParams& params) {
  isa::MmadInstrParams mmad;
  const bool from_zero = params.cmatrixInitVal && !params.isBias;
  mmad.bias_from_bt = !from_zero && params.cmatrixSource;
  mmad.init_zero = from_zero || mmad.bias_from_bt;
  return mmad;
}

inline void emit_mmad(const isa::Operand& dst, const isa::Operand& a, const isa::Operand& b,
                      const AscendC::MmadParams& params, isa::MmadInstrParams mmad,
                      Location where) {
  require_range("Mmad", "m", params.m, 0, 4095, where);
  require_range("Mmad", "n", params.n, 0, 4095, where);
  require_range("Mmad", "k", params.k, 0, 4095, where);
  if (params.m == 0 || params.n == 0 || params.k == 0) return;  // documented as a no-op
  mmad.m = params.m;
  mmad.n = params.n;
  mmad.k = params.k;
  mmad.hf32 = registers().hf32 && a.type == isa::DType::kF32;
  mmad.hf32_nearest_away = registers().hf32_nearest_away;
  mmad.gemv = params.m == 1 && !mmad.sparse;
  mmad.k_align16 = params.kDirectionAlign && a.type == isa::DType::kF32;
  mmad.floats_saturate = registers().overflow().floats_saturate;
  mmad.unit_flag = unit_flag("Mmad", params.unitFlag, where);
  emit(isa::Opcode::kMmad, isa::Pipe::M, dst, a, b, mmad, where);
}

}  // namespace davsim::api

namespace AscendC {

/// C[m, n] = A[m, k] x B[k, n] + start, where C starts from 0 (cmatrixInitVal), from the bias table
/// (cmatrixSource) or from what L0C holds. With m == 1, A is k consecutive elements.
/// L0A and L0B addresses are multiples of 512 bytes, L0C addresses of 1024.
template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
          const MmadParams& mmadParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kMmadTypes<PrimT<T>, PrimT<U>, PrimT<S>>,
                "Mmad: half, bfloat16_t or float into float, or int8_t or int4b_t into int32_t");
  davsim::api::emit_mmad(dst.Operand(), fm.Operand(), filter.Operand(), mmadParams,
                         davsim::api::start_of(mmadParams), where);
}

/// The same, C starts from `bias`: a row of n elements in the bias table (position C2, address a
/// multiple of 64 bytes) that every row of C gets, or C itself (position CO1).
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
          const LocalTensor<V>& bias, const MmadParams& mmadParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kMmadTypes<PrimT<T>, PrimT<U>, PrimT<S>> &&
                    std::is_same_v<PrimT<T>, PrimT<V>> && !std::is_same_v<PrimT<U>, int4b_t>,
                "Mmad: half, bfloat16_t or float into float, or int8_t into int32_t; bias as C");
  const davsim::isa::Operand start = bias.Operand();
  const bool from_table = start.space == davsim::isa::Space::kBt;
  if (!from_table && start.space != davsim::isa::Space::kL0C) {
    davsim::api::refuse_path("Mmad bias", start.space, davsim::isa::Space::kL0C, where);
  }
  davsim::isa::MmadInstrParams mmad;
  mmad.init_zero = mmad.bias_from_bt = from_table;
  mmad.bias_addr = from_table ? start.addr : 0;
  davsim::api::emit_mmad(dst.Operand(), fm.Operand(), filter.Operand(), mmadParams, mmad, where);
}

/// C[m, n] = A[m, k] x B[k, n] + start, where two of every four rows of B are 0 and only the other
/// two, [k / 2, n], lie in L0B, brought there with their indices by LoadDataWithSparse. Of a pair
/// of indices (0 to 2) the first is the row of the first, the second the row of the second counted
/// from row 1. C starts as in Mmad; there is no matrix-vector form.
template <typename T = std::int32_t, typename U = std::int8_t>
requires(std::is_same_v<T, std::int32_t>&& std::is_same_v<U, std::int8_t>) void MmadWithSparse(
    const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<U>& filter,
    const MmadParams& mmadParams, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::isa::MmadInstrParams mmad = davsim::api::start_of(mmadParams);
  mmad.sparse = true;
  davsim::api::emit_mmad(dst.Operand(), fm.Operand(), filter.Operand(), mmadParams, mmad, where);
}

/// Rounds float operands of Mmad to HF32 (11 bits of mantissa) first: twice the rate.
inline void SetHF32Mode(bool hf32Mode,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().hf32 = hf32Mode;
  davsim::api::emit_set_register(where);
}
inline void SetHF32Mode(HF32Mode hf32Mode,
                        davsim::api::Location where = davsim::api::Location::current()) {
  SetHF32Mode(hf32Mode == HF32Mode::ENABLE, where);
}

/// Rounding to HF32: to nearest, ties to even (false) or as NEAREST_ZERO (true). The documentation
/// of the instruction calls the latter "towards zero", that of Matmul "ties away from zero"; here
/// it is the latter.
inline void SetHF32TransMode(bool hf32TransMode,
                             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().hf32_nearest_away = hf32TransMode;
  davsim::api::emit_set_register(where);
}
inline void SetHF32TransMode(HF32TransMode mode,
                             davsim::api::Location where = davsim::api::Location::current()) {
  SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO, where);
}

/// Whether Mmad walks C along m or along n first; of no consequence to the result.
inline void SetMMLayoutTransform(bool mmLayoutMode,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().mm_column_major = mmLayoutMode;
  davsim::api::emit_set_register(where);
}
inline void SetMMColumnMajor(davsim::api::Location where = davsim::api::Location::current()) {
  SetMMLayoutTransform(true, where);
}
inline void SetMMRowMajor(davsim::api::Location where = davsim::api::Location::current()) {
  SetMMLayoutTransform(false, where);
}

}  // namespace AscendC
