// Intrinsics of the cube side: loads to L0A and L0B, products, results out of L0C, and their
// registers. Counts and strides are those of the parameter structs in cube_params.h.
#pragma once

#include <cstdint>

#include "ascendc/cube.h"
#include "ascendc/intrinsics_copy.h"

/// Whether a load walks its source upwards or downwards.
enum addr_cal_mode_t : std::uint8_t { inc = 0, dec = 1 };

/// Defines the load of whole fractals, and that of transposed squares, to one of the L0 buffers. In
/// one number: baseIdx from bit 0 on, repeat 16, srcStride 24, dstGap 44, addrCalMode 60.
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
  void name(T* dst, T* src, std::uint64_t config, bool transpose,                                  \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    const auto part = [config](int from) { return static_cast<std::uint16_t>(config >> from); };   \
    name(dst, src, part(0), static_cast<std::uint8_t>(part(16)), part(24), part(44), 0, transpose, \
         static_cast<std::uint8_t>(config >> 60 & 1), where);                                      \
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

/// Defines the load of whole fractals from global memory.
#define DAVSIM_LOAD_GLOBAL(name, Memory)                                                          \
  template <typename T>                                                                           \
  void name(T* dst, T* src, std::uint16_t baseIdx, std::uint8_t repeat, std::uint16_t srcStride,  \
            std::uint16_t dstGap, std::uint8_t sid, std::uint8_t addrCalMode,                     \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::api::call_as(#name, [&] {                                                             \
      davsim::api::emit_load_2d(                                                                  \
          davsim::api::operand_at(davsim::isa::Space::Memory, dst),                               \
          davsim::api::operand_at(davsim::isa::Space::kGm, src),                                  \
          AscendC::LoadData2DParams(baseIdx, repeat, srcStride, sid, dstGap, false, addrCalMode), \
          where);                                                                                 \
    });                                                                                           \
  }
DAVSIM_LOAD_GLOBAL(load_gm_to_cbuf, kL1)
DAVSIM_LOAD_GLOBAL(load_gm_to_ca, kL0A)
DAVSIM_LOAD_GLOBAL(load_gm_to_cb, kL0B)
#undef DAVSIM_LOAD_GLOBAL

/// The loads of whole fractals of int4b_t, which pointers of any type point to.
#define DAVSIM_LOAD_2D_S4(name, load)                                                              \
  inline void name(void* dst, void* src, std::uint16_t baseIdx, std::uint8_t repeat,               \
                   std::uint16_t srcStride, std::uint16_t dstGap, std::uint8_t sid,                \
                   bool transpose, addr_cal_mode_t addrCalMode,                                    \
                   davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::call_as(#name, [&] {                                                              \
      load(static_cast<AscendC::int4b_t*>(dst), static_cast<AscendC::int4b_t*>(src), baseIdx,      \
           repeat, srcStride, dstGap, sid, transpose, addrCalMode, where);                         \
    });                                                                                            \
  }                                                                                                \
  inline void name(void* dst, void* src, std::uint64_t config, bool transpose,                     \
                   addr_cal_mode_t addrCalMode,                                                    \
                   davsim::api::Location where = davsim::api::Location::current()) {               \
    const auto part = [config](int from) { return static_cast<std::uint16_t>(config >> from); };   \
    name(dst, src, part(0), static_cast<std::uint8_t>(part(16)), part(24), part(44), 0, transpose, \
         addrCalMode, where);                                                                      \
  }
DAVSIM_LOAD_2D_S4(load_cbuf_to_ca_s4, load_cbuf_to_ca)
DAVSIM_LOAD_2D_S4(load_cbuf_to_cb_s4, load_cbuf_to_cb)
#undef DAVSIM_LOAD_2D_S4

