// The SIMD C API: products of cube cores.
#pragma once

#include "c_api/defs/enum.h"
#include "c_api/sync/sync.h"
#include "kernel_operator.h"

/// C = A x B + start: 0 (c_matrix_init_val), the bias table (c_matrix_source) or what C holds.
template <typename T, typename U, typename S>
void asc_mmad(T* c, U* a, S* b, std::uint16_t m, std::uint16_t k, std::uint16_t n,
              davsim::api::CMode unit_flag, bool k_direction_align, bool c_matrix_source,
              bool c_matrix_init_val,
              davsim::api::Location where = davsim::api::Location::current()) {
  mad(c, a, b, m, k, n, unit_flag.number, k_direction_align, c_matrix_source, c_matrix_init_val,
      where);
}
template <typename T, typename U, typename S>
void asc_mmad_sync(T* c, U* a, S* b, std::uint16_t m, std::uint16_t k, std::uint16_t n,
                   davsim::api::CMode unit_flag, bool k_direction_align, bool c_matrix_source,
                   bool c_matrix_init_val,
                   davsim::api::Location where = davsim::api::Location::current()) {
  asc_mmad(c, a, b, m, k, n, unit_flag, k_direction_align, c_matrix_source, c_matrix_init_val,
           where);
  asc_sync(where);
}

inline void asc_enable_hf32() {
  AscendC::SetHF32Mode(true);
}
/// Products of float take all its bits.
inline void asc_set_fp32_mode() {
  AscendC::SetHF32Mode(false);
}
