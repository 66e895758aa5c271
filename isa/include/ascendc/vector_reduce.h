// Reductions of each repeat, DataBlock or pair of lanes, with one instruction for each call.
// Reductions of a whole tensor are in vector_reduce_tensor.h. half and float only.
#pragma once

#include "ascendc/vector_emit.h"

namespace AscendC {

/// What WholeReduceMax and WholeReduceMin write for each repeat. An index beside a value has the
/// width of the value. An index alone has 32 bits. It counts the lanes of its repeat.
enum class ReduceOrder : std::uint8_t {
  ORDER_VALUE_INDEX = 0,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX,
};

enum class ReduceType : std::uint8_t { SUM = 0, MAX, MIN };

}  // namespace AscendC

namespace davsim::api {

/// Where the operands of a reduction lie: `dst_repeat` in results of a repeat, the others in
/// DataBlocks.
struct ReduceStrides {
  std::int64_t dst_repeat = 1, src_block = 1, src_repeat = 8;
};

inline void set_reduce_strides(isa::VectorParams& params, const VectorCall& call,
                               const ReduceStrides& strides) {
  require_range(call.name, "dstRepStride", strides.dst_repeat, 0, 65535, call.where);
  require_range(call.name, "srcBlkStride", strides.src_block, 0, 65535, call.where);
  require_range(call.name, "srcRepStride", strides.src_repeat, 0, 65535, call.where);
  params.dst = {1, static_cast<std::uint16_t>(strides.dst_repeat)};
  params.src0 = {static_cast<std::uint16_t>(strides.src_block),
                 static_cast<std::uint16_t>(strides.src_repeat)};
}

/// A number of lanes as the mask calls take it; reductions have it as a signed number.
inline std::uint64_t reduce_mask(const VectorCall& call, std::int32_t mask) {
  require_range(call.name, "mask", mask, 0, INT32_MAX, call.where);
  return static_cast<std::uint64_t>(mask);
}
inline const std::uint64_t* reduce_mask(const VectorCall&, const std::uint64_t* mask) {
  return mask;
}

template <isa::Opcode op, bool isSetMask, typename T, typename Mask>
void emit_reduce(std::string_view name, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<T>& src, Mask mask, RepeatTime repeats,
                 const ReduceStrides& strides, AscendC::ReduceOrder order, Location where) {
  static_assert(isa::type_exists(op, dtype_of<T>()), "reductions take half and float");
  const VectorCall call{name, op, where};
  isa::VectorParams params = repeated<isSetMask>(call, reduce_mask(call, mask),
                                                 lanes_per_repeat(kElementBytes<T>), repeats);
  set_reduce_strides(params, call, strides);
  params.order = static_cast<isa::ReduceOrder>(order);
  emit_vector(call, dst.Operand(), src.Operand(), {}, params);
}

/// Reads a register that the vector unit has written; 0 on the cube core, which has none.
template <typename T>
T read_vector_register(std::uint64_t offset, Location where) {
  T value{};
  if (!core_has(isa::Pipe::V)) return value;
  const isa::Operand from{isa::Space::kSpr, dtype_of<T>(), offset};
  isa::current_core().scalar_load(from, &value, sizeof value, where);
  return value;
}

/// The opcode of a reduction by what it reduces to.
constexpr isa::Opcode reduce_opcode(AscendC::ReduceType type, isa::Opcode sum, isa::Opcode max,
                                    isa::Opcode min) {
  return type == AscendC::ReduceType::SUM ? sum : type == AscendC::ReduceType::MAX ? max : min;
}

}  // namespace davsim::api

