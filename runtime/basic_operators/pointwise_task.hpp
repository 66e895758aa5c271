// Pointwise functions of types that the vector units do not compute with, by the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/basic_operators/device/pointwise_tiling.h"

namespace davsim::basic {

struct PointwiseTask {
  /// A number, or else the next of the tensors.
  struct Operand {
    bool is_number = false;
    double number = 0;
    std::int64_t whole = 0;
  };

  davsim_basic::PointwiseOp op;
  std::vector<Operand> operands;
  double a = 0, b = 0, c = 0;

  /// All tensors have elements of one type, and those of `to` may be bool instead.
  void run(const runtime::BoundTensor& to, std::span<const runtime::BoundTensor> from) const;
};

}  // namespace davsim::basic
