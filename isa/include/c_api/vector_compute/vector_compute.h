// The SIMD C API: vector instructions. Each has a form with repeats and strides, which takes the
// mask that is set, one for the first `count` elements, which leaves a full mask in normal mode,
// and that one with a barrier of all pipes behind it.
#pragma once

#include "c_api/sync/sync.h"
#include "kernel_operator.h"

namespace davsim::api {

/// Runs an instruction on the first `count` elements.
template <class Call>
void counted_instruction(std::uint32_t count, Location where, Call call) {
  AscendC::SetMaskCount(where);
  AscendC::SetVectorMask<half, AscendC::MaskMode::COUNTER>(0, count, where);
  call();
  AscendC::SetMaskNorm(where);
  AscendC::ResetMask(where);
}

/// The stride between repeats, in DataBlocks, of elements of T beside elements of U: the larger
/// ones fill 256 bytes of each repeat.
template <typename T, typename U>
constexpr std::uint8_t repeat_stride_beside() {
  constexpr int kBits = isa::dtype_bits(dtype_of<T>()), kOthers = isa::dtype_bits(dtype_of<U>());
  return static_cast<std::uint8_t>(kBits >= kOthers ? 8 : 8 * kBits / kOthers);
}

}  // namespace davsim::api

#define DAVSIM_C_WHERE davsim::api::Location where = davsim::api::Location::current()

inline void asc_set_mask_count(DAVSIM_C_WHERE) {
  AscendC::SetMaskCount(where);
}
inline void asc_set_mask_norm(DAVSIM_C_WHERE) {
  AscendC::SetMaskNorm(where);
}
inline void asc_set_vector_mask(std::uint64_t mask1, std::uint64_t mask0, DAVSIM_C_WHERE) {
  set_vector_mask(mask1, mask0, where);
}

// --- two sources ------------------------------------------------------------------------------
#define DAVSIM_C_BINARY(name, intrinsic)                                                        \
  template <typename T>                                                                         \
  void name(T* dst, std::type_identity_t<T>* src0, std::type_identity_t<T>* src1,               \
            std::uint8_t repeat, std::uint8_t dst_block_stride, std::uint8_t src0_block_stride, \
            std::uint8_t src1_block_stride, std::uint8_t dst_repeat_stride,                     \
            std::uint8_t src0_repeat_stride, std::uint8_t src1_repeat_stride, DAVSIM_C_WHERE) { \
    intrinsic(dst, src0, src1, repeat, dst_block_stride, src0_block_stride, src1_block_stride,  \
              dst_repeat_stride, src0_repeat_stride, src1_repeat_stride, where);                \
  }                                                                                             \
  template <typename T>                                                                         \
  void name(T* dst, std::type_identity_t<T>* src0, std::type_identity_t<T>* src1,               \
            std::uint32_t count, DAVSIM_C_WHERE) {                                              \
    davsim::api::counted_instruction(                                                           \
        count, where, [&] { intrinsic(dst, src0, src1, 1, 1, 1, 1, 8, 8, 8, where); });         \
  }                                                                                             \
  template <typename T>                                                                         \
  void name##_sync(T* dst, std::type_identity_t<T>* src0, std::type_identity_t<T>* src1,        \
                   std::uint32_t count, DAVSIM_C_WHERE) {                                       \
    name(dst, src0, src1, count, where);                                                        \
    asc_sync(where);                                                                            \
  }
DAVSIM_C_BINARY(asc_add, vadd)
DAVSIM_C_BINARY(asc_sub, vsub)
DAVSIM_C_BINARY(asc_mul, vmul)
DAVSIM_C_BINARY(asc_div, vdiv)
DAVSIM_C_BINARY(asc_max, vmax)
DAVSIM_C_BINARY(asc_min, vmin)
DAVSIM_C_BINARY(asc_and, vand)
DAVSIM_C_BINARY(asc_or, vor)
DAVSIM_C_BINARY(asc_add_relu, vaddrelu)
DAVSIM_C_BINARY(asc_sub_relu, vsubrelu)
DAVSIM_C_BINARY(asc_fma, vmla)                // adds to dst
DAVSIM_C_BINARY(asc_mul_add_relu, vmaddrelu)  // dst times src0, and src1