/// Defines the load of a piece of the img2col matrix of the feature map that set_fmatrix describes,
/// or set_fmatrix_b with fmatrixCtrl.
#define DAVSIM_LOAD_3D(name, Memory)                                                              \
  template <typename T>                                                                           \
  void name(T* dst, T* src, std::uint16_t stepK, std::uint16_t stepM, std::uint16_t posK,         \
            std::uint16_t posM, std::uint8_t strideW, std::uint8_t strideH, std::uint8_t Wk,      \
            std::uint8_t Hk, std::uint8_t dilationW, std::uint8_t dilationH, bool filterW,        \
            bool filterH, bool transpose, bool fmatrixCtrl, std::uint16_t sizeChannel,            \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    AscendC::LoadData3DParamsV2<T> params;                                                        \
    params.kExtension = stepK;                                                                    \
    params.mExtension = stepM;                                                                    \
    params.kStartPt = posK;                                                                       \
    params.mStartPt = posM;                                                                       \
    params.strideW = strideW;                                                                     \
    params.strideH = strideH;                                                                     \
    params.filterW = Wk;                                                                          \
    params.filterH = Hk;                                                                          \
    params.dilationFilterW = dilationW;                                                           \
    params.dilationFilterH = dilationH;                                                           \
    params.filterSizeW = filterW;                                                                 \
    params.filterSizeH = filterH;                                                                 \
    params.enTranspose = transpose;                                                               \
    params.channelSize = sizeChannel;                                                             \
    davsim::api::call_as(#name, [&] {                                                             \
      davsim::api::emit_load_3d(                                                                  \
          davsim::api::operand_at(davsim::isa::Space::Memory, dst),                               \
          davsim::api::operand_at(davsim::isa::Space::kL1, src), params,                          \
          fmatrixCtrl ? davsim::api::registers().fmatrix_b : davsim::api::registers().fmatrix,    \
          where);                                                                                 \
    });                                                                                           \
  }                                                                                               \
  template <typename T>                                                                           \
  void name(T* dst, T* src, std::uint64_t xm, std::uint64_t xt,                                   \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    const auto part = [](std::uint64_t word, int from) {                                          \
      return static_cast<std::uint16_t>(word >> from);                                            \
    };                                                                                            \
    const auto byte = [xt](int from, unsigned bits) {                                             \
      return static_cast<std::uint8_t>(xt >> from & ((1u << bits) - 1));                          \
    };                                                                                            \
    name(dst, src, part(xm, 0), part(xm, 16), part(xm, 32), part(xm, 48), byte(0, 6), byte(6, 6), \
         byte(12, 8), byte(20, 8), byte(28, 8), byte(36, 8), byte(44, 1) != 0, byte(45, 1) != 0,  \
         byte(46, 1) != 0, byte(47, 1) != 0, part(xt, 48), where);                                \
  }
DAVSIM_LOAD_3D(img2colv2_cbuf_to_ca, kL0A)
DAVSIM_LOAD_3D(img2colv2_cbuf_to_cb, kL0B)
#undef DAVSIM_LOAD_3D

/// Width in bits 0 to 15, height in 16 to 31, then the padding left, right, top and bottom, 8 bits
/// each.
#define DAVSIM_SET_FMATRIX(name, which)                                              \
  inline void name(std::uint64_t config,                                             \
                   davsim::api::Location where = davsim::api::Location::current()) { \
    std::uint8_t pad[AscendC::PAD_SIZE];                                             \
    for (int side = 0; side < AscendC::PAD_SIZE; ++side) {                           \
      pad[side] = static_cast<std::uint8_t>(config >> (32 + 8 * side));              \
    }                                                                                \
    davsim::api::call_as(#name, [&] {                                                \
      davsim::api::set_fmatrix(davsim::api::registers().which,                       \
                               static_cast<std::uint16_t>(config >> 16),             \
                               static_cast<std::uint16_t>(config), pad, where);      \
    });                                                                              \
  }
DAVSIM_SET_FMATRIX(set_fmatrix, fmatrix)
DAVSIM_SET_FMATRIX(set_fmatrix_b, fmatrix_b)
#undef DAVSIM_SET_FMATRIX
/// Where img2col loads begin anew in L1: what SetLoadDataBoundary sets. Kernels mostly clear it.
inline void set_l1_3d_size(std::uint64_t config,
                           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("set_l1_3d_size", [&] {
    AscendC::SetLoadDataBoundary(static_cast<std::uint32_t>(config), where);
  });
}
/// Repeats of img2col loads: their stride in bits 0 to 15, how many in 16 to 23, the mode in 24.
inline void set_l3d_rpt(std::uint64_t config,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("set_l3d_rpt", [&] {
    AscendC::SetLoadDataRepeat(
        {static_cast<std::uint16_t>(config), static_cast<std::uint8_t>(config >> 16),
         static_cast<std::uint8_t>(config >> 24 & 1)},
        where);
  });
}
/// What img2col loads pad with: the bits of an element.
inline void set_padding(std::uint64_t config,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().load_data_padding = config;
  davsim::api::emit_set_register(where);
}

