// Intrinsics of the vector unit. Repeats are 0 to 255, strides are in DataBlocks of 32 bytes. The
// mask register says which lanes are computed. Types and meaning are those of the API call that the
// comment of each group names.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/types.h"
#include "ascendc/vector.h"

inline void set_mask_count(davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetMaskCount(where);
}
inline void set_mask_norm(davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetMaskNorm(where);
}
/// Lanes 64 to 127 and 0 to 63; where the mask counts, elements in `m0`.
inline void set_vector_mask(std::uint64_t m1, std::uint64_t m0,
                            davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetVectorMask<half>(m1, m0, where);
}

namespace davsim::api {

/// Lanes 0 to 63 (part 0) or 64 to 127: what davsim-cc makes of MOVEMASK in assembly.
template <int part>
void move_mask(std::uint64_t value, Location where = Location::current()) {
  static_assert(part == 0 || part == 1, "MOVEMASK: MASK[0] or MASK[1]");
  if (!core_has(isa::Pipe::V)) return;
  registers().mask[part] = value;
  emit_set_register(where);
}

/// The tensor at a pointer into UB; its end is not known, so that no checker watches it.
template <typename T>
AscendC::LocalTensor<std::remove_cv_t<T>> ub_at(T* pointer) {
  AscendC::TBuffAddr address;
  address.bufferAddr = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pointer));
  address.logicPos = static_cast<std::uint8_t>(AscendC::TPosition::VECCALC);
  AscendC::LocalTensor<std::remove_cv_t<T>> tensor;
  tensor.SetAddr(address);
  return tensor;
}

}  // namespace davsim::api

namespace davsim::api {

/// The mode of an intrinsic: a number, or a value of an enumeration of the kernel's own.
class ModeNumber {
 public:
  template <typename T>
  constexpr ModeNumber(T mode)  // NOLINT(google-explicit-constructor): it stands for an argument
      : mode_(static_cast<std::uint8_t>(mode)) {}
  constexpr operator std::uint8_t() const { return mode_; }

 private:
  std::uint8_t mode_;
};

/// Repeats and strides in one number, as intrinsics on two sources take them: 8 bits each, block
/// strides of dst, src0 and src1 from bit 0 on, repeat strides from 24 on, repeats from 56 on.
struct BinaryConfig {
  explicit BinaryConfig(std::uint64_t config) : repeat(static_cast<RepeatTime>(config >> 56)) {
    for (unsigned i = 0; i < 3; ++i) {
      blocks[i] = static_cast<std::uint8_t>(config >> (8 * i));
      repeats[i] = static_cast<std::uint8_t>(config >> (24 + 8 * i));
    }
  }
  RepeatTime repeat;
  std::uint8_t blocks[3], repeats[3];
};

/// Likewise on one source: block strides of 16 bits from bit 0 on, repeat strides of 12 bits from
/// 32 on, of which instructions take 8, repeats from 56 on.
struct UnaryConfig {
  explicit UnaryConfig(std::uint64_t config)
      : repeat(static_cast<RepeatTime>(config >> 56)),
        dst_block(static_cast<std::uint16_t>(config)),
        src_block(static_cast<std::uint16_t>(config >> 16)),
        dst_repeat(static_cast<std::uint8_t>(config >> 32)),
        src_repeat(static_cast<std::uint8_t>(config >> 44)) {}
  RepeatTime repeat;
  std::uint16_t dst_block, src_block;
  std::uint8_t dst_repeat, src_repeat;
};

/// Likewise of reductions: the stride of the results, the block stride and the repeat stride of the
/// source, 16 bits each from bit 0 on, repeats from 56 on.
struct ReduceConfig {
  explicit ReduceConfig(std::uint64_t config)
      : repeat(static_cast<RepeatTime>(config >> 56)),
        dst_repeat(static_cast<std::uint16_t>(config)),
        src_block(static_cast<std::uint16_t>(config >> 16)),
        src_repeat(static_cast<std::uint16_t>(config >> 32)) {}
  RepeatTime repeat;
  std::uint16_t dst_repeat, src_block, src_repeat;
};

}  // namespace davsim::api

