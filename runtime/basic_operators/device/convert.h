// Conversions between what tensors hold and what is computed with.
#pragma once

#include "kernel_operator.h"

namespace davsim_basic {

template <typename To, typename From>
__aicore__ inline void Convert(const AscendC::LocalTensor<To>& to,
                               const AscendC::LocalTensor<From>& from, uint32_t count) {
  using namespace AscendC;
  constexpr bool kNarrower = sizeof(To) < sizeof(From);
  if constexpr (std::is_same_v<To, From>) {
    Adds(to, from, static_cast<To>(0), count);
  } else if constexpr (std::is_same_v<To, int32_t>) {
    Cast(to, from, RoundMode::CAST_TRUNC, count);
  } else {
    Cast(to, from,
         kNarrower || std::is_same_v<From, int32_t> ? RoundMode::CAST_RINT : RoundMode::CAST_NONE,
         count);
  }
}

}  // namespace davsim_basic
