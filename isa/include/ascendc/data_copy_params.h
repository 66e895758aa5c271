// Parameter structs of the data copies. Constructors as in Ascend C, so that brace lists pick the
// same overload here and on the device.
#pragma once

#include <cstdint>

#include "ascendc/language.h"

/// The conversion of a number by Fixpipe on its way out of L0C.
enum QuantMode_t : std::uint8_t {
  NoQuant = 0,
  F322F16 = 1,         ///< float to half, to nearest even
  VREQ8 = 2,           ///< int32 to int8 or uint8, a quantisation word per column
  REQ8 = 3,            ///< the same, one word for all columns
  VDEQF16 = 4,         ///< int32 to half, a word per column
  DEQF16 = 5,          ///< int32 to half, one word
  VSHIFTS322S16 = 12,  ///< not available on 2201
  SHIFTS322S16 = 13,   ///< not available on 2201
  F322BF16 = 16,       ///< float to bfloat16, to nearest even
  VQF322B8_PRE = 23,   ///< float to int8 or uint8, a word per column
  QF322B8_PRE = 24,    ///< the same, one word
};

/// Padding modes of other architectures.
enum pad_t : std::uint8_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5 };

namespace AscendC {

/// A copy in whole DataBlocks.
struct DataCopyParams {
  DataCopyParams() = default;
  DataCopyParams(const std::uint16_t count, const std::uint16_t len,
                 const std::uint16_t srcStrideIn, const std::uint16_t dstStrideIn)
      : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn) {}

  std::uint16_t blockCount = 1;  ///< 0 to 4095; 0 copies nothing
  std::uint16_t blockLen = 0;    ///< DataBlocks of 32 bytes; to BT units of 64, to FB of 128 bytes
  union {
    std::uint16_t srcGap = 0;  ///< DataBlocks between two blocks, end to start
    std::uint16_t srcStride;   ///< older name of srcGap
  };
  union {
    std::uint16_t dstGap = 0;  ///< as srcGap, in the units of blockLen
    std::uint16_t dstStride;   ///< older name of dstGap
  };
};

/// A copy of blocks of any length: lengths in bytes.
struct DataCopyExtParams {
  DataCopyExtParams() = default;
  DataCopyExtParams(const std::uint16_t count, const std::uint32_t len,
                    const std::uint32_t srcStrideIn, const std::uint32_t dstStrideIn,
                    const std::uint32_t rsvIn)
      : blockCount(count),
        blockLen(len),
        srcStride(srcStrideIn),
        dstStride(dstStrideIn),
        rsv(rsvIn) {}

  std::uint16_t blockCount = 1;  ///< 0 to 4095
  std::uint32_t blockLen = 0;    ///< bytes, 0 to 2097151
  std::uint32_t srcStride = 0;   ///< end to start: bytes in GM, DataBlocks in UB
  std::uint32_t dstStride = 0;   ///< as srcStride
  std::uint32_t rsv = 0;
};

/// Padding of blocks on their way into UB, for DataCopyParams.
struct DataCopyPadParams {
  DataCopyPadParams() = default;
  DataCopyPadParams(const bool isPadValue, const std::uint8_t leftPadValue,
                    const std::uint8_t rightPadValue, const std::uint64_t padValue)
      : isPad(isPadValue),
        leftPadding(leftPadValue),
        rightPadding(rightPadValue),
        paddingValue(padValue) {}

  bool isPad = false;  ///< fill with paddingValue; else with SetPadValue's, if it was called
  std::uint8_t leftPadding = 0, rightPadding = 0;  ///< elements, at most 32 bytes each
  std::uint64_t paddingValue = 0;                  ///< bit pattern
};

/// Padding of blocks on their way into UB, for DataCopyExtParams.
template <typename T>
struct DataCopyPadExtParams {
  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(const bool isPadValue, const std::uint8_t leftPadValue,
                       const std::uint8_t rightPadValue, T padValue)
      : isPad(isPadValue),
        leftPadding(leftPadValue),
        rightPadding(rightPadValue),
        paddingValue(padValue) {}
  /// The value as a number of another type: {true, 0, 2, 0} for bfloat16_t.
  template <typename Number>
  requires(std::is_arithmetic_v<Number> && !std::is_convertible_v<Number, T>)
      DataCopyPadExtParams(const bool isPadValue, const std::uint8_t leftPadValue,
                           const std::uint8_t rightPadValue, Number padValue)
      : DataCopyPadExtParams(isPadValue, leftPadValue, rightPadValue, static_cast<T>(padValue)) {}

  bool isPad = false;  ///< fill with paddingValue; else with SetPadValue's, if it was called
  std::uint8_t leftPadding = 0, rightPadding = 0;  ///< elements, at most 32 bytes each
  T paddingValue = T(0);                           ///< 0 where T has 64 bits
};

/// Row-major matrices to NZ fractals.
struct Nd2NzParams {
  Nd2NzParams() = default;
  Nd2NzParams(const std::uint16_t ndNumIn, const std::uint16_t nValueIn,
              const std::uint16_t dValueIn, const std::uint16_t srcNdMatrixStrideIn,
              const std::uint16_t srcDValueIn, const std::uint16_t dstNzC0StrideIn,
              const std::uint16_t dstNzNStrideIn, const std::uint16_t dstNzMatrixStrideIn)
      : ndNum(ndNumIn),
        nValue(nValueIn),
        dValue(dValueIn),
        srcNdMatrixStride(srcNdMatrixStrideIn),
        srcDValue(srcDValueIn),
        dstNzC0Stride(dstNzC0StrideIn),
        dstNzNStride(dstNzNStrideIn),
        dstNzMatrixStride(dstNzMatrixStrideIn) {}