// --- one value everywhere ---------------------------------------------------------------------

namespace davsim::api {

/// `config`: runs in bits 0 to 14, blocks of a run in 16 to 30, blocks between two in 32 to 46. A
/// value of half or bfloat16_t fills elements of 16 bits, any other is a pattern of 32.
template <typename T, typename Value>
void fill_matrix(const char* name, isa::Space space, T* dst, std::int64_t config, Value value,
                 Location where) {
  constexpr bool kShort = std::is_same_v<Value, half> || std::is_same_v<Value, bfloat16_t>;
  using Pattern = std::conditional_t<kShort, Value, std::uint32_t>;
  const auto part = [config](int from) {
    return static_cast<std::uint16_t>(config >> from & 0x7fff);
  };
  call_as(name, [&] {
    emit_fill(operand_at(space, dst, dtype_of<Pattern>()),
              AscendC::InitConstValueParams<Pattern>(part(0), part(16), part(32),
                                                     static_cast<Pattern>(value)),
              where);
  });
}

}  // namespace davsim::api

/// Defines the filling of one buffer. A block has 32 bytes in L1 and 512 in L0A and L0B.
#define DAVSIM_CREATE_MATRIX(name, Memory)                                                  \
  template <typename T, typename Value>                                                     \
  void name(T* dst, std::int64_t repeat, Value value,                                       \
            davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::fill_matrix(#name, davsim::isa::Space::Memory, dst, repeat, value, where); \
  }                                                                                         \
  template <typename T>                                                                     \
  void name##_bf16(T* dst, std::int64_t repeat, bfloat16_t value,                           \
                   davsim::api::Location where = davsim::api::Location::current()) {        \
    davsim::api::fill_matrix(#name "_bf16", davsim::isa::Space::Memory, dst, repeat, value, \
                             where);                                                        \
  }
DAVSIM_CREATE_MATRIX(create_cbuf_matrix, kL1)
DAVSIM_CREATE_MATRIX(create_ca_matrix, kL0A)
DAVSIM_CREATE_MATRIX(create_cb_matrix, kL0B)
#undef DAVSIM_CREATE_MATRIX

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

/// C = A x B + start: 0 (cmatrixInitVal), a row of the bias table (cmatrixSource) or what C holds.
/// Bits 32 and up of C's address are the row's byte in the bias table.
template <typename T, typename U, typename S>
void mad(T* c, U* a, S* b, std::uint16_t m, std::uint16_t k, std::uint16_t n, std::uint8_t unitFlag,
         bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal,
         davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kMmadTypes<T, U, S>,
                "mad: half, bfloat16_t or float into float, or int8_t or int4b_t into int32_t");
  using AscendC::TPosition;
  const AscendC::MmadParams params =
      davsim::api::mmad_params(m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal);
  davsim::isa::MmadInstrParams start = davsim::api::start_of(params);
  if (start.bias_from_bt) start.bias_addr = reinterpret_cast<std::uintptr_t>(c) >> 32;
  davsim::api::call_as("mad", [&] {
    davsim::api::emit_mmad(davsim::api::tensor_at<TPosition::CO1>(c).Operand(),
                           davsim::api::tensor_at<TPosition::A2>(a).Operand(),
                           davsim::api::tensor_at<TPosition::B2>(b).Operand(), params, start,
                           where);
  });
}

namespace davsim::api {

/// Of the longer forms: the products of 2201 shift neither A nor B and take no mask from elsewhere.
inline void require_no_offsets(std::uint8_t feature, std::uint8_t mask, bool weight,
                               Location where) {
  require_range("mad", "featOffset", feature, 0, 0, where);
  require_range("mad", "smaskOffset", mask, 0, 0, where);
  require_range("mad", "isWeightOffset", weight, 0, 0, where);
}

}  // namespace davsim::api

