// Parameter structs of the cube side: loads to L0, Mmad and Fixpipe. Constructors as in Ascend C.
#pragma once

#include <cstdint>

#include "ascendc/data_copy_params.h"

namespace AscendC {

constexpr std::int32_t PAD_SIZE = 4;  ///< left, right, top, bottom

/// Whole fractals of 512 bytes from L1 to L0A or L0B.
struct LoadData2DParams {
  LoadData2DParams() = default;
  LoadData2DParams(const std::uint16_t startIndexIn, const std::uint8_t repeatTimesIn,
                   const std::uint16_t srcStrideIn, const std::uint8_t sidIn,
                   const std::uint16_t dstGapIn, const bool ifTransposeIn,
                   const std::uint8_t addrModeIn)
      : startIndex(startIndexIn),
        dstGap(dstGapIn),
        srcStride(srcStrideIn),
        ifTranspose(ifTransposeIn),
        repeatTimes(repeatTimesIn),
        sid(sidIn),
        addrMode(addrModeIn) {}

  std::uint16_t startIndex = 0;  ///< first source fractal
  std::uint16_t dstGap = 0;      ///< fractals between destinations, end to start
  std::uint16_t srcStride = 0;   ///< fractals between sources, start to start
  bool ifTranspose = false;      ///< transpose each fractal; 16-bit types only
  std::uint8_t repeatTimes = 0;  ///< fractals
  std::uint8_t sid = 0;
  std::uint8_t addrMode = 0;  ///< 1: walk the source downwards
};
using LoadData2dParams = LoadData2DParams;

/// Squares of fractals from L1 to L0A or L0B, transposed.
struct LoadData2dTransposeParams {
  LoadData2dTransposeParams() = default;
  LoadData2dTransposeParams(const std::uint16_t startIndexIn, const std::uint8_t repeatTimesIn,
                            const std::uint16_t srcStrideIn, const std::uint16_t dstGapIn,
                            const std::uint16_t dstfracGapIn, const std::uint8_t addrModeIn = 0)
      : startIndex(startIndexIn),
        repeatTimes(repeatTimesIn),
        srcStride(srcStrideIn),
        dstGap(dstGapIn),
        dstFracGap(dstfracGapIn),
        addrMode(addrModeIn) {}

  std::uint16_t startIndex = 0;  ///< first square
  std::uint8_t repeatTimes = 0;  ///< squares
  std::uint16_t srcStride = 0;   ///< squares between sources, start to start
  std::uint16_t dstGap = 0;  ///< fractals from the first fractal of one square to that of the next
  std::uint16_t dstFracGap = 0;  ///< fractals between the fractals of one square, end to start
  std::uint8_t addrMode = 0;     ///< 1: walk the source downwards
};

/// img2col of a feature map [C1, H, W, C0] in L1.
template <typename T>
struct LoadData3DParamsV2 {
  LoadData3DParamsV2() = default;
  LoadData3DParamsV2(const std::uint8_t padListIn[PAD_SIZE], const std::uint16_t l1HIn,
                     const std::uint16_t l1WIn, const std::uint16_t channelSizeIn,
                     const std::uint16_t kExtensionIn, const std::uint16_t mExtensionIn,
                     const std::uint16_t kStartPtIn, const std::uint16_t mStartPtIn,
                     const std::uint8_t strideWIn, const std::uint8_t strideHIn,
                     const std::uint8_t filterWIn, const std::uint8_t filterHIn,
                     const std::uint8_t dilationFilterWIn, const std::uint8_t dilationFilterHIn,
                     const bool enTransposeIn, const bool enSmallKIn, const T padValueIn,
                     const bool filterSizeWIn = false, const bool filterSizeHIn = false,
                     const bool fMatrixCtrlIn = false)
      : padList{padListIn[0], padListIn[1], padListIn[2], padListIn[3]},
        l1H(l1HIn),
        l1W(l1WIn),
        channelSize(channelSizeIn),
        kExtension(kExtensionIn),
        mExtension(mExtensionIn),
        kStartPt(kStartPtIn),
        mStartPt(mStartPtIn),
        strideW(strideWIn),
        strideH(strideHIn),
        filterW(filterWIn),
        filterH(filterHIn),
        dilationFilterW(dilationFilterWIn),
        dilationFilterH(dilationFilterHIn),
        enTranspose(enTransposeIn),
        enSmallK(enSmallKIn),
        padValue(padValueIn),
        filterSizeW(filterSizeWIn),
        filterSizeH(filterSizeHIn),
        fMatrixCtrl(fMatrixCtrlIn) {}

