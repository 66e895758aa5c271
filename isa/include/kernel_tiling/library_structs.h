// Tiling structs of the high-level API, as kernels and host programs share them. C++17, because
// sources of op_host include it. The macros list the fields once; all are uint32_t.
#pragma once

#include <cstdint>

#define DAVSIM_SOFTMAX_TILING_FIELDS(FIELD) \
  FIELD(srcM)                               \
  FIELD(srcK)                               \
  FIELD(srcSize)                            \
  FIELD(outMaxM)                            \
  FIELD(outMaxK)                            \
  FIELD(outMaxSize)                         \
  FIELD(splitM)                             \
  FIELD(splitK)                             \
  FIELD(splitSize)                          \
  FIELD(reduceM)                            \
  FIELD(reduceK)                            \
  FIELD(reduceSize)                         \
  FIELD(rangeM)                             \
  FIELD(tailM)                              \
  FIELD(tailSplitSize)                      \
  FIELD(tailReduceSize)

#define DAVSIM_LAYER_NORM_TILING_FIELDS(FIELD) \
  FIELD(bLength)                               \
  FIELD(sLength)                               \
  FIELD(hLength)                               \
  FIELD(originalHLength)                       \
  FIELD(inputXSize)                            \
  FIELD(meanVarSize)                           \
  FIELD(numberOfTmpBuf)                        \
  FIELD(meanTmpTensorPos)                      \
  FIELD(meanTmpTensorSize)                     \
  FIELD(varianceTmpTensorPos)                  \
  FIELD(varianceTmpTensorSize)                 \
  FIELD(tmpBufSize)                            \
  FIELD(oneTmpSize)                            \
  FIELD(firstTmpStartPos)                      \
  FIELD(secondTmpStartPos)                     \
  FIELD(thirdTmpStartPos)                      \
  FIELD(loopRound)                             \
  FIELD(inputRoundSize)                        \
  FIELD(inputTailSize)                         \
  FIELD(inputTailPos)                          \
  FIELD(meanVarRoundSize)                      \
  FIELD(meanVarTailSize)                       \
  FIELD(meanVarTailPos)                        \
  FIELD(bshCurLength)                          \
  FIELD(bsCurLength)

#define DAVSIM_RMS_NORM_TILING_FIELDS(FIELD) \
  FIELD(mainBshLength)                       \
  FIELD(mainBsLength)                        \
  FIELD(mainBsLengthAlign)                   \
  FIELD(loopRound)                           \
  FIELD(inputTailPos)                        \
  FIELD(tailBshLength)                       \
  FIELD(tailBsLength)

#define DAVSIM_TILING_MEMBER(name) std::uint32_t name = 0;

namespace AscendC {
namespace tiling {

/// Rows of srcK elements, `splitM` of them at a time, `rangeM` times, then `tailM`.
struct alignas(8) SoftMaxTiling {
  DAVSIM_SOFTMAX_TILING_FIELDS(DAVSIM_TILING_MEMBER)
};
struct alignas(8) LogSoftMaxTiling {
  DAVSIM_SOFTMAX_TILING_FIELDS(DAVSIM_TILING_MEMBER)
};

/// bLength x sLength rows of originalHLength elements, hLength apart, bsCurLength at a time.
struct alignas(8) LayerNormTiling {
  DAVSIM_LAYER_NORM_TILING_FIELDS(DAVSIM_TILING_MEMBER)
  float lastDimValueBack = 0;
};
/// aLength rows of rLength elements.
struct alignas(8) LayerNormSeparateTiling {
  std::uint32_t aLength = 0, rLength = 0, halfAddRepeatTimes = 0, rHeadLength = 0;
  float k2Rec = 0, k2RRec = 0;
  std::uint32_t inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0, varianceTmpTensorPos = 0,
                varianceTmpTensorSize = 0, tmpBufSize = 0, oneTmpSize = 0, firstTmpStartPos = 0,
                secondTmpStartPos = 0, thirdTmpStartPos = 0, loopRound = 0, inputRoundSize = 0,
                inputTailSize = 0, inputTailPos = 0, meanVarRoundSize = 0, meanVarTailSize = 0,
                meanVarTailPos = 0, arCurLength = 0, aCurLength = 0;
  float rValueBack = 0;
};
/// As LayerNormTiling, mainBsLength rows at a time.
struct alignas(8) RmsNormTiling {
  std::uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
  float reciprocalOfHLength = 0;
  DAVSIM_RMS_NORM_TILING_FIELDS(DAVSIM_TILING_MEMBER)
};
/// bLength x sLength rows of originalHLength elements, hLength apart.
struct alignas(8) DeepNormTiling {
  DAVSIM_LAYER_NORM_TILING_FIELDS(DAVSIM_TILING_MEMBER)
  float lastDimValueBack = 0;
};
/// What TopK takes from the host; its own shape says the rest.
struct alignas(8) TopkTiling {
  std::int32_t tmpLocalSize = 0, allDataSize = 0, innerDataSize = 0, sortRepeat = 0,
               mrgSortRepeat = 0, kAlignFourBytes = 0, kAlignTwoBytes = 0, maskOffset = 0,
               maskVreducev2FourBytes = 0, maskVreducev2TwoBytes = 0, mrgSortSrc1offset = 0,
               mrgSortSrc2offset = 0, mrgSortSrc3offset = 0, mrgSortTwoQueueSrc1Offset = 0,
               mrgFourQueueTailPara1 = 0, mrgFourQueueTailPara2 = 0, srcIndexOffset = 0,
               copyUbToUbBlockCount = 0, topkMrgSrc1MaskSizeOffset = 0,
               topkNSmallSrcIndexOffset = 0, vreduceValMask0 = 0, vreduceValMask1 = 0,
               vreduceIdxMask0 = 0, vreduceIdxMask1 = 0, vreducehalfValMask0 = 0,
               vreducehalfValMask1 = 0;
};

}  // namespace tiling
using tiling::DeepNormTiling;
using tiling::LayerNormSeparateTiling;
using tiling::LayerNormTiling;
using tiling::LogSoftMaxTiling;
using tiling::RmsNormTiling;
using tiling::SoftMaxTiling;
using tiling::TopkTiling;
}  // namespace AscendC

#undef DAVSIM_TILING_MEMBER

using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::TopkTiling;
