// Intrinsics that move data between global memory, UB, L1, the bias table and the Fixpipe buffer,
// and their registers. `sid` is reserved; bursts and gaps are in DataBlocks of 32 bytes, gaps from
// end to start.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/data_copy.h"

namespace davsim::api {

/// What a pointer of an intrinsic points to.
template <typename T>
isa::Operand operand_at(isa::Space space, const T* pointer) {
  isa::DType type = isa::DType::kU8;
  if constexpr (!std::is_void_v<T>) type = dtype_of<T>();
  return {space, type, reinterpret_cast<std::uint64_t>(pointer)};
}
/// The same with elements of another type.
template <typename T>
isa::Operand operand_at(isa::Space space, const T* pointer, isa::DType type) {
  return {space, type, reinterpret_cast<std::uint64_t>(pointer)};
}

inline void copy_align_in(isa::DType type, void* dst, const void* src, std::uint16_t bursts,
                          std::uint32_t length, std::uint8_t left, std::uint8_t right,
                          std::uint32_t src_gap, std::uint32_t dst_gap, Location where) {
  emit_copy_pad_in(operand_at(isa::Space::kUb, dst, type), operand_at(isa::Space::kGm, src, type),
                   {bursts, length, src_gap, dst_gap, 0}, {false, left, right, 0}, where);
}

inline void copy_align_out(isa::DType type, void* dst, const void* src, std::uint16_t bursts,
                           std::uint32_t length, std::uint32_t src_gap, std::uint32_t dst_gap,
                           Location where) {
  emit_copy_pad_out(operand_at(isa::Space::kGm, dst, type), operand_at(isa::Space::kUb, src, type),
                    {bursts, length, src_gap, dst_gap, 0}, where);
}

/// Bursts and gaps in one number, as the copies of whole DataBlocks take them: bursts from bit 4
/// on, their length from 16 on, the gaps of source and destination from 32 and 48 on.
struct CopyConfig {
  explicit CopyConfig(std::uint64_t config)
      : bursts(static_cast<std::uint16_t>(config >> 4 & 0xfff)),
        length(static_cast<std::uint16_t>(config >> 16)),
        src_gap(static_cast<std::uint16_t>(config >> 32)),
        dst_gap(static_cast<std::uint16_t>(config >> 48)) {}
  std::uint16_t bursts, length, src_gap, dst_gap;
};

/// The same of copies with padding: bursts from bit 4 on, their bytes from 16 on, elements of
/// padding on the left from 48 and on the right from 54 on; the gaps in a number of their own.
struct AlignedCopyConfig {
  explicit AlignedCopyConfig(std::uint64_t config, std::uint64_t gaps)
      : bursts(static_cast<std::uint16_t>(config >> 4 & 0xfff)),
        length(static_cast<std::uint32_t>(config >> 16)),
        left(static_cast<std::uint8_t>(config >> 48 & 0x3f)),
        right(static_cast<std::uint8_t>(config >> 54 & 0x3f)),
        src_gap(static_cast<std::uint32_t>(gaps)),
        dst_gap(static_cast<std::uint32_t>(gaps >> 32)) {}
  std::uint16_t bursts;
  std::uint32_t length;
  std::uint8_t left, right;
  std::uint32_t src_gap, dst_gap;
};

}  // namespace davsim::api

/// Defines a copy in whole DataBlocks between two memories.
#define DAVSIM_BLOCK_COPY(name, To, From)                                                       \
  template <typename T, typename U>                                                             \
  void name(T* dst, U* src, [[maybe_unused]] std::uint8_t sid, std::uint16_t nBurst,            \
            std::uint16_t lenBurst, std::uint16_t srcGap, std::uint16_t dstGap,                 \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    davsim::api::call_as(#name, [&] {                                                           \
      davsim::api::emit_copy(davsim::api::operand_at(davsim::isa::Space::To, dst),              \
                             davsim::api::operand_at(davsim::isa::Space::From, src),            \
                             AscendC::DataCopyParams(nBurst, lenBurst, srcGap, dstGap), where); \
    });                                                                                         \
  }                                                                                             \
  template <typename T, typename U>                                                             \
  void name(T* dst, U* src, std::uint64_t config,                                               \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    const davsim::api::CopyConfig c(config);                                                    \
    name(dst, src, 0, c.bursts, c.length, c.src_gap, c.dst_gap, where);                         \
  }
