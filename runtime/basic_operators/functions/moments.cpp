// Norms, variances and logarithms of sums, which consist of reductions: functions/reductions.txt.
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_logsumexp.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"
#include "aclnnop/aclnn_var.h"
#include "aclnnop/aclnn_var_correction.h"
#include "aclnnop/aclnn_var_mean.h"
#include "runtime/basic_operators/numbers.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

/// Results in floating numbers, which whole numbers become first.
DataType real_type(const aclTensor& self) {
  return self.GetDataType() == ge::DT_DOUBLE ? ge::DT_DOUBLE : ge::DT_FLOAT;
}

struct RealCall {
  const aclTensor* self;
  RowView view;
  aclTensor* out;
  DataType computed;
  const aclTensor* rows;  ///< none where there is nothing to do any more
};

/// Checks a function whose results are floating numbers.
RealCall real_call(WorkList& work, const aclTensor* self, const aclIntArray* dim, bool keep,
                   aclTensor* out, double none) {
  RealCall call{self, rows_along(required(self, "self"), dim, "dim"), out, real_type(*self),
                nullptr};
  require_type(required(out, "out"), "out",
               {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  require_shape(*out, "out", call.view.values_shape(keep));
  if (out->IsEmpty()) return call;
  if (call.view.length() == 0) {
    add_fill(work, *out, none);
    return call;
  }
  call.rows = rows_to_reduce(work, *self, call.view, call.computed);
  return call;
}

/// Dimensions that may be missing for all of them.
const aclIntArray* or_all(WorkList& work, const aclIntArray* dim) {
  return dim == nullptr ? work.make<aclIntArray>() : dim;
}

/// The values of rows under the shape of `out`.
const aclTensor* shaped(WorkList& work, const aclTensor& values, const aclTensor& out) {
  return reshaped(work, values, out.GetViewShape());
}

/// p of a norm that is a sum of powers.
void add_root(WorkList& work, const aclTensor& sums, double p, aclTensor* out) {
  if (p == 2) {
    return add_pointwise(work,
                         {.op = PointwiseOp::kSqrt, .operands = {{&sums, "self"}}, .out = out});
  }
  add_pointwise(work, {.op = PointwiseOp::kPow,
                       .operands = {{&sums, "self"}, {float_number(work, 1 / p), "pScalar"}},
                       .out = out});
}

void add_norm(WorkList& work, const RealCall& call, double p) {
  Reduction reduction{.map = ReduceMap::kPower, .power = p};
  if (std::isinf(p)) {
    reduction = {.op = p > 0 ? Arithmetic::kMax : Arithmetic::kMin, .map = ReduceMap::kAbs};
  } else if (p == 0 || p == 1) {
    reduction.map = p == 0 ? ReduceMap::kNotZero : ReduceMap::kAbs;
  } else if (p == 2) {
    reduction.map = ReduceMap::kSquare;
  }
  const aclTensor& values =
      *shaped(work, *reduced(work, *call.rows, reduction, call.computed), *call.out);
  if (std::isinf(p) || p == 0 || p == 1) return add_cast(work, values, *call.out);
  add_root(work, values, p, call.out);
}

const aclTensor* means_of(WorkList& work, const RealCall& call) {
  const Reduction mean{.scale = 1 / static_cast<double>(call.view.length())};
  return reduced(work, *call.rows, mean, call.computed);
}

/// Under the shape of the call's result.
const aclTensor* variances(WorkList& work, const RealCall& call, const aclTensor& means,
                           int64_t correction) {
  const auto count = static_cast<double>(call.view.length());
  const double divisor = std::max(count - static_cast<double>(correction), 0.0);
  const Reduction squares{
      .map = ReduceMap::kSquareOfDifference, .scale = 1 / divisor, .shift = &means};
  return shaped(work, *reduced(work, *call.rows, squares, call.computed), *call.out);
}

const aclTensor* variances(WorkList& work, const RealCall& call, int64_t correction) {
  return variances(work, call, *means_of(work, call), correction);
}

/// Variances or, with `roots`, deviations, and the means.
void add_moments(WorkList& work, const aclTensor* self, const aclIntArray* dim, int64_t correction,
                 bool keep, bool roots, aclTensor* spread, aclTensor* mean,
                 const char* spread_name) {
  required(spread, spread_name);
  required(mean, "meanOut");
  const RealCall call = real_call(work, self, or_all(work, dim), keep, spread, std::nan(""));
  require_shape(*mean, "meanOut", call.view.values_shape(keep));
  require_type(*mean, "meanOut", {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  if (call.rows == nullptr) return mean->IsEmpty() ? void() : add_fill(work, *mean, std::nan(""));
  const aclTensor* const means = means_of(work, call);
  const aclTensor* const squares = variances(work, call, *means, correction);
  if (roots) {
    add_root(work, *squares, 2, spread);
  } else {
    add_cast(work, *squares, *spread);
  }
  add_cast(work, *shaped(work, *means, *mean), *mean);
}

}  // namespace

aclnnStatus aclnnNormGetWorkspaceSize(const aclTensor* self, const aclScalar* pScalar,
                                      const aclIntArray* dim, bool keepdim, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnNorm", workspaceSize, executor, [&](WorkList& work) {
    const double p = required(pScalar, "pScalar").number();
    const RealCall call = real_call(work, self, dim, keepdim, out, 0);
    if (call.rows != nullptr) add_norm(work, call, p);
  });
}

aclnnStatus aclnnVarGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool unbiased,
                                     bool keepdim, aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  return first_phase("aclnnVar", workspaceSize, executor, [&](WorkList& work) {
    const RealCall call = real_call(work, self, or_all(work, dim), keepdim, out, std::nan(""));
    if (call.rows != nullptr) add_cast(work, *variances(work, call, unbiased ? 1 : 0), *out);
  });
}

