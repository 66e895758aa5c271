// The SIMD C API: comparisons, selections, gathering, shifts and sums of products, a part of
// vector_compute.h.
#pragma once

inline void asc_set_cmp_mask(void* sel_mask, DAVSIM_C_WHERE) {
  set_cmpmask(static_cast<std::uint8_t*>(sel_mask), where);
}
inline void asc_get_cmp_mask(void* dst, DAVSIM_C_WHERE) {
  get_cmpmask(static_cast<std::uint8_t*>(dst), where);
}

// Into CMPMASK, one repeat whatever `repeat` says; or into a tensor of bits, without a mask.
#define DAVSIM_C_COMPARE(name, what, ...)                                                         \
  template <typename T>                                                                           \
  void name(T* src0, std::type_identity_t<T>* src1, [[maybe_unused]] std::uint8_t repeat,         \
            std::uint8_t dst_block_stride, std::uint8_t src0_block_stride,                        \
            std::uint8_t src1_block_stride, std::uint8_t dst_repeat_stride,                       \
            std::uint8_t src0_repeat_stride, std::uint8_t src1_repeat_stride, DAVSIM_C_WHERE) {   \
    vcmp_##what(src0, src1, 1, dst_block_stride, src0_block_stride, src1_block_stride,            \
                dst_repeat_stride, src0_repeat_stride, src1_repeat_stride, where);                \
    __VA_ARGS__;                                                                                  \
  }                                                                                               \
  template <typename T>                                                                           \
  void name(std::uint8_t* dst, T* src0, std::type_identity_t<T>* src1, std::uint8_t repeat,       \
            std::uint8_t dst_block_stride, std::uint8_t src0_block_stride,                        \
            std::uint8_t src1_block_stride, std::uint8_t dst_repeat_stride,                       \
            std::uint8_t src0_repeat_stride, std::uint8_t src1_repeat_stride, DAVSIM_C_WHERE) {   \
    vcmpv_##what(dst, src0, src1, repeat, dst_block_stride, src0_block_stride, src1_block_stride, \
                 dst_repeat_stride, src0_repeat_stride, src1_repeat_stride, where);               \
    __VA_ARGS__;                                                                                  \
  }
#define DAVSIM_C_COMPARISON(what)      \
  DAVSIM_C_COMPARE(asc_##what, what, ) \
  DAVSIM_C_COMPARE(asc_##what##_sync, what, asc_sync(where))
DAVSIM_C_COMPARISON(lt)
DAVSIM_C_COMPARISON(gt)
DAVSIM_C_COMPARISON(le)
DAVSIM_C_COMPARISON(ge)
DAVSIM_C_COMPARISON(eq)
DAVSIM_C_COMPARISON(ne)
#undef DAVSIM_C_COMPARISON
#undef DAVSIM_C_COMPARE

namespace davsim::api {

/// By the bits of CMPMASK, which are those of every repeat.
template <typename T>
void select_by_register(T* dst, T* src0, T* src1, std::uint8_t repeat, std::uint8_t b0,
                        std::uint8_t b1, std::uint8_t b2, std::uint8_t r0, std::uint8_t r1,
                        std::uint8_t r2, Location where) {
  vsel(dst, src0, src1, repeat, b0, b1, b2, r0, r1, r2, 0, where);
}

}  // namespace davsim::api

DAVSIM_C_BINARY(asc_select, davsim::api::select_by_register)
/// dst = dst src0 + src1
DAVSIM_C_BINARY(asc_mul_add, vmadd)

/// Elements of src at offsets in bytes.
template <typename T>
void asc_gather(T* dst, std::type_identity_t<T>* src, std::uint32_t* src_offset,
                std::uint16_t dst_repeat_stride, std::uint8_t repeat, DAVSIM_C_WHERE) {
  vgather(dst, src_offset, reinterpret_cast<std::uint64_t>(src), dst_repeat_stride, repeat, where);
}
template <typename T>
void asc_gather(T* dst, std::type_identity_t<T>* src, std::uint32_t* src_offset,
                std::uint32_t count, DAVSIM_C_WHERE) {
  davsim::api::counted_instruction(count, where, [&] {
    vgather(dst, src_offset, reinterpret_cast<std::uint64_t>(src), 8, 1, where);
  });
}
template <typename T>
void asc_gather_sync(T* dst, std::type_identity_t<T>* src, std::uint32_t* src_offset,
                     std::uint32_t count, DAVSIM_C_WHERE) {
  asc_gather(dst, src, src_offset, count, where);
  asc_sync(where);
}

/// 16 x 16 elements.
template <typename T>
void asc_transpose(T* dst, std::type_identity_t<T>* src, DAVSIM_C_WHERE) {
  static_assert(sizeof(T) == 2, "asc_transpose takes int16_t and uint16_t");
  vtranspose(reinterpret_cast<std::uint16_t*>(dst), reinterpret_cast<std::uint16_t*>(src), where);
}