template <typename T, typename U, typename S>
void mad(T* c, U* a, S* b, std::uint16_t m, std::uint16_t k, std::uint16_t n,
         std::uint8_t featOffset, std::uint8_t smaskOffset, std::uint8_t unitFlag,
         bool kDirectionAlign, bool isWeightOffset, bool cmatrixSource, bool cmatrixInitVal,
         davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_no_offsets(featOffset, smaskOffset, isWeightOffset, where);
  mad(c, a, b, m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal, where);
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

/// In one number: m from bit 0 on, k 12 and n 24, 12 bits each, unitFlag 55, kDirectionAlign 61,
/// cmatrixSource 62, cmatrixInitVal 63.
template <typename T, typename U, typename S>
void mad(T* c, U* a, S* b, std::uint64_t config,
         davsim::api::Location where = davsim::api::Location::current()) {
  const auto size = [config](int from) {
    return static_cast<std::uint16_t>(config >> from & 0xfff);
  };
  mad(c, a, b, size(0), size(12), size(24), static_cast<std::uint8_t>(config >> 55 & 3),
      (config >> 61 & 1) != 0, (config >> 62 & 1) != 0, (config >> 63 & 1) != 0, where);
}

/// Products of int4b_t, which pointers of any type point to.
inline void mad_s4(std::int32_t* c, void* a, void* b, std::uint16_t m, std::uint16_t k,
                   std::uint16_t n, std::uint8_t unitFlag, bool kDirectionAlign, bool cmatrixSource,
                   bool cmatrixInitVal,
                   davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("mad_s4", [&] {
    mad(c, static_cast<AscendC::int4b_t*>(a), static_cast<AscendC::int4b_t*>(b), m, k, n, unitFlag,
        kDirectionAlign, cmatrixSource, cmatrixInitVal, where);
  });
}
inline void mad_s4(std::int32_t* c, void* a, void* b, std::uint16_t m, std::uint16_t k,
                   std::uint16_t n, std::uint8_t featOffset, std::uint8_t smaskOffset,
                   std::uint8_t unitFlag, bool kDirectionAlign, bool isWeightOffset,
                   bool cmatrixSource, bool cmatrixInitVal,
                   davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("mad_s4", [&] {
    davsim::api::require_no_offsets(featOffset, smaskOffset, isWeightOffset, where);
  });
  mad_s4(c, a, b, m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal, where);
}

// --- results out of L0C -----------------------------------------------------------------------

/// Defines the move of a result out of L0C, quantised and laid out as parameters and registers say.
/// QuantPRE is a QuantMode_t or its number.
/// In two numbers: NSize from bit 4 of xm on, MSize 16, dstStride 32; srcStride from bit 0 of xt
/// on, UnitFlagMode 32, QuantPRE 34, ReLUPRE 39, channelSplit 42, NZ2ND_EN 43.
#define DAVSIM_OUT_OF_L0C(name, Memory)                                                           \
  template <typename T, typename U>                                                               \
  void name(T* dst, U* src, [[maybe_unused]] std::uint8_t sid, std::uint16_t NSize,               \
            std::uint16_t MSize, std::uint32_t dstStride, std::uint16_t srcStride,                \
            std::uint8_t UnitFlagMode, std::uint8_t QuantPRE, std::uint8_t ReLUPRE,               \
            bool channelSplit, bool NZ2ND_EN,                                                     \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    static_assert(davsim::api::kFixpipeTypes<T, U>, #name ": no such pair of types on 2201");     \
    davsim::api::require_range(#name, "ReLUPRE", ReLUPRE, 0, 1, where);                           \
    AscendC::FixpipeParamsV220 params(NSize, MSize, srcStride, dstStride, ReLUPRE == 1);          \
    params.quantPre = static_cast<QuantMode_t>(QuantPRE);                                         \
    params.unitFlag = UnitFlagMode;                                                               \
    params.isChannelSplit = channelSplit;                                                         \
    davsim::api::call_as(#name, [&] {                                                             \
      davsim::api::emit_fixpipe(davsim::api::operand_at(davsim::isa::Space::Memory, dst),         \
                                davsim::api::operand_at(davsim::isa::Space::kL0C, src),           \
                                davsim::api::fixpipe_params(params, NZ2ND_EN, where), where);     \
    });                                                                                           \
  }                                                                                               \
  template <typename T, typename U>                                                               \
  void name(T* dst, U* src, std::uint64_t xm, std::uint64_t xt,                                   \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    const auto part = [xt](int from, unsigned bits) {                                             \
      return static_cast<std::uint8_t>(xt >> from & ((1u << bits) - 1));                          \
    };                                                                                            \
    name(dst, src, 0, static_cast<std::uint16_t>(xm >> 4 & 0xfff),                                \
         static_cast<std::uint16_t>(xm >> 16), static_cast<std::uint32_t>(xm >> 32),              \
         static_cast<std::uint16_t>(xt), part(32, 2), part(34, 5), part(39, 3), part(42, 1) != 0, \
         part(43, 1) != 0, where);                                                                \
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
