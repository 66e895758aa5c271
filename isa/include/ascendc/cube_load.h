// Loads from L1 to L0A and L0B (queue MTE1), and the registers of the img2col load.
//
// Layouts: L0A holds A[m, k] as rows of fractals, each fractal row-major 16 x C0 ("Zz"); L0B holds
// B[k, n] as rows of fractals, each fractal column-major C0 x 16 ("Zn"). C0 is 32 bytes of
// elements.
#pragma once

#include "ascendc/cube_params.h"
#include "ascendc/data_copy_emit.h"
#include "isa/numeric/layout.hpp"

namespace davsim::api {

/// LoadData of whole fractals out of GM, to L1, L0A or L0B.
inline void emit_load_2d_from_gm(const isa::Operand& dst, isa::Operand src,
                                 const AscendC::LoadData2DParams& params, Location where) {
  constexpr std::int64_t kFractal = isa::kFractalBytes;
  const bool to_l1 = dst.space == isa::Space::kL1;
  if (!to_l1 && dst.space != isa::Space::kL0A && dst.space != isa::Space::kL0B) {
    refuse_path("LoadData", src.space, dst.space, where);
  }
  if (params.ifTranspose) refuse("LoadData", "ifTranspose", 1, "0 from GM", where);
  src.addr += static_cast<std::uint64_t>(params.startIndex * kFractal);
  isa::MoveParams move;
  move.bursts = params.repeatTimes;
  move.burst_bytes = kFractal;
  move.src_pitch = params.srcStride * kFractal * (params.addrMode == 1 ? -1 : 1);
  move.dst_pitch = (1 + params.dstGap) * kFractal;
  emit(to_l1 ? isa::Opcode::kMoveGmToL1 : isa::Opcode::kLoadGmToL0, isa::Pipe::MTE2, dst, src, {},
       move, where);
}

/// LoadData of whole fractals; from GM they go to L1, L0A or L0B, from L1 to L0A or L0B.
inline void emit_load_2d(const isa::Operand& dst, const isa::Operand& src,
                         const AscendC::LoadData2DParams& params, Location where) {
  if (params.repeatTimes == 0) return;
  require_range("LoadData", "addrMode", params.addrMode, 0, 1, where);
  if (src.space == isa::Space::kGm) {
    emit_load_2d_from_gm(dst, src, params, where);
    return;
  }
  isa::Load2dParams load;
  load.start = params.startIndex;
  load.repeats = params.repeatTimes;
  load.src_stride = params.srcStride;
  load.dst_gap = params.dstGap;
  load.transpose = params.ifTranspose;
  load.decrease = params.addrMode == 1;
  emit(isa::Opcode::kLoadData2d, isa::Pipe::MTE1, dst, src, {}, load, where);
}

/// LoadDataWithTranspose.
inline void emit_load_transpose(const isa::Operand& dst, const isa::Operand& src,
                                const AscendC::LoadData2dTransposeParams& params, Location where) {
  if (params.repeatTimes == 0) return;
  require_range("LoadDataWithTranspose", "addrMode", params.addrMode, 0, 1, where);
  isa::Load2dParams load;
  load.start = params.startIndex;
  load.repeats = params.repeatTimes;
  load.src_stride = params.srcStride;
  load.dst_gap = params.dstGap;
  load.dst_frac_gap = params.dstFracGap;
  load.transpose = true;
  load.decrease = params.addrMode == 1;
  emit(isa::Opcode::kLoadDataTranspose, isa::Pipe::MTE1, dst, src, {}, load, where);
}

/// LoadDataWithSparse; of the parameters only the first fractal and their number count.
inline void emit_load_sparse(const isa::Operand& dst, const isa::Operand& src,
                             const isa::Operand& idx, const AscendC::LoadData2DParams& params,
                             Location where) {
  if (params.repeatTimes == 0) return;
  require_range("LoadDataWithSparse", "ifTranspose", params.ifTranspose, 0, 0, where);
  isa::Load2dParams load;
  load.start = params.startIndex;
  load.repeats = params.repeatTimes;
  emit(isa::Opcode::kLoadDataSparse, isa::Pipe::MTE1, dst, src, idx, load, where);
}

/// Documented limits of the img2col parameters.
template <typename T>
void check_load_3d(const AscendC::LoadData3DParamsV2<T>& params, Location where) {
  require_range("LoadData", "strideW", params.strideW, 1, 63, where);
  require_range("LoadData", "strideH", params.strideH, 1, 63, where);
  require_range("LoadData", "dilationFilterW", params.dilationFilterW, 1, 255, where);
  require_range("LoadData", "dilationFilterH", params.dilationFilterH, 1, 255, where);
  require_range("LoadData", "enSmallK", params.enSmallK, 0, 0, where);
  require_range("LoadData", "fMatrixCtrl", params.fMatrixCtrl, 0, 0, where);
}

/// LoadData of a feature map; the padding value comes from its register.
template <typename T>
void emit_load_3d(const isa::Operand& dst, const isa::Operand& src,
                  const AscendC::LoadData3DParamsV2<T>& params, const isa::FeatureMap& map,
                  Location where) {
  const isa::Registers& set = registers();
  isa::Load3dParams load;
  load.pad = map.pad;
  load.l1_h = map.height;
  load.l1_w = map.width;
  load.pad_value = set.load_data_padding;
  load.channels = params.channelSize;
  load.k_extension = params.kExtension;
  load.m_extension = params.mExtension;
  load.k_start = params.kStartPt;
  load.m_start = params.mStartPt;
  load.stride_w = params.strideW;
  load.stride_h = params.strideH;
  load.filter_w = static_cast<std::uint16_t>(params.filterW + (params.filterSizeW ? 256 : 0));
  load.filter_h = static_cast<std::uint16_t>(params.filterH + (params.filterSizeH ? 256 : 0));
  load.dilation_w = params.dilationFilterW;
  load.dilation_h = params.dilationFilterH;
  load.transpose = params.enTranspose;
  load.boundary = set.load_3d_boundary;
  load.repeats = set.load_3d_repeats;
  const bool along_k = set.load_3d_repeat_mode == 1;
  const std::uint32_t step = set.load_3d_repeat_stride;
  load.repeat_m_step = along_k ? 0 : step * isa::kFractalRows;
  load.repeat_k_step = along_k ? step * isa::c0_elements(src.type) : 0;
  const bool nothing = load.repeats == 0 || load.l1_h == 0 || load.l1_w == 0 ||
                       load.channels == 0 || load.k_extension == 0 || load.m_extension == 0 ||
                       load.filter_w == 0 || load.filter_h == 0;
  if (nothing) return;  // documented as a no-op
  check_load_3d(params, where);
  emit(isa::Opcode::kLoadData3d, isa::Pipe::MTE1, dst, src, {}, load, where);
}

/// The numbers that LoadData3DParamsV2Pro packs.
template <typename T>
AscendC::LoadData3DParamsV2<T> unpacked(const AscendC::LoadData3DParamsV2Pro& packed) {
  const auto ext = [&](int index) {
    return static_cast<std::uint16_t>(packed.extConfig >> (16 * index));
  };
  const auto filter = [&](int index) {
    return static_cast<std::uint8_t>(packed.filterConfig >> (8 * index));
  };
  AscendC::LoadData3DParamsV2<T> params;
  params.channelSize = packed.channelSize;
  params.kExtension = ext(0);
  params.mExtension = ext(1);
  params.kStartPt = ext(2);
  params.mStartPt = ext(3);
  params.strideW = filter(0);
  params.strideH = filter(1);
  params.filterW = filter(2);
  params.filterH = filter(3);
  params.dilationFilterW = filter(4);
  params.dilationFilterH = filter(5);
  params.enTranspose = packed.enTranspose;
  params.enSmallK = packed.enSmallK;
  params.filterSizeW = packed.filterSizeW;
  params.filterSizeH = packed.filterSizeH;
  params.fMatrixCtrl = packed.fMatrixCtrl;
  return params;
}

/// The register of a feature map; it costs the scalar unit an instruction.
inline void set_fmatrix(isa::FeatureMap& map, std::uint16_t height, std::uint16_t width,
                        const std::uint8_t* pad, Location where) {
  require_range("SetFmatrix", "l1H", height, 0, 32767, where);
  require_range("SetFmatrix", "l1W", width, 0, 32767, where);
  map.height = height;
  map.width = width;
  for (std::size_t i = 0; i < map.pad.size(); ++i) map.pad[i] = pad[i];
  emit_set_register(where);
}

}  // namespace davsim::api

