// Strides of vector operands, as the calls with repeats take them. All are in DataBlocks of 32
// bytes: block strides between the blocks of one repeat, repeat strides between the first blocks of
// two repeats.
#pragma once

#include <cstdint>

namespace AscendC {

constexpr std::uint32_t DEFAULT_BLK_NUM = 8;
constexpr std::uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr std::uint8_t DEFAULT_REPEAT_STRIDE = 8;

/// Two tensor operands and a destination.
struct BinaryRepeatParams {
  BinaryRepeatParams() = default;
  BinaryRepeatParams(const std::uint8_t dstBlkStrideIn, const std::uint8_t src0BlkStrideIn,
                     const std::uint8_t src1BlkStrideIn, const std::uint8_t dstRepStrideIn,
                     const std::uint8_t src0RepStrideIn, const std::uint8_t src1RepStrideIn)
      : dstBlkStride(dstBlkStrideIn),
        src0BlkStride(src0BlkStrideIn),
        src1BlkStride(src1BlkStrideIn),
        dstRepStride(dstRepStrideIn),
        src0RepStride(src0RepStrideIn),
        src1RepStride(src1RepStrideIn) {}

  std::uint32_t blockNumber = DEFAULT_BLK_NUM;  ///< reserved
  std::uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  std::uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  std::uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  std::uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  std::uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  std::uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;  ///< reserved
  bool strideSizeMode = false;    ///< reserved
};

/// One tensor operand and a destination.
struct UnaryRepeatParams {
  UnaryRepeatParams() = default;
  UnaryRepeatParams(const std::uint16_t dstBlkStrideIn, const std::uint16_t srcBlkStrideIn,
                    const std::uint8_t dstRepStrideIn, const std::uint8_t srcRepStrideIn)
      : dstBlkStride(dstBlkStrideIn),
        srcBlkStride(srcBlkStrideIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}
  UnaryRepeatParams(const std::uint16_t dstBlkStrideIn, const std::uint16_t srcBlkStrideIn,
                    const std::uint8_t dstRepStrideIn, const std::uint8_t srcRepStrideIn,
                    const bool halfBlockIn)
      : UnaryRepeatParams(dstBlkStrideIn, srcBlkStrideIn, dstRepStrideIn, srcRepStrideIn) {
    halfBlock = halfBlockIn;
  }

  std::uint32_t blockNumber = DEFAULT_BLK_NUM;  ///< reserved
  std::uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  std::uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
  std::uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  std::uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;  ///< reserved
  bool strideSizeMode = false;    ///< reserved
  bool halfBlock = false;         ///< only read by CastDequant
};

/// Brcb: distances of the blocks that are written.
struct BrcbRepeatParams {
  BrcbRepeatParams() = default;
  BrcbRepeatParams(const std::uint16_t dstBlkStrideIn, const std::uint16_t dstRepStrideIn)
      : dstBlkStride(dstBlkStrideIn), dstRepStride(dstRepStrideIn) {}

  std::uint32_t blockNumber = DEFAULT_BLK_NUM;  ///< reserved
  std::uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  std::uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  std::uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;     ///< reserved
  std::uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;  ///< reserved
  bool repeatStrideMode = false;                       ///< reserved
  bool strideSizeMode = false;                         ///< reserved
};

/// Copy between UB buffers. The default block strides of 0 fit a mask of at most one DataBlock.
struct CopyRepeatParams {
  CopyRepeatParams() = default;
  CopyRepeatParams(const std::uint16_t dstStrideIn, const std::uint16_t srcStrideIn,
                   std::uint16_t dstRepeatSizeIn, std::uint16_t srcRepeatSizeIn)
      : dstStride(dstStrideIn),
        srcStride(srcStrideIn),
        dstRepeatSize(dstRepeatSizeIn),
        srcRepeatSize(srcRepeatSizeIn) {}

  std::uint16_t dstStride = 0;  ///< block stride
  std::uint16_t srcStride = 0;
  std::uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;  ///< repeat stride, up to 4095
  std::uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

}  // namespace AscendC
