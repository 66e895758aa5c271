// Counts of elements, places among them and running extremes: functions/counting.txt.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "lists/counting.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

namespace {

bool is_whole(DataType type) {
  return op::IsIntegralType(type, true);
}

/// Elements of any two types; NaN is neither less than a number nor equal to it.
bool is_less(const BoundTensor& a, uint64_t i, const BoundTensor& b, uint64_t j) {
  if (is_whole(a.type) && is_whole(b.type)) return whole_at(a, i) < whole_at(b, j);
  return number_at(a, i) < number_at(b, j);
}
bool is_nan(const BoundTensor& a, uint64_t i) {
  return !is_whole(a.type) && std::isnan(number_at(a, i));
}

void require_numbers(const aclTensor* tensor, const char* name) {
  const DataType type = required(tensor, name).GetDataType();
  if (op::IsRealNumberType(type) || type == ge::DT_BOOL) return;
  refuse_aclnn(std::string(name) + " has real numbers, not " + text(type));
}

/// The place of the greatest or least element of a row so far.
void run_extremes(std::span<const BoundTensor> to, const BoundTensor& rows, bool greatest) {
  const auto length = static_cast<uint64_t>(rows.shape.GetDim(1));
  for (uint64_t i = 0; i < rows.elements(); ++i) {
    const uint64_t first = i / length * length;
    uint64_t best = i;
    if (i > first) {
      const uint64_t before = first + static_cast<uint64_t>(whole_at(to[1], i - 1));
      const bool worse = greatest ? is_less(rows, i, rows, before) : is_less(rows, before, rows, i);
      if (worse || (is_nan(rows, before) && !is_nan(rows, i))) best = before;
    }
    set_whole(to[1], i, static_cast<int64_t>(best - first));
    std::memcpy(element_at(to[0], i), element_at(rows, best), op::TypeSize(rows.type));
  }
}

void add_extremes(WorkList& work, const aclTensor* self, int64_t dim, bool greatest,
                  const aclTensor* values, const aclTensor* indices) {
  require_numbers(self, "self");
  require_type(required(values, "valuesOut"), "valuesOut", {self->GetDataType()});
  require_shape(*values, "valuesOut", self->GetViewShape());
  require_type(required(indices, "indicesOut"), "indicesOut", {ge::DT_INT32, ge::DT_INT64});
  require_shape(*indices, "indicesOut", self->GetViewShape());
  const RowView view = rows_along(*self, {dim}, "dim");
  if (self->IsEmpty()) return;
  const DataType type = self->GetDataType();
  RowResult value(work, *values, view, type);
  RowResult place(work, *indices, view, indices->GetDataType());
  work.add_task({&value.tensor(), &place.tensor()}, {as_rows(work, *self, view, type)},
                [greatest](auto to, auto from) { run_extremes(to, from[0], greatest); });
  value.finish();
  place.finish();
}

void add_element_of(const BoundTensor& to, uint64_t i, const BoundTensor& from, uint64_t j) {
  if (is_whole(to.type) && is_whole(from.type)) {
    set_whole(to, i, whole_at(to, i) + whole_at(from, j));
  } else {
    set_number(to, i, number_at(to, i) + number_at(from, j));
  }
}

/// `weights` may be missing.
void count_numbers(const BoundTensor& to, const BoundTensor& numbers, const BoundTensor* weights) {
  for (uint64_t i = 0; i < to.elements(); ++i) set_whole(to, i, 0);
  for (uint64_t i = 0; i < numbers.elements(); ++i) {
    const auto at = static_cast<uint64_t>(whole_at(numbers, i));
    if (weights != nullptr) {
      add_element_of(to, at, *weights, i);
    } else {
      set_number(to, at, number_at(to, at) + 1);
    }
  }
}

void require_vector(const aclTensor& tensor, const char* name) {
  if (tensor.GetViewShape().GetDimNum() == 1) return;
  refuse_aclnn(std::string(name) + " is a vector, not of the shape " + text(tensor.GetViewShape()));
}

void add_count(WorkList& work, const aclTensor* self, const aclTensor* weights, int64_t least,
               const aclTensor* out) {
  require_type(required(self, "self"), "self",
               {ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_INT64, ge::DT_UINT8});
  require_vector(*self, "self");
  require_type(required(out, "out"), "out",
               {ge::DT_INT32, ge::DT_INT64, ge::DT_FLOAT, ge::DT_DOUBLE});
  require_vector(*out, "out");
  const int64_t room = out->Numel();
  if (least < 0 || least > room) {
    refuse_aclnn("minlength is from 0 to the size of out, " + std::to_string(room) + ", not " +
                 std::to_string(least));
  }
  if (weights != nullptr) {
    require_numbers(weights, "weights");
    require_shape(*weights, "weights", self->GetViewShape());
  }
  const aclTensor* const numbers = as(work, *self, ge::DT_INT64);
  if (!self->IsEmpty()) check_index(work, *numbers, "self", 0, room);
  if (out->IsEmpty()) return;
  Result result(work, *out, out->GetDataType());
  std::vector<const aclTensor*> from{numbers};
  if (weights != nullptr) from.push_back(as(work, *weights, weights->GetDataType()));
  work.add_task({&result.tensor()}, from, [](auto to, auto given) {
    count_numbers(to[0], given[0], given.size() > 1 ? &given[1] : nullptr);
  });
  result.finish();
}

/// Equal ranges; without limits they go from the least finite element to the greatest.
struct Histogram {
  double least, greatest;