namespace AscendC {

/// L1 to L0A or L0B, fractal by fractal. L0 addresses are multiples of 512 bytes, L1 addresses
/// of 32.
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const LoadData2DParams& loadDataParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_load_2d(dst.Operand(), src.Operand(), loadDataParams, where);
}

/// GM to L1, L0A or L0B, fractal by fractal (queue MTE2). GM addresses may be any.
template <typename T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
              const LoadData2DParams& loadDataParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(!std::is_same_v<T, int4b_t>, "LoadData: int4b_t is loaded from L1 only");
  davsim::api::emit_load_2d(dst.Operand(), src.Operand(), loadDataParams, where);
}

/// Squares of fractals, transposed: 16 x 16 elements of 16 and 32 bits, 32 x 32 of 8 bits, 64 x 64
/// of int4b_t (to L0B only).
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const LoadData2dTransposeParams& loadDataParams,
                           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_load_transpose(dst.Operand(), src.Operand(), loadDataParams, where);
}

/// Fractals of a matrix B whose every four rows are two (see MmadWithSparse), one behind the other,
/// and their indices: two bits an element, four to a byte with the first in the low bits, 128 bytes
/// a fractal. The indices go to a memory of their own beside L0B.
template <typename T = std::int8_t, typename U = std::uint8_t>
requires(std::is_same_v<T, std::int8_t>&& std::is_same_v<U, std::uint8_t>) void LoadDataWithSparse(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& idx,
    const LoadData2DParams& loadDataParam,
    davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_load_sparse(dst.Operand(), src.Operand(), idx.Operand(), loadDataParam, where);
}

