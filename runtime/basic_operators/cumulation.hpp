// Running sums and products.
#pragma once

#include "runtime/basic_operators/device/cumulate_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/rows.hpp"

namespace davsim::basic {

struct Cumulation {
  davsim_basic::Arithmetic op = davsim_basic::Arithmetic::kAdd;
  bool exclusive = false;  ///< without the element itself
  bool reverse = false;    ///< from the last element on
};

/// Running sums or products along a dimension, computed in the type of `out`, or in float for
/// shorter ones. Types and shapes are checked before.
void add_cumulation(WorkList& work, const aclTensor& self, std::int64_t dim,
                    const Cumulation& cumulation, const aclTensor& out);

}  // namespace davsim::basic