namespace AscendC {

/// Defines both forms of the mask of a reduction; the order of its results is `Order`, where it is
/// a parameter of the call in `OrderParameter`.
#define DAVSIM_VECTOR_REDUCE(Name, Template, opcode, OrderParameter, Order)                        \
  template <Template>                                                                              \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t mask,         \
            const davsim::api::RepeatTime repeatTime, const std::int32_t dstRepStride,             \
            const std::int32_t srcBlkStride, const std::int32_t srcRepStride OrderParameter,       \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    davsim::api::emit_reduce<opcode, isSetMask>(#Name, dst, src, mask, repeatTime,                 \
                                                {dstRepStride, srcBlkStride, srcRepStride}, Order, \
                                                where);                                            \
  }                                                                                                \
  template <Template>                                                                              \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint64_t mask[],      \
            const davsim::api::RepeatTime repeatTime, const std::int32_t dstRepStride,             \
            const std::int32_t srcBlkStride, const std::int32_t srcRepStride OrderParameter,       \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    davsim::api::emit_reduce<opcode, isSetMask>(#Name, dst, src, mask, repeatTime,                 \
                                                {dstRepStride, srcBlkStride, srcRepStride}, Order, \
                                                where);                                            \
  }
/// The same for the reductions that give several results a repeat: these calls have the repeats
/// before the mask.
#define DAVSIM_VECTOR_REDUCE_PARTS(Name, opcode)                                            \
  template <typename T, bool isSetMask = true>                                              \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                           \
            const davsim::api::RepeatTime repeatTime, const std::int32_t mask,              \
            const std::int32_t dstRepStride, const std::int32_t srcBlkStride,               \
            const std::int32_t srcRepStride,                                                \
            davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::emit_reduce<opcode, isSetMask>(#Name, dst, src, mask, repeatTime,          \
                                                {dstRepStride, srcBlkStride, srcRepStride}, \
                                                ReduceOrder::ORDER_ONLY_VALUE, where);      \
  }                                                                                         \
  template <typename T, bool isSetMask = true>                                              \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                           \
            const davsim::api::RepeatTime repeatTime, const std::uint64_t mask[],           \
            const std::int32_t dstRepStride, const std::int32_t srcBlkStride,               \
            const std::int32_t srcRepStride,                                                \
            davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim::api::emit_reduce<opcode, isSetMask>(#Name, dst, src, mask, repeatTime,          \
                                                {dstRepStride, srcBlkStride, srcRepStride}, \
                                                ReduceOrder::ORDER_ONLY_VALUE, where);      \
  }
#define DAVSIM_ELEMENT typename T, bool isSetMask = true
#define DAVSIM_REDUCE_TYPE ReduceType reduceType, typename T, typename U = T, bool isSetMask = true
#define DAVSIM_ORDER , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX
#define DAVSIM_BY_TYPE(sum, max, min)                                                        \
  davsim::api::reduce_opcode(reduceType, davsim::isa::Opcode::sum, davsim::isa::Opcode::max, \
                             davsim::isa::Opcode::min)

/// One sum of each repeat. dstRepStride counts elements.
DAVSIM_VECTOR_REDUCE(WholeReduceSum, DAVSIM_ELEMENT, davsim::isa::Opcode::kReduceSum, ,
                     ReduceOrder::ORDER_ONLY_VALUE)
/// The largest element of each repeat and its lane. dstRepStride counts results: pairs, values or
/// indices of 32 bits.
DAVSIM_VECTOR_REDUCE(WholeReduceMax, DAVSIM_ELEMENT, davsim::isa::Opcode::kReduceMax, DAVSIM_ORDER,
                     order)
/// The smallest, likewise.
DAVSIM_VECTOR_REDUCE(WholeReduceMin, DAVSIM_ELEMENT, davsim::isa::Opcode::kReduceMin, DAVSIM_ORDER,
                     order)
/// One sum of each DataBlock, eight a repeat. dstRepStride counts eight results.
DAVSIM_VECTOR_REDUCE_PARTS(BlockReduceSum, davsim::isa::Opcode::kBlockReduceSum)
/// The largest element of each DataBlock.
DAVSIM_VECTOR_REDUCE_PARTS(BlockReduceMax, davsim::isa::Opcode::kBlockReduceMax)
/// The smallest.
DAVSIM_VECTOR_REDUCE_PARTS(BlockReduceMin, davsim::isa::Opcode::kBlockReduceMin)
/// Sums of neighbours. dstRepStride counts 128 bytes.
DAVSIM_VECTOR_REDUCE_PARTS(PairReduceSum, davsim::isa::Opcode::kPairReduceSum)