  std::uint8_t padList[PAD_SIZE] = {0, 0, 0, 0};  ///< left, right, top, bottom
  std::uint16_t l1H = 0, l1W = 0;                 ///< of the feature map, up to 32767
  std::uint16_t channelSize = 0;
  std::uint16_t kExtension = 0, mExtension = 0;  ///< size of the piece to move
  std::uint16_t kStartPt = 0, mStartPt = 0;      ///< where it starts in the img2col matrix
  std::uint8_t strideW = 1, strideH = 1;         ///< 1 to 63
  std::uint8_t filterW = 1, filterH = 1;
  std::uint8_t dilationFilterW = 1, dilationFilterH = 1;
  bool enTranspose = false;  ///< to L0A only; to L0B the matrix is always transposed
  bool enSmallK = false;     ///< not available on 2201
  T padValue = T(0);
  bool filterSizeW = false, filterSizeH = false;  ///< 256 more than filterW, filterH
  bool fMatrixCtrl = false;                       ///< only false on 2201
};

/// The same with the numbers packed as the instruction takes them. The feature map and the padding
/// value come from SetFmatrix and SetLoadDataPaddingValue.
struct LoadData3DParamsV2Pro {
  LoadData3DParamsV2Pro() = default;
  LoadData3DParamsV2Pro(const std::uint16_t channelSizeIn, const bool enTransposeIn,
                        const bool enSmallKIn, const bool filterSizeWIn, const bool filterSizeHIn,
                        const bool fMatrixCtrlIn, const std::uint64_t extConfigIn,
                        const std::uint64_t filterConfigIn)
      : channelSize(channelSizeIn),
        enTranspose(enTransposeIn),
        enSmallK(enSmallKIn),
        filterSizeW(filterSizeWIn),
        filterSizeH(filterSizeHIn),
        fMatrixCtrl(fMatrixCtrlIn),
        extConfig(extConfigIn),
        filterConfig(filterConfigIn) {}

  std::uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;  ///< not available on 2201
  bool filterSizeW = false, filterSizeH = false;
  bool fMatrixCtrl = false;  ///< only false on 2201
  /// mStartPt, kStartPt, mExtension, kExtension: 16 bits each, the first in the high ones.
  std::uint64_t extConfig = 0;
  /// dilationFilterH, dilationFilterW, filterH, filterW, strideH, strideW: 8 bits each.
  std::uint64_t filterConfig = 0x10101010101;
};

/// Which registers a LoadData of a feature map sets from its own parameters.
struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

/// Repeats of a LoadData of a feature map along m, the height of the matrix (repeatMode 0), or
/// along k, its width (1). What a repeat fetches lies behind what the one before it has fetched.
struct LoadDataRepeatParam {
  LoadDataRepeatParam() = default;
  LoadDataRepeatParam(const std::uint16_t repeatStrideIn, const std::uint8_t repeatTimeIn,
                      const std::uint8_t repeatModeIn)
      : repeatStride(repeatStrideIn), repeatTime(repeatTimeIn), repeatMode(repeatModeIn) {}

  std::uint16_t repeatStride = 0;  ///< along m 16 rows, along k 32 bytes of elements
  std::uint8_t repeatTime = 1;     ///< 0: the loads do nothing
  std::uint8_t repeatMode = 0;
};

/// Runs of one value; a block has 32 bytes in L1 and 512 in L0A and L0B.
template <typename T>
struct InitConstValueParams {
  InitConstValueParams() = default;
  InitConstValueParams(const std::uint16_t repeatTimesIn, const std::uint16_t blockNumIn,
                       const std::uint16_t dstGapIn, const T initValueIn)
      : repeatTimes(repeatTimesIn),
        blockNum(blockNumIn),
        dstGap(dstGapIn),
        initValue(initValueIn) {}
  /// Blocks that follow each other.
  InitConstValueParams(const std::uint16_t repeatTimesIn, const T initValueIn)
      : repeatTimes(repeatTimesIn), blockNum(1), initValue(initValueIn) {}