/// Defines an intrinsic on two sources.
#define DAVSIM_VECTOR_2(name, Call)                                                         \
  template <typename T, typename U>                                                         \
  void name(T* dst, U* src0, U* src1, const davsim::api::RepeatTime repeat,                 \
            std::uint8_t dstBlockStride, std::uint8_t src0BlockStride,                      \
            std::uint8_t src1BlockStride, std::uint8_t dstRepeatStride,                     \
            std::uint8_t src0RepeatStride, std::uint8_t src1RepeatStride,                   \
            davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::call_as(#name, [&] {                                                       \
      AscendC::Call(                                                                        \
          davsim::api::ub_at(dst), davsim::api::ub_at(src0), davsim::api::ub_at(src1),      \
          AscendC::MASK_PLACEHOLDER, repeat,                                                \
          AscendC::BinaryRepeatParams(dstBlockStride, src0BlockStride, src1BlockStride,     \
                                      dstRepeatStride, src0RepeatStride, src1RepeatStride), \
          where);                                                                           \
    });                                                                                     \
  }                                                                                         \
  template <typename T, typename U>                                                         \
  void name(T* dst, U* src0, U* src1, std::uint64_t config,                                 \
            davsim::api::Location where = davsim::api::Location::current()) {               \
    const davsim::api::BinaryConfig c(config);                                              \
    name(dst, src0, src1, c.repeat, c.blocks[0], c.blocks[1], c.blocks[2], c.repeats[0],    \
         c.repeats[1], c.repeats[2], where);                                                \
  }

/// Defines an intrinsic on one source.
#define DAVSIM_VECTOR_1(name, Call, Parameters, ...)                                             \
  template <typename T, typename U>                                                              \
  void name(T* dst, U* src, Parameters const davsim::api::RepeatTime repeat,                     \
            std::uint16_t dstBlockStride, std::uint16_t srcBlockStride,                          \
            std::uint8_t dstRepeatStride, std::uint8_t srcRepeatStride,                          \
            davsim::api::Location where = davsim::api::Location::current());                     \
  template <typename T, typename U>                                                              \
  void name(T* dst, U* src, Parameters std::uint64_t config,                                     \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    const davsim::api::UnaryConfig c(config);                                                    \
    name(dst, src, __VA_ARGS__ __VA_OPT__(, ) c.repeat, c.dst_block, c.src_block, c.dst_repeat,  \
         c.src_repeat, where);                                                                   \
  }                                                                                              \
  template <typename T, typename U>                                                              \
  void name(T* dst, U* src, Parameters const davsim::api::RepeatTime repeat,                     \
            std::uint16_t dstBlockStride, std::uint16_t srcBlockStride,                          \
            std::uint8_t dstRepeatStride, std::uint8_t srcRepeatStride,                          \
            davsim::api::Location where) {                                                       \
    davsim::api::call_as(#name, [&] {                                                            \
      AscendC::Call(davsim::api::ub_at(dst), davsim::api::ub_at(src) __VA_OPT__(, ) __VA_ARGS__, \
                    AscendC::MASK_PLACEHOLDER, repeat,                                           \
                    AscendC::UnaryRepeatParams(dstBlockStride, srcBlockStride, dstRepeatStride,  \
                                               srcRepeatStride),                                 \
                    where);                                                                      \
    });                                                                                          \
  }

// --- two sources ------------------------------------------------------------------------------
#define DAVSIM_ONE(Name) Name<std::remove_cv_t<T>, false>
#define DAVSIM_TWO(Name) Name<std::remove_cv_t<T>, std::remove_cv_t<U>, false>
DAVSIM_VECTOR_2(vadd, DAVSIM_ONE(Add))
DAVSIM_VECTOR_2(vsub, DAVSIM_ONE(Sub))
DAVSIM_VECTOR_2(vmul, DAVSIM_ONE(Mul))
DAVSIM_VECTOR_2(vdiv, DAVSIM_ONE(Div))
DAVSIM_VECTOR_2(vmax, DAVSIM_ONE(Max))
DAVSIM_VECTOR_2(vmin, DAVSIM_ONE(Min))
DAVSIM_VECTOR_2(vand, DAVSIM_ONE(And))
DAVSIM_VECTOR_2(vor, DAVSIM_ONE(Or))
DAVSIM_VECTOR_2(vaddrelu, DAVSIM_ONE(AddRelu))
DAVSIM_VECTOR_2(vsubrelu, DAVSIM_ONE(SubRelu))
/// dst = src0 * dst + src1
DAVSIM_VECTOR_2(vmadd, DAVSIM_ONE(FusedMulAdd))
DAVSIM_VECTOR_2(vmaddrelu, DAVSIM_ONE(MulAddRelu))
/// dst += src0 * src1
DAVSIM_VECTOR_2(vmla, DAVSIM_TWO(MulAddDst))
/// Sums of int32_t times the factor of set_deqscale, to half.
DAVSIM_VECTOR_2(vadddeqrelu, AddDeqRelu<false>)

