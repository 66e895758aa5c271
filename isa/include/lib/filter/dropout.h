// Dropout by a mask.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// firstAxis rows of srcLastAxis elements; rows of the mask have maskLastAxis bytes.
struct DropOutShapeInfo {
  std::uint32_t firstAxis = 0;
  std::uint32_t srcLastAxis = 0;
  std::uint32_t maskLastAxis = 0;
};

/// Names of dropOutMode: what an element has of the mask, and whether the mask's rows are padded.
constexpr std::uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
constexpr std::uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
constexpr std::uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
constexpr std::uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;

}  // namespace AscendC

namespace davsim::api::lib {

/// mode 0: bytes where the mask's rows are at least as long as those of src, else bits.
template <std::uint32_t mode>
void drop_out(Location where, const Tensor& dst, const Tensor& src, const Tensor& mask,
              const Tensor& scratch, float keep, const AscendC::DropOutShapeInfo& info) {
  static_assert(mode <= 4, "DropOut: dropOutMode is 0 to 4");
  const Call call{"DropOut", where};
  if (!(keep > 0 && keep <= 1)) {
    fail(isa::FaultClass::kParameter, "DropOut",
         {"keepProb in thousandths is ", static_cast<std::int64_t>(keep * 1000.0f),
          ", allowed are 1 to 1000"},
         where);
  }
  const bool bits = mode == 0 ? info.maskLastAxis < info.srcLastAxis : mode >= 3;
  if (bits) {
    const bool dense = mode == 0 ? info.maskLastAxis * 8 == info.srcLastAxis : mode == 3;
    select_by_bits(call, dst, src, mask,
                   {info.firstAxis, info.srcLastAxis, dense ? 0 : info.maskLastAxis, 0, true});
  } else if (info.maskLastAxis == info.srcLastAxis && info.maskLastAxis % isa::kBlockBytes != 0) {
    // Dense bytes are padded at their end alone.
    const std::uint32_t all = info.firstAxis * info.srcLastAxis;
    select_by_mask(call, dst, src, mask, scratch, {1, all, sizes::up(all, 32), 0, true});
  } else {
    select_by_mask(call, dst, src, mask, scratch,
                   {info.firstAxis, info.srcLastAxis, info.maskLastAxis, 0, true});
  }
  scale(call, dst, 1.0 / keep, info.firstAxis * info.srcLastAxis);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// dst = src / keepProb where the mask's byte is not 0 (dropOutMode 1, 2) or its bit is 1 (3, 4),
/// else 0. In modes 1 and 4 rows of the mask are padded. half, float.
template <typename T, bool isInitBitMode = false, std::uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
             const LocalTensor<std::uint8_t>& maskLocal, DAVSIM_SCRATCH, const float keepProb,
             const DropOutShapeInfo& info, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "DropOut takes half and float");
  davsim::api::lib::drop_out<dropOutMode>(where, dstLocal, srcLocal, maskLocal, sharedTmpBuffer,
                                          keepProb, info);
}
template <typename T, bool isInitBitMode = false, std::uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
             const LocalTensor<std::uint8_t>& maskLocal, const float keepProb,
             const DropOutShapeInfo& info, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "DropOut takes half and float");
  davsim::api::lib::drop_out<dropOutMode>(where, dstLocal, srcLocal, maskLocal, {}, keepProb, info);
}

}  // namespace AscendC