  std::uint16_t ndNum = 0;              ///< matrices, 0 to 4095
  std::uint16_t nValue = 0;             ///< rows, 0 to 16384
  std::uint16_t dValue = 0;             ///< columns; a row is filled up with 0 to 32 bytes
  std::uint16_t srcNdMatrixStride = 0;  ///< elements between matrices, start to start
  std::uint16_t srcDValue = 0;          ///< elements between rows, start to start, from 1
  std::uint16_t dstNzC0Stride = 0;      ///< 32-byte units between columns of fractals, 1 to 16384
  std::uint16_t dstNzNStride = 0;       ///< 32-byte units between rows, 1 to 16384
  std::uint16_t dstNzMatrixStride = 0;  ///< elements between matrices; start to start
};

/// NZ matrices in UB to row-major ones in GM. A column of fractals is 16 elements wide.
struct Nz2NdParamsFull {
  Nz2NdParamsFull() = default;
  Nz2NdParamsFull(const std::uint16_t ndNumIn, const std::uint16_t nValueIn,
                  const std::uint16_t dValueIn, const std::uint16_t srcNdMatrixStrideIn,
                  const std::uint16_t srcNStrideIn, const std::uint16_t dstDStrideIn,
                  const std::uint16_t dstNdMatrixStrideIn)
      : ndNum(ndNumIn),
        nValue(nValueIn),
        dValue(dValueIn),
        srcNdMatrixStride(srcNdMatrixStrideIn),
        srcNStride(srcNStrideIn),
        dstDStride(dstDStrideIn),
        dstNdMatrixStride(dstNdMatrixStrideIn) {}

  std::uint16_t ndNum = 0;              ///< matrices, 0 to 4095
  std::uint16_t nValue = 0;             ///< rows, up to 8192
  std::uint16_t dValue = 0;             ///< columns, a multiple of 16 up to 8192
  std::uint16_t srcNdMatrixStride = 0;  ///< 256 elements between matrices, start to start, to 512
  std::uint16_t srcNStride = 0;         ///< 16 elements between columns of fractals, to 4096
  std::uint16_t dstDStride = 0;         ///< elements between rows, start to start, from 1
  std::uint16_t dstNdMatrixStride = 0;  ///< elements between matrices, start to start
};

/// One dimension of a slice: pieces [startIndex, endIndex] with gaps in a row of shapeValue.
struct SliceInfo {
  SliceInfo() = default;
  SliceInfo(const std::uint32_t startIndexIn, const std::uint32_t endIndexIn,
            const std::uint32_t strideIn, const std::uint32_t burstLenIn,
            const std::uint32_t shapeValueIn = 0)
      : startIndex(startIndexIn),
        endIndex(endIndexIn),
        stride(strideIn),
        burstLen(burstLenIn),
        shapeValue(shapeValueIn) {}

  std::uint32_t startIndex = 0;  ///< first element
  std::uint32_t endIndex = 0;    ///< last element
  std::uint32_t stride = 0;      ///< elements between two pieces, end to start
  std::uint32_t burstLen = 0;    ///< a piece: DataBlocks in the first dimension, else 1 element
  std::uint32_t shapeValue = 0;  ///< elements of the dimension
};

enum class BlockMode : std::uint8_t {
  BLOCK_MODE_NORMAL = 0,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE,
};
enum class DeqScale : std::uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
/// What other architectures do to data on their way; 2201 takes the struct and ignores it.
struct DataCopyEnhancedParams {
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  std::uint64_t deqValue = 0;
  std::uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = pad_t::PAD_NONE;
  std::uint64_t padValue = 0;
};

/// Element type of the atomic operation of SetStoreAtomicConfig.
enum class AtomicDtype : std::uint8_t {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16,
};
enum class AtomicOp : std::uint8_t { ATOMIC_SUM = 0 };

/// DataCopy out of L0C; the nd and quantisation parameters come from their registers.
struct DataCopyCO12DstParams {
  DataCopyCO12DstParams() = default;
  DataCopyCO12DstParams(const std::uint16_t nSizeIn, const std::uint16_t mSizeIn,
                        const std::uint32_t dstStrideIn, const std::uint16_t srcStrideIn,
                        const QuantMode_t quantPreIn, const std::uint8_t reluPreIn,
                        const bool channelSplitIn, const bool nz2ndEnIn)
      : nSize(nSizeIn),
        mSize(mSizeIn),
        dstStride(dstStrideIn),
        srcStride(srcStrideIn),
        quantPre(quantPreIn),
        reluPre(reluPreIn),
        channelSplit(channelSplitIn),
        nz2ndEn(nz2ndEnIn) {}

  std::uint8_t sid = 0;
  std::uint16_t nSize = 0, mSize = 0;
  std::uint32_t dstStride = 0;  ///< NZ: 32-byte units between columns; ND: elements between rows
  std::uint16_t srcStride = 0;  ///< rows of 16 elements between columns of L0C
  std::uint8_t unitFlag = 0;    ///< 0, 2 or 3
  std::uint8_t clipReluPre = 0, eltWiseOp = 0;  ///< not available on 2201
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  std::uint8_t reluPre = 0;  ///< 1: negative results become 0
  bool channelSplit = false;
  bool nz2ndEn = false;
};

}  // namespace AscendC
