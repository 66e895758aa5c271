// Choices between a tensor and a scalar by a mask of elements.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// firstAxis rows of srcLastAxis elements; rows of the mask have maskLastAxis elements.
struct SelectWithBytesMaskShapeInfo {
  std::uint32_t firstAxis = 0;
  std::uint32_t srcLastAxis = 0;
  std::uint32_t maskLastAxis = 0;
};

}  // namespace AscendC

namespace davsim::api::lib {

template <typename T, typename U>
void select_with_mask(const char* name, Location where, const AscendC::LocalTensor<T>& dst,
                      const AscendC::LocalTensor<T>& src, T scalar,
                      const AscendC::LocalTensor<U>& mask, const Tensor& scratch,
                      const AscendC::SelectWithBytesMaskShapeInfo& info, bool where_set) {
  static_assert(kIsOneOf<T, half, float>, "Select by a mask of bytes: half and float");
  static_assert(kIsOneOf<U, bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                         std::uint32_t, std::int32_t>,
                "the mask of Select: bool, and integers of 8, 16 and 32 bits");
  const Tensor elements = mask;
  select_by_mask({name, where}, dst, src,
                 std::is_same_v<U, bool> ? elements.as(isa::DType::kU8) : elements, scratch,
                 {info.firstAxis, info.srcLastAxis, info.maskLastAxis, number(scalar), where_set});
}

}  // namespace davsim::api::lib

// The function under both of its names.
#define DAVSIM_SELECT_WITH_BYTES_MASK(Name)                                                       \
  /* dst = mask is 0 ? src0 : src1. */                                                            \
  template <typename T, typename U, bool isReuseMask = true>                                      \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, std::type_identity_t<T> src1,  \
            const LocalTensor<U>& mask, DAVSIM_SCRATCH, const SelectWithBytesMaskShapeInfo& info, \
            DAVSIM_WHERE) {                                                                       \
    davsim::api::lib::select_with_mask<T>(#Name, where, dst, src0, src1, mask, sharedTmpBuffer,   \
                                          info, false);                                           \
  }                                                                                               \
  template <typename T, typename U, bool isReuseMask = true>                                      \
  void Name(const LocalTensor<T>& dst, std::type_identity_t<T> src0, const LocalTensor<T>& src1,  \
            const LocalTensor<U>& mask, DAVSIM_SCRATCH, const SelectWithBytesMaskShapeInfo& info, \
            DAVSIM_WHERE) {                                                                       \
    davsim::api::lib::select_with_mask<T>(#Name, where, dst, src1, src0, mask, sharedTmpBuffer,   \
                                          info, true);                                            \
  }

namespace AscendC {

DAVSIM_SELECT_WITH_BYTES_MASK(Select)
/// Older name.
DAVSIM_SELECT_WITH_BYTES_MASK(SelectWithBytesMask)

}  // namespace AscendC

#undef DAVSIM_SELECT_WITH_BYTES_MASK
