// The SIMD C API: moves between global memory and UB, and within UB.
#pragma once

#include "c_api/sync/sync.h"
#include "kernel_operator.h"

// Defines the three forms of a copy of whole DataBlocks: bursts, a size in bytes, and a size with a
// barrier behind it.
#define DAVSIM_C_COPY(name, intrinsic)                                                           \
  inline void name(void* dst, void* src, std::uint16_t n_burst, std::uint16_t burst_len,         \
                   std::uint16_t src_gap, std::uint16_t dst_gap,                                 \
                   davsim::api::Location where = davsim::api::Location::current()) {             \
    intrinsic(dst, src, 0, n_burst, burst_len, src_gap, dst_gap, where);                         \
  }                                                                                              \
  inline void name(void* dst, void* src, std::uint32_t size,                                     \
                   davsim::api::Location where = davsim::api::Location::current()) {             \
    davsim::api::require_range(#name, "size in DataBlocks", size / davsim::isa::kBlockBytes, 1,  \
                               65535, where);                                                    \
    name(dst, src, 1, static_cast<std::uint16_t>(size / davsim::isa::kBlockBytes), 0, 0, where); \
  }                                                                                              \
  inline void name##_sync(void* dst, void* src, std::uint32_t size,                              \
                          davsim::api::Location where = davsim::api::Location::current()) {      \
    name(dst, src, size, where);                                                                 \
    asc_sync(where);                                                                             \
  }
DAVSIM_C_COPY(asc_copy_gm2ub, copy_gm_to_ubuf)
DAVSIM_C_COPY(asc_copy_ub2gm, copy_ubuf_to_gm)
DAVSIM_C_COPY(asc_copy_ub2ub, copy_ubuf_to_ubuf)
#undef DAVSIM_C_COPY

// The same for copies of any length; `len_burst` and `size` are bytes, padding is elements.
#define DAVSIM_C_ALIGNED_COPY(name, intrinsic)                                                    \
  template <typename T>                                                                           \
  void name(T* dst, std::type_identity_t<T>* src, std::uint16_t n_burst, std::uint32_t len_burst, \
            std::uint8_t left_padding_num, std::uint8_t right_padding_num, std::uint32_t src_gap, \
            std::uint32_t dst_gap,                                                                \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    if constexpr (sizeof(T) == 1) {                                                               \
      intrinsic##_b8(dst, src, 0, n_burst, len_burst, left_padding_num, right_padding_num,        \
                     src_gap, dst_gap, where);                                                    \
    } else if constexpr (sizeof(T) == 2) {                                                        \
      intrinsic##_b16(dst, src, 0, n_burst, len_burst, left_padding_num, right_padding_num,       \
                      src_gap, dst_gap, where);                                                   \
    } else {                                                                                      \
      intrinsic##_b32(dst, src, 0, n_burst, len_burst, left_padding_num, right_padding_num,       \
                      src_gap, dst_gap, where);                                                   \
    }                                                                                             \
  }                                                                                               \
  template <typename T>                                                                           \
  void name(T* dst, std::type_identity_t<T>* src, std::uint32_t size,                             \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    name(dst, src, 1, size, 0, 0, 0, 0, where);                                                   \
  }                                                                                               \
  template <typename T>                                                                           \
  void name##_sync(T* dst, std::type_identity_t<T>* src, std::uint32_t size,                      \
                   davsim::api::Location where = davsim::api::Location::current()) {              \
    name(dst, src, size, where);                                                                  \
    asc_sync(where);                                                                              \
  }
DAVSIM_C_ALIGNED_COPY(asc_copy_gm2ub_align, copy_gm_to_ubuf_align)
DAVSIM_C_ALIGNED_COPY(asc_copy_ub2gm_align, copy_ubuf_to_gm_align)
#undef DAVSIM_C_ALIGNED_COPY