DAVSIM_BLOCK_COPY(copy_gm_to_ubuf, kUb, kGm)
DAVSIM_BLOCK_COPY(copy_ubuf_to_gm, kGm, kUb)
DAVSIM_BLOCK_COPY(copy_ubuf_to_ubuf, kUb, kUb)
DAVSIM_BLOCK_COPY(copy_cbuf_to_gm, kGm, kL1)
#undef DAVSIM_BLOCK_COPY

/// Only PAD_NONE is available.
template <typename T, typename U>
void copy_gm_to_cbuf(T* dst, U* src, [[maybe_unused]] std::uint8_t sid, std::uint16_t nBurst,
                     std::uint16_t lenBurst, std::uint16_t srcGap, std::uint16_t dstGap,
                     pad_t padMode = PAD_NONE,
                     davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("copy_gm_to_cbuf", "padMode", padMode, PAD_NONE, PAD_NONE, where);
  davsim::api::call_as("copy_gm_to_cbuf", [&] {
    davsim::api::emit_copy(davsim::api::operand_at(davsim::isa::Space::kL1, dst),
                           davsim::api::operand_at(davsim::isa::Space::kGm, src),
                           AscendC::DataCopyParams(nBurst, lenBurst, srcGap, dstGap), where);
  });
}

template <typename T, typename U>
void copy_gm_to_cbuf(T* dst, U* src, std::uint64_t config, pad_t padMode,
                     davsim::api::Location where = davsim::api::Location::current()) {
  const davsim::api::CopyConfig c(config);
  copy_gm_to_cbuf(dst, src, 0, c.bursts, c.length, c.src_gap, c.dst_gap, padMode, where);
}

/// Defines copies of bursts of any length, with padding counted in elements: lengths and gaps of
/// global memory in bytes, gaps of UB in DataBlocks.
#define DAVSIM_ALIGNED_COPY(width, Type)                                                          \
  inline void copy_gm_to_ubuf_align_##width(                                                      \
      __ubuf__ void* dst, __gm__ const void* src, [[maybe_unused]] std::uint8_t sid,              \
      std::uint16_t nBurst, std::uint32_t lenBurst, std::uint8_t leftPaddingNum,                  \
      std::uint8_t rightPaddingNum, std::uint32_t srcGap, std::uint32_t dstGap,                   \
      davsim::api::Location where = davsim::api::Location::current()) {                           \
    davsim::api::call_as("copy_gm_to_ubuf_align_" #width, [&] {                                   \
      davsim::api::copy_align_in(davsim::isa::DType::Type, dst, src, nBurst, lenBurst,            \
                                 leftPaddingNum, rightPaddingNum, srcGap, dstGap, where);         \
    });                                                                                           \
  }                                                                                               \
  inline void copy_ubuf_to_gm_align_##width(                                                      \
      __gm__ void* dst, __ubuf__ const void* src, [[maybe_unused]] std::uint8_t sid,              \
      std::uint16_t nBurst, std::uint32_t lenBurst, [[maybe_unused]] std::uint8_t leftPaddingNum, \
      [[maybe_unused]] std::uint8_t rightPaddingNum, std::uint32_t srcGap, std::uint32_t dstGap,  \
      davsim::api::Location where = davsim::api::Location::current()) {                           \
    davsim::api::call_as("copy_ubuf_to_gm_align_" #width, [&] {                                   \
      davsim::api::copy_align_out(davsim::isa::DType::Type, dst, src, nBurst, lenBurst, srcGap,   \
                                  dstGap, where);                                                 \
    });                                                                                           \
  }                                                                                               \
  inline void copy_gm_to_ubuf_align_##width(                                                      \
      __ubuf__ void* dst, __gm__ const void* src, std::uint64_t config, std::uint64_t gapConfig,  \
      davsim::api::Location where = davsim::api::Location::current()) {                           \
    const davsim::api::AlignedCopyConfig c(config, gapConfig);                                    \
    copy_gm_to_ubuf_align_##width(dst, src, 0, c.bursts, c.length, c.left, c.right, c.src_gap,    \
                                  c.dst_gap, where);                                              \
  }                                                                                               \
  inline void copy_ubuf_to_gm_align_##width(                                                      \
      __gm__ void* dst, __ubuf__ const void* src, std::uint64_t config, std::uint64_t gapConfig,  \
      davsim::api::Location where = davsim::api::Location::current()) {                           \
    const davsim::api::AlignedCopyConfig c(config, gapConfig);                                    \
    copy_ubuf_to_gm_align_##width(dst, src, 0, c.bursts, c.length, c.left, c.right, c.src_gap,    \
                                  c.dst_gap, where);                                              \
  }