// Conversions of two sources, as AddReluCast, SubReluCast and MulCast.
#define DAVSIM_VECTOR_2_INTO(name, To, From, Parameter, argument, Call)                     \
  inline void name(To* dst, From* src0, From* src1, const davsim::api::RepeatTime repeat,   \
                   std::uint8_t dstBlockStride, std::uint8_t src0BlockStride,               \
                   std::uint8_t src1BlockStride, std::uint8_t dstRepeatStride,              \
                   std::uint8_t src0RepeatStride, std::uint8_t src1RepeatStride Parameter,  \
                   davsim::api::Location where = davsim::api::Location::current()) {        \
    davsim::api::require_range(#name, "h", argument, 0, 0, where);                          \
    davsim::api::call_as(#name, [&] {                                                       \
      AscendC::Call<To, From, false>(                                                       \
          davsim::api::ub_at(dst), davsim::api::ub_at(src0), davsim::api::ub_at(src1),      \
          AscendC::MASK_PLACEHOLDER, repeat,                                                \
          AscendC::BinaryRepeatParams(dstBlockStride, src0BlockStride, src1BlockStride,     \
                                      dstRepeatStride, src0RepeatStride, src1RepeatStride), \
          where);                                                                           \
    });                                                                                     \
  }
/// `h` is false in all uses that are documented.
#define DAVSIM_H , bool h
DAVSIM_VECTOR_2_INTO(vaddreluconv_f162s8, std::int8_t, half, DAVSIM_H, h, AddReluCast)
DAVSIM_VECTOR_2_INTO(vaddreluconv_s162s8, std::int8_t, std::int16_t, DAVSIM_H, h, AddReluCast)
DAVSIM_VECTOR_2_INTO(vaddreluconv_f322f16, half, float, DAVSIM_H, h, AddReluCast)
DAVSIM_VECTOR_2_INTO(vsubreluconv_f162s8, std::int8_t, half, DAVSIM_H, h, SubReluCast)
DAVSIM_VECTOR_2_INTO(vsubreluconv_s162s8, std::int8_t, std::int16_t, DAVSIM_H, h, SubReluCast)
DAVSIM_VECTOR_2_INTO(vsubreluconv_f322f16, half, float, DAVSIM_H, h, SubReluCast)
DAVSIM_VECTOR_2_INTO(vmulconv_f162s8, std::int8_t, half, , 0, MulCast)
DAVSIM_VECTOR_2_INTO(vmulconv_f162u8, std::uint8_t, half, , 0, MulCast)
#undef DAVSIM_H
#undef DAVSIM_VECTOR_2_INTO

// --- one source -------------------------------------------------------------------------------
DAVSIM_VECTOR_1(vexp, DAVSIM_ONE(Exp), )
DAVSIM_VECTOR_1(vln, DAVSIM_ONE(Ln), )
DAVSIM_VECTOR_1(vabs, DAVSIM_ONE(Abs), )
DAVSIM_VECTOR_1(vsqrt, DAVSIM_ONE(Sqrt), )
DAVSIM_VECTOR_1(vrsqrt, DAVSIM_ONE(Rsqrt), )
DAVSIM_VECTOR_1(vrec, DAVSIM_ONE(Reciprocal), )
DAVSIM_VECTOR_1(vrelu, DAVSIM_ONE(Relu), )
DAVSIM_VECTOR_1(vnot, DAVSIM_ONE(Not), )