// --- one source, and a scalar where there is one ------------------------------------------------
#define DAVSIM_C_UNARY(name, intrinsic, Result, Parameter, ...)                                 \
  template <typename T>                                                                         \
  void name(Result* dst, T* src Parameter, std::uint8_t repeat, std::uint16_t dst_block_stride, \
            std::uint16_t src_block_stride, std::uint16_t dst_repeat_stride,                    \
            std::uint16_t src_repeat_stride, DAVSIM_C_WHERE) {                                  \
    intrinsic(dst, src __VA_OPT__(, ) __VA_ARGS__, repeat, dst_block_stride, src_block_stride,  \
              davsim::api::repeat_stride(#name, dst_repeat_stride, where),                      \
              davsim::api::repeat_stride(#name, src_repeat_stride, where), where);              \
  }                                                                                             \
  template <typename T>                                                                         \
  void name(Result* dst, T* src Parameter, std::uint32_t count, DAVSIM_C_WHERE) {               \
    davsim::api::counted_instruction(count, where, [&] {                                        \
      intrinsic(dst, src __VA_OPT__(, ) __VA_ARGS__, 1, 1, 1, 8, 8, where);                     \
    });                                                                                         \
  }                                                                                             \
  template <typename T>                                                                         \
  void name##_sync(Result* dst, T* src Parameter, std::uint32_t count, DAVSIM_C_WHERE) {        \
    name(dst, src __VA_OPT__(, ) __VA_ARGS__, count, where);                                    \
    asc_sync(where);                                                                            \
  }
#define DAVSIM_C_SCALAR , std::type_identity_t<T> value
#define DAVSIM_C_SAME std::type_identity_t<T>

namespace davsim::api {

/// A stride between repeats as the intrinsics take it.
inline std::uint8_t repeat_stride(std::string_view call, std::uint16_t stride, Location where) {
  require_range(call, "a stride between repeats", stride, 0, 255, where);
  return static_cast<std::uint8_t>(stride);
}

/// There is no instruction for it.
template <typename T, class... Form>
void subtract_number(T* dst, T* src, T value, Form... form) {
  vadds(dst, src, static_cast<T>(-value), form...);
}

}  // namespace davsim::api

DAVSIM_C_UNARY(asc_exp, vexp, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_ln, vln, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_log, vln, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_abs, vabs, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_sqrt, vsqrt, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_rsqrt, vrsqrt, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_rcp, vrec, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_relu, vrelu, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_not, vnot, DAVSIM_C_SAME, )
DAVSIM_C_UNARY(asc_add_scalar, vadds, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
DAVSIM_C_UNARY(asc_sub_scalar, davsim::api::subtract_number, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
DAVSIM_C_UNARY(asc_mul_scalar, vmuls, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
DAVSIM_C_UNARY(asc_max_scalar, vmaxs, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
DAVSIM_C_UNARY(asc_min_scalar, vmins, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
DAVSIM_C_UNARY(asc_leakyrelu, vlrelu, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
/// dst += src value
DAVSIM_C_UNARY(asc_axpy, vaxpy, DAVSIM_C_SAME, DAVSIM_C_SCALAR, value)
#undef DAVSIM_C_SCALAR
/// By `distance` places.
#define DAVSIM_C_SCALAR , std::uint32_t distance
DAVSIM_C_UNARY(asc_shiftleft, vshl, DAVSIM_C_SAME, DAVSIM_C_SCALAR, static_cast<T>(distance))
DAVSIM_C_UNARY(asc_shiftright, vshr, DAVSIM_C_SAME, DAVSIM_C_SCALAR, static_cast<T>(distance))
#undef DAVSIM_C_UNARY
#undef DAVSIM_C_SAME
#undef DAVSIM_C_SCALAR

/// Fills with a number.
template <typename T>
void asc_duplicate(T* dst, std::type_identity_t<T> src, std::uint8_t repeat,
                   std::uint16_t dst_block_stride, std::uint16_t dst_repeat_stride,
                   DAVSIM_C_WHERE) {
  vector_dup(dst, src, repeat, dst_block_stride, 1,
             davsim::api::repeat_stride("asc_duplicate", dst_repeat_stride, where), 0, where);
}
template <typename T>
void asc_duplicate(T* dst, std::type_identity_t<T> src, std::uint32_t count, DAVSIM_C_WHERE) {
  davsim::api::counted_instruction(count, where,
                                   [&] { vector_dup(dst, src, 1, 1, 1, 8, 0, where); });
}
template <typename T>
void asc_duplicate_sync(T* dst, std::type_identity_t<T> src, std::uint32_t count, DAVSIM_C_WHERE) {
  asc_duplicate(dst, src, count, where);
  asc_sync(where);
}

// --- reductions ---------------------------------------------------------------------------------
#define DAVSIM_C_REDUCE(name, intrinsic, ...)                                                      \
  template <typename T>                                                                            \
  void name(T* dst, std::type_identity_t<T>* src, std::uint8_t repeat,                             \
            std::uint16_t dst_repeat_stride, std::uint16_t src_block_stride,                       \
            std::uint16_t src_repeat_stride, DAVSIM_C_WHERE) {                                     \
    intrinsic(dst, src, repeat, dst_repeat_stride, src_block_stride,                               \
              src_repeat_stride __VA_OPT__(, ) __VA_ARGS__, where);                                \
  }                                                                                                \
  template <typename T>                                                                            \
  void name(T* dst, std::type_identity_t<T>* src, std::uint32_t count, DAVSIM_C_WHERE) {           \
    davsim::api::counted_instruction(                                                              \
        count, where, [&] { intrinsic(dst, src, 1, 1, 1, 8 __VA_OPT__(, ) __VA_ARGS__, where); }); \
  }                                                                                                \
  template <typename T>                                                                            \
  void name##_sync(T* dst, std::type_identity_t<T>* src, std::uint32_t count, DAVSIM_C_WHERE) {    \
    name(dst, src, count, where);                                                                  \
    asc_sync(where);                                                                               \
  }
DAVSIM_C_REDUCE(asc_datablock_reduce_sum, vcgadd)
DAVSIM_C_REDUCE(asc_datablock_reduce_max, vcgmax)
DAVSIM_C_REDUCE(asc_datablock_reduce_min, vcgmin)
DAVSIM_C_REDUCE(asc_pair_reduce_sum, vcpadd)
DAVSIM_C_REDUCE(asc_repeat_reduce_sum, vcadd, false)
DAVSIM_C_REDUCE(asc_repeat_reduce_max_value_index, vcmax, VALUE_INDEX)
DAVSIM_C_REDUCE(asc_repeat_reduce_max_index_value, vcmax, INDEX_VALUE)
DAVSIM_C_REDUCE(asc_repeat_reduce_max_only_value, vcmax, ONLY_VALUE)
DAVSIM_C_REDUCE(asc_repeat_reduce_max_only_index, vcmax, ONLY_INDEX)
DAVSIM_C_REDUCE(asc_repeat_reduce_min_value_index, vcmin, VALUE_INDEX)
DAVSIM_C_REDUCE(asc_repeat_reduce_min_index_value, vcmin, INDEX_VALUE)
DAVSIM_C_REDUCE(asc_repeat_reduce_min_only_value, vcmin, ONLY_VALUE)
DAVSIM_C_REDUCE(asc_repeat_reduce_min_only_index, vcmin, ONLY_INDEX)
#undef DAVSIM_C_REDUCE

/// Each element of src in a DataBlock of its own.
template <typename T>
void asc_brcb(T* dst, std::type_identity_t<T>* src, std::uint16_t dst_block_stride,
              std::uint16_t dst_repeat_stride, std::uint8_t repeat, DAVSIM_C_WHERE) {
  vbrcb(dst, src, dst_block_stride, dst_repeat_stride, repeat, where);
}
template <typename T>
void asc_brcb_sync(T* dst, std::type_identity_t<T>* src, std::uint16_t dst_block_stride,
                   std::uint16_t dst_repeat_stride, std::uint8_t repeat, DAVSIM_C_WHERE) {
  asc_brcb(dst, src, dst_block_stride, dst_repeat_stride, repeat, where);
  asc_sync(where);
}

#include "c_api/vector_compute/choices.h"
#include "c_api/vector_compute/conversions.h"
#undef DAVSIM_C_BINARY
#undef DAVSIM_C_WHERE
