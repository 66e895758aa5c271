// The SIMD C API: moves of cube cores. Counts and strides of loads are fractals of 512 bytes, those
// of moves to L1 DataBlocks.
#pragma once

#include "c_api/defs/enum.h"
#include "c_api/defs/union.h"
#include "c_api/sync/sync.h"
#include "kernel_operator.h"

// Defines a move, and the same with a barrier behind it: what it takes beside dst and src, as
// parameters and as arguments, and the intrinsic that it calls.
#define DAVSIM_C_MOVE(name, parameters, arguments, ...)                              \
  template <typename T, typename U>                                                  \
  void name(T* dst, U* src, DAVSIM_C_LIST parameters,                                \
            davsim::api::Location where = davsim::api::Location::current()) {        \
    __VA_ARGS__;                                                                     \
  }                                                                                  \
  template <typename T, typename U>                                                  \
  void name##_sync(T* dst, U* src, DAVSIM_C_LIST parameters,                         \
                   davsim::api::Location where = davsim::api::Location::current()) { \
    name(dst, src, DAVSIM_C_LIST arguments, where);                                  \
    asc_sync(where);                                                                 \
  }
#define DAVSIM_C_LIST(...) __VA_ARGS__

/// Bursts of DataBlocks to L1, or `size` bytes of them.
inline void asc_copy_gm2l1(void* dst, void* src, std::uint16_t n_burst, std::uint16_t len_burst,
                           std::uint16_t src_gap, std::uint16_t dst_gap,
                           davsim::api::Location where = davsim::api::Location::current()) {
  copy_gm_to_cbuf(dst, src, 0, n_burst, len_burst, src_gap, dst_gap, PAD_NONE, where);
}
inline void asc_copy_gm2l1(void* dst, void* src, std::uint32_t size,
                           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("asc_copy_gm2l1", "size in DataBlocks",
                             size / davsim::isa::kBlockBytes, 1, 65535, where);
  asc_copy_gm2l1(dst, src, 1, static_cast<std::uint16_t>(size / davsim::isa::kBlockBytes), 0, 0,
                 where);
}
inline void asc_copy_gm2l1_sync(void* dst, void* src, std::uint32_t size,
                                davsim::api::Location where = davsim::api::Location::current()) {
  asc_copy_gm2l1(dst, src, size, where);
  asc_sync(where);
}

// Fractals from global memory.
#define DAVSIM_C_LOAD_GLOBAL(name, intrinsic)                                 \
  DAVSIM_C_MOVE(                                                              \
      name,                                                                   \
      (std::uint16_t base_idx, std::uint8_t repeat, std::uint16_t src_stride, \
       std::uint16_t dst_gap),                                                \
      (base_idx, repeat, src_stride, dst_gap),                                \
      intrinsic(dst, src, base_idx, repeat, src_stride, dst_gap, 0, addr_cal_mode_t::inc, where))
DAVSIM_C_LOAD_GLOBAL(asc_copy_gm2l1, load_gm_to_cbuf)
DAVSIM_C_LOAD_GLOBAL(asc_copy_gm2l0a, load_gm_to_ca)
DAVSIM_C_LOAD_GLOBAL(asc_copy_gm2l0b, load_gm_to_cb)
#undef DAVSIM_C_LOAD_GLOBAL

// Row-major matrices to fractals; counted as in AscendC::Nd2NzParams.
DAVSIM_C_MOVE(asc_copy_gm2l1_nd2nz,
              (std::uint16_t nd_num, std::uint16_t n_value, std::uint16_t d_value,
               std::uint16_t src_nd_matrix_stride, std::uint16_t src_d_value,
               std::uint16_t dst_nz_c0_stride, std::uint16_t dst_nz_n_stride,
               std::uint16_t dst_nz_matrix_stride),
              (nd_num, n_value, d_value, src_nd_matrix_stride, src_d_value, dst_nz_c0_stride,
               dst_nz_n_stride, dst_nz_matrix_stride),
              davsim::api::call_as("asc_copy_gm2l1_nd2nz", [&] {
                davsim::api::emit_nd2nz(
                    davsim::api::operand_at(davsim::isa::Space::kL1, dst),
                    davsim::api::operand_at(davsim::isa::Space::kGm, src),
                    davsim::api::nd2nz_params(nd_num, n_value, d_value, src_nd_matrix_stride,
                                              src_d_value, dst_nz_c0_stride, dst_nz_n_stride,
                                              dst_nz_matrix_stride),
                    where);
              }))

// Fractals from L1, transposed squares, and pieces of an img2col matrix.
#define DAVSIM_C_LOAD(name, intrinsic, img2col)                                                  \
  DAVSIM_C_MOVE(name,                                                                            \
                (std::uint16_t start_index, std::uint8_t repeat, std::uint16_t src_stride,       \
                 std::uint16_t dst_gap),                                                         \
                (start_index, repeat, src_stride, dst_gap),                                      \
                intrinsic(dst, src, start_index, repeat, src_stride, dst_gap, 0, false,          \
                          addr_cal_mode_t::inc, where))                                          \
  DAVSIM_C_MOVE(                                                                                 \
      name##_trans,                                                                              \
      (std::uint16_t index_id, std::uint8_t repeat, std::uint16_t src_stride,                    \
       std::uint16_t dst_gap, bool enable_addr_decrement, std::uint16_t dst_frac_gap),           \
      (index_id, repeat, src_stride, dst_gap, enable_addr_decrement, dst_frac_gap),              \
      intrinsic##_transpose(dst, src, index_id, repeat, src_stride, dst_gap,                     \
                            enable_addr_decrement ? addr_cal_mode_t::dec : addr_cal_mode_t::inc, \
                            dst_frac_gap, where))                                                \
  DAVSIM_C_MOVE(                                                                                 \
      name,                                                                                      \
      (std::uint16_t k_extension, std::uint16_t m_extension, std::uint16_t k_start_pt,           \
       std::uint16_t m_start_pt, std::uint8_t stride_w, std::uint8_t stride_h,                   \
       std::uint8_t filter_w, std::uint8_t filter_h, std::uint8_t dilation_filter_w,             \
       std::uint8_t dilation_filter_h, bool filter_size_w, bool filter_size_h, bool transpose,   \
       bool f_matrix_ctrl, std::uint16_t channel_size),                                          \
      (k_extension, m_extension, k_start_pt, m_start_pt, stride_w, stride_h, filter_w, filter_h, \
       dilation_filter_w, dilation_filter_h, filter_size_w, filter_size_h, transpose,            \
       f_matrix_ctrl, channel_size),                                                             \
      img2col(dst, src, k_extension, m_extension, k_start_pt, m_start_pt, stride_w, stride_h,    \
              filter_w, filter_h, dilation_filter_w, dilation_filter_h, filter_size_w,           \
              filter_size_h, transpose, f_matrix_ctrl, channel_size, where))