// --- one source and a scalar ------------------------------------------------------------------
#define DAVSIM_SCALAR std::type_identity_t<std::remove_cv_t<U>> a,
DAVSIM_VECTOR_1(vadds, DAVSIM_ONE(Adds), DAVSIM_SCALAR, a)
DAVSIM_VECTOR_1(vmuls, DAVSIM_ONE(Muls), DAVSIM_SCALAR, a)
DAVSIM_VECTOR_1(vmaxs, DAVSIM_ONE(Maxs), DAVSIM_SCALAR, a)
DAVSIM_VECTOR_1(vmins, DAVSIM_ONE(Mins), DAVSIM_SCALAR, a)
DAVSIM_VECTOR_1(vlrelu, DAVSIM_ONE(LeakyRelu), DAVSIM_SCALAR, a)
/// By `a` places.
DAVSIM_VECTOR_1(vshl, DAVSIM_ONE(ShiftLeft), DAVSIM_SCALAR, a)
DAVSIM_VECTOR_1(vshr, DAVSIM_ONE(ShiftRight), DAVSIM_SCALAR, a)
/// The same with the last bit that is shifted out added to it.
template <typename T, typename U>
void vshr(T* dst, U* src, std::type_identity_t<std::remove_cv_t<U>> a,
          const davsim::api::RepeatTime repeat, std::uint16_t dstBlockStride,
          std::uint16_t srcBlockStride, std::uint8_t dstRepeatStride, std::uint8_t srcRepeatStride,
          bool round, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("vshr", [&] {
    AscendC::DAVSIM_ONE(ShiftRight)(davsim::api::ub_at(dst), davsim::api::ub_at(src), a,
                                    AscendC::MASK_PLACEHOLDER, repeat,
                                    AscendC::UnaryRepeatParams(dstBlockStride, srcBlockStride,
                                                               dstRepeatStride, srcRepeatStride),
                                    round, where);
  });
}
/// dst += src * a
DAVSIM_VECTOR_1(vaxpy, DAVSIM_TWO(Axpy), DAVSIM_SCALAR, a)

// --- filling and copying ----------------------------------------------------------------------
template <typename T>
void vector_dup(T* dst, std::type_identity_t<std::remove_cv_t<T>> a,
                const davsim::api::RepeatTime repeat, std::uint16_t dstBlockStride,
                [[maybe_unused]] std::uint16_t srcBlockStride, std::uint8_t dstRepeatStride,
                [[maybe_unused]] std::uint8_t srcRepeatStride,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("vector_dup", [&] {
    AscendC::Duplicate<std::remove_cv_t<T>, false>(davsim::api::ub_at(dst), a,
                                                   AscendC::MASK_PLACEHOLDER, repeat,
                                                   dstBlockStride, dstRepeatStride, where);
  });
}
template <typename T>
void vector_dup(T* dst, std::type_identity_t<std::remove_cv_t<T>> a, std::uint64_t config,
                davsim::api::Location where = davsim::api::Location::current()) {
  const davsim::api::UnaryConfig c(config);
  vector_dup(dst, a, c.repeat, c.dst_block, c.src_block, c.dst_repeat, c.src_repeat, where);
}
template <typename T>
void vcopy(T* dst, T* src, const davsim::api::RepeatTime repeat, std::uint16_t dstBlockStride,
           std::uint16_t srcBlockStride, std::uint16_t dstRepeatStride,
           std::uint16_t srcRepeatStride,
           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("vcopy", [&] {
    AscendC::Copy<std::remove_cv_t<T>, false>(
        davsim::api::ub_at(dst), davsim::api::ub_at(src), AscendC::MASK_PLACEHOLDER, repeat,
        AscendC::CopyRepeatParams(dstBlockStride, srcBlockStride, dstRepeatStride, srcRepeatStride),
        where);
  });
}

/// Each of eight elements a repeat fills a DataBlock.
template <typename T>
void vbrcb(T* dst, T* src, std::uint16_t dstBlockStride, std::uint16_t dstRepeatStride,
           const davsim::api::RepeatTime repeat,
           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("vbrcb", [&] {
    AscendC::Brcb(davsim::api::ub_at(dst), davsim::api::ub_at(src), repeat,
                  AscendC::BrcbRepeatParams(dstBlockStride, dstRepeatStride), where);
  });
}

