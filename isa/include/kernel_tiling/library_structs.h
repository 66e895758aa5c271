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

#define DAVSIM_BATCH_NORM_TILING_FIELDS(FIELD) \
  FIELD(originalBLength)                       \
  FIELD(meanVarSize)                           \
  FIELD(meanTmpTensorPos)                      \
  FIELD(varianceTmpTensorPos)                  \
  FIELD(tmpBufSize)                            \
  FIELD(oneTmpSize)                            \
  FIELD(firstTmpStartPos)                      \
  FIELD(secondTmpStartPos)                     \
  FIELD(thirdTmpStartPos)                      \
  FIELD(loopRound)                             \
  FIELD(inputTailSize)                         \
  FIELD(inputTailPos)                          \
  FIELD(meanVarTailSize)                       \
  FIELD(meanVarTailPos)                        \
  FIELD(bshCurLength)                          \
  FIELD(shCurLength)                           \
  FIELD(shCurLengthBlockNum)                   \
  FIELD(castHalfRepStride)                     \
  FIELD(castHalfOutRepStride)

#define DAVSIM_GROUP_NORM_TILING_FIELDS(FIELD) \
  FIELD(n)                                     \
  FIELD(c)                                     \
  FIELD(hw)                                    \
  FIELD(g)                                     \
  FIELD(d)                                     \
  FIELD(hwAlignSize)                           \
  FIELD(dhwAlignSize)                          \
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

#define DAVSIM_LAYER_NORM_GRAD_TILING_FIELDS(FIELD) \
  FIELD(stackBufferSize)                            \
  FIELD(bLength)                                    \
  FIELD(sLength)                                    \
  FIELD(hLength)                                    \
  FIELD(originalHLength)                            \
  FIELD(oneCalSize)                                 \
  FIELD(nohCalSize)                                 \
  FIELD(loopNum)                                    \
  FIELD(tailSize)                                   \
  FIELD(nohTailSize)                                \
  FIELD(tmpTensorBSHPos)                            \
  FIELD(tmpTensorBSHSize)                           \
  FIELD(pdVarTensorPos)                             \
  FIELD(pdVarTensorSize)                            \
  FIELD(pdMeanTensorPos)                            \
  FIELD(pdMeanTensorSize)                           \
  FIELD(x1TensorPos)                                \
  FIELD(x1TensorSize)                               \
  FIELD(x2TensorPos)                                \
  FIELD(x2TensorSize)                               \
  FIELD(x3TensorPos)                                \
  FIELD(x3TensorSize)                               \
  FIELD(tmpTensorPos)                               \
  FIELD(tmpTensorSize)                              \
  FIELD(tmpTensor1Pos)                              \
  FIELD(tmpTensor1Size)                             \
  FIELD(tmpTensor2Pos)                              \
  FIELD(tmpTensor2Size)                             \
  FIELD(lastDimValueBack)                           \
  FIELD(lastDimValueBackMulTwo)

#define DAVSIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS(FIELD) \
  FIELD(stackBufferSize)                                 \
  FIELD(bLength)                                         \
  FIELD(sLength)                                         \
  FIELD(hLength)                                         \
  FIELD(originalHLength)                                 \
  FIELD(bshLength)                                       \
  FIELD(bsLength)                                        \
  FIELD(oneCalSize)                                      \
  FIELD(numberOfTmpBuf)                                  \
  FIELD(loopRound)                                       \
  FIELD(inputTailSize)                                   \
  FIELD(inputTailPos)                                    \
  FIELD(bsTailSize)                                      \
  FIELD(bshCurLength)                                    \
  FIELD(bsCurLength)                                     \
  FIELD(gammaTempTensorPos)                              \
  FIELD(betaTempTensorPos)                               \
  FIELD(inputDyTmpTensorPos)                             \
  FIELD(resForGammaTmpTensorPos)                         \
  FIELD(reserved)