aclnnStatus aclnnStdGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim,
                                     const int64_t correction, bool keepdim, aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnStd", workspaceSize, executor, [&](WorkList& work) {
    const RealCall call = real_call(work, self, or_all(work, dim), keepdim, out, std::nan(""));
    if (call.rows != nullptr) add_root(work, *variances(work, call, correction), 2, out);
  });
}

aclnnStatus aclnnLogSumExpGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim,
                                           bool keepDim, aclTensor* out, uint64_t* workspaceSize,
                                           aclOpExecutor** executor) {
  return first_phase("aclnnLogSumExp", workspaceSize, executor, [&](WorkList& work) {
    const RealCall call = real_call(work, self, dim, keepDim, out, -HUGE_VAL);
    if (call.rows == nullptr) return;
    const aclTensor* const greatest =
        reduced(work, *call.rows, {.op = Arithmetic::kMax}, call.computed);
    // Differences to infinity are no numbers.
    aclTensor* const shift = temporary(work, call.computed, greatest->GetViewShape());
    add_pointwise(work,
                  {.op = PointwiseOp::kNanToNum, .operands = {{greatest, "self"}}, .out = shift});
    const aclTensor* const sums = reduced(
        work, *call.rows, {.map = ReduceMap::kExpOfDifference, .shift = shift}, call.computed);
    aclTensor* const logarithms = temporary(work, call.computed, out->GetViewShape());
    add_pointwise(work, {.op = PointwiseOp::kLog,
                         .operands = {{shaped(work, *sums, *out), "self"}},
                         .out = logarithms});
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{logarithms, "self"}, {shaped(work, *shift, *out), "self"}},
                         .out = out,
                         .a = 1});
  });
}

DAVSIM_FIRST_PHASE(VarCorrection,
                   (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
                    aclTensor* out),
                   {
                     const RealCall call =
                         real_call(work, self, or_all(work, dim), keepdim, out, std::nan(""));
                     if (call.rows == nullptr) return;
                     add_cast(work, *variances(work, call, correction), *out);
                   })

DAVSIM_FIRST_PHASE(VarMean,
                   (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
                    aclTensor* varOut, aclTensor* meanOut),
                   {
                     add_moments(work, self, dim, correction, keepdim, false, varOut, meanOut,
                                 "varOut");
                   })

DAVSIM_FIRST_PHASE(StdMeanCorrection,
                   (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
                    aclTensor* stdOut, aclTensor* meanOut),
                   {
                     add_moments(work, self, dim, correction, keepdim, true, stdOut, meanOut,
                                 "stdOut");
                   })
