// Tiling structs of the high-level API, as kernels and host programs share them. C++17, because
// sources of op_host include it. The macros list the fields once; all are uint32_t.
#pragma once

#include <cstdint>

#define DAVSIM_SOFTMAX_TILING_FIELDS(FIELD)                                                    \
  FIELD(srcM)                                                                                  \
  FIELD(srcK)                                                                                  \
  FIELD(srcSize)                                                                               \
  FIELD(outMaxM) FIELD(outMaxK) FIELD(outMaxSize) FIELD(splitM) FIELD(splitK) FIELD(splitSize) \
      FIELD(reduceM) FIELD(reduceK) FIELD(reduceSize) FIELD(rangeM) FIELD(tailM)               \
          FIELD(tailSplitSize) FIELD(tailReduceSize)

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

}  // namespace tiling
using tiling::LogSoftMaxTiling;
using tiling::SoftMaxTiling;
}  // namespace AscendC

#undef DAVSIM_TILING_MEMBER

using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::SoftMaxTiling;
