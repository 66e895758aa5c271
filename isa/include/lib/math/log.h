// Logarithms.
#pragma once

#include "ascendc/vector_function.h"
#include "ascendc/vector_unary.h"

namespace AscendC {

/// dst = the natural logarithm of src. half, float.
template <typename T, bool isReuseSource = false>
void Log(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint32_t calCount,
         DAVSIM_WHERE) {
  Ln(dst, src, static_cast<std::int32_t>(calCount), where);
}
template <typename T, bool isReuseSource = false>
void Log(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_WHERE) {
  Log(dst, src, src.GetSize(), where);
}
/// To the bases 2 and 10.
DAVSIM_ELEMENT_FUNCTION(Log2, DAVSIM_REUSE)
DAVSIM_ELEMENT_FUNCTION(Log10, DAVSIM_REUSE)

}  // namespace AscendC
