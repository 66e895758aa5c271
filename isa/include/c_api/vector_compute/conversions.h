// The SIMD C API: conversions, a part of vector_compute.h. How they round is the end of their
// names: rn to even, rna away from zero at ties, rd down, ru up, rz towards zero.
#pragma once

#define DAVSIM_C_CONVERT(name, intrinsic, To, From)                                         \
  inline void name(To* dst, From* src, std::uint8_t repeat, std::uint16_t dst_block_stride, \
                   std::uint16_t src_block_stride, std::uint16_t dst_repeat_stride,         \
                   std::uint16_t src_repeat_stride, DAVSIM_C_WHERE) {                       \
    intrinsic(dst, src, repeat, dst_block_stride, src_block_stride,                         \
              davsim::api::repeat_stride(#name, dst_repeat_stride, where),                  \
              davsim::api::repeat_stride(#name, src_repeat_stride, where), where);          \
  }                                                                                         \
  inline void name(To* dst, From* src, std::uint32_t count, DAVSIM_C_WHERE) {               \
    davsim::api::counted_instruction(count, where, [&] {                                    \
      intrinsic(dst, src, 1, 1, 1, davsim::api::repeat_stride_beside<To, From>(),           \
                davsim::api::repeat_stride_beside<From, To>(), where);                      \
    });                                                                                     \
  }                                                                                         \
  inline void name##_sync(To* dst, From* src, std::uint32_t count, DAVSIM_C_WHERE) {        \
    name(dst, src, count, where);                                                           \
    asc_sync(where);                                                                        \
  }
#define DAVSIM_C_CONVERT_ROUNDED(name, intrinsic, To, From) \
  DAVSIM_C_CONVERT(name##_rn, intrinsic##r, To, From)       \
  DAVSIM_C_CONVERT(name##_rna, intrinsic##a, To, From)      \
  DAVSIM_C_CONVERT(name##_rd, intrinsic##f, To, From)       \
  DAVSIM_C_CONVERT(name##_ru, intrinsic##c, To, From)       \
  DAVSIM_C_CONVERT(name##_rz, intrinsic##z, To, From)

DAVSIM_C_CONVERT(asc_half2float, vconv_f162f32, float, half)
DAVSIM_C_CONVERT(asc_bfloat162float, vconv_bf162f32, float, bfloat16_t)
DAVSIM_C_CONVERT(asc_int162float, vconv_s162f32, float, std::int16_t)
DAVSIM_C_CONVERT(asc_int82half, vconv_s82f16, half, std::int8_t)
DAVSIM_C_CONVERT(asc_uint82half, vconv_u82f16, half, std::uint8_t)
DAVSIM_C_CONVERT(asc_int322float, vconv_s322f32, float, std::int32_t)
DAVSIM_C_CONVERT(asc_int162half, vconv_s162f16, half, std::int16_t)
DAVSIM_C_CONVERT(asc_int322int16, vconv_s322s16, std::int16_t, std::int32_t)
DAVSIM_C_CONVERT(asc_int322int64, vconv_s322s64, std::int64_t, std::int32_t)
DAVSIM_C_CONVERT(asc_int642int32, vconv_s642s32, std::int32_t, std::int64_t)
DAVSIM_C_CONVERT(asc_float2half, vconv_f322f16, half, float)
DAVSIM_C_CONVERT(asc_half2int8, vconv_f162s8, std::int8_t, half)
DAVSIM_C_CONVERT(asc_half2uint8, vconv_f162u8, std::uint8_t, half)
DAVSIM_C_CONVERT_ROUNDED(asc_float2half, vconv_f322f16, half, float)
DAVSIM_C_CONVERT_ROUNDED(asc_float2bfloat16, vconv_f322bf16, bfloat16_t, float)
DAVSIM_C_CONVERT_ROUNDED(asc_float2float, vconv_f322f32, float, float)
DAVSIM_C_CONVERT_ROUNDED(asc_float2int16, vconv_f322s16, std::int16_t, float)
DAVSIM_C_CONVERT_ROUNDED(asc_float2int32, vconv_f322s32, std::int32_t, float)
DAVSIM_C_CONVERT_ROUNDED(asc_float2int64, vconv_f322s64, std::int64_t, float)
DAVSIM_C_CONVERT_ROUNDED(asc_half2int16, vconv_f162s16, std::int16_t, half)
DAVSIM_C_CONVERT_ROUNDED(asc_half2int32, vconv_f162s32, std::int32_t, half)
DAVSIM_C_CONVERT_ROUNDED(asc_half2int8, vconv_f162s8, std::int8_t, half)
DAVSIM_C_CONVERT_ROUNDED(asc_half2uint8, vconv_f162u8, std::uint8_t, half)
DAVSIM_C_CONVERT_ROUNDED(asc_bfloat162int32, vconv_bf162s32, std::int32_t, bfloat16_t)
DAVSIM_C_CONVERT_ROUNDED(asc_int322float, vconv_s322f32, float, std::int32_t)
DAVSIM_C_CONVERT_ROUNDED(asc_int642float, vconv_s642f32, float, std::int64_t)
#undef DAVSIM_C_CONVERT_ROUNDED
#undef DAVSIM_C_CONVERT
