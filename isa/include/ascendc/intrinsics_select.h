// Intrinsics that compare, select and gather, and those of the scalar unit that count bits. Types
// and meaning are those of the API call that the comment of each group names.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/intrinsics_vector.h"
#include "ascendc/scalar.h"

// --- comparisons: Compare ---------------------------------------------------------------------
// Each also with its numbers in one, as intrinsics on one or two sources have them.
#define DAVSIM_COMPARE(what, mode)                                                                 \
  /* The bits of the repeats follow each other in dst, whatever its strides. */                    \
  template <typename T>                                                                            \
  void vcmpv_##what(std::uint8_t* dst, T* src0, T* src1, const davsim::api::RepeatTime repeat,     \
                    std::uint8_t dstBlockStride, std::uint8_t src0BlockStride,                     \
                    std::uint8_t src1BlockStride, std::uint8_t dstRepeatStride,                    \
                    std::uint8_t src0RepeatStride, std::uint8_t src1RepeatStride,                  \
                    davsim::api::Location where = davsim::api::Location::current()) {              \
    davsim::api::call_as("vcmpv_" #what, [&] {                                                     \
      AscendC::Compare(                                                                            \
          davsim::api::ub_at(dst), davsim::api::ub_at(src0), davsim::api::ub_at(src1),             \
          AscendC::CMPMODE::mode, AscendC::MASK_PLACEHOLDER, repeat,                               \
          AscendC::BinaryRepeatParams(dstBlockStride, src0BlockStride, src1BlockStride,            \
                                      dstRepeatStride, src0RepeatStride, src1RepeatStride),        \
          where);                                                                                  \
    });                                                                                            \
  }                                                                                                \
  template <typename T>                                                                            \
  void vcmpvs_##what(std::uint8_t* dst, T* src, std::type_identity_t<std::remove_cv_t<T>> value,   \
                     const davsim::api::RepeatTime repeat, std::uint16_t dstBlockStride,           \
                     std::uint16_t srcBlockStride, std::uint8_t dstRepeatStride,                   \
                     std::uint8_t srcRepeatStride,                                                 \
                     davsim::api::Location where = davsim::api::Location::current()) {             \
    davsim::api::call_as("vcmpvs_" #what, [&] {                                                    \
      AscendC::CompareScalar(davsim::api::ub_at(dst), davsim::api::ub_at(src), value,              \
                             AscendC::CMPMODE::mode, AscendC::MASK_PLACEHOLDER, repeat,            \
                             AscendC::UnaryRepeatParams(dstBlockStride, srcBlockStride,            \
                                                        dstRepeatStride, srcRepeatStride),         \
                             where);                                                               \
    });                                                                                            \
  }                                                                                                \
  template <typename T>                                                                            \
  void vcmpv_##what(std::uint8_t* dst, T* src0, T* src1, std::uint64_t config,                     \
                    davsim::api::Location where = davsim::api::Location::current()) {              \
    const davsim::api::BinaryConfig c(config);                                                     \
    vcmpv_##what(dst, src0, src1, c.repeat, c.blocks[0], c.blocks[1], c.blocks[2], c.repeats[0],   \
                 c.repeats[1], c.repeats[2], where);                                               \
  }                                                                                                \
  template <typename T>                                                                            \
  void vcmpvs_##what(std::uint8_t* dst, T* src, std::type_identity_t<std::remove_cv_t<T>> value,   \
                     std::uint64_t config,                                                         \
                     davsim::api::Location where = davsim::api::Location::current()) {             \
    const davsim::api::UnaryConfig c(config);                                                      \
    vcmpvs_##what(dst, src, value, c.repeat, c.dst_block, c.src_block, c.dst_repeat, c.src_repeat, \
                  where);                                                                          \
  }                                                                                                \
  /* Into CMPMASK; one repeat. */                                                                  \
  template <typename T>                                                                            \
  void vcmp_##what(T* src0, T* src1, const davsim::api::RepeatTime repeat,                         \
                   std::uint8_t dstBlockStride, std::uint8_t src0BlockStride,                      \
                   std::uint8_t src1BlockStride, std::uint8_t dstRepeatStride,                     \
                   std::uint8_t src0RepeatStride, std::uint8_t src1RepeatStride,                   \
                   davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::require_range("vcmp_" #what, "repeat", repeat, 1, 1, where);                      \
    davsim::api::call_as("vcmp_" #what, [&] {                                                      \
      AscendC::Compare<std::remove_cv_t<T>, false>(                                                \
          davsim::api::ub_at(src0), davsim::api::ub_at(src1), AscendC::CMPMODE::mode,              \
          AscendC::MASK_PLACEHOLDER,                                                               \
          AscendC::BinaryRepeatParams(dstBlockStride, src0BlockStride, src1BlockStride,            \
                                      dstRepeatStride, src0RepeatStride, src1RepeatStride),        \
          where);                                                                                  \
    });                                                                                            \
  }                                                                                                \
  template <typename T>                                                                            \
  void vcmp_##what(T* src0, T* src1, std::uint64_t config,                                         \
                   davsim::api::Location where = davsim::api::Location::current()) {               \
    const davsim::api::BinaryConfig c(config);                                                     \
    vcmp_##what(src0, src1, c.repeat, c.blocks[0], c.blocks[1], c.blocks[2], c.repeats[0],         \
                c.repeats[1], c.repeats[2], where);                                                \
  }