DAVSIM_C_LOAD(asc_copy_l12l0a, load_cbuf_to_ca, img2colv2_cbuf_to_ca)
DAVSIM_C_LOAD(asc_copy_l12l0b, load_cbuf_to_cb, img2colv2_cbuf_to_cb)
#undef DAVSIM_C_LOAD

/// To byte `dst` of the bias table: bursts of DataBlocks.
template <typename T>
void asc_copy_l12bt(std::uint64_t dst, T* src, std::uint16_t conv_control, std::uint16_t n_burst,
                    std::uint16_t len_burst, std::uint16_t source_gap, std::uint16_t dst_gap,
                    davsim::api::Location where = davsim::api::Location::current()) {
  copy_cbuf_to_bt(dst, src, conv_control, n_burst, len_burst, source_gap, dst_gap, where);
}

// Results out of L0C, quantised and laid out as parameters and registers say.
#define DAVSIM_C_OUT_OF_L0C(name, intrinsic)                                                       \
  DAVSIM_C_MOVE(                                                                                   \
      name,                                                                                        \
      (std::uint16_t n_size, std::uint16_t m_size, std::uint32_t dst_stride,                       \
       std::uint16_t src_stride, davsim::api::CMode unit_flag_mode, davsim::api::CMode quant_pre,  \
       davsim::api::CMode relu_pre, bool channel_split, bool nz2nd_en),                            \
      (n_size, m_size, dst_stride, src_stride, unit_flag_mode, quant_pre, relu_pre, channel_split, \
       nz2nd_en),                                                                                  \
      intrinsic(dst, src, 0, n_size, m_size, dst_stride, src_stride, unit_flag_mode.number,        \
                quant_pre.number, relu_pre.number, channel_split, nz2nd_en, where))
DAVSIM_C_OUT_OF_L0C(asc_copy_l0c2gm, copy_matrix_cc_to_gm)
DAVSIM_C_OUT_OF_L0C(asc_copy_l0c2l1, copy_matrix_cc_to_cbuf)
#undef DAVSIM_C_OUT_OF_L0C

/// Matrices of a move with nz2nd_en, and their distances in L0C and in global memory.
inline void asc_set_l0c2gm_nz2nd(std::uint64_t nd_num, std::uint64_t src_nd_stride,
                                 std::uint64_t dst_nd_stride,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  set_nd_para(nd_num | src_nd_stride << 16 | dst_nd_stride << 32, where);
}

// What img2col loads read: the feature map, the other one, where they begin anew in L1, repeats,
// and the value that they pad with.
inline void asc_set_l13d_fmatrix(const asc_l13d_fmatrix_config& config,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  set_fmatrix(config.config, where);
}
inline void asc_set_l13d_fmatrix_b(const asc_l13d_fmatrix_config& config,
                                   davsim::api::Location where = davsim::api::Location::current()) {
  set_fmatrix_b(config.config, where);
}
inline void asc_set_l13d_size(std::uint64_t value,
                              davsim::api::Location where = davsim::api::Location::current()) {
  set_l1_3d_size(value, where);
}
inline void asc_set_l13d_rpt(const asc_load3d_v2_config& config,
                             davsim::api::Location where = davsim::api::Location::current()) {
  set_l3d_rpt(config.config, where);
}
template <typename T>
void asc_set_l13d_padding(T value, davsim::api::Location where = davsim::api::Location::current()) {
  set_padding(davsim::api::bits_of(value), where);
}

// One value everywhere: an element of 16 bits, or a pattern of 32.
#define DAVSIM_C_FILL(name, intrinsic)                                               \
  template <typename T, typename Value>                                              \
  void name(T* dst, Value value, const asc_fill_value_config& config,                \
            davsim::api::Location where = davsim::api::Location::current()) {        \
    intrinsic(dst, static_cast<std::int64_t>(config.config), value, where);          \
  }                                                                                  \
  template <typename T, typename Value>                                              \
  void name##_sync(T* dst, Value value, const asc_fill_value_config& config,         \
                   davsim::api::Location where = davsim::api::Location::current()) { \
    name(dst, value, config, where);                                                 \
    asc_sync(where);                                                                 \
  }
DAVSIM_C_FILL(asc_fill_l1, create_cbuf_matrix)
DAVSIM_C_FILL(asc_fill_l0a, create_ca_matrix)
DAVSIM_C_FILL(asc_fill_l0b, create_cb_matrix)
#undef DAVSIM_C_FILL

#undef DAVSIM_C_LIST
#undef DAVSIM_C_MOVE
