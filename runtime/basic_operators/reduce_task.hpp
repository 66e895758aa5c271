// Reductions of types that the vector units do not compute with, by the host.
#pragma once

#include <span>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/basic_operators/device/reduce_tiling.h"

namespace davsim::basic {

struct ReduceTask {
  davsim_basic::Arithmetic op;
  davsim_basic::ReduceMap map;
  double power, scale;

  /// from: rows, and what is subtracted from the elements of each row, if `map` has that. All are
  /// int64 or double.
  void run(const runtime::BoundTensor& to, std::span<const runtime::BoundTensor> from) const;
};

/// The values and places of the greatest or least elements.
void find_best(const runtime::BoundTensor& values, const runtime::BoundTensor& places,
               const runtime::BoundTensor& rows, bool least);

}  // namespace davsim::basic