// --- reductions --------------------------------------------------------------------------------

/// Sums of repeats; `mode` adds all of them up in the register that GetAccVal reads.
template <typename T>
void vcadd(T* dst, T* src, const davsim::api::RepeatTime repeat, std::uint16_t dstRepeatStride,
           std::uint16_t srcBlockStride, std::uint16_t srcRepeatStride, bool mode,
           davsim::api::Location where = davsim::api::Location::current()) {
  constexpr auto kOp = davsim::isa::Opcode::kReduceSum;
  static_assert(davsim::isa::type_exists(kOp, davsim::api::dtype_of<T>()), "vcadd: half and float");
  const davsim::api::VectorCall call{"vcadd", kOp, where};
  auto params = davsim::api::repeated<false>(call, std::uint64_t{0}, 0, repeat);
  davsim::api::set_reduce_strides(params, call, {dstRepeatStride, srcBlockStride, srcRepeatStride});
  params.order = davsim::isa::ReduceOrder::kOnlyValue;
  params.accumulate = mode;
  davsim::api::emit_vector(call, davsim::api::ub_at(dst).Operand(),
                           davsim::api::ub_at(src).Operand(), {}, params);
}
template <typename T>
void vcadd(T* dst, T* src, std::uint64_t config, bool mode = false,
           davsim::api::Location where = davsim::api::Location::current()) {
  const davsim::api::ReduceConfig c(config);
  vcadd(dst, src, c.repeat, c.dst_repeat, c.src_block, c.src_repeat, mode, where);
}

/// What vcmax and vcmin write of each repeat.
enum Order_t : std::uint8_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

/// Defines a reduction; the arguments between source and destination's stride are `__VA_ARGS__`.
#define DAVSIM_REDUCE(name, Call, Parameter, Passed, Order, ...)                                  \
  template <typename T>                                                                           \
  void name(T* dst, T* src, const davsim::api::RepeatTime repeat, std::uint16_t dstRepeatStride,  \
            std::uint16_t srcBlockStride, std::uint16_t srcRepeatStride Parameter,                \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::api::call_as(#name, [&] {                                                             \
      AscendC::Call<std::remove_cv_t<T>, false>(davsim::api::ub_at(dst), davsim::api::ub_at(src), \
                                                __VA_ARGS__, dstRepeatStride, srcBlockStride,     \
                                                srcRepeatStride Order, where);                    \
    });                                                                                           \
  }                                                                                               \
  template <typename T>                                                                           \
  void name(T* dst, T* src, std::uint64_t config Parameter,                                       \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    const davsim::api::ReduceConfig c(config);                                                    \
    name(dst, src, c.repeat, c.dst_repeat, c.src_block, c.src_repeat Passed, where);              \
  }
#define DAVSIM_ORDER , Order_t order
#define DAVSIM_GIVEN , order
#define DAVSIM_ITS_ORDER , static_cast<AscendC::ReduceOrder>(order)
DAVSIM_REDUCE(vcmax, WholeReduceMax, DAVSIM_ORDER, DAVSIM_GIVEN, DAVSIM_ITS_ORDER, std::int32_t{0},
              repeat)
DAVSIM_REDUCE(vcmin, WholeReduceMin, DAVSIM_ORDER, DAVSIM_GIVEN, DAVSIM_ITS_ORDER, std::int32_t{0},
              repeat)
DAVSIM_REDUCE(vcgadd, BlockReduceSum, , , , repeat, std::int32_t{0})
DAVSIM_REDUCE(vcgmax, BlockReduceMax, , , , repeat, std::int32_t{0})
DAVSIM_REDUCE(vcgmin, BlockReduceMin, , , , repeat, std::int32_t{0})
DAVSIM_REDUCE(vcpadd, PairReduceSum, , , , repeat, std::int32_t{0})
#undef DAVSIM_ITS_ORDER
#undef DAVSIM_GIVEN
#undef DAVSIM_ORDER
#undef DAVSIM_REDUCE

#undef DAVSIM_SCALAR
#undef DAVSIM_TWO
#undef DAVSIM_ONE
#undef DAVSIM_VECTOR_1
#undef DAVSIM_VECTOR_2