  Histogram limits(const BoundTensor& from) const {
    Histogram made = *this;
    if (least == 0 && greatest == 0 && from.elements() > 0) {
      made = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
      for (uint64_t i = 0; i < from.elements(); ++i) {
        if (!std::isfinite(number_at(from, i))) continue;
        made.least = std::min(made.least, number_at(from, i));
        made.greatest = std::max(made.greatest, number_at(from, i));
      }
    }
    if (made.least == made.greatest) return {made.least - 1, made.greatest + 1};
    return made;
  }

  void run(const BoundTensor& to, const BoundTensor& from) const {
    const auto [low, high] = limits(from);
    std::vector<int64_t> counts(to.elements());
    const auto bins = static_cast<double>(counts.size());
    for (uint64_t i = 0; i < from.elements(); ++i) {
      const double number = number_at(from, i);
      if (!(number >= low && number <= high)) continue;
      const auto at = static_cast<std::size_t>((number - low) / (high - low) * bins);
      ++counts[std::min(at, counts.size() - 1)];
    }
    for (uint64_t i = 0; i < counts.size(); ++i) set_whole(to, i, counts[i]);
  }
};

void add_histogram(WorkList& work, const aclTensor* self, int64_t bins, const aclScalar* least,
                   const aclScalar* greatest, const aclTensor* out) {
  const auto types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT64,
                      ge::DT_INT16,   ge::DT_INT8,  ge::DT_UINT8};
  require_type(required(self, "self"), "self", types);
  require_type(required(out, "out"), "out", types);
  const Histogram histogram{required_number(least, "min"), required_number(greatest, "max")};
  if (bins < 1) refuse_aclnn("bins is at least 1, not " + std::to_string(bins));
  if (!(std::isfinite(histogram.least) && std::isfinite(histogram.greatest) &&
        histogram.least <= histogram.greatest)) {
    refuse_aclnn("min is at most max, and both are finite");
  }
  require_shape(*out, "out", {bins});
  Result result(work, *out, out->GetDataType());
  work.add_task({&result.tensor()}, {as(work, *self, self->GetDataType())},
                [histogram](auto to, auto from) { histogram.run(to[0], from[0]); });
  result.finish();
}

/// A search in rows of so many elements, each row for as many elements, or one row for all.
struct Search {
  uint64_t length, wanted;
  bool shared, right;

