// Intrinsics of the cube side: loads to L0A and L0B, products, results out of L0C, and their
// registers. Counts and strides are those of the parameter structs in cube_params.h.
#pragma once

#include <cstdint>

#include "ascendc/cube.h"
#include "ascendc/intrinsics_copy.h"

/// Whether a load walks its source upwards or downwards.
enum addr_cal_mode_t : std::uint8_t { inc = 0, dec = 1 };

/// Defines the load of whole fractals, and that of transposed squares, to one of the L0 buffers.
#define DAVSIM_LOAD_2D(name, Memory)                                                               \
  template <typename T>                                                                            \
  void name(T* dst, T* src, std::uint16_t baseIdx, std::uint8_t repeat, std::uint16_t srcStride,   \
            std::uint16_t dstGap, std::uint8_t sid, bool transpose,                                \
            std::uint8_t addrCalMode = addr_cal_mode_t::inc,                                       \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    davsim::api::call_as(#name, [&] {                                                              \
      davsim::api::emit_load_2d(davsim::api::operand_at(davsim::isa::Space::Memory, dst),          \
                                davsim::api::operand_at(davsim::isa::Space::kL1, src),             \
                                AscendC::LoadData2DParams(baseIdx, repeat, srcStride, sid, dstGap, \
                                                          transpose, addrCalMode),                 \
                                where);                                                            \
    });                                                                                            \
  }                                                                                                \
  template <typename T>                                                                            \
  void name##_transpose(T* dst, T* src, std::uint16_t indexID, std::uint8_t repeat,                \
                        std::uint16_t srcStride, std::uint16_t dstGap, std::uint8_t addrmode,      \
                        std::uint16_t dstFracGap,                                                  \
                        davsim::api::Location where = davsim::api::Location::current()) {          \
    davsim::api::call_as(#name "_transpose", [&] {                                                 \
      davsim::api::emit_load_transpose(                                                            \
          davsim::api::operand_at(davsim::isa::Space::Memory, dst),                                \
          davsim::api::operand_at(davsim::isa::Space::kL1, src),                                   \
          AscendC::LoadData2dTransposeParams(indexID, repeat, srcStride, dstGap, dstFracGap,       \
                                             addrmode),                                            \
          where);                                                                                  \
    });                                                                                            \
  }
DAVSIM_LOAD_2D(load_cbuf_to_ca, kL0A)
DAVSIM_LOAD_2D(load_cbuf_to_cb, kL0B)
#undef DAVSIM_LOAD_2D

/// Defines the load of a piece of the img2col matrix of the feature map that set_fmatrix describes.
#define DAVSIM_LOAD_3D(name, Memory)                                                           \
  template <typename T>                                                                        \
  void name(T* dst, T* src, std::uint16_t stepK, std::uint16_t stepM, std::uint16_t posK,      \
            std::uint16_t posM, std::uint8_t strideW, std::uint8_t strideH, std::uint8_t Wk,   \
            std::uint8_t Hk, std::uint8_t dilationW, std::uint8_t dilationH, bool filterW,     \
            bool filterH, bool transpose, bool fmatrixCtrl, std::uint16_t sizeChannel,         \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    AscendC::LoadData3DParamsV2<T> params;                                                     \
    params.kExtension = stepK;                                                                 \
    params.mExtension = stepM;                                                                 \
    params.kStartPt = posK;                                                                    \
    params.mStartPt = posM;                                                                    \
    params.strideW = strideW;                                                                  \
    params.strideH = strideH;                                                                  \
    params.filterW = Wk;                                                                       \
    params.filterH = Hk;                                                                       \
    params.dilationFilterW = dilationW;                                                        \
    params.dilationFilterH = dilationH;                                                        \
    params.filterSizeW = filterW;                                                              \
    params.filterSizeH = filterH;                                                              \
    params.enTranspose = transpose;                                                            \
    params.fMatrixCtrl = fmatrixCtrl;                                                          \
    params.channelSize = sizeChannel;                                                          \
    davsim::api::call_as(#name, [&] {                                                          \
      davsim::api::emit_load_3d(davsim::api::operand_at(davsim::isa::Space::Memory, dst),      \
                                davsim::api::operand_at(davsim::isa::Space::kL1, src), params, \
                                where);                                                        \
    });                                                                                        \
  }
DAVSIM_LOAD_3D(img2colv2_cbuf_to_ca, kL0A)
DAVSIM_LOAD_3D(img2colv2_cbuf_to_cb, kL0B)
#undef DAVSIM_LOAD_3D

/// Width in bits 0 to 15, height in 16 to 31, then the padding left, right, top and bottom, 8 bits
/// each.
inline void set_fmatrix(std::uint64_t config,
                        davsim::api::Location where = davsim::api::Location::current()) {
  std::uint8_t pad[AscendC::PAD_SIZE];
  for (int side = 0; side < AscendC::PAD_SIZE; ++side) {
    pad[side] = static_cast<std::uint8_t>(config >> (32 + 8 * side));
  }
  davsim::api::set_fmatrix(static_cast<std::uint16_t>(config >> 16),
                           static_cast<std::uint16_t>(config), pad, where);
}
/// What img2col loads pad with: the bits of an element.
inline void set_padding(std::uint64_t config,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().load_data_padding = config;
  davsim::api::emit_set_register(where);
}

