// Moves results out of L0C (queue FIX); quantises, rectifies and rearranges them on the way.
#pragma once

#include "ascendc/cube_mmad.h"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// Columns whose quantisation words the Fixpipe buffer holds at once: 2 KiB of 64-bit words.
inline constexpr std::uint32_t kQuantColumns = 256;

inline bool is_vector_quant(isa::QuantMode mode) {
  return mode == isa::QuantMode::kVReq8 || mode == isa::QuantMode::kVDeqF16 ||
         mode == isa::QuantMode::kVQF32ToB8;
}

/// A Fixpipe record without what the registers bring.
inline isa::FixpipeInstrParams fixpipe_params(const AscendC::FixpipeParamsV220& params, bool nz2nd,
                                              Location where) {
  require_range("Fixpipe", "nSize", params.nSize, 0, 4095, where);
  if (nz2nd) {
    require_range("Fixpipe", "mSize", params.mSize, 0, 8192, where);
    require_range("Fixpipe", "srcNdStride", params.srcNdStride, 0, 512, where);
  }
  isa::FixpipeInstrParams fixpipe;
  fixpipe.m = params.mSize;
  fixpipe.n = params.nSize;
  fixpipe.src_stride = params.srcStride;
  fixpipe.dst_stride = params.dstStride;
  fixpipe.nz2nd = nz2nd;
  fixpipe.quant = static_cast<isa::QuantMode>(params.quantPre);
  fixpipe.relu = params.reluEn;
  fixpipe.channel_split = params.isChannelSplit;
  fixpipe.unit_flag = unit_flag("Fixpipe", params.unitFlag, where);
  return fixpipe;
}

/// Hands a Fixpipe over with the registers it takes along.
inline void emit_fixpipe(const isa::Operand& dst, const isa::Operand& src,
                         isa::FixpipeInstrParams fixpipe, Location where) {
  const isa::Registers& set = registers();
  if (fixpipe.nz2nd) {
    fixpipe.nd_num = set.nd_num;
    fixpipe.src_nd_stride = set.src_nd_stride;
    fixpipe.dst_nd_stride = set.dst_nd_stride;
  }
  fixpipe.floats_saturate = set.overflow().floats_saturate;
  fixpipe.quant_scalar = set.fixpipe_quant;
  fixpipe.quant_fb_addr = set.fixpipe_quant_addr;
  if (fixpipe.m == 0 || fixpipe.n == 0 || fixpipe.nd_num == 0) return;  // documented as a no-op
  const bool to_gm = dst.space == isa::Space::kGm;
  if (!to_gm && dst.space != isa::Space::kL1) refuse_path("Fixpipe", src.space, dst.space, where);
  if (to_gm && set.atomic != isa::AtomicOp::kNone) {
    if (set.atomic_type != dst.type) {
      refuse("Fixpipe", "the atomic operation's type", static_cast<int>(set.atomic_type),
             {"that of the destination, ", isa::dtype_name(dst.type)}, where);
    }
    fixpipe.atomic = set.atomic;
  }
  emit(to_gm ? isa::Opcode::kFixpipeToGm : isa::Opcode::kFixpipeToL1, isa::Pipe::FIX, dst, src, {},
       fixpipe, where);
}

/// Sets the registers that the Fixpipe call has parameters for.
inline void set_fixpipe_registers(const AscendC::FixpipeParamsV220& params, bool nz2nd,
                                  Location where) {
  isa::Registers& set = registers();
  if (nz2nd) {
    set.nd_num = params.ndNum;
    set.src_nd_stride = params.srcNdStride;
    set.dst_nd_stride = params.dstNdStride;
    emit_set_register(where);
  }
  const auto mode = static_cast<isa::QuantMode>(params.quantPre);
  const bool scalar_quant = mode == isa::QuantMode::kReq8 || mode == isa::QuantMode::kDeqF16 ||
                            mode == isa::QuantMode::kQF32ToB8;
  if (scalar_quant) {
    set.fixpipe_quant = params.deqScalar;
    emit_set_register(where);
  }
}

inline void fixpipe(const isa::Operand& dst, const isa::Operand& src,
                    const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout,
                    Location where) {
  const bool nz2nd = layout == AscendC::CO2Layout::ROW_MAJOR && dst.space == isa::Space::kGm;
  const isa::FixpipeInstrParams record = fixpipe_params(params, nz2nd, where);
  set_fixpipe_registers(params, nz2nd, where);
  emit_fixpipe(dst, src, record, where);
}

