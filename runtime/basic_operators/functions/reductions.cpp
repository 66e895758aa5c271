// Reductions: functions/reductions.txt.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_aminmax_all.h"
#include "aclnnop/aclnn_aminmax_dim.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A reduction of `self` with its result in `out`. `none` is the result of no elements.
struct ReductionCall {
  const aclTensor& self;
  RowView view;
  const aclTensor& out;
  DataType computed;
  double none;
};

void add_call(WorkList& work, const ReductionCall& call, const Reduction& reduction) {
  if (call.out.IsEmpty()) return;
  if (call.view.length() == 0) {
    if (std::isinf(call.none)) {
      refuse_aclnn("self has no elements along dim, of which none is the greatest or the least");
    }
    return add_fill(work, call.out, call.none);
  }
  Result result(work, call.out, call.computed);
  const aclTensor* const rows = rows_to_reduce(work, call.self, call.view, call.computed);
  add_reduction(work, *rows, reduction, result.tensor());
  result.finish();
}

/// The result of a reduction over all dimensions.
/// Sums and products, which are computed in the type of the result.
void add_in_type(WorkList& work, const aclTensor& self, const RowView& view, aclDataType dtype,
                 const aclTensor& out, const Reduction& reduction, double none) {
  const DataType type = op::ToOpDataType(dtype);
  require_type(out, "out", {type});
  require_cast(self.GetDataType(), out, "out");
  add_call(work, {self, view, out, computed_type(type), none}, reduction);
}

void add_sum(WorkList& work, const aclTensor* self, const aclIntArray* dims, const char* dims_name,
             bool keep, aclDataType dtype, const aclTensor* out, ReduceMap map) {
  const RowView view = rows_along(required(self, "self"), dims, dims_name);
  require_shape(required(out, "out"), "out", view.values_shape(keep));
  add_in_type(work, *self, view, dtype, *out, {.map = map}, 0);
}

void add_mean(WorkList& work, const aclTensor& self, const RowView& view, bool keep,
              const aclTensor& out) {
  require_type(out, "out", {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  require_shape(out, "out", view.values_shape(keep));
  add_call(work, {self, view, out, computed_type(out.GetDataType()), std::nan("")},
           {.scale = 1 / static_cast<double>(view.length())});
}

/// The greatest or the least of the elements.
void add_extreme(WorkList& work, const aclTensor& self, const RowView& view, const aclTensor& out,
                 Arithmetic op) {
  require_cast(self.GetDataType(), out, "out");
  add_call(work, {self, view, out, computed_type(self.GetDataType()), kInfinity}, {.op = op});
}

/// Both kinds.
void add_extremes(WorkList& work, const aclTensor* self, const RowView& view, bool keep,
                  const aclTensor* least, const aclTensor* most) {
  for (const auto& [out, name] : {std::pair(least, "minOut"), {most, "maxOut"}}) {
    require_shape(required(out, name), name, view.values_shape(keep));
  }
  add_extreme(work, *self, view, *least, Arithmetic::kMin);
  add_extreme(work, *self, view, *most, Arithmetic::kMax);
}

aclnnStatus extreme(const char* function, Arithmetic op, const aclTensor* self,
                    const aclIntArray* dim, bool keep, const aclTensor* out,
                    uint64_t* workspace_size, aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(self, "self"), dim, "dim");
    require_shape(required(out, "out"), "out", view.values_shape(keep));
    add_extreme(work, *self, view, *out, op);
  });
}

aclnnStatus extreme_of_all(const char* function, Arithmetic op, const aclTensor* self,
                           const aclTensor* out, uint64_t* workspace_size,
                           aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    const RowView view = rows_along_all(required(self, "self"));
    require_one_element(required(out, "out"), "out");
    add_extreme(work, *self, view, *out, op);
  });
}