/// A piece of the img2col matrix [Ho * Wo, C1 * Kh * Kw * C0] of a feature map in L1. To L0A it
/// goes as it is, or transposed as a whole (enTranspose); to L0B always as B with k = Ho * Wo.
template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG,
          typename U = PrimT<T>>
requires std::is_same_v<PrimT<T>, U>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const LoadData3DParamsV2<U>& loadDataParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  if constexpr (defaultConfig.isSetFMatrix) {
    davsim::api::set_fmatrix(davsim::api::registers().fmatrix, loadDataParams.l1H,
                             loadDataParams.l1W, loadDataParams.padList, where);
  }
  if constexpr (defaultConfig.isSetPadding) {
    davsim::api::registers().load_data_padding = davsim::api::bits_of(loadDataParams.padValue);
    davsim::api::emit_set_register(where);
  }
  davsim::api::emit_load_3d(dst.Operand(), src.Operand(), loadDataParams,
                            davsim::api::registers().fmatrix, where);
}

/// The same with packed parameters; feature map and padding value are those that were set before.
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const LoadData3DParamsV2Pro& loadDataParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_load_3d(dst.Operand(), src.Operand(), davsim::api::unpacked<T>(loadDataParams),
                            davsim::api::registers().fmatrix, where);
}

/// Feature map of the LoadData calls with isSetFMatrix = false.
inline void SetFmatrix(std::uint16_t l1H, std::uint16_t l1W, const std::uint8_t padList[PAD_SIZE],
                       const FmatrixMode& fmatrixMode,
                       davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("SetFmatrix", "fmatrixMode", static_cast<int>(fmatrixMode), 0, 0,
                             where);
  davsim::api::set_fmatrix(davsim::api::registers().fmatrix, l1H, l1W, padList, where);
}

/// Older name of SetFmatrix.
inline void Load3DSetFMatrixCal(std::uint16_t l1H, std::uint16_t l1W,
                                const std::uint8_t padList[PAD_SIZE],
                                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_fmatrix(davsim::api::registers().fmatrix, l1H, l1W, padList, where);
}

/// Padding value of the LoadData calls with isSetPadding = false.
template <typename T>
void SetLoadDataPaddingValue(const T padValue,
                             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().load_data_padding = davsim::api::bits_of(padValue);
  davsim::api::emit_set_register(where);
}

/// Byte of L1 from which a LoadData of a feature map goes on at byte 0; 0: it never does.
inline void SetLoadDataBoundary(std::uint32_t boundaryValue,
                                davsim::api::Location where = davsim::api::Location::current()) {
  if (boundaryValue != 0) {
    davsim::api::require_range("SetLoadDataBoundary", "boundaryValue", boundaryValue, 1024,
                               UINT32_MAX, where);
  }
  davsim::api::registers().load_3d_boundary = boundaryValue;
  davsim::api::emit_set_register(where);
}

/// Repeats of every LoadData of a feature map that follows.
inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams,
                              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("SetLoadDataRepeat", "repeatMode", repeatParams.repeatMode, 0, 1,
                             where);
  auto& set = davsim::api::registers();
  set.load_3d_repeat_stride = repeatParams.repeatStride;
  set.load_3d_repeats = repeatParams.repeatTime;
  set.load_3d_repeat_mode = repeatParams.repeatMode;
  davsim::api::emit_set_register(where);
}

}  // namespace AscendC