#define DAVSIM_PAD_TILING_FIELDS(FIELD) \
  FIELD(srcHeight)                      \
  FIELD(srcWidth)                       \
  FIELD(srcOriWidth)                    \
  FIELD(widthWithoutLastBlock)          \
  FIELD(blocksPerRow)                   \
  FIELD(heightTiling)                   \
  FIELD(heightFractal)                  \
  FIELD(heightFractalTail)              \
  FIELD(mainLoopOffset)                 \
  FIELD(tailBlockOffset)                \
  FIELD(tmpBuffer1BlockNum)             \
  FIELD(tmpBuffer1RowNum)               \
  FIELD(tmpBuffer2Offset)               \
  FIELD(widthTiling)                    \
  FIELD(widthFractal)                   \
  FIELD(widthFractalTail)               \
  FIELD(widthFractalTailAlingned)       \
  FIELD(brcbTiling)                     \
  FIELD(brcbFractal)                    \
  FIELD(brcbFractalTail)                \
  FIELD(maxRepeatTimes)                 \
  FIELD(brcbTilingRepeatTimes)          \
  FIELD(brcbTilingRepeatTimesTail)

#define DAVSIM_UNPAD_TILING_FIELDS(FIELD) \
  FIELD(srcHeight)                        \
  FIELD(srcWidth)                         \
  FIELD(tmpBuffer1BlockNum)               \
  FIELD(tmpBuffer1RowNum)                 \
  FIELD(tmpBuffer2Offset)                 \
  FIELD(widthTiling)                      \
  FIELD(widthFractal)                     \
  FIELD(widthFractalTail)

#define DAVSIM_TRANSPOSE_TILING_FIELDS(FIELD) \
  FIELD(param0)                               \
  FIELD(param1)                               \
  FIELD(param2)                               \
  FIELD(param3)                               \
  FIELD(param4)                               \
  FIELD(param5)                               \
  FIELD(param6)                               \
  FIELD(param7)                               \
  FIELD(param8)                               \
  FIELD(param9)                               \
  FIELD(param10)                              \
  FIELD(param11)                              \
  FIELD(param12)                              \
  FIELD(param13)                              \
  FIELD(param14)                              \
  FIELD(param15)                              \
  FIELD(param16)                              \
  FIELD(param17)

#define DAVSIM_TOPK_TILING_FIELDS(FIELD) \
  FIELD(tmpLocalSize)                    \
  FIELD(allDataSize)                     \
  FIELD(innerDataSize)                   \
  FIELD(sortRepeat)                      \
  FIELD(mrgSortRepeat)                   \
  FIELD(kAlignFourBytes)                 \
  FIELD(kAlignTwoBytes)                  \
  FIELD(maskOffset)                      \
  FIELD(maskVreducev2FourBytes)          \
  FIELD(maskVreducev2TwoBytes)           \
  FIELD(mrgSortSrc1offset)               \
  FIELD(mrgSortSrc2offset)               \
  FIELD(mrgSortSrc3offset)               \
  FIELD(mrgSortTwoQueueSrc1Offset)       \
  FIELD(mrgFourQueueTailPara1)           \
  FIELD(mrgFourQueueTailPara2)           \
  FIELD(srcIndexOffset)                  \
  FIELD(copyUbToUbBlockCount)            \
  FIELD(topkMrgSrc1MaskSizeOffset)       \
  FIELD(topkNSmallSrcIndexOffset)        \
  FIELD(vreduceValMask0)                 \
  FIELD(vreduceValMask1)                 \
  FIELD(vreduceIdxMask0)                 \
  FIELD(vreduceIdxMask1)                 \
  FIELD(vreducehalfValMask0)             \
  FIELD(vreducehalfValMask1)