/// The extreme elements along a dimension and their places; `out` may be null.
aclnnStatus extreme_and_place(const char* function, bool least, const aclTensor* self, int64_t dim,
                              bool keep, const aclTensor* out, bool has_out,
                              const aclTensor* indices, const char* indices_name,
                              uint64_t* workspace_size, aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(self, "self"), {dim}, "dim");
    const Shape shape = view.values_shape(keep);
    const DataType computed = computed_type(self->GetDataType());
    require_type(required(indices, indices_name), indices_name, {ge::DT_INT32, ge::DT_INT64});
    require_shape(*indices, indices_name, shape);
    if (has_out) {
      require_shape(required(out, "out"), "out", shape);
      require_cast(self->GetDataType(), *out, "out");
    }
    if (indices->IsEmpty()) return;
    if (view.length() == 0) refuse_aclnn("self has no elements along dim, of which one is found");
    const aclTensor& values = has_out ? *out : *temporary(work, computed, shape);
    Result best(work, values, computed), places(work, *indices, ge::DT_INT32);
    const aclTensor* const rows = rows_to_reduce(work, *self, view, computed);
    add_arg_reduction(work, *rows, least, best.tensor(), places.tensor());
    if (has_out) best.finish();
    places.finish();
  });
}

aclnnStatus truth(const char* function, Arithmetic op, double none, const aclTensor* self,
                  const aclIntArray* dim, bool keep, const aclTensor* out, uint64_t* workspace_size,
                  aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(self, "self"), dim, "dim");
    require_type(required(out, "out"), "out", {ge::DT_BOOL, ge::DT_UINT8});
    require_shape(*out, "out", view.values_shape(keep));
    const DataType own = computed_type(self->GetDataType());
    const DataType computed = own == ge::DT_INT32 ? ge::DT_FLOAT : own;
    add_call(work, {*self, view, *out, computed, none}, {.op = op, .map = ReduceMap::kNotZero});
  });
}

}  // namespace

aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                           bool keepDims, aclDataType dtype, aclTensor* out,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnReduceSum", workspaceSize, executor, [&](WorkList& work) {
    add_sum(work, self, dims, "dims", keepDims, dtype, out, ReduceMap::kNone);
  });
}

aclnnStatus aclnnReduceNansumGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim,
                                              bool keepDim, aclDataType dtype, aclTensor* out,
                                              uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnReduceNansum", workspaceSize, executor, [&](WorkList& work) {
    const bool has_nan = op::IsFloatingType(required(self, "self").GetDataType());
    add_sum(work, self, dim, "dim", keepDim, dtype, out,
            has_nan ? ReduceMap::kNanToZero : ReduceMap::kNone);
  });
}

aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepDim,
                                      aclDataType dtype, aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return first_phase("aclnnMean", workspaceSize, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(self, "self"), dim, "dim");
    require_type(required(out, "out"), "out", {op::ToOpDataType(dtype)});
    add_mean(work, *self, view, keepDim, *out);
  });
}

aclnnStatus aclnnMeanV2GetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepDim,
                                        bool noopWithEmptyAxes, aclTensor* out,
                                        uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnMeanV2", workspaceSize, executor, [&](WorkList& work) {
    const RowView all = rows_along(required(self, "self"), dim, "dim");
    const bool none = noopWithEmptyAxes && dim->Size() == 0;
    add_mean(work, *self, none ? rows_along(*self, std::vector<int64_t>{}, "dim") : all, keepDim,
             required(out, "out"));
  });
}

aclnnStatus aclnnProdGetWorkspaceSize(const aclTensor* self, const aclDataType dtype,
                                      aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return first_phase("aclnnProd", workspaceSize, executor, [&](WorkList& work) {
    const RowView view = rows_along_all(required(self, "self"));
    require_one_element(required(out, "out"), "out");
    add_in_type(work, *self, view, dtype, *out, {.op = Arithmetic::kMul}, 1);
  });
}

