// Reductions of a whole tensor to one element. They are the device's sequences of instructions with
// a work tensor, because their cost and the order of their sums follow from them. The scalar unit
// stores the result. A call returns when the result is visible to every pipe.
#pragma once

#include "ascendc/pipe_order.h"
#include "ascendc/vector_reduce.h"

namespace davsim::api {

/// Called after the scalar unit wrote a result to UB.
inline void publish_scalar_result(Location where) {
  order_pipes<AscendC::HardEvent::S_V>(where);
  order_pipes<AscendC::HardEvent::S_MTE3>(where);
}

template <typename T>
inline constexpr std::int32_t kReduceLanes = isa::kRepeatBytes / kElementBytes<T>;

/// Mask bits of the values among `pairs` pairs of value and index: every other lane.
constexpr std::array<std::uint64_t, 2> value_lanes(std::int64_t pairs) {
  constexpr std::uint64_t kEveryOther = 0x5555555555555555;
  const auto all = first_lanes(2 * pairs);
  return {all[0] & kEveryOther, all[1] & kEveryOther};
}

/// One tensor reduction under way. `T` half or float.
template <isa::Opcode op, typename T>
class TensorReduction {
 public:
  using Tensor = AscendC::LocalTensor<T>;
  using Bits = std::conditional_t<kElementBytes<T> == 2, std::uint16_t, std::uint32_t>;

  TensorReduction(std::string_view name, const Tensor& dst, const Tensor& work, Location where)
      : name_(name), dst_(dst), work_(work), where_(where) {}

  /// Largest or smallest element of `repeats` repeats of `src`, and its index.
  template <typename Mask>
  void extreme(const Tensor& src, Mask mask, std::int64_t repeats, std::int32_t src_repeat,
               bool index) {
    require_normal_mode();
    if (repeats == 0 || selects_none(mask)) return;
    if (index) {
      extreme_with_index(src, mask, repeats, src_repeat);
    } else {
      extreme_value(src, mask, repeats, src_repeat);
    }
  }

  /// `count` elements: whole repeats, then the rest, then the better of the two.
  void extreme_of_count(const Tensor& src, std::int32_t count, bool index) {
    const std::int32_t repeats = count / kLanes, rest = count % kLanes;
    if (repeats > 0) extreme(src, kLanes, repeats, 8, index);
    if (rest == 0) return;
    const Tensor tail = src[static_cast<std::uint32_t>(repeats * kLanes)];
    if (repeats == 0) {
      extreme(tail, rest, 1, 8, index);
      return;
    }
    combine_with_tail(tail, rest, repeats * kLanes, index);
  }

  /// Sum of `repeats` repeats: the sums of repeats are summed like the elements of one.
  template <typename Mask>
  void sum(const Tensor& src, Mask mask, std::int64_t repeats, std::int32_t src_repeat) {
    require_normal_mode();
    if (repeats == 0 || selects_none(mask)) return;
    need(repeats);
    reduce_repeats(work_, src, mask, repeats, src_repeat, 1);
    if (repeats == 1) {
      take_result();
      return;
    }
    std::int64_t sums = repeats;
    do {
      barrier();
      sum_of_count(sums);
      sums = (sums + kLanes - 1) / kLanes;
    } while (sums > kLanes);
    barrier();
    if (sums == 1) {
      take_result();
    } else {
      reduce_repeats(dst_, work_, static_cast<std::int32_t>(sums), 1, 8, 1);
    }
  }

 private:
  static constexpr std::int32_t kLanes = kReduceLanes<T>;

  /// Refuses a work tensor that the intermediate results would leave.
  void need(std::int64_t elements) const {
    const std::int64_t size = work_.GetSize();
    if (size < elements) {
      refuse(name_, "the size of sharedTmpBuffer", size, {elements, " elements and more"}, where_);
    }
  }

  /// The rounds behind the first set masks of bits, which in counter mode would be numbers.
  void require_normal_mode() const {
    if (registers().mask_mode == isa::MaskMode::kNormal) return;
    fail(isa::FaultClass::kParameter, name_,
         {"the mask is in counter mode: the forms with repeats need SetMaskNorm"}, where_);
  }

