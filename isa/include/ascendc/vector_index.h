// Arithmetic progressions, made with the device's sequence of instructions, because their cost and,
// in half, their roundings follow from it. The scalar unit writes the first DataBlock. Adds makes
// the other DataBlocks of the first repeat from it, and then the other repeats from the first one.
#pragma once

#include "ascendc/pipe_order.h"
#include "ascendc/vector_scalar.h"

namespace davsim::api {

template <typename T>
inline constexpr bool kCanCount = isa::types_exist(isa::Opcode::kAdds, dtype_of<T>(),
                                                   dtype_of<T>());

/// One progression on its way into `dst`.
template <typename T>
class Progression {
 public:
  static constexpr std::uint32_t kBlock = isa::kBlockBytes / kElementBytes<T>;
  static constexpr std::uint32_t kRepeat = isa::kRepeatBytes / kElementBytes<T>;

  Progression(const AscendC::LocalTensor<T>& dst, T first, T difference, Location where)
      : dst_(dst), first_(first), difference_(difference), where_(where) {}

  /// Lets the scalar unit wait, if it writes all `count` elements, until the vector unit has ended
  /// what came before. ArithProgression does so, and CreateVecIndex does not.
  void await_vector(std::uint32_t count) {
    if (count <= kBlock) order_pipes<AscendC::HardEvent::V_S>(where_);
  }

  /// `count` elements one behind the other.
  void fill(std::uint32_t count) {
    write_first(std::min(count, kBlock));
    const std::uint32_t repeat = std::min(count, kRepeat);
    for (std::uint32_t at = kBlock; at < repeat; at += kBlock) {
      add(at, at - kBlock, kBlock, std::min(kBlock, repeat - at), 1);
    }
    for (std::uint32_t at = kRepeat; at < count; at += kRepeat) {
      add(at, at - kRepeat, kRepeat, std::min(kRepeat, count - at), 1);
    }
  }

  /// The first `lanes` lanes of every repeat; strides in DataBlocks.
  void fill_repeats(std::uint64_t lanes, std::uint32_t repeats, std::uint32_t block_stride,
                    std::uint32_t repeat_stride) {
    const auto active = static_cast<std::uint32_t>(lanes);
    write_first(std::min(active, kBlock));
    for (std::uint32_t block = 1; block * kBlock < active; ++block) {
      const std::uint32_t at = block * block_stride * kBlock;
      add(at, at - block_stride * kBlock, kBlock, std::min(kBlock, active - block * kBlock), 1);
    }
    add_repeats(lanes, repeats, block_stride, repeat_stride);
  }

  /// The lanes whose bits are set: the scalar unit writes the first repeat.
  void fill_repeats(const std::uint64_t* mask, std::uint32_t repeats, std::uint32_t block_stride,
                    std::uint32_t repeat_stride) {
    for (std::uint32_t lane = 0; lane < kRepeat; ++lane) {
      if ((mask[lane / 64] >> lane % 64 & 1u) == 0) continue;
      dst_.SetValue(lane / kBlock * block_stride * kBlock + lane % kBlock, value(lane), where_);
    }
    order_pipes<AscendC::HardEvent::S_V>(where_);
    add_repeats(mask, repeats, block_stride, repeat_stride);
  }

 private:
  /// `count` steps in the arithmetic of T: integers wrap around, half is rounded once.
  T steps(std::uint32_t count) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint32_t>(difference_) * count);
    } else {
      return static_cast<T>(static_cast<float>(difference_) * static_cast<float>(count));
    }
  }
  T value(std::uint32_t index) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint32_t>(first_) +
                            static_cast<std::uint32_t>(difference_) * index);
    } else {
      return static_cast<T>(static_cast<float>(first_) +
                            static_cast<float>(difference_) * static_cast<float>(index));
    }
  }

  void write_first(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) dst_.SetValue(i, value(i), where_);
    order_pipes<AscendC::HardEvent::S_V>(where_);
  }

  /// Elements from `to` on become those from `from` on, `count` steps later.
  template <class Mask>
  void add(std::uint32_t to, std::uint32_t from, std::uint32_t count, Mask mask,
           std::uint16_t block_stride) {
    const AscendC::UnaryRepeatParams strides(
        block_stride, block_stride, AscendC::DEFAULT_REPEAT_STRIDE, AscendC::DEFAULT_REPEAT_STRIDE);
    AscendC::Adds(dst_[to], dst_[from], steps(count), mask, 1, strides, where_);
    AscendC::PipeBarrier<PIPE_V>(where_);
  }

  template <class Mask>
  void add_repeats(Mask mask, std::uint32_t repeats, std::uint32_t block_stride,
                   std::uint32_t repeat_stride) {
    for (std::uint32_t repeat = 1; repeat < repeats; ++repeat) {
      const std::uint32_t at = repeat * repeat_stride * kBlock;
      add(at, at - repeat_stride * kBlock, kRepeat, mask, static_cast<std::uint16_t>(block_stride));
    }
  }

  AscendC::LocalTensor<T> dst_;
  T first_, difference_;
  Location where_;
};