DAVSIM_COMPARE(lt, LT)
DAVSIM_COMPARE(gt, GT)
DAVSIM_COMPARE(eq, EQ)
DAVSIM_COMPARE(le, LE)
DAVSIM_COMPARE(ge, GE)
DAVSIM_COMPARE(ne, NE)
#undef DAVSIM_COMPARE

/// SetCmpMask and GetCmpMask.
template <typename T>
void set_cmpmask(T* src, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("set_cmpmask", [&] { AscendC::SetCmpMask(davsim::api::ub_at(src), where); });
}

template <typename T>
void get_cmpmask(T* dst, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("get_cmpmask", [&] {
    davsim::api::emit_vector({"get_cmpmask", davsim::isa::Opcode::kGetCmpMask, where},
                             davsim::api::ub_at(dst).Operand(), {}, {}, {});
  });
}

// --- Select -----------------------------------------------------------------------------------
/// dst = bit of CMPMASK ? src0 : src1. `mode` 0 has the bits of one repeat in CMPMASK; 1 the value
/// of the other source there, and src1 the bits; 2 the address of the bits.
template <typename T, typename U>
void vsel(T* dst, T* src0, U* src1, const davsim::api::RepeatTime repeat,
          std::uint8_t dstBlockStride, std::uint8_t src0BlockStride, std::uint8_t src1BlockStride,
          std::uint8_t dstRepeatStride, std::uint8_t src0RepeatStride,
          std::uint8_t src1RepeatStride, const davsim::api::ModeNumber mode = 0,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("vsel", "mode", mode, 0, 2, where);
  davsim::api::call_as("vsel", [&] {
    const auto call = davsim::api::select_call(where);
    auto params = davsim::api::repeated<false>(call, AscendC::MASK_PLACEHOLDER,
                                               davsim::api::lanes_per_repeat(sizeof(T)), repeat);
    davsim::api::set_strides(
        params, AscendC::BinaryRepeatParams(dstBlockStride, src0BlockStride, src1BlockStride,
                                            dstRepeatStride, src0RepeatStride, src1RepeatStride));
    davsim::api::emit_select(call, davsim::api::ub_at(dst), davsim::api::ub_at(src0),
                             davsim::api::ub_at(src1).Operand(),
                             static_cast<AscendC::SELMODE>(std::uint8_t{mode}), params);
  });
}

template <typename T, typename U>
void vsel(T* dst, T* src0, U* src1, std::uint64_t config, const davsim::api::ModeNumber mode = 0,
          davsim::api::Location where = davsim::api::Location::current()) {
  const davsim::api::BinaryConfig c(config);
  vsel(dst, src0, src1, c.repeat, c.blocks[0], c.blocks[1], c.blocks[2], c.repeats[0], c.repeats[1],
       c.repeats[2], mode, where);
}

// --- Gather -----------------------------------------------------------------------------------
/// dst[i] = the element at byte `base` + offsets[i] of UB.
template <typename T, typename U>
void vgather(T* dst, U* offsets, std::uint64_t base, std::uint16_t dstRepeatStride,
             const davsim::api::RepeatTime repeat,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(sizeof(U) == 4, "vgather: offsets are uint32_t");
  davsim::api::call_as("vgather", [&] {
    const davsim::api::VectorCall call{"Gather", davsim::isa::Opcode::kGather, where};
    auto params = davsim::api::repeated<false>(call, AscendC::MASK_PLACEHOLDER,
                                               davsim::api::lanes_per_repeat(sizeof(T)), repeat);
    params.dst = {1, dstRepeatStride};
    davsim::isa::Operand table = davsim::api::ub_at(dst).Operand();
    table.addr = base;
    davsim::api::emit_vector(
        call, davsim::api::ub_at(dst).Operand(),
        davsim::api::ub_at(reinterpret_cast<std::uint32_t*>(offsets)).Operand(), table, params);
  });
}

// --- bits of the scalar unit ------------------------------------------------------------------
inline std::int64_t bcnt0(std::uint64_t x) {
  return AscendC::ScalarGetCountOfValue<0>(x);
}
inline std::int64_t bcnt1(std::uint64_t x) {
  return AscendC::ScalarGetCountOfValue<1>(x);
}
inline std::int64_t clz(std::uint64_t x) {
  return AscendC::ScalarCountLeadingZero(x);
}
inline std::int64_t sff0(std::uint64_t x) {
  return AscendC::ScalarGetSFFValue<0>(x);
}
inline std::int64_t sff1(std::uint64_t x) {
  return AscendC::ScalarGetSFFValue<1>(x);
}
/// Bits after the sign bit that are as it is; -1 of 0 and -1.
inline std::int64_t sflbits(std::int64_t x) {
  return AscendC::CountBitsCntSameAsSignBit(x);
}