  /// Documented: a mask without lanes makes the call one that does nothing.
  static bool selects_none(std::int32_t mask) { return mask == 0; }
  static bool selects_none(const std::uint64_t* mask) {
    return mask != nullptr && mask[0] == 0 && (kLanes <= 64 || mask[1] == 0);
  }

  void barrier() const { AscendC::PipeBarrier<PIPE_V>(where_); }

  template <typename Mask>
  void emit(const Tensor& to, const Tensor& from, Mask mask, std::int64_t repeats,
            std::int32_t src_repeat) const {
    emit_reduce<op, true>(name_, to, from, mask, repeats, {1, 1, src_repeat},
                          AscendC::ReduceOrder::ORDER_VALUE_INDEX, where_);
  }

  /// As many instructions as their field for repeats asks for; each repeat leaves `per_repeat`
  /// elements.
  template <typename Mask>
  void reduce_repeats(const Tensor& to, const Tensor& from, Mask mask, std::int64_t repeats,
                      std::int32_t src_repeat, std::int64_t per_repeat) const {
    constexpr std::int64_t kMost = 255;
    const std::int64_t elements = std::int64_t{src_repeat} * isa::kBlockBytes / kElementBytes<T>;
    for (std::int64_t first = 0; first < repeats; first += kMost) {
      emit(to[static_cast<std::uint32_t>(first * per_repeat)],
           from[static_cast<std::uint32_t>(first * elements)], mask,
           std::min(kMost, repeats - first), src_repeat);
    }
  }

  /// Pairs of value and index at `from` of the work tensor to fewer pairs at `to`.
  std::int64_t reduce_pairs(std::int64_t from, std::int64_t to, std::int64_t pairs) const {
    constexpr std::int64_t kPairs = kLanes / 2;
    const std::int64_t whole = pairs / kPairs, rest = pairs % kPairs;
    if (whole > 0) {
      const auto mask = value_lanes(kPairs);
      emit(at(to), at(from), mask.data(), whole, 8);
    }
    if (rest > 0) {
      const auto mask = value_lanes(rest);
      emit(at(to + 2 * whole), at(from + whole * kLanes), mask.data(), 1, 8);
    }
    return whole + (rest > 0 ? 1 : 0);
  }

  Tensor at(std::int64_t element) const { return work_[static_cast<std::uint32_t>(element)]; }

  template <typename Mask>
  void extreme_value(const Tensor& src, Mask mask, std::int64_t repeats, std::int32_t src_repeat) {
    need(2 * repeats);
    reduce_repeats(work_, src, mask, repeats, src_repeat, 2);
    std::int64_t pairs = repeats;
    if (repeats > 1) {
      // The device makes a round before it looks whether one repeat is left, and one after.
      do {
        barrier();
        pairs = reduce_pairs(0, 0, pairs);
      } while (2 * pairs > kLanes);
      barrier();
      reduce_pairs(0, 0, pairs);
    }
    take_result();
  }

  /// Rounds of pairs, each kept, until one is left; then back along the indices.
  template <typename Mask>
  void extreme_with_index(const Tensor& src, Mask mask, std::int64_t repeats,
                          std::int32_t src_repeat) {
    if (repeats == 1) {
      emit(dst_, src, mask, 1, src_repeat);
      return;
    }
    std::array<std::int64_t, kMostRounds> start{};
    const std::size_t rounds = plan_rounds(start, repeats);
    reduce_repeats(work_, src, mask, repeats, src_repeat, 2);
    std::int64_t pairs = repeats;
    for (std::size_t round = 1; round < rounds; ++round) {
      barrier();
      pairs = reduce_pairs(start[round - 1], start[round], pairs);
    }
    order_pipes<AscendC::HardEvent::V_S>(where_);
    // The index of a round's pair is a lane of the round before: of pair lane / 2 of that repeat.
    std::int64_t repeat = 0;
    std::int64_t lane = index_at(start[rounds - 1]);
    for (std::size_t round = rounds - 1; round-- > 0;) {
      repeat = repeat * (kLanes / 2) + lane / 2;
      lane = index_at(start[round] + 2 * repeat);
    }
    const std::int64_t index = repeat * src_repeat * kBlockElements + lane;
    store(0, work_.GetValue(static_cast<std::uint32_t>(start[rounds - 1]), where_));
    store_index(index);
    publish_scalar_result(where_);
  }