DAVSIM_ALIGNED_COPY(b8, kU8)
DAVSIM_ALIGNED_COPY(b16, kU16)
DAVSIM_ALIGNED_COPY(b32, kU32)
#undef DAVSIM_ALIGNED_COPY

/// Row-major matrices to fractals in L1; counted as in AscendC::Nd2NzParams. In two numbers: ndNum
/// from bit 4 of xm on, nValue 16, dValue 32, srcNdMatrixStride 48; of xt from 0 on srcDValue, then
/// dstNzC0Stride, dstNzNStride and dstNzMatrixStride, 16 bits each.
#define DAVSIM_ND2NZ(name)                                                                        \
  template <typename T>                                                                           \
  void name(T* dst, T* src, [[maybe_unused]] std::uint8_t sid, std::uint16_t ndNum,               \
            std::uint16_t nValue, std::uint16_t dValue, std::uint32_t srcNdMatrixStride,          \
            std::uint32_t srcDValue, std::uint16_t dstNzC0Stride, std::uint16_t dstNzNStride,     \
            std::uint32_t dstNzMatrixStride,                                                      \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::api::call_as(#name, [&] {                                                             \
      davsim::api::emit_nd2nz(                                                                    \
          davsim::api::operand_at(davsim::isa::Space::kL1, dst),                                  \
          davsim::api::operand_at(davsim::isa::Space::kGm, src),                                  \
          davsim::api::nd2nz_params(ndNum, nValue, dValue, srcNdMatrixStride, srcDValue,          \
                                    dstNzC0Stride, dstNzNStride, dstNzMatrixStride),              \
          where);                                                                                 \
    });                                                                                           \
  }                                                                                               \
  template <typename T>                                                                           \
  void name(T* dst, T* src, std::uint64_t xm, std::uint64_t xt,                                   \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    const auto part = [](std::uint64_t word, int from) {                                          \
      return static_cast<std::uint16_t>(word >> from);                                            \
    };                                                                                            \
    name(dst, src, 0, part(xm, 4) & 0xfff, part(xm, 16), part(xm, 32), part(xm, 48), part(xt, 0), \
         part(xt, 16), part(xt, 32), part(xt, 48), where);                                        \
  }

namespace davsim::api {

inline AscendC::Nd2NzParams nd2nz_params(std::uint32_t matrices, std::uint32_t rows,
                                         std::uint32_t cols, std::uint32_t src_matrix,
                                         std::uint32_t src_row, std::uint32_t dst_c0,
                                         std::uint32_t dst_row, std::uint32_t dst_matrix) {
  AscendC::Nd2NzParams params;
  params.ndNum = static_cast<decltype(params.ndNum)>(matrices);
  params.nValue = static_cast<decltype(params.nValue)>(rows);
  params.dValue = static_cast<decltype(params.dValue)>(cols);
  params.srcNdMatrixStride = static_cast<decltype(params.srcNdMatrixStride)>(src_matrix);
  params.srcDValue = static_cast<decltype(params.srcDValue)>(src_row);
  params.dstNzC0Stride = static_cast<decltype(params.dstNzC0Stride)>(dst_c0);
  params.dstNzNStride = static_cast<decltype(params.dstNzNStride)>(dst_row);
  params.dstNzMatrixStride = static_cast<decltype(params.dstNzMatrixStride)>(dst_matrix);
  return params;
}

}  // namespace davsim::api

DAVSIM_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b8)
DAVSIM_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b16)
DAVSIM_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b32s)
#undef DAVSIM_ND2NZ

/// To the Fixpipe buffer: bursts of 128 bytes, distances from start to start.
template <typename T, typename U>
void copy_cbuf_to_fbuf(T* dst, U* src, std::uint16_t nBurst, std::uint16_t lenBurst,
                       std::uint16_t srcGap, std::uint16_t dstGap,
                       davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("copy_cbuf_to_fbuf", [&] {
    davsim::api::emit_copy(davsim::api::operand_at(davsim::isa::Space::kFb, dst),
                           davsim::api::operand_at(davsim::isa::Space::kL1, src),
                           AscendC::DataCopyParams(nBurst, lenBurst, srcGap, dstGap), where);
  });
}

