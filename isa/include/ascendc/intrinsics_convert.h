// Intrinsics that convert: in the vector unit from UB to UB, and numbers of the scalar unit.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/intrinsics_vector.h"
#include "ascendc/scalar.h"

namespace davsim::api {

/// What pointers to elements of T point to: two int4b_t share a byte, which has no type.
template <class T>
using Pointed = std::conditional_t<std::is_same_v<T, AscendC::int4b_t>, void, T>;

}  // namespace davsim::api

// vconv_<from>2<to>, then how they round: r to even, a away from zero at ties, f down, c up, z
// towards zero, o to odd.
#define DAVSIM_CONVERT(name, To, From, mode)                                                       \
  inline void name(davsim::api::Pointed<To>* dst, davsim::api::Pointed<From>* src,                 \
                   const davsim::api::RepeatTime repeat, std::uint16_t dstBlockStride,             \
                   std::uint16_t srcBlockStride, std::uint8_t dstRepeatStride,                     \
                   std::uint8_t srcRepeatStride,                                                   \
                   davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::call_as(#name, [&] {                                                              \
      AscendC::Cast<To, From, false>(davsim::api::ub_at(static_cast<To*>(dst)),                    \
                                     davsim::api::ub_at(static_cast<From*>(src)),                  \
                                     AscendC::RoundMode::mode, AscendC::MASK_PLACEHOLDER, repeat,  \
                                     AscendC::UnaryRepeatParams(dstBlockStride, srcBlockStride,    \
                                                                dstRepeatStride, srcRepeatStride), \
                                     where);                                                       \
    });                                                                                            \
  }                                                                                                \
  inline void name(davsim::api::Pointed<To>* dst, davsim::api::Pointed<From>* src,                 \
                   std::uint64_t config,                                                           \
                   davsim::api::Location where = davsim::api::Location::current()) {               \
    const davsim::api::UnaryConfig c(config);                                                      \
    name(dst, src, c.repeat, c.dst_block, c.src_block, c.dst_repeat, c.src_repeat, where);         \
  }
#define DAVSIM_CONVERT_ROUNDED(name, To, From)  \
  DAVSIM_CONVERT(name##r, To, From, CAST_RINT)  \
  DAVSIM_CONVERT(name##a, To, From, CAST_ROUND) \
  DAVSIM_CONVERT(name##f, To, From, CAST_FLOOR) \
  DAVSIM_CONVERT(name##c, To, From, CAST_CEIL)  \
  DAVSIM_CONVERT(name##z, To, From, CAST_TRUNC)
#define DAVSIM_CONVERT_BOTH(name, To, From) \
  DAVSIM_CONVERT(name, To, From, CAST_NONE) \
  DAVSIM_CONVERT_ROUNDED(name, To, From)

DAVSIM_CONVERT(vconv_f162f32, float, half, CAST_NONE)
DAVSIM_CONVERT(vconv_bf162f32, float, bfloat16_t, CAST_NONE)
DAVSIM_CONVERT(vconv_s162f32, float, std::int16_t, CAST_NONE)
DAVSIM_CONVERT(vconv_s82f16, half, std::int8_t, CAST_NONE)
DAVSIM_CONVERT(vconv_u82f16, half, std::uint8_t, CAST_NONE)
DAVSIM_CONVERT(vconv_s322s16, std::int16_t, std::int32_t, CAST_NONE)
DAVSIM_CONVERT(vconv_s322s64, std::int64_t, std::int32_t, CAST_NONE)
DAVSIM_CONVERT(vconv_s642s32, std::int32_t, std::int64_t, CAST_NONE)
/// Scaled by DEQSCALE.
DAVSIM_CONVERT(vconv_deq, half, std::int32_t, CAST_NONE)
DAVSIM_CONVERT_BOTH(vconv_f322f16, half, float)
DAVSIM_CONVERT(vconv_f322f16o, half, float, CAST_ODD)
DAVSIM_CONVERT_BOTH(vconv_s162f16, half, std::int16_t)
DAVSIM_CONVERT_BOTH(vconv_s322f32, float, std::int32_t)
DAVSIM_CONVERT(vconv_s42f16, half, AscendC::int4b_t, CAST_NONE)
DAVSIM_CONVERT_BOTH(vconv_f162s4, AscendC::int4b_t, half)
DAVSIM_CONVERT_BOTH(vconv_f162s8, std::int8_t, half)
DAVSIM_CONVERT_BOTH(vconv_f162u8, std::uint8_t, half)
DAVSIM_CONVERT_ROUNDED(vconv_f162s16, std::int16_t, half)
DAVSIM_CONVERT_ROUNDED(vconv_f162s32, std::int32_t, half)
DAVSIM_CONVERT_ROUNDED(vconv_bf162s32, std::int32_t, bfloat16_t)
DAVSIM_CONVERT_ROUNDED(vconv_f322s16, std::int16_t, float)
DAVSIM_CONVERT_ROUNDED(vconv_f322bf16, bfloat16_t, float)
DAVSIM_CONVERT_ROUNDED(vconv_f322s32, std::int32_t, float)
DAVSIM_CONVERT_ROUNDED(vconv_f322f32, float, float)
DAVSIM_CONVERT_ROUNDED(vconv_f322s64, std::int64_t, float)
DAVSIM_CONVERT_ROUNDED(vconv_s642f32, float, std::int64_t)

/// Factor of vconv_deq.
inline void set_deqscale(half value,
                         davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetDeqScale(value, where);
}

#undef DAVSIM_CONVERT_BOTH
#undef DAVSIM_CONVERT_ROUNDED
#undef DAVSIM_CONVERT

// Numbers, rounded as the names of the vector unit say.
#define DAVSIM_CONVERT_NUMBER(name, mode)                                          \
  inline std::int32_t name(float in) {                                             \
    return AscendC::ScalarCast<float, std::int32_t, AscendC::RoundMode::mode>(in); \
  }
DAVSIM_CONVERT_NUMBER(conv_f322s32r, CAST_RINT)
DAVSIM_CONVERT_NUMBER(conv_f322s32a, CAST_ROUND)
DAVSIM_CONVERT_NUMBER(conv_f322s32f, CAST_FLOOR)
DAVSIM_CONVERT_NUMBER(conv_f322s32c, CAST_CEIL)
#undef DAVSIM_CONVERT_NUMBER
inline float conv_bf162f32(bfloat16_t in) {
  return static_cast<float>(in);
}