// --- products ---------------------------------------------------------------------------------

namespace davsim::api {

/// The tensor at a pointer into an on-chip buffer; its end is not known, so that no checker is told
/// of one.
template <AscendC::TPosition position, typename T>
AscendC::LocalTensor<T> tensor_at(const T* pointer) {
  AscendC::LocalTensor<T> tensor;
  tensor.address_.bufferAddr =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pointer));
  tensor.address_.logicPos = static_cast<std::uint8_t>(position);
  return tensor;
}

inline AscendC::MmadParams mmad_params(std::uint16_t m, std::uint16_t k, std::uint16_t n,
                                       std::uint8_t unit_flag, bool k_align, bool source,
                                       bool init) {
  AscendC::MmadParams params(m, n, k, unit_flag, source, init);
  params.kDirectionAlign = k_align;
  return params;
}

}  // namespace davsim::api

/// C = A x B + start: 0 (cmatrixInitVal), the bias table (cmatrixSource) or what C holds.
template <typename T, typename U, typename S>
void mad(T* c, U* a, S* b, std::uint16_t m, std::uint16_t k, std::uint16_t n, std::uint8_t unitFlag,
         bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal,
         davsim::api::Location where = davsim::api::Location::current()) {
  using AscendC::TPosition;
  davsim::api::call_as("mad", [&] {
    AscendC::Mmad(
        davsim::api::tensor_at<TPosition::CO1>(c), davsim::api::tensor_at<TPosition::A2>(a),
        davsim::api::tensor_at<TPosition::B2>(b),
        davsim::api::mmad_params(m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal),
        where);
  });
}

/// C starts from the row at byte `bias` of the bias table.
template <typename T, typename U, typename S>
void mad(T* c, U* a, S* b, std::uint64_t bias, std::uint16_t m, std::uint16_t k, std::uint16_t n,
         std::uint8_t unitFlag, bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal,
         davsim::api::Location where = davsim::api::Location::current()) {
  using AscendC::TPosition;
  davsim::api::call_as("mad", [&] {
    AscendC::Mmad(
        davsim::api::tensor_at<TPosition::CO1>(c), davsim::api::tensor_at<TPosition::A2>(a),
        davsim::api::tensor_at<TPosition::B2>(b),
        davsim::api::tensor_at<TPosition::C2>(reinterpret_cast<T*>(bias)),
        davsim::api::mmad_params(m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal),
        where);
  });
}

// --- results out of L0C -----------------------------------------------------------------------

/// Defines the move of a result out of L0C, quantised and laid out as parameters and registers say.
#define DAVSIM_OUT_OF_L0C(name, Memory)                                                       \
  template <typename T, typename U>                                                           \
  void name(T* dst, U* src, [[maybe_unused]] std::uint8_t sid, std::uint16_t NSize,           \
            std::uint16_t MSize, std::uint32_t dstStride, std::uint16_t srcStride,            \
            std::uint8_t UnitFlagMode, QuantMode_t QuantPRE, std::uint8_t ReLUPRE,            \
            bool channelSplit, bool NZ2ND_EN,                                                 \
            davsim::api::Location where = davsim::api::Location::current()) {                 \
    static_assert(davsim::api::kFixpipeTypes<T, U>, #name ": no such pair of types on 2201"); \
    davsim::api::require_range(#name, "ReLUPRE", ReLUPRE, 0, 1, where);                       \
    AscendC::FixpipeParamsV220 params(NSize, MSize, srcStride, dstStride, ReLUPRE == 1);      \
    params.quantPre = QuantPRE;                                                               \
    params.unitFlag = UnitFlagMode;                                                           \
    params.isChannelSplit = channelSplit;                                                     \
    davsim::api::call_as(#name, [&] {                                                         \
      davsim::api::emit_fixpipe(davsim::api::operand_at(davsim::isa::Space::Memory, dst),     \
                                davsim::api::operand_at(davsim::isa::Space::kL0C, src),       \
                                davsim::api::fixpipe_params(params, NZ2ND_EN, where), where); \
    });                                                                                       \
  }
DAVSIM_OUT_OF_L0C(copy_matrix_cc_to_gm, kGm)
DAVSIM_OUT_OF_L0C(copy_matrix_cc_to_cbuf, kL1)
#undef DAVSIM_OUT_OF_L0C

/// Matrices in bits 0 to 15, their distance in L0C in 16 to 31 and in global memory in 32 to 47.
inline void set_nd_para(std::uint64_t config,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("set_nd_para", [&] {
    AscendC::SetFixpipeNz2ndFlag(static_cast<std::uint16_t>(config),
                                 static_cast<std::uint16_t>(config >> 16),
                                 static_cast<std::uint16_t>(config >> 32), where);
  });
}
/// Quantisation word of the scalar modes.
inline void set_quant_pre(std::uint64_t config,
                          davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetFixpipePreQuantFlag(config, where);
}
/// Where the quantisation words lie in the Fixpipe buffer: in units of 128 bytes, bits 8 to 15.
inline void set_fpc(std::uint64_t config,
                    davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().fixpipe_quant_addr = (config >> 8 & 0xff) << 7;
  davsim::api::emit_set_register(where);
}
