// Logarithm of the softmax.
#pragma once

#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// dst = log10(exp(src - max) / sum), of base 10 as documented, types and layouts as SoftMax.
template <typename T = void, bool isReuseSource = false, bool isDataFormatNZ = false, typename D>
void LogSoftMax(const LocalTensor<D>& dst, const LocalTensor<D>& sum, const LocalTensor<D>& max,
                const LocalTensor<D>& src, const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                const LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "LogSoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.nz = isDataFormatNZ;
  davsim::api::lib::log_softmax(
      {"LogSoftMax", where},
      {.dst = dst, .src = src, .sum = sum, .max = max, .scratch = sharedTmpBuffer}, form);
}

}  // namespace AscendC
