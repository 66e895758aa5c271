// Gathers elements and DataBlocks from any addresses in UB, and elements that bits select.
#pragma once

#include "ascendc/vector_mask.h"
#include "ascendc/vector_reduce_tensor.h"

namespace AscendC {

/// Gatherb: the strides of the blocks that are written.
struct GatherRepeatParams {
  GatherRepeatParams() = default;
  GatherRepeatParams(const std::uint8_t dstBlkStrideIn, const std::uint8_t dstRepStrideIn)
      : dstBlkStride(dstBlkStrideIn), dstRepStride(dstRepStrideIn) {}

  std::uint32_t blockNumber = DEFAULT_BLK_NUM;  ///< reserved
  std::uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  std::uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  std::uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;     ///< reserved
  std::uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;     ///< reserved
  std::uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;  ///< reserved
  std::uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;  ///< reserved
  bool repeatStrideMode = false;                       ///< reserved
  bool strideSizeMode = false;                         ///< reserved
};

/// GatherMask: distances in DataBlocks. src1RepeatStride only where the pattern is a tensor.
struct GatherMaskParams {
  GatherMaskParams() = default;
  GatherMaskParams(const std::uint8_t src0BlockStrideIn, const std::uint16_t repeatTimesIn,
                   const std::uint16_t src0RepeatStrideIn, const std::uint8_t src1RepeatStrideIn)
      : src0BlockStride(src0BlockStrideIn),
        repeatTimes(repeatTimesIn),
        src0RepeatStride(src0RepeatStrideIn),
        src1RepeatStride(src1RepeatStrideIn) {}

  std::uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
  std::uint16_t repeatTimes = 0;
  std::uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
  std::uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

enum class GatherMaskMode : std::uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

}  // namespace AscendC

namespace davsim::api {

/// Sources and destination of a gather must not begin at the same byte of UB.
template <typename T>
void require_apart(std::string_view name, const AscendC::LocalTensor<T>& dst,
                   const AscendC::LocalTensor<T>& src, Location where) {
  const isa::Operand to = dst.Operand();
  if (to.space == src.Operand().space && to.addr == src.Operand().addr) {
    refuse(name, "the address of dst", static_cast<std::int64_t>(to.addr),
           "others than that of src", where);
  }
}

template <typename T, typename U, typename Mask>
void emit_gather(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                 const AscendC::LocalTensor<U>& offsets, std::uint32_t base, Mask mask,
                 RepeatTime repeats, std::uint16_t dst_repeat, Location where) {
  static_assert(isa::type_exists(isa::Opcode::kGather, dtype_of<T>()),
                "Gather: element types of 16 or 32 bits");
  const VectorCall call{"Gather", isa::Opcode::kGather, where};
  require_apart(call.name, dst, src, where);
  if (base % kElementBytes<T> != 0) {
    refuse(call.name, "srcBaseAddr", base, {"multiples of ", kElementBytes<T>}, where);
  }
  isa::VectorParams params =
      repeated<true>(call, mask, lanes_per_repeat(kElementBytes<T>), repeats);
  params.dst = {1, dst_repeat};
  isa::Operand table = src.Operand();
  table.addr += base;
  emit_vector(call, dst.Operand(), offsets.Operand(), table, params);
}

template <typename T>
void emit_gather_mask(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                      const isa::Operand& bits, std::uint8_t pattern, bool counter,
                      std::uint32_t mask, const AscendC::GatherMaskParams& strides,
                      Location where) {
  static_assert(isa::type_exists(isa::Opcode::kGatherMask, dtype_of<T>()),
                "GatherMask: element types of 16 or 32 bits");
  const VectorCall call{"GatherMask", isa::Opcode::kGatherMask, where};
  require_range(call.name, "repeatTimes", strides.repeatTimes, 0, 255, where);
  if (counter) require_range(call.name, "mask", mask, 1, UINT32_MAX, where);
  if (!core_has(isa::Pipe::V)) return;
  isa::VectorParams params;
  params.mask_mode = counter ? isa::MaskMode::kCounter : isa::MaskMode::kNormal;
  if (counter) params.mask = {mask, 0};
  params.repeats = strides.repeatTimes;
  params.src0 = {strides.src0BlockStride, strides.src0RepeatStride};
  params.src1 = {1, strides.src1RepeatStride};
  params.pattern = pattern;
  // As on the device the call leaves normal mode and its `mask` as mask bits behind.
  registers().mask_mode = isa::MaskMode::kNormal;
  registers().mask = {mask, 0};
  emit_vector(call, dst.Operand(), src0.Operand(), bits, params);
}

/// Elements that the GatherMask before has kept, for which the scalar unit waits.
inline void read_kept(std::uint64_t& kept, Location where) {
  if (!core_has(isa::Pipe::V)) return;
  order_pipes<AscendC::HardEvent::V_S>(where);
  kept = read_vector_register<std::uint64_t>(isa::kSprRsvdCnt, where);
}

}  // namespace davsim::api

namespace AscendC {

/// dst[i] = the element at byte srcBaseAddr + srcOffset[i] of src, `count` of them. int16_t,
/// uint16_t, half, bfloat16_t, int32_t, uint32_t, float.
template <typename T, typename U>
requires std::is_same_v<PrimT<U>, std::uint32_t>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& srcOffset,
            const std::uint32_t srcBaseAddr, const std::uint32_t count,
            davsim::api::Location where = davsim::api::Location::current()) {
  constexpr auto kLanes =
      static_cast<std::uint32_t>(davsim::api::lanes_per_repeat(davsim::api::kElementBytes<T>));
  constexpr std::uint32_t kMost = 255;
  const davsim::api::InNormalMode masks;
  const std::uint32_t repeats = count / kLanes, rest = count % kLanes;
  for (std::uint32_t first = 0; first < repeats; first += kMost) {
    davsim::api::emit_gather(dst[first * kLanes], src, srcOffset[first * kLanes], srcBaseAddr,
                             std::uint64_t{kLanes}, std::min(kMost, repeats - first), 8, where);
  }
  if (rest == 0) return;
  davsim::api::emit_gather(dst[count - rest], src, srcOffset[count - rest], srcBaseAddr,
                           std::uint64_t{rest}, 1, 8, where);
}

/// By repeats of 256 bytes of dst, each with as many offsets behind those of the one before.
template <typename T, typename U>
requires std::is_same_v<PrimT<U>, std::uint32_t>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& srcOffset,
            const std::uint32_t srcBaseAddr, const std::uint64_t mask,
            const davsim::api::RepeatTime repeatTime, const std::uint16_t dstRepStride,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_gather(dst, src, srcOffset, srcBaseAddr, mask, repeatTime, dstRepStride, where);
}
template <typename T, typename U>
requires std::is_same_v<PrimT<U>, std::uint32_t>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& srcOffset,
            const std::uint32_t srcBaseAddr, const std::uint64_t mask[],
            const davsim::api::RepeatTime repeatTime, const std::uint16_t dstRepStride,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_gather(dst, src, srcOffset, srcBaseAddr, mask, repeatTime, dstRepStride, where);
}

