// Medians and others that are elements of sorted rows: functions/reductions.txt.
#include <cmath>
#include <cstring>
#include <functional>

#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_median.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/sorting.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::BoundTensor;

namespace {

/// The place of the median in a sorted row: of the lower one of two, or of the first NaN.
int64_t median_place(const std::byte* sorted, int64_t length, DataType type) {
  const auto size = static_cast<std::size_t>(op::TypeSize(type));
  const auto is_nan = [&](int64_t i) {
    return std::isnan(davsim::op_api::number_of(static_cast<aclDataType>(type),
                                                sorted + static_cast<std::size_t>(i) * size));
  };
  if (!is_nan(length - 1)) return (length - 1) / 2;
  int64_t first = length - 1;
  while (first > 0 && is_nan(first - 1)) --first;
  return first;
}

/// Which element of a sorted row is the result.
using Pick = std::function<int64_t(const std::byte* sorted, int64_t length, DataType type)>;

void pick_elements(const BoundTensor& values, const BoundTensor& places, const BoundTensor& sorted,
                   const BoundTensor& sorted_places, const Pick& pick) {
  const auto size = static_cast<std::size_t>(op::TypeSize(sorted.type));
  const int64_t rows = sorted.shape.GetDim(0), length = sorted.shape.GetDim(1);
  for (int64_t row = 0; row < rows; ++row) {
    const std::byte* const from = sorted.first() + static_cast<std::size_t>(row * length) * size;
    const auto at = static_cast<std::size_t>(pick(from, length, sorted.type));
    std::memcpy(values.first() + static_cast<std::size_t>(row) * size, from + at * size, size);
    reinterpret_cast<int32_t*>(places.first())[row] = reinterpret_cast<const int32_t*>(
        sorted_places.first())[row * length + static_cast<int64_t>(at)];
  }
}

/// `indices` may be missing.
void add_picked(WorkList& work, const aclTensor& self, int64_t dim, const Pick& pick,
                const aclTensor& values, const aclTensor* indices) {
  const RowView view = rows_along(self, {dim}, "dim");
  const DataType type = self.GetDataType();
  if (values.IsEmpty()) return;
  if (view.length() == 0) {
    davsim::runtime::refuse_aclnn("self has no elements along dim, of which one is the result");
  }
  const aclTensor* const sorted = temporary(work, type, self.GetViewShape());
  const aclTensor* const order = temporary(work, ge::DT_INT32, self.GetViewShape());
  add_sort(work, {self, dim, view.length(), false, sorted, order});
  Result value(work, values, type);
  const aclTensor& wanted =
      indices == nullptr ? *temporary(work, ge::DT_INT32, {view.rows()}) : *indices;
  Result place(work, wanted, ge::DT_INT32);
  work.add_task(
      {&value.tensor(), &place.tensor()},
      {as_rows(work, *sorted, view, type), as_rows(work, *order, view, ge::DT_INT32)},
      [pick](auto to, auto from) { pick_elements(to[0], to[1], from[0], from[1], pick); });
  value.finish();
  if (indices != nullptr) place.finish();
}

void require_sortable(const aclTensor* self, const aclTensor* values) {
  if (!op::IsRealNumberType(required(self, "self").GetDataType())) {
    davsim::runtime::refuse_aclnn("self is " + text(self->GetDataType()) +
                                  ", which is no type of real numbers");
  }
  require_type(required(values, "valuesOut"), "valuesOut", {self->GetDataType()});
}

/// A value and its place for each row along `dim`.
void require_picked(const aclTensor* self, int64_t dim, bool keep, const aclTensor* values,
                    const aclTensor* indices) {
  require_sortable(self, values);
  const Shape shape = rows_along(*self, {dim}, "dim").values_shape(keep);
  require_shape(*values, "valuesOut", shape);
  require_type(required(indices, "indicesOut"), "indicesOut", {ge::DT_INT32, ge::DT_INT64});
  require_shape(*indices, "indicesOut", shape);
}

}  // namespace

DAVSIM_FIRST_PHASE(Median, (const aclTensor* self, aclTensor* valuesOut), {
  require_sortable(self, valuesOut);
  require_one_element(*valuesOut, "valuesOut");
  const aclTensor* const elements = as(work, *self, self->GetDataType());
  add_picked(work, *reshaped(work, *elements, {self->Numel()}), 0, median_place, *valuesOut,
             nullptr);
})

DAVSIM_FIRST_PHASE(MedianDim,
                   (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* valuesOut,
                    aclTensor* indicesOut),
                   {
                     require_picked(self, dim, keepDim, valuesOut, indicesOut);
                     add_picked(work, *self, dim, median_place, *valuesOut, indicesOut);
                   })

DAVSIM_FIRST_PHASE(Kthvalue,
                   (const aclTensor* self, int64_t k, int64_t dim, bool keepdim,
                    aclTensor* valuesOut, aclTensor* indicesOut),
                   {
                     require_picked(self, dim, keepdim, valuesOut, indicesOut);
                     const int64_t length = rows_along(*self, {dim}, "dim").length();
                     if (k < 1 || k > length) {
                       davsim::runtime::refuse_aclnn("k is from 1 to " + std::to_string(length) +
                                                     ", not " + std::to_string(k));
                     }
                     add_picked(
                         work, *self, dim,
                         [k](const std::byte*, int64_t, DataType) { return k - 1; }, *valuesOut,
                         indicesOut);
                   })
