#include "lib/activation/softmax_tiling.h"

#include <algorithm>

#include "kernel_tiling/library_sizes.h"

namespace AscendC {

namespace {

using davsim::sizes::softmax;
using davsim::sizes::softmax_grad;
using davsim::sizes::softmax_v3;
using Bytes = std::uint64_t (*)(std::uint32_t rows, std::uint32_t width);

std::uint32_t width_of(const ge::Shape& shape) {
  return shape.GetDimNum() == 0 ? 0
                                : static_cast<std::uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
}
std::uint32_t rows_of(const ge::Shape& shape) {
  const std::uint32_t width = width_of(shape);
  return width == 0 ? 0 : static_cast<std::uint32_t>(shape.GetShapeSize() / width);
}

std::uint32_t most(const ge::Shape& shape, Bytes bytes) {
  return davsim::sizes::up(static_cast<std::uint32_t>(bytes(rows_of(shape), width_of(shape))), 256);
}
/// For `rows` rows at a time, if there are as many.
std::uint32_t least(const ge::Shape& shape, Bytes bytes, std::uint32_t rows = 1) {
  rows = std::max(1u, std::min(rows, rows_of(shape)));
  return davsim::sizes::up(static_cast<std::uint32_t>(bytes(rows, width_of(shape))), 256);
}

void fill(const ge::Shape& shape, std::uint32_t value_bytes, std::uint32_t room, Bytes bytes,
          tiling::SoftMaxTiling& tiling) {
  davsim::sizes::softmax_tiling(tiling, rows_of(shape), width_of(shape), value_bytes, room, bytes);
}

/// The struct of the kernel into the class of the host, or one struct into another.
template <class To>
void hand_over(const tiling::SoftMaxTiling& from, To& to) {
#define DAVSIM_SET(name) to.set_##name(from.name);
  DAVSIM_SOFTMAX_TILING_FIELDS(DAVSIM_SET)
#undef DAVSIM_SET
}
void hand_over(const tiling::SoftMaxTiling& from, tiling::SoftMaxTiling& to) {
  to = from;
}
void hand_over(const tiling::SoftMaxTiling& from, tiling::LogSoftMaxTiling& to) {
#define DAVSIM_COPY(name) to.name = from.name;
  DAVSIM_SOFTMAX_TILING_FIELDS(DAVSIM_COPY)
#undef DAVSIM_COPY
}

template <class To>
void fill_any(const ge::Shape& shape, std::uint32_t value_bytes, std::uint32_t room, Bytes bytes,
              To& to) {
  tiling::SoftMaxTiling made;
  fill(shape, value_bytes, room, bytes, made);
  hand_over(made, to);
}

}  // namespace

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t, bool) {
  return most(shape, softmax);
}
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool) {
  return least(shape, softmax);
}
uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t, bool) {
  return most(shape, softmax);
}
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool) {
  return least(shape, softmax);
}
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& shape, uint32_t, bool, bool) {
  return most(shape, softmax);
}
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& shape, uint32_t, bool, bool) {
  return least(shape, softmax);
}
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, uint32_t, uint32_t, bool, bool, bool) {
  return most(shape, softmax);
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& shape, uint32_t dataTypeSize1, uint32_t, bool,
                                     bool, bool isFlashOutputBrc) {
  // Sums and maxima of one element a row are written a DataBlock at a time.
  return least(shape, softmax, isFlashOutputBrc && dataTypeSize1 != 0 ? 32 / dataTypeSize1 : 1);
}
void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t, uint32_t& maxValue,
                                    uint32_t& minValue, bool, bool) {
  maxValue = most(shape, softmax_v3);
  minValue = least(shape, softmax_v3);
}
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& shape, uint32_t, bool, bool) {
  return most(shape, softmax_grad);
}
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& shape, uint32_t, bool, bool) {
  return least(shape, softmax_grad);
}

#define DAVSIM_SOFTMAX_TILINGS(Tiling, LogTiling, rows, width)                                     \
  void SoftMaxTilingFunc(const ge::Shape& shape, uint32_t size, uint32_t room, Tiling& tiling) {   \
    fill_any(shape, size, room, softmax, tiling);                                                  \
  }                                                                                                \
  void LogSoftMaxTilingFunc(const ge::Shape& shape, uint32_t size, uint32_t room,                  \
                            LogTiling& tiling) {                                                   \
    fill_any(shape, size, room, softmax, tiling);                                                  \
  }                                                                                                \
  void SoftMaxFlashTilingFunc(const ge::Shape& shape, uint32_t size, uint32_t room,                \
                              Tiling& tiling, bool) {                                              \
    fill_any(shape, size, room, softmax, tiling);                                                  \
  }                                                                                                \
  void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, uint32_t, uint32_t size, uint32_t room,    \
                                Tiling& tiling, bool, bool, bool) {                                \
    fill_any(shape, size, room, softmax, tiling);                                                  \
  }                                                                                                \
  void SoftMaxFlashV3TilingFunc(const ge::Shape& shape, uint32_t, uint32_t size, uint32_t room,    \
                                Tiling& tiling, bool, bool) {                                      \
    fill_any(shape, size, room, softmax_v3, tiling);                                               \
  }                                                                                                \
  void SoftMaxGradTilingFunc(const ge::Shape& shape, uint32_t size, uint32_t room, Tiling& tiling, \
                             bool) {                                                               \
    fill_any(shape, size, room, softmax_grad, tiling);                                             \
  }                                                                                                \
  bool IsBasicBlockInSoftMax(Tiling& tiling, uint32_t) {                                           \
    return davsim::sizes::is_basic_block(tiling.rows, tiling.width);                               \
  }
DAVSIM_SOFTMAX_TILINGS(optiling::SoftMaxTiling, optiling::LogSoftMaxTiling, get_srcM(), get_srcK())
DAVSIM_SOFTMAX_TILINGS(tiling::SoftMaxTiling, tiling::LogSoftMaxTiling, srcM, srcK)
#undef DAVSIM_SOFTMAX_TILINGS

}  // namespace AscendC
