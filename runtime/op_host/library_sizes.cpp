#include <algorithm>

#include "kernel_tiling/library_sizes.h"
#include "lib/element_tiling.h"

namespace AscendC {

void GetElementMaxMinTmpSize(const ge::Shape& srcShape, uint32_t tensors, uint32_t bytes,
                             uint32_t& maxValue, uint32_t& minValue) {
  const auto elements =
      static_cast<std::uint32_t>(std::max<std::int64_t>(srcShape.GetShapeSize(), 1));
  // Programs divide UB by these sizes: none is 0.
  const std::uint32_t count = std::max(tensors, 1u);
  minValue = count * 256;
  maxValue =
      std::max(davsim::sizes::up(count * davsim::sizes::up(elements, 16) * bytes, 256), minValue);
}

}  // namespace AscendC