  static constexpr std::int64_t kBlockElements = isa::kBlockBytes / kElementBytes<T>;
  /// 32 lanes and more a round, at most 2^31 repeats.
  static constexpr std::size_t kMostRounds = 8;

  /// Where in the work tensor the pairs of each round begin: on a DataBlock behind the ones before.
  std::size_t plan_rounds(std::array<std::int64_t, kMostRounds>& start, std::int64_t repeats) {
    std::size_t rounds = 0;
    std::int64_t pairs = repeats, next = 0;
    for (;;) {
      start[rounds++] = next;
      const std::int64_t end = next + 2 * pairs;
      if (pairs == 1) {
        need(end);
        return rounds;
      }
      next = (end + kBlockElements - 1) / kBlockElements * kBlockElements;
      pairs = (2 * pairs + kLanes - 1) / kLanes;
    }
  }

  std::int64_t index_at(std::int64_t pair) const {
    return work_.template ReinterpretCast<Bits>().GetValue(static_cast<std::uint32_t>(pair + 1),
                                                           where_);
  }

  void combine_with_tail(const Tensor& tail, std::int32_t rest, std::int64_t before, bool index) {
    order_pipes<AscendC::HardEvent::V_S>(where_);
    const ElementType<T> body_value = dst_.GetValue(0, where_);
    const Bits body_index = index ? bits_at(1) : Bits{};
    extreme(tail, rest, 1, 8, index);
    order_pipes<AscendC::HardEvent::V_S>(where_);
    const ElementType<T> tail_value = dst_.GetValue(0, where_);
    const Bits tail_index = index ? bits_at(1) : Bits{};
    work_.SetValue(0, body_value, where_);
    work_.SetValue(1, tail_value, where_);
    order_pipes<AscendC::HardEvent::S_V>(where_);
    extreme(work_, 2, 1, 8, index);
    if (!index) return;
    order_pipes<AscendC::HardEvent::V_S>(where_);
    store_index(bits_at(1) == 1 ? before + tail_index : std::int64_t{body_index});
    publish_scalar_result(where_);
  }

  Bits bits_at(std::uint32_t element) const {
    return dst_.template ReinterpretCast<Bits>().GetValue(element, where_);
  }

  void store(std::uint32_t element, ElementType<T> value) const {
    dst_.SetValue(element, value, where_);
  }
  void store_index(std::int64_t index) const {
    dst_.template ReinterpretCast<Bits>().SetValue(1, static_cast<Bits>(index), where_);
  }

  /// VCADD in counter mode, in place.
  void sum_of_count(std::int64_t count) const {
    const VectorCall call{name_, op, where_};
    isa::VectorParams params = counted(call, count);
    set_reduce_strides(params, call, {});
    emit_vector(call, work_.Operand(), work_.Operand(), {}, params);
  }

  /// The first element of the work tensor is the result.
  void take_result() const {
    order_pipes<AscendC::HardEvent::V_S>(where_);
    store(0, work_.GetValue(0, where_));
    publish_scalar_result(where_);
  }

  std::string_view name_;
  const Tensor& dst_;
  const Tensor& work_;
  Location where_;
};

/// Whether the running core reduces at all; checks what all tensor reductions have in common.
inline bool reduces_tensor(std::string_view name, const char* length_name, std::int64_t length,
                           std::int64_t src_repeat, Location where) {
  require_range(name, length_name, length, 0, INT32_MAX, where);
  require_range(name, "srcRepStride", src_repeat, 0, 65535, where);
  return core_has(isa::Pipe::V);
}

}  // namespace davsim::api