/// Fixpipe whose quantisation words lie in L1: brings them to the Fixpipe buffer, as many columns
/// at a time as it holds.
inline void fixpipe_with_words(isa::Operand dst, isa::Operand src, isa::Operand words,
                               const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout,
                               Location where) {
  const bool nz2nd = layout == AscendC::CO2Layout::ROW_MAJOR && dst.space == isa::Space::kGm;
  isa::FixpipeInstrParams record = fixpipe_params(params, nz2nd, where);
  if (words.space != isa::Space::kL1) {
    refuse_path("Fixpipe cbufWorkspace", words.space, isa::Space::kFb, where);
  }
  if (!is_vector_quant(record.quant)) {
    refuse("Fixpipe", "quantPre", params.quantPre,
           "VREQ8, VDEQF16 and VQF322B8_PRE with words in L1", where);
  }
  set_fixpipe_registers(params, nz2nd, where);
  const std::uint64_t element = isa::dtype_bytes(dst.type);
  const std::uint64_t columns_per_c0 = element == 1 ? 32 : 16;
  const std::uint64_t src_step = std::uint64_t{kQuantColumns} * record.src_stride * 4;
  const std::uint64_t dst_step =
      nz2nd ? kQuantColumns * element
            : kQuantColumns / columns_per_c0 * record.dst_stride * isa::kBlockBytes;
  for (std::uint32_t column = 0; column < params.nSize; column += kQuantColumns) {
    const std::uint32_t columns = std::min<std::uint32_t>(kQuantColumns, params.nSize - column);
    isa::MoveParams move;
    move.burst_bytes = (columns * 8 + 127) / 128 * 128;
    move.src_pitch = move.dst_pitch = move.burst_bytes;
    registers().fixpipe_quant_addr = 0;
    emit_set_register(where);
    emit(isa::Opcode::kMoveL1ToFb, isa::Pipe::FIX, {isa::Space::kFb, isa::DType::kU64, 0}, words,
         {}, move, where);
    emit(isa::Opcode::kPipeBarrier, isa::Pipe::FIX, {}, {}, {}, {}, where);
    record.n = static_cast<std::uint16_t>(columns);
    emit_fixpipe(dst, src, record, where);
    words.addr += std::uint64_t{kQuantColumns} * 8;
    src.addr += src_step;
    dst.addr += dst_step;
  }
}

/// DataCopy out of L0C: everything but the layout comes from the registers.
inline void copy_out_of_l0c(const isa::Operand& dst, const isa::Operand& src,
                            const AscendC::DataCopyCO12DstParams& params, Location where) {
  require_range("DataCopy", "clipReluPre", params.clipReluPre, 0, 0, where);
  require_range("DataCopy", "eltWiseOp", params.eltWiseOp, 0, 0, where);
  require_range("DataCopy", "reluPre", params.reluPre, 0, 1, where);
  AscendC::FixpipeParamsV220 fixpipe(params.nSize, params.mSize, params.srcStride, params.dstStride,
                                     params.reluPre == 1);
  fixpipe.quantPre = params.quantPre;
  fixpipe.unitFlag = params.unitFlag;
  fixpipe.isChannelSplit = params.channelSplit;
  const bool nz2nd = params.nz2ndEn && dst.space == isa::Space::kGm;
  emit_fixpipe(dst, src, fixpipe_params(fixpipe, nz2nd, where), where);
}

/// Result types of Fixpipe on 2201, from float and from int32.
template <typename T, typename U>
inline constexpr bool kFixpipeTypes =
    std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, half> ||
    (std::is_same_v<U, float> && (std::is_same_v<T, bfloat16_t> || std::is_same_v<T, float>)) ||
    (std::is_same_v<U, std::int32_t> && std::is_same_v<T, std::int32_t>);

}  // namespace davsim::api

namespace AscendC {

/// L0C to GM, row-major (CFG_ROW_MAJOR) or in fractals (CFG_NZ).
/// L0C addresses are multiples of 64 bytes, GM addresses of fractals of 32.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
             const FixpipeParamsV220& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kFixpipeTypes<PrimT<T>, PrimT<U>>,
                "Fixpipe: no such pair of types on 2201");
  davsim::api::fixpipe(dst.Operand(), src.Operand(), intriParams, config.format, where);
}