  std::uint16_t repeatTimes = 0;  ///< runs, 0 to 32767
  std::uint16_t blockNum = 0;     ///< blocks of a run, 0 to 32767
  std::uint16_t dstGap = 0;       ///< blocks between two runs, end to start, 0 to 32767
  T initValue = T(0);
};

enum class FmatrixMode : std::uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

/// C[m, n] = A[m, k] x B[k, n] + where C starts.
struct MmadParams {
  MmadParams() = default;
  MmadParams(const std::uint16_t mIn, const std::uint16_t nIn, const std::uint16_t kIn,
             const bool isBiasIn, const std::int32_t fmOffsetIn, const bool enSsparseIn,
             const bool enWinogradAIn, const bool enWinogradBIn)
      : m(mIn),
        n(nIn),
        k(kIn),
        isBias(isBiasIn),
        fmOffset(fmOffsetIn),
        enSsparse(enSsparseIn),
        enWinogradA(enWinogradAIn),
        enWinogradB(enWinogradBIn) {}
  MmadParams(const std::uint16_t mIn, const std::uint16_t nIn, const std::uint16_t kIn,
             const std::uint8_t unitFlagIn, const bool cmatrixSourceIn, const bool cmatrixInitValIn)
      : m(mIn),
        n(nIn),
        k(kIn),
        unitFlag(unitFlagIn),
        cmatrixSource(cmatrixSourceIn),
        cmatrixInitVal(cmatrixInitValIn) {}

  std::uint16_t m = 0, n = 0, k = 0;              ///< 0 to 4095; a 0 makes it do nothing
  bool isBias = false;                            ///< older way to say "start from C"
  std::int32_t fmOffset = 0;                      ///< ignored on 2201
  bool enSsparse = false;                         ///< ignored on 2201
  bool enWinogradA = false, enWinogradB = false;  ///< ignored on 2201
  std::uint8_t unitFlag = 0;                      ///< 0, 2 or 3
  bool kDirectionAlign = false;  ///< float: rows of A in L0A are padded to 16 of k instead of 8
  bool cmatrixSource = false;  ///< where C starts if cmatrixInitVal is false: L0C or the bias table
  bool cmatrixInitVal = true;  ///< C starts from 0
};

enum class HF32TransMode : std::uint8_t { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };
enum class HF32Mode : std::uint8_t { DISABLE = 0, ENABLE = 1 };

enum class CO2Layout : std::uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

struct FixpipeConfig {
  constexpr FixpipeConfig(CO2Layout layout) : format(layout) {}  // NOLINT: as on the device
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

/// L0C to GM or L1, quantised on the way.
struct FixpipeParamsV220 {
  FixpipeParamsV220() = default;
  FixpipeParamsV220(const std::uint16_t nSizeIn, const std::uint16_t mSizeIn,
                    const std::uint16_t srcStrideIn, const std::uint32_t dstStrideIn,
                    const bool reluEnIn)
      : nSize(nSizeIn),
        mSize(mSizeIn),
        srcStride(srcStrideIn),
        dstStride(dstStrideIn),
        reluEn(reluEnIn) {}
  FixpipeParamsV220(const std::uint16_t nSizeIn, const std::uint16_t mSizeIn,
                    const std::uint16_t srcStrideIn, const std::uint32_t dstStrideIn,
                    const bool reluEnIn, const QuantMode_t quantPreIn,
                    const std::int64_t deqScalarIn, const std::uint16_t ndNumIn,
                    const std::uint16_t srcNdStrideIn, const std::uint16_t dstNdStrideIn,
                    const std::uint8_t unitFlagIn, const bool isChannelSplitIn = false)
      : nSize(nSizeIn),
        mSize(mSizeIn),
        srcStride(srcStrideIn),
        dstStride(dstStrideIn),
        quantPre(quantPreIn),
        deqScalar(static_cast<std::uint64_t>(deqScalarIn)),
        ndNum(ndNumIn),
        srcNdStride(srcNdStrideIn),
        dstNdStride(dstNdStrideIn),
        reluEn(reluEnIn),
        unitFlag(unitFlagIn),
        isChannelSplit(isChannelSplitIn) {}

  std::uint16_t nSize = 0;      ///< up to 4095; NZ: a multiple of 16 (8 with isChannelSplit)
  std::uint16_t mSize = 0;      ///< NZ: up to 65535, ND: up to 8192
  std::uint16_t srcStride = 0;  ///< rows of 16 elements between columns of L0C
  std::uint32_t dstStride = 0;  ///< NZ: 32-byte units between columns; ND: elements between rows
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  std::uint64_t deqScalar = 0;    ///< quantisation word of the scalar modes
  std::uint16_t ndNum = 1;        ///< ND: matrices
  std::uint16_t srcNdStride = 0;  ///< ND: fractals of 1024 bytes between matrices
  std::uint16_t dstNdStride = 0;  ///< ND: elements between matrices
  bool reluEn = false;            ///< negative results become 0
  std::uint8_t unitFlag = 0;      ///< 0, 2 or 3
  bool isChannelSplit = false;    ///< float, NZ to GM: fractals of 16 x 8
};

}  // namespace AscendC
