// Medians, which are elements of sorted rows: functions/reductions.txt.
#include <cmath>
#include <cstring>

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

void pick_medians(const BoundTensor& values, const BoundTensor& places, const BoundTensor& sorted,
                  const BoundTensor& sorted_places) {
  const auto size = static_cast<std::size_t>(op::TypeSize(sorted.type));
  const int64_t rows = sorted.shape.GetDim(0), length = sorted.shape.GetDim(1);
  for (int64_t row = 0; row < rows; ++row) {
    const std::byte* const from = sorted.first() + static_cast<std::size_t>(row * length) * size;
    const auto at = static_cast<std::size_t>(median_place(from, length, sorted.type));
    std::memcpy(values.first() + static_cast<std::size_t>(row) * size, from + at * size, size);
    reinterpret_cast<int32_t*>(places.first())[row] = reinterpret_cast<const int32_t*>(
        sorted_places.first())[row * length + static_cast<int64_t>(at)];
  }
}

/// `indices` may be missing.
void add_median(WorkList& work, const aclTensor& self, int64_t dim, const aclTensor& values,
                const aclTensor* indices) {
  const RowView view = rows_along(self, {dim}, "dim");
  const DataType type = self.GetDataType();
  if (values.IsEmpty()) return;
  if (view.length() == 0) {
    davsim::runtime::refuse_aclnn("self has no elements along dim, of which one is the median");
  }
  const aclTensor* const sorted = temporary(work, type, self.GetViewShape());
  const aclTensor* const order = temporary(work, ge::DT_INT32, self.GetViewShape());
  add_sort(work, {self, dim, view.length(), false, sorted, order});
  Result value(work, values, type);
  const aclTensor& wanted =
      indices == nullptr ? *temporary(work, ge::DT_INT32, {view.rows()}) : *indices;
  Result place(work, wanted, ge::DT_INT32);
  work.add_task({&value.tensor(), &place.tensor()},
                {as_rows(work, *sorted, view, type), as_rows(work, *order, view, ge::DT_INT32)},
                [](auto to, auto from) { pick_medians(to[0], to[1], from[0], from[1]); });
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

}  // namespace

DAVSIM_FIRST_PHASE(Median, (const aclTensor* self, aclTensor* valuesOut), {
  require_sortable(self, valuesOut);
  require_one_element(*valuesOut, "valuesOut");
  const aclTensor* const elements = as(work, *self, self->GetDataType());
  add_median(work, *reshaped(work, *elements, {self->Numel()}), 0, *valuesOut, nullptr);
})

DAVSIM_FIRST_PHASE(
    MedianDim,
    (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* valuesOut, aclTensor* indicesOut),
    {
      require_sortable(self, valuesOut);
      const Shape shape = rows_along(*self, {dim}, "dim").values_shape(keepDim);
      require_shape(*valuesOut, "valuesOut", shape);
      require_type(required(indicesOut, "indicesOut"), "indicesOut", {ge::DT_INT32, ge::DT_INT64});
      require_shape(*indicesOut, "indicesOut", shape);
      add_median(work, *self, dim, *valuesOut, indicesOut);
    })