// Later names of the same instructions.
DAVSIM_VECTOR_REDUCE(ReduceRepeat, DAVSIM_REDUCE_TYPE,
                     DAVSIM_BY_TYPE(kReduceSum, kReduceMax, kReduceMin), DAVSIM_ORDER, order)
DAVSIM_VECTOR_REDUCE(ReduceDataBlock, DAVSIM_REDUCE_TYPE,
                     DAVSIM_BY_TYPE(kBlockReduceSum, kBlockReduceMax, kBlockReduceMin), ,
                     ReduceOrder::ORDER_ONLY_VALUE)
DAVSIM_VECTOR_REDUCE(ReducePairElem, DAVSIM_REDUCE_TYPE,
                     (davsim::api::reduce_opcode(reduceType, davsim::isa::Opcode::kPairReduceSum,
                                                 davsim::isa::Opcode::kScalarOp,
                                                 davsim::isa::Opcode::kScalarOp)),
                     , ReduceOrder::ORDER_ONLY_VALUE)

#undef DAVSIM_BY_TYPE
#undef DAVSIM_ORDER
#undef DAVSIM_REDUCE_TYPE
#undef DAVSIM_ELEMENT
#undef DAVSIM_VECTOR_REDUCE_PARTS
#undef DAVSIM_VECTOR_REDUCE

/// WholeReduceSum with its parameters in another order; dstBlkStride means nothing.
template <typename T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const davsim::api::RepeatTime repeatTime, const std::int32_t mask,
                     [[maybe_unused]] const std::int32_t dstBlkStride,
                     const std::int32_t srcBlkStride, const std::int32_t dstRepStride,
                     const std::int32_t srcRepStride,
                     davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_reduce<davsim::isa::Opcode::kReduceSum, isSetMask>(
      "RepeatReduceSum", dst, src, mask, repeatTime, {dstRepStride, srcBlkStride, srcRepStride},
      ReduceOrder::ORDER_ONLY_VALUE, where);
}

/// Sum of the last ReduceSum with `count` that has ended.
template <typename T>
T GetReduceRepeatSumSpr(davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, "half and float");
  return davsim::api::read_vector_register<T>(davsim::isa::kSprAccVal, where);
}
/// Earlier names: as a number, and as the bits of the register.
template <typename T>
T GetAccVal(davsim::api::Location where = davsim::api::Location::current()) {
  return GetReduceRepeatSumSpr<T>(where);
}
inline std::int64_t GetAccVal(davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::api::read_vector_register<std::int64_t>(davsim::isa::kSprAccVal, where);
}

/// Best element of all repeats of the last WholeReduceMax or WholeReduceMin that has ended, and its
/// index as the bits of a T. The index counts lanes as if the repeats were whole and followed each
/// other.
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex,
                              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, "half and float");
  maxMinValue = davsim::api::read_vector_register<T>(davsim::isa::kSprMaxMinValue, where);
  maxMinIndex = davsim::api::read_vector_register<T>(davsim::isa::kSprMaxMinIndex, where);
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue,
                              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, "half and float");
  maxMinValue = davsim::api::read_vector_register<T>(davsim::isa::kSprMaxMinValue, where);
}
/// Earlier name; also with the bits of both.
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex,
                          davsim::api::Location where = davsim::api::Location::current()) {
  GetReduceRepeatMaxMinSpr<T>(maxMinValue, maxMinIndex, where);
}
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue,
                          davsim::api::Location where = davsim::api::Location::current()) {
  GetReduceRepeatMaxMinSpr<T>(maxMinValue, where);
}
template <typename T, std::enable_if_t<!std::is_same_v<T, std::uint32_t>, bool> = true>
void GetReduceMaxMinCount(std::uint32_t& maxMinValue, std::uint32_t& maxMinIndex,
                          davsim::api::Location where = davsim::api::Location::current()) {
  using davsim::api::read_vector_register;
  maxMinValue = read_vector_register<std::uint32_t>(davsim::isa::kSprMaxMinValue, where);
  maxMinIndex = read_vector_register<std::uint32_t>(davsim::isa::kSprMaxMinIndex, where);
}

}  // namespace AscendC