/// Blocks of dst = the DataBlocks at bytes offset[i] of src, eight a repeat, whatever the mask.
/// The type of the elements has no meaning. A block stride of 0 counts as 1.
template <typename T, typename U>
requires std::is_same_v<PrimT<U>, std::uint32_t>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& offset,
             const davsim::api::RepeatTime repeatTime, const GatherRepeatParams& repeatParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  using Word = std::conditional_t<davsim::api::kElementBytes<T> == 4, std::uint32_t, std::uint16_t>;
  const davsim::api::VectorCall call{"Gatherb", davsim::isa::Opcode::kGatherb, where};
  davsim::api::require_apart(call.name, dst, src, where);
  davsim::api::require_range(call.name, "repeatTime", repeatTime, 0, 255, where);
  ResetMask(where);
  davsim::isa::VectorParams params;
  params.repeats = static_cast<std::uint16_t>(repeatTime);
  params.dst = {std::max<std::uint16_t>(repeatParams.dstBlkStride, 1), repeatParams.dstRepStride};
  davsim::api::emit_vector(call, dst.template ReinterpretCast<Word>().Operand(), offset.Operand(),
                           src.template ReinterpretCast<Word>().Operand(), params);
}

/// The elements of src0 whose bit in src1Pattern is set, one behind the other. Each repeat has 256
/// bytes, or `mask` elements with reduceMode. 16-bit elements take bits of uint16_t, 32-bit ones of
/// uint32_t. GetGatherMaskRemainCount says how many there were.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                const LocalTensor<U>& src1Pattern, const bool reduceMode, const std::uint32_t mask,
                const GatherMaskParams& gatherMaskParams,
                davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_unsigned_v<PrimT<U>> &&
                    davsim::api::kElementBytes<U> == davsim::api::kElementBytes<T>,
                "GatherMask: the bits are uint16_t for 16-bit elements, uint32_t for 32-bit ones");
  davsim::api::emit_gather_mask(dst, src0, src1Pattern.Operand(), 0, reduceMode, mask,
                                gatherMaskParams, where);
}
/// The same; the scalar unit waits, and rsvdCnt = how many.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                const LocalTensor<U>& src1Pattern, const bool reduceMode, const std::uint32_t mask,
                const GatherMaskParams& gatherMaskParams, std::uint64_t& rsvdCnt,
                davsim::api::Location where = davsim::api::Location::current()) {
  GatherMask<T, U, mode>(dst, src0, src1Pattern, reduceMode, mask, gatherMaskParams, where);
  davsim::api::read_kept(rsvdCnt, where);
}

/// By a fixed pattern: 1 and 2 the even and odd elements, 3 to 6 the first to fourth of each four,
/// 7 all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                const std::uint8_t src1Pattern, const bool reduceMode, const std::uint32_t mask,
                const GatherMaskParams& gatherMaskParams,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("GatherMask", "src1Pattern", src1Pattern, 1, 7, where);
  davsim::api::emit_gather_mask(dst, src0, {}, src1Pattern, reduceMode, mask, gatherMaskParams,
                                where);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                const std::uint8_t src1Pattern, const bool reduceMode, const std::uint32_t mask,
                const GatherMaskParams& gatherMaskParams, std::uint64_t& rsvdCnt,
                davsim::api::Location where = davsim::api::Location::current()) {
  GatherMask<T, mode>(dst, src0, src1Pattern, reduceMode, mask, gatherMaskParams, where);
  davsim::api::read_kept(rsvdCnt, where);
}

/// Elements that the last GatherMask that has ended kept.
inline std::int64_t GetGatherMaskRemainCount(
    davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::api::read_vector_register<std::int64_t>(davsim::isa::kSprRsvdCnt, where);
}

}  // namespace AscendC
