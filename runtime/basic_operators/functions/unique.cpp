// Each element once: functions/counting.txt.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "lists/counting.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

namespace {

/// What the functions give; `inverse` and `counts` are null if they are not wanted.
struct Unique {
  const aclTensor* self;
  bool sorts;
  const aclTensor* values;
  const aclTensor* inverse;
  const aclTensor* counts;
};

/// NaN is the greatest.
bool is_before(const BoundTensor& of, uint64_t i, uint64_t j) {
  if (op::IsIntegralType(of.type, true)) return whole_at(of, i) < whole_at(of, j);
  const double a = number_at(of, i), b = number_at(of, j);
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

/// A NaN is equal to none.
bool is_equal(const BoundTensor& of, uint64_t i, uint64_t j) {
  if (op::IsIntegralType(of.type, true)) return whole_at(of, i) == whole_at(of, j);
  return number_at(of, i) == number_at(of, j);
}

/// Writes values, and where they are wanted the inverse and the counts. Returns how many there are.
int64_t find_values(const BoundTensor& from, bool sorts, const BoundTensor& values,
                    const BoundTensor* inverse, const BoundTensor* counts) {
  std::vector<uint64_t> order(from.elements());
  std::iota(order.begin(), order.end(), 0);
  if (sorts) {
    std::ranges::stable_sort(order, [&](uint64_t i, uint64_t j) { return is_before(from, i, j); });
  }
  uint64_t found = 0, first = 0;
  for (uint64_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !is_equal(from, order[i - 1], order[i])) {
      std::memcpy(element_at(values, found++), element_at(from, order[i]), op::TypeSize(from.type));
      first = i;
    }
    if (inverse != nullptr) set_whole(*inverse, order[i], static_cast<int64_t>(found) - 1);
    if (counts != nullptr) set_whole(*counts, found - 1, static_cast<int64_t>(i - first) + 1);
  }
  return static_cast<int64_t>(found);
}

void require_unique(const aclTensor* self, const aclTensor* values, const aclTensor* inverse) {
  const DataType type = required(self, "self").GetDataType();
  if (!op::IsRealNumberType(type) && type != ge::DT_BOOL) {
    refuse_aclnn("self has real numbers, not " + text(type));
  }
  require_type(required(values, "valueOut"), "valueOut", {type});
  require_shape(*values, "valueOut", {self->Numel()});
  require_type(required(inverse, "inverseOut"), "inverseOut", {ge::DT_INT64});
}

void require_counts(const aclTensor* counts, bool wanted, const aclTensor& values) {
  require_type(required(counts, "countsOut"), "countsOut", {ge::DT_INT64});
  if (wanted) require_shape(*counts, "countsOut", values.GetViewShape());
}

void add_unique(WorkList& work, const Unique& call) {
  if (call.inverse != nullptr) {
    require_shape(*call.inverse, "inverseOut", call.self->GetViewShape());
  }
  const auto count = std::make_shared<int64_t>(0);
  if (!call.self->IsEmpty()) {
    std::vector<std::unique_ptr<Result>> results;
    std::vector<const aclTensor*> to;
    for (const aclTensor* const out : {call.values, call.inverse, call.counts}) {
      if (out == nullptr) continue;
      results.push_back(std::make_unique<Result>(work, *out, out->GetDataType()));
      to.push_back(&results.back()->tensor());
    }
    const bool has_inverse = call.inverse != nullptr, has_counts = call.counts != nullptr;
    work.add_task(to, {as(work, *call.self, call.self->GetDataType())},
                  [count, sorts = call.sorts, has_inverse, has_counts](auto made, auto from) {
                    *count = find_values(from[0], sorts, made[0], has_inverse ? &made[1] : nullptr,
                                         has_counts ? &made.back() : nullptr);
                  });
    for (const auto& result : results) result->finish();
  }
  work.add_shape(*call.values, [count] { return Shape{*count}; });
  if (call.counts != nullptr) work.add_shape(*call.counts, [count] { return Shape{*count}; });
}

}  // namespace

DAVSIM_FIRST_PHASE(
    Unique,
    (const aclTensor* self, bool /*sorted*/, bool returnInverse, aclTensor* valueOut,
     aclTensor* inverseOut),
    {
      require_unique(self, valueOut, inverseOut);
      add_unique(work, {self, true, valueOut, returnInverse ? inverseOut : nullptr, nullptr});
    })

DAVSIM_FIRST_PHASE(Unique2,
                   (const aclTensor* self, bool /*sorted*/, bool returnInverse, bool returnCounts,
                    aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut),
                   {
                     require_unique(self, valueOut, inverseOut);
                     require_counts(countsOut, returnCounts, *valueOut);
                     // With counts, programs may read the inverse unasked.
                     const bool has_room = inverseOut->GetViewShape() == self->GetViewShape();
                     const bool inverts = returnInverse || (returnCounts && has_room);
                     add_unique(work, {self, true, valueOut, inverts ? inverseOut : nullptr,
                                       returnCounts ? countsOut : nullptr});
                   })

DAVSIM_FIRST_PHASE(UniqueConsecutive,
                   (const aclTensor* self, bool returnInverse, bool returnCounts, int64_t dim,
                    aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut),
                   {
                     constexpr int64_t kAllElements = 1000;
                     if (dim != kAllElements) {
                       refuse_aclnn("dim is 1000, which stands for all elements, not " +
                                    std::to_string(dim));
                     }
                     require_unique(self, valueOut, inverseOut);
                     require_counts(countsOut, returnCounts, *valueOut);
                     add_unique(work, {self, false, valueOut, returnInverse ? inverseOut : nullptr,
                                       returnCounts ? countsOut : nullptr});
                   })