/// To the bias table at byte `dst`, bursts of 64 bytes; `convControl` widens half to float.
template <typename T>
void copy_cbuf_to_bt(std::uint64_t dst, T* src, std::uint16_t convControl, std::uint16_t nBurst,
                     std::uint16_t lenBurst, std::uint16_t srcGap, std::uint16_t dstGap,
                     davsim::api::Location where = davsim::api::Location::current()) {
  const bool half_source = std::is_same_v<std::remove_cv_t<T>, half>;
  davsim::api::require_range("copy_cbuf_to_bt", "convControl", convControl, half_source ? 1 : 0,
                             half_source ? 1 : 0, where);
  const auto type = half_source ? davsim::isa::DType::kF32 : davsim::api::dtype_of<T>();
  davsim::api::call_as("copy_cbuf_to_bt", [&] {
    davsim::api::emit_copy({davsim::isa::Space::kBt, type, dst},
                           davsim::api::operand_at(davsim::isa::Space::kL1, src),
                           AscendC::DataCopyParams(nBurst, lenBurst, srcGap, dstGap), where);
  });
}

/// What copy_gm_to_ubuf_align_* fill with: the bits of an element.
inline void set_mov_pad_val(std::uint64_t value,
                            davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetPadValue<std::uint64_t>(value, where);
}

// --- atomics of moves to global memory: the type and the operation are set apart --------------

namespace davsim::api {

inline void set_atomic_operation(isa::AtomicOp op, Location where) {
  registers().atomic = op;
  emit_set_register(where);
}
inline void set_atomic_element(isa::DType type, Location where) {
  registers().atomic_type = type;
  emit_set_register(where);
}

}  // namespace davsim::api

inline void set_atomic_none(davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetAtomicNone(where);
}
#define DAVSIM_ATOMIC(name, what, value)                                             \
  inline void name(davsim::api::Location where = davsim::api::Location::current()) { \
    davsim::api::what(value, where);                                                 \
  }
DAVSIM_ATOMIC(set_atomic_add, set_atomic_operation, davsim::isa::AtomicOp::kAdd)
DAVSIM_ATOMIC(set_atomic_max, set_atomic_operation, davsim::isa::AtomicOp::kMax)
DAVSIM_ATOMIC(set_atomic_min, set_atomic_operation, davsim::isa::AtomicOp::kMin)
DAVSIM_ATOMIC(set_atomic_f32, set_atomic_element, davsim::isa::DType::kF32)
DAVSIM_ATOMIC(set_atomic_f16, set_atomic_element, davsim::isa::DType::kF16)
DAVSIM_ATOMIC(set_atomic_bf16, set_atomic_element, davsim::isa::DType::kBF16)
DAVSIM_ATOMIC(set_atomic_s32, set_atomic_element, davsim::isa::DType::kI32)
DAVSIM_ATOMIC(set_atomic_s16, set_atomic_element, davsim::isa::DType::kI16)
DAVSIM_ATOMIC(set_atomic_s8, set_atomic_element, davsim::isa::DType::kI8)
#undef DAVSIM_ATOMIC

enum atomic_type_t {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16,
};
enum atomic_op_t { ATOMIC_SUM = 0 };

/// Type and operation in one number: an atomic_type_t from bit 0 on, an atomic_op_t from bit 3 on.
inline void set_st_atomic_cfg(std::uint64_t config,
                              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("set_st_atomic_cfg", "config", static_cast<std::int64_t>(config),
                             ATOMIC_NONE, ATOMIC_BF16, where);
  davsim::api::set_atomic_additions(config, where);
}
inline void set_st_atomic_cfg(atomic_type_t type, atomic_op_t op,
                              davsim::api::Location where = davsim::api::Location::current()) {
  set_st_atomic_cfg(static_cast<std::uint64_t>(type) | static_cast<std::uint64_t>(op) << 3, where);
}
inline std::uint64_t get_st_atomic_cfg(
    davsim::api::Location where = davsim::api::Location::current()) {
  std::uint16_t type = 0, operation = 0;
  AscendC::GetStoreAtomicConfig(type, operation, where);
  return type;
}