#define DAVSIM_SEPARATE_NORM_TILING_FIELDS(FIELD, FLOAT) \
  FIELD(aLength)                                         \
  FIELD(rLength)                                         \
  FIELD(halfAddRepeatTimes)                              \
  FIELD(rHeadLength)                                     \
  FLOAT(k2Rec)                                           \
  FLOAT(k2RRec)                                          \
  FIELD(inputXSize)                                      \
  FIELD(meanVarSize)                                     \
  FIELD(numberOfTmpBuf)                                  \
  FIELD(varianceTmpTensorPos)                            \
  FIELD(varianceTmpTensorSize)                           \
  FIELD(tmpBufSize)                                      \
  FIELD(oneTmpSize)                                      \
  FIELD(firstTmpStartPos)                                \
  FIELD(secondTmpStartPos)                               \
  FIELD(thirdTmpStartPos)                                \
  FIELD(loopRound)                                       \
  FIELD(inputRoundSize)                                  \
  FIELD(inputTailSize)                                   \
  FIELD(inputTailPos)                                    \
  FIELD(meanVarRoundSize)                                \
  FIELD(meanVarTailSize)                                 \
  FIELD(meanVarTailPos)                                  \
  FIELD(arCurLength)                                     \
  FIELD(aCurLength)                                      \
  FLOAT(rValueBack)

/// Structs of nothing but such fields: STRUCT(name, list of its fields).
#define DAVSIM_PLAIN_TILINGS(STRUCT)                                         \
  STRUCT(BatchNormTiling, DAVSIM_BATCH_NORM_TILING_FIELDS)                   \
  STRUCT(LayerNormGradTiling, DAVSIM_LAYER_NORM_GRAD_TILING_FIELDS)          \
  STRUCT(LayerNormGradBetaTiling, DAVSIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS) \
  STRUCT(PadTiling, DAVSIM_PAD_TILING_FIELDS)                                \
  STRUCT(UnPadTiling, DAVSIM_UNPAD_TILING_FIELDS)                            \
  STRUCT(ConfusionTransposeTiling, DAVSIM_TRANSPOSE_TILING_FIELDS)

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
#define DAVSIM_FLOAT_MEMBER(name) float name = 0;
  DAVSIM_SEPARATE_NORM_TILING_FIELDS(DAVSIM_TILING_MEMBER, DAVSIM_FLOAT_MEMBER)
#undef DAVSIM_FLOAT_MEMBER
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
/// n x c rows of hw elements, hwAlignSize apart, in groups of d rows.
struct alignas(8) GroupNormTiling {
  DAVSIM_GROUP_NORM_TILING_FIELDS(DAVSIM_TILING_MEMBER)
  float factor = 0;
  bool smallShape = false;
};
#define DAVSIM_PLAIN_TILING(Name, FIELDS) \
  struct alignas(8) Name {                \
    FIELDS(DAVSIM_TILING_MEMBER)          \
  };
DAVSIM_PLAIN_TILINGS(DAVSIM_PLAIN_TILING)
#undef DAVSIM_PLAIN_TILING
/// What TopK takes from the host; its own shape says the rest.
struct alignas(8) TopkTiling {
#define DAVSIM_SIGNED_MEMBER(name) std::int32_t name = 0;
  DAVSIM_TOPK_TILING_FIELDS(DAVSIM_SIGNED_MEMBER)
#undef DAVSIM_SIGNED_MEMBER
};

}  // namespace tiling
using tiling::BatchNormTiling;
using tiling::ConfusionTransposeTiling;
using tiling::DeepNormTiling;
using tiling::GroupNormTiling;
using tiling::LayerNormGradBetaTiling;
using tiling::LayerNormGradTiling;
using tiling::LayerNormSeparateTiling;
using tiling::LayerNormTiling;
using tiling::LogSoftMaxTiling;
using tiling::PadTiling;
using tiling::RmsNormTiling;
using tiling::SoftMaxTiling;
using tiling::TopkTiling;
using tiling::UnPadTiling;
}  // namespace AscendC

#undef DAVSIM_TILING_MEMBER

using AscendC::tiling::BatchNormTiling;
using AscendC::tiling::ConfusionTransposeTiling;
using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::GroupNormTiling;
using AscendC::tiling::LayerNormGradBetaTiling;
using AscendC::tiling::LayerNormGradTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::PadTiling;
using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::TopkTiling;
using AscendC::tiling::UnPadTiling;