  void run(const BoundTensor& to, const BoundTensor& rows, const BoundTensor& values,
           const BoundTensor* order) const {
    for (uint64_t i = 0; i < values.elements(); ++i) {
      const uint64_t first = shared ? 0 : i / wanted * length;
      uint64_t low = 0, high = length;
      while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t at =
            order == nullptr ? middle : static_cast<uint64_t>(whole_at(*order, first + middle));
        if (is_found(rows, first + at, values, i)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      set_whole(to, i, static_cast<int64_t>(low));
    }
  }

 private:
  /// Whether the row's element is not less than the value, or is greater; never with NaN.
  bool is_found(const BoundTensor& rows, uint64_t at, const BoundTensor& values, uint64_t i) const {
    if (is_nan(rows, at) || is_nan(values, i)) return false;
    return right ? is_less(values, i, rows, at) : !is_less(rows, at, values, i);
  }
};

/// The sizes before the last one are the same, or `rows` is a vector.
bool same_rows(const aclTensor& rows, const aclTensor& values) {
  Numbers a = numbers_of(rows.GetViewShape()), b = numbers_of(values.GetViewShape());
  if (a.size() == 1) return true;
  if (a.size() != b.size()) return false;
  a.pop_back();
  b.pop_back();
  return a == b;
}

void add_search(WorkList& work, const aclTensor& rows, const aclTensor& values, bool narrow,
                bool right, const aclTensor* order, const aclTensor& out) {
  const Shape& shape = rows.GetViewShape();
  if (shape.GetDimNum() == 0 || !same_rows(rows, values)) {
    refuse_aclnn("sortedSequence is a vector or has the rows of self, not " + text(shape) +
                 " for " + text(values.GetViewShape()));
  }
  require_type(out, "out", {narrow ? ge::DT_INT32 : ge::DT_INT64});
  require_shape(out, "out", values.GetViewShape());
  const int64_t length = shape.GetDim(shape.GetDimNum() - 1);
  std::vector<const aclTensor*> from{as(work, rows, rows.GetDataType()),
                                     as(work, values, values.GetDataType())};
  if (order != nullptr) {
    require_type(*order, "sorter", {ge::DT_INT64});
    require_shape(*order, "sorter", shape);
    from.push_back(as(work, *order, ge::DT_INT64));
    if (!order->IsEmpty()) check_index(work, *from.back(), "sorter", 0, length);
  }
  if (out.IsEmpty()) return;
  const Shape& wanted = values.GetViewShape();
  const bool shared = shape.GetDimNum() == 1;
  const int64_t row = shared ? 1 : wanted.GetDim(wanted.GetDimNum() - 1);
  const Search search{static_cast<uint64_t>(length), static_cast<uint64_t>(row), shared, right};
  Result result(work, out, out.GetDataType());
  work.add_task({&result.tensor()}, from, [search](auto to, auto given) {
    search.run(to[0], given[0], given[1], given.size() > 2 ? &given[2] : nullptr);
  });
  result.finish();
}

/// A number as a tensor: a whole one as it is, others in double.
const aclTensor* tensor_of_number(WorkList& work, const aclScalar& number, const Shape& shape) {
  const bool whole = is_whole(number.GetDataType());
  aclTensor* const made = temporary(work, whole ? ge::DT_INT64 : ge::DT_DOUBLE, shape);
  if (whole) {
    make_elements(work, *made, [value = number.ToInt64()](uint64_t) { return value; });
  } else {
    make_elements(work, *made, [value = number.number()](uint64_t) { return value; });
  }
  return made;
}

}  // namespace

DAVSIM_FIRST_PHASE(Cummax,
                   (const aclTensor* self, int64_t dim, aclTensor* valuesOut,
                    aclTensor* indicesOut),
                   { add_extremes(work, self, dim, true, valuesOut, indicesOut); })

DAVSIM_FIRST_PHASE(Cummin,
                   (const aclTensor* self, int64_t dim, aclTensor* valuesOut,
                    aclTensor* indicesOut),
                   { add_extremes(work, self, dim, false, valuesOut, indicesOut); })

DAVSIM_FIRST_PHASE(Bincount,
                   (const aclTensor* self, const aclTensor* weights, int64_t minlength,
                    aclTensor* out),
                   { add_count(work, self, weights, minlength, out); })

DAVSIM_FIRST_PHASE(Histc,
                   (const aclTensor* self, int64_t bins, const aclScalar* min, const aclScalar* max,
                    aclTensor* out),
                   { add_histogram(work, self, bins, min, max, out); })

DAVSIM_FIRST_PHASE(SearchSorted,
                   (const aclTensor* sortedSequence, const aclTensor* self, bool outInt32,
                    bool right, const aclTensor* sorter, aclTensor* out),
                   {
                     require_numbers(sortedSequence, "sortedSequence");
                     require_numbers(self, "self");
                     add_search(work, *sortedSequence, *self, outInt32, right, sorter,
                                required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(SearchSorteds,
                   (const aclTensor* sortedSequence, const aclScalar* self, bool outInt32,
                    bool right, const aclTensor* sorter, aclTensor* out),
                   {
                     require_numbers(sortedSequence, "sortedSequence");
                     const aclScalar& number = required(self, "self");
                     require_vector(*sortedSequence, "sortedSequence");
                     require_one_element(required(out, "out"), "out");
                     add_search(work, *sortedSequence,
                                *tensor_of_number(work, number, out->GetViewShape()), outInt32,
                                right, sorter, *out);
                   })