template <typename T>
void progression_limits(const char* call, RepeatTime repeats, std::int64_t block_stride,
                        std::int64_t repeat_stride, Location where) {
  static_assert(kCanCount<T>, "CreateVecIndex: int16_t, half, int32_t, float");
  require_range(call, "repeatTime", repeats, 0, 255, where);
  require_range(call, "dstBlkStride", block_stride, 0, UINT16_MAX, where);
  require_range(call, "dstRepStride", repeat_stride, 0, 255, where);
}

}  // namespace davsim::api

namespace AscendC {

/// dst = firstValue, firstValue + 1, ... int16_t, half, int32_t, float. Repeats go on where a whole
/// repeat would end, whatever the mask. half counts in half: from 2048 on not every number is one.
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, std::uint32_t count,
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanCount<T>, "CreateVecIndex: int16_t, half, int32_t, float");
  if (!davsim::api::core_has(davsim::isa::Pipe::V) || count == 0) return;
  const davsim::api::InNormalMode masks;
  davsim::api::Progression<T>(dst, firstValue, T(1), where).fill(count);
}

template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, std::uint64_t mask,
                    const davsim::api::RepeatTime repeatTime, std::uint16_t dstBlkStride,
                    std::uint8_t dstRepStride,
                    davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::progression_limits<T>("CreateVecIndex", repeatTime, dstBlkStride, dstRepStride,
                                     where);
  constexpr std::int64_t kLanes = davsim::api::Progression<T>::kRepeat;
  const auto asked = static_cast<std::int64_t>(mask);
  davsim::api::require_range("CreateVecIndex", "mask", asked, 0, UINT32_MAX, where);
  if (asked > kLanes) davsim::api::cut_mask("CreateVecIndex", asked, kLanes, where);
  if (!davsim::api::core_has(davsim::isa::Pipe::V) || repeatTime == 0 || mask == 0) return;
  davsim::api::Progression<T>(dst, firstValue, T(1), where)
      .fill_repeats(static_cast<std::uint64_t>(std::min(asked, kLanes)),
                    static_cast<std::uint32_t>(repeatTime), dstBlkStride, dstRepStride);
}

template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, const std::uint64_t mask[],
                    const davsim::api::RepeatTime repeatTime, std::uint16_t dstBlkStride,
                    std::uint8_t dstRepStride,
                    davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::progression_limits<T>("CreateVecIndex", repeatTime, dstBlkStride, dstRepStride,
                                     where);
  if (mask == nullptr) {
    davsim::api::refuse("CreateVecIndex", "mask", 0, "arrays of two words", where);
  }
  if (davsim::api::registers().mask_mode == davsim::isa::MaskMode::kCounter) {
    davsim::api::fail(davsim::isa::FaultClass::kParameter, "CreateVecIndex",
                      {"the mask is in counter mode: mask bits need SetMaskNorm"}, where);
  }
  if (!davsim::api::core_has(davsim::isa::Pipe::V) || repeatTime == 0) return;
  davsim::api::Progression<T>(dst, firstValue, T(1), where)
      .fill_repeats(mask, static_cast<std::uint32_t>(repeatTime), dstBlkStride, dstRepStride);
}

/// dst = firstValue, firstValue + diffValue, firstValue + 2 diffValue, ... Types as above.
template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                      const std::int32_t count,
                      davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanCount<T>, "ArithProgression: int16_t, half, int32_t, float");
  davsim::api::require_range("ArithProgression", "count", count, 0, INT32_MAX, where);
  if (!davsim::api::core_has(davsim::isa::Pipe::V) || count == 0) return;
  const davsim::api::InNormalMode masks;
  davsim::api::Progression<T> progression(dst, firstValue, diffValue, where);
  progression.await_vector(static_cast<std::uint32_t>(count));
  progression.fill(static_cast<std::uint32_t>(count));
}
/// Later name of ArithProgression.
template <typename T>
void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
            const std::int32_t count,
            davsim::api::Location where = davsim::api::Location::current()) {
  ArithProgression(dst, firstValue, diffValue, count, where);
}

}  // namespace AscendC
