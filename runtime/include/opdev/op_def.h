// How an operator is to be carried out; there is one way here.
#pragma once

namespace op {

enum class OpImplMode : unsigned {
  IMPL_MODE_DEFAULT = 0x1,
  IMPL_MODE_HIGH_PERFORMANCE = 0x2,
  IMPL_MODE_HIGH_PRECISION = 0x4,
  IMPL_MODE_SUPER_PERFORMANCE = 0x8,
  IMPL_MODE_SUPPORT_OUT_OF_BOUND_INDEX = 0x10,
  IMPL_MODE_ENABLE_FLOAT_32_EXECUTION = 0x20,
  IMPL_MODE_ENABLE_HI_FLOAT_32_EXECUTION = 0x40,
  IMPL_MODE_KEEP_FP16 = 0x80,
  IMPL_MODE_RESERVED = 0x80000000
};

}  // namespace op