aclnnStatus aclnnProdDimGetWorkspaceSize(const aclTensor* self, int64_t dim, bool keepDim,
                                         const aclDataType dtype, aclTensor* out,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnProdDim", workspaceSize, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(self, "self"), {dim}, "dim");
    require_shape(required(out, "out"), "out", view.values_shape(keepDim));
    add_in_type(work, *self, view, dtype, *out, {.op = Arithmetic::kMul}, 1);
  });
}

#define DAVSIM_EXTREME(Max, op)                                                                    \
  aclnnStatus aclnnA##Max##GetWorkspaceSize(const aclTensor* self, const aclIntArray* dim,         \
                                            bool keepDim, aclTensor* out, uint64_t* workspaceSize, \
                                            aclOpExecutor** executor) {                            \
    return extreme("aclnnA" #Max, op, self, dim, keepDim, out, workspaceSize, executor);           \
  }
#define DAVSIM_EXTREME_OF_ALL(Max, op, least)                                                      \
  aclnnStatus aclnn##Max##GetWorkspaceSize(const aclTensor* self, aclTensor* out,                  \
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {    \
    return extreme_of_all("aclnn" #Max, op, self, out, workspaceSize, executor);                   \
  }                                                                                                \
  aclnnStatus aclnn##Max##DimGetWorkspaceSize(const aclTensor* self, int64_t dim, bool keepdim,    \
                                              aclTensor* out, aclTensor* indices,                  \
                                              uint64_t* workspaceSize, aclOpExecutor** executor) { \
    return extreme_and_place("aclnn" #Max "Dim", least, self, dim, keepdim, out, true, indices,    \
                             "indices", workspaceSize, executor);                                  \
  }                                                                                                \
  aclnnStatus aclnnArg##Max##GetWorkspaceSize(const aclTensor* self, int64_t dim, bool keepdim,    \
                                              aclTensor* out, uint64_t* workspaceSize,             \
                                              aclOpExecutor** executor) {                          \
    return extreme_and_place("aclnnArg" #Max, least, self, dim, keepdim, nullptr, false, out,      \
                             "out", workspaceSize, executor);                                      \
  }

DAVSIM_EXTREME(max, Arithmetic::kMax)
DAVSIM_EXTREME(min, Arithmetic::kMin)
DAVSIM_EXTREME_OF_ALL(Max, Arithmetic::kMax, false)
DAVSIM_EXTREME_OF_ALL(Min, Arithmetic::kMin, true)

aclnnStatus aclnnAllGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepdim,
                                     aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  return truth("aclnnAll", Arithmetic::kMin, 1, self, dim, keepdim, out, workspaceSize, executor);
}

aclnnStatus aclnnAnyGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepdim,
                                     aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  return truth("aclnnAny", Arithmetic::kMax, 0, self, dim, keepdim, out, workspaceSize, executor);
}

DAVSIM_FIRST_PHASE(Aminmax,
                   (const aclTensor* self, const aclIntArray* dim, const bool keepDim,
                    aclTensor* minOut, aclTensor* maxOut),
                   {
                     const RowView view = rows_along(required(self, "self"), dim, "dim");
                     add_extremes(work, self, view, keepDim, minOut, maxOut);
                   })

DAVSIM_FIRST_PHASE(AminmaxDim,
                   (const aclTensor* self, const int64_t dim, const bool keepDim, aclTensor* minOut,
                    aclTensor* maxOut),
                   {
                     const RowView view =
                         rows_along(required(self, "self"), std::vector<int64_t>{dim}, "dim");
                     add_extremes(work, self, view, keepDim, minOut, maxOut);
                   })

DAVSIM_FIRST_PHASE(AminmaxAll, (const aclTensor* self, aclTensor* minOut, aclTensor* maxOut), {
  const RowView view = rows_along_all(required(self, "self"));
  for (const auto& [out, name] : {std::pair(minOut, "minOut"), {maxOut, "maxOut"}}) {
    require_one_element(required(out, name), name);
  }
  add_extreme(work, *self, view, *minOut, Arithmetic::kMin);
  add_extreme(work, *self, view, *maxOut, Arithmetic::kMax);
})
