// Reductions of rows to a value each.
#pragma once

#include "runtime/basic_operators/device/reduce_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/rows.hpp"

namespace davsim::basic {

using davsim_basic::Arithmetic;
using davsim_basic::ReduceMap;

struct Reduction {
  Arithmetic op = Arithmetic::kAdd;
  ReduceMap map = ReduceMap::kNone;
  double power = 1;
  double scale = 1;                  ///< of the result
  const aclTensor* shift = nullptr;  ///< [rows] of the type that is computed in
};

/// The type that rows of `type` are computed in: float, int32, or by the host int64 and double.
DataType computed_type(DataType type);
/// The rows [rows, length] in the type that steps below read for that.
const aclTensor* rows_to_reduce(WorkList& work, const aclTensor& self, const RowView& view,
                                DataType computed);

/// A value for each row, of the type `to` has, which is a type that is computed in.
void add_reduction(WorkList& work, const aclTensor& rows, const Reduction& reduction,
                   const aclTensor& to);
/// The same into a tensor of the workspace, [rows].
const aclTensor* reduced(WorkList& work, const aclTensor& rows, const Reduction& reduction,
                         DataType computed);

/// The greatest element of each row of [rows, length], or the least, and its place.
void add_arg_reduction(WorkList& work, const aclTensor& rows, bool least, const aclTensor& values,
                       const aclTensor& places);

/// Gives all elements a number.
void add_fill(WorkList& work, const aclTensor& to, double value);

}  // namespace davsim::basic
