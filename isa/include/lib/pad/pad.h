// Padding of rows, and its reverse.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

struct PadParams {
  PadParams() = default;
  PadParams(const std::uint16_t leftPadIn, const std::uint16_t rightPadIn,
            const std::int32_t padValueIn)
      : leftPad(leftPadIn), rightPad(rightPadIn), padValue(padValueIn) {}
  std::uint16_t leftPad = 0;
  std::uint16_t rightPad = 0;
  std::int32_t padValue = 0;
};
struct UnPadParams {
  UnPadParams() = default;
  UnPadParams(const std::uint16_t leftPadIn, const std::uint16_t rightPadIn)
      : leftPad(leftPadIn), rightPad(rightPadIn) {}
  std::uint16_t leftPad = 0;
  std::uint16_t rightPad = 0;
};

}  // namespace AscendC

namespace davsim::api::lib {

template <typename T>
inline constexpr bool kCanPad =
    kIsOneOf<T, std::int16_t, std::uint16_t, half, std::int32_t, std::uint32_t, float>;

template <typename T>
void pad(Location where, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
         const Tensor& scratch, const AscendC::PadParams& params,
         const AscendC::PadTiling& tiling) {
  static_assert(kCanPad<T>, "Pad: int16_t, uint16_t, half, int32_t, uint32_t, float");
  pad_rows({"Pad", where}, dst, src, scratch,
           {tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, params.leftPad, params.rightPad,
            static_cast<double>(params.padValue)});
}

template <typename T>
void unpad(Location where, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
           const AscendC::UnPadParams& params, const AscendC::UnPadTiling& tiling) {
  static_assert(kCanPad<T>, "UnPad: int16_t, uint16_t, half, int32_t, uint32_t, float");
  // As documented, leftPad has no effect.
  require_range("UnPad", "bytes of leftPad", params.leftPad * std::int64_t{sizeof(T)}, 0,
                isa::kBlockBytes - 1, where);
  require_range("UnPad", "rightPad", params.rightPad, 0, std::int64_t{tiling.srcWidth} - 1, where);
  unpad_rows({"UnPad", where}, dst, src, tiling.srcHeight, tiling.srcWidth,
             tiling.srcWidth - params.rightPad);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// Rows of src become rows of whole DataBlocks with padValue before and behind them. Where rows of
/// src fill DataBlocks already, their last elements are replaced. int16_t, uint16_t, half, int32_t,
/// uint32_t, float.
template <typename T>
void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
         const PadParams& padParams, DAVSIM_SCRATCH, const PadTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::pad(where, dstTensor, srcTensor, sharedTmpBuffer, padParams, tiling);
}
template <typename T>
void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
         const PadParams& padParams, const PadTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::pad(where, dstTensor, srcTensor, davsim::api::lib::Tensor(), padParams, tiling);
}

/// Rows of whole DataBlocks without their last rightPad elements, one behind the other. The
/// temporary buffer is not used.
template <typename T>
void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
           const UnPadParams& unPadParams, const LocalTensor<std::uint8_t>&,
           const UnPadTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::unpad(where, dstTensor, srcTensor, unPadParams, tiling);
}
template <typename T>
void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
           const UnPadParams& unPadParams, const UnPadTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::unpad(where, dstTensor, srcTensor, unPadParams, tiling);
}

}  // namespace AscendC