/// L0C to GM with a quantisation word per column, which lie in L1 at `cbufWorkspace`.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR,
          typename S = std::uint64_t>
requires std::is_same_v<S, std::uint64_t>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
             const LocalTensor<S>& cbufWorkspace, const FixpipeParamsV220& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kFixpipeTypes<PrimT<T>, PrimT<U>>,
                "Fixpipe: no such pair of types on 2201");
  davsim::api::fixpipe_with_words(dst.Operand(), src.Operand(), cbufWorkspace.Operand(),
                                  intriParams, config.format, where);
}

/// L0C to L1, always in fractals and of 8 or 16 bits.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
             const FixpipeParamsV220& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kFixpipeTypes<PrimT<T>, PrimT<U>>,
                "Fixpipe: no such pair of types on 2201");
  davsim::api::fixpipe(dst.Operand(), src.Operand(), intriParams, config.format, where);
}

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR,
          typename S = std::uint64_t>
requires std::is_same_v<S, std::uint64_t>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
             const LocalTensor<S>& cbufWorkspace, const FixpipeParamsV220& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kFixpipeTypes<PrimT<T>, PrimT<U>>,
                "Fixpipe: no such pair of types on 2201");
  davsim::api::fixpipe_with_words(dst.Operand(), src.Operand(), cbufWorkspace.Operand(),
                                  intriParams, config.format, where);
}

/// L0C to GM as the registers say: SetFixpipeNz2ndFlag, SetFixpipePreQuantFlag, SetFixPipeConfig.
template <typename T, typename U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
              const DataCopyCO12DstParams& intriParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kFixpipeTypes<PrimT<T>, PrimT<U>>,
                "DataCopy: no such pair of types on 2201");
  davsim::api::copy_out_of_l0c(dst.Operand(), src.Operand(), intriParams, where);
}

template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
              const DataCopyCO12DstParams& intriParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kFixpipeTypes<PrimT<T>, PrimT<U>>,
                "DataCopy: no such pair of types on 2201");
  davsim::api::copy_out_of_l0c(dst.Operand(), src.Operand(), intriParams, where);
}

/// Row-major results of several matrices: their number, the distance of the sources in fractals of
/// 1024 bytes and that of the destinations in elements.
inline void SetFixpipeNz2ndFlag(std::uint16_t ndNum, std::uint16_t srcNdStride,
                                std::uint16_t dstNdStride,
                                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("SetFixpipeNz2ndFlag", "srcNdStride", srcNdStride, 0, 512, where);
  auto& set = davsim::api::registers();
  set.nd_num = ndNum;
  set.src_nd_stride = srcNdStride;
  set.dst_nd_stride = dstNdStride;
  davsim::api::emit_set_register(where);
}

/// Quantisation word of the scalar modes.
inline void SetFixpipePreQuantFlag(std::uint64_t config,
                                   davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().fixpipe_quant = config;
  davsim::api::emit_set_register(where);
}

/// Where the quantisation words of the vector modes lie in the Fixpipe buffer; a tensor in L0C sets
/// nothing. `isUnitFlag` gives every block of L0C back to Mmad, whoever held it.
template <typename T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false,
                      davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(!setRelu, "SetFixPipeConfig: only quantisation words on 2201");
  const davsim::isa::Operand words = preData.Operand();
  if (words.space != davsim::isa::Space::kFb && words.space != davsim::isa::Space::kL0C) {
    davsim::api::refuse_path("SetFixPipeConfig", words.space, davsim::isa::Space::kFb, where);
  }
  if (words.space == davsim::isa::Space::kFb) {
    davsim::api::registers().fixpipe_quant_addr = words.addr;
  }
  davsim::api::emit_set_register(where);
  if (isUnitFlag) {
    davsim::api::emit(davsim::isa::Opcode::kClearUnitFlags, davsim::isa::Pipe::S, {}, {}, {},
                      davsim::isa::ScalarParams{1}, where);
  }
}
template <typename T>
void SetFixPipeConfig(const LocalTensor<T>&, const LocalTensor<T>& quantPre,
                      bool isUnitFlag = false,
                      davsim::api::Location where = davsim::api::Location::current()) {
  SetFixPipeConfig<T, false>(quantPre, isUnitFlag, where);
}

}  // namespace AscendC