namespace AscendC {

/// dst[0] = sum of `count` elements: each repeat like WholeReduceSum, one repeat after the other.
/// The work tensor is not used.
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               [[maybe_unused]] const LocalTensor<T>& sharedTmpBuffer, const std::int32_t count,
               davsim::api::Location where = davsim::api::Location::current()) {
  constexpr auto kOp = davsim::isa::Opcode::kReduceSum;
  static_assert(davsim::isa::type_exists(kOp, davsim::api::dtype_of<T>()),
                "ReduceSum: half and float");
  if (!davsim::api::reduces_tensor("ReduceSum", "count", count, 8, where)) return;
  if (isSetMask && count == 0) return;
  const davsim::api::VectorCall call{"ReduceSum", kOp, where};
  davsim::isa::VectorParams params = davsim::api::counted<isSetMask>(call, count);
  params.accumulate = true;
  davsim::api::set_reduce_strides(params, call, {});
  davsim::api::emit_vector(call, dst.Operand(), src.Operand(), {}, params);
  davsim::api::order_pipes<HardEvent::V_S>(where);
  dst.SetValue(0, GetAccVal<davsim::api::ElementType<T>>(where), where);
  davsim::api::publish_scalar_result(where);
}

/// dst[0] = sum of the masked elements of all repeats, the sums of repeats summed like elements.
/// The work tensor takes an element a repeat.
template <typename T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<T>& sharedTmpBuffer, const std::int32_t mask,
               const std::int32_t repeatTime, const std::int32_t srcRepStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::reduces_tensor("ReduceSum", "repeatTime", repeatTime, srcRepStride, where)) {
    return;
  }
  davsim::api::TensorReduction<davsim::isa::Opcode::kReduceSum, T>("ReduceSum", dst,
                                                                   sharedTmpBuffer, where)
      .sum(src, mask, repeatTime, srcRepStride);
}
template <typename T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<T>& sharedTmpBuffer, const std::uint64_t mask[],
               const std::int32_t repeatTime, const std::int32_t srcRepStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::reduces_tensor("ReduceSum", "repeatTime", repeatTime, srcRepStride, where)) {
    return;
  }
  davsim::api::TensorReduction<davsim::isa::Opcode::kReduceSum, T>("ReduceSum", dst,
                                                                   sharedTmpBuffer, where)
      .sum(src, mask, repeatTime, srcRepStride);
}

#define DAVSIM_TENSOR_EXTREME(Name, opcode)                                                     \
  template <typename T>                                                                         \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                               \
            const LocalTensor<T>& sharedTmpBuffer, const std::int32_t count, bool calIndex = 0, \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    if (!davsim::api::reduces_tensor(#Name, "count", count, 8, where)) return;                  \
    const davsim::api::InNormalMode masks;                                                      \
    davsim::api::TensorReduction<opcode, T>(#Name, dst, sharedTmpBuffer, where)                 \
        .extreme_of_count(src, count, calIndex);                                                \
  }                                                                                             \
  template <typename T>                                                                         \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                               \
            const LocalTensor<T>& sharedTmpBuffer, const std::int32_t mask,                     \
            const std::int32_t repeatTime, const std::int32_t srcRepStride, bool calIndex = 0,  \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    if (!davsim::api::reduces_tensor(#Name, "repeatTime", repeatTime, srcRepStride, where))     \
      return;                                                                                   \
    davsim::api::TensorReduction<opcode, T>(#Name, dst, sharedTmpBuffer, where)                 \
        .extreme(src, mask, repeatTime, srcRepStride, calIndex);                                \
  }                                                                                             \
  template <typename T>                                                                         \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                               \
            const LocalTensor<T>& sharedTmpBuffer, const std::uint64_t mask[],                  \
            const std::int32_t repeatTime, const std::int32_t srcRepStride, bool calIndex = 0,  \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    if (!davsim::api::reduces_tensor(#Name, "repeatTime", repeatTime, srcRepStride, where))     \
      return;                                                                                   \
    davsim::api::TensorReduction<opcode, T>(#Name, dst, sharedTmpBuffer, where)                 \
        .extreme(src, mask, repeatTime, srcRepStride, calIndex);                                \
  }

/// dst[0] = largest element; with calIndex dst[1] = its index from the start of src, the first of
/// equal ones, as an integer of the width of T. The work tensor takes a value and an index a
/// repeat; with calIndex those of all rounds, each begun on a DataBlock.
DAVSIM_TENSOR_EXTREME(ReduceMax, davsim::isa::Opcode::kReduceMax)
/// The smallest, likewise.
DAVSIM_TENSOR_EXTREME(ReduceMin, davsim::isa::Opcode::kReduceMin)
#undef DAVSIM_TENSOR_EXTREME

}  // namespace AscendC
