// The SIMD C API: bits of whole numbers, by the scalar unit.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

inline std::int64_t asc_clz(std::uint64_t bits) {
  return clz(bits);
}
/// Bits below the sign, from the highest one on, that are equal to it; -1 for 0 and -1.
inline std::int64_t asc_sflbits(std::int64_t bits) {
  return sflbits(bits);
}
/// The lowest bit that is 1; -1 if there is none.
inline std::int64_t asc_ffs(std::uint64_t bits) {
  return sff1(bits);
}
/// The lowest bit that is 0; -1 if there is none.
inline std::int64_t asc_ffz(std::uint64_t bits) {
  return sff0(bits);
}
inline std::int64_t asc_popc(std::uint64_t bits) {
  return bcnt1(bits);
}
inline std::int64_t asc_zero_bits_cnt(std::uint64_t bits) {
  return bcnt0(bits);
}
inline std::uint64_t asc_set_nthbit(std::uint64_t bits, std::int64_t idx) {
  return sbitset1(bits, idx);
}
inline std::uint64_t asc_clear_nthbit(std::uint64_t bits, std::int64_t idx) {
  return sbitset0(bits, idx);
}
