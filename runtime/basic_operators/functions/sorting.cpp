// Sorting: functions/rows.txt.
#include "runtime/basic_operators/sorting.hpp"
#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_sort.h"
#include "aclnnop/aclnn_topk.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

void require_indices(const aclTensor* indices, const char* name, const Shape& shape) {
  require_type(required(indices, name), name, {ge::DT_INT32, ge::DT_INT64});
  require_shape(*indices, name, shape);
}

/// The size along a dimension of a tensor of real numbers; 1 of a tensor without dimensions.
int64_t sorted_size(const aclTensor* self, int64_t dim) {
  const std::size_t at = dimension(dim, required(self, "self").GetViewShape().GetDimNum(), "dim");
  if (!op::IsRealNumberType(self->GetDataType()) && self->GetDataType() != ge::DT_BOOL) {
    davsim::runtime::refuse_aclnn("self is " + text(self->GetDataType()) +
                                  ", which is no type of real numbers");
  }
  return self->GetViewShape().GetDimNum() == 0 ? 1 : self->GetViewShape().GetDim(at);
}

}  // namespace

DAVSIM_FIRST_PHASE(Sort,
                   (const aclTensor* self, bool /*stable*/, int64_t dim, bool descending,
                    aclTensor* valuesOut, aclTensor* indicesOut),
                   {
                     const int64_t size = sorted_size(self, dim);
                     require_type(required(valuesOut, "valuesOut"), "valuesOut",
                                  {self->GetDataType()});
                     require_shape(*valuesOut, "valuesOut", self->GetViewShape());
                     require_indices(indicesOut, "indicesOut", self->GetViewShape());
                     add_sort(work, {*self, dim, size, descending, valuesOut, indicesOut});
                   })

DAVSIM_FIRST_PHASE(Argsort, (const aclTensor* self, int64_t dim, bool descending, aclTensor* out), {
  const int64_t size = sorted_size(self, dim);
  require_indices(out, "out", self->GetViewShape());
  add_sort(work, {*self, dim, size, descending, nullptr, out});
})

DAVSIM_FIRST_PHASE(Topk,
                   (const aclTensor* self, int64_t k, int64_t dim, bool largest, bool /*sorted*/,
                    aclTensor* valuesOut, aclTensor* indicesOut),
                   {
                     const int64_t size = sorted_size(self, dim);
                     if (k < 0 || k > size) {
                       davsim::runtime::refuse_aclnn("k is from 0 to " + std::to_string(size) +
                                                     ", not " + std::to_string(k));
                     }
                     Shape shape = self->GetViewShape();
                     if (shape.GetDimNum() > 0)
                       shape.SetDim(dimension(dim, shape.GetDimNum(), "dim"), k);
                     require_type(required(valuesOut, "valuesOut"), "valuesOut",
                                  {self->GetDataType()});
                     require_shape(*valuesOut, "valuesOut", shape);
                     require_indices(indicesOut, "indicesOut", shape);
                     add_sort(work, {*self, dim, k, largest, valuesOut, indicesOut});
                   })
