#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "opdev/data_type_utils.h"
#include "runtime/basic_operators/sorting.hpp"

namespace davsim::basic {
namespace {

/// Numbers of elements in an order that has NaN as the greatest.
struct SortKey {
  double number;
  std::int64_t whole;

  bool operator<(const SortKey& other) const {
    if (std::isnan(number)) return false;
    if (std::isnan(other.number)) return true;
    return number != other.number ? number < other.number : whole < other.whole;
  }
};

std::vector<SortKey> keys_of(const std::byte* from, std::int64_t count, aclDataType type,
                             std::size_t size) {
  std::vector<SortKey> keys;
  const bool is_whole = op::IsIntegralType(static_cast<ge::DataType>(type), true);
  for (std::int64_t i = 0; i < count; ++i, from += size) {
    keys.push_back(
        {op_api::number_of(type, from), is_whole ? op_api::whole_number_of(type, from) : 0});
  }
  return keys;
}

}  // namespace

void sort_rows(const runtime::BoundTensor& values, const runtime::BoundTensor& places,
               const runtime::BoundTensor& rows, bool descending) {
  const std::int64_t count = rows.shape.GetDim(0), length = rows.shape.GetDim(1);
  const std::int64_t kept = values.shape.GetDim(1);
  const auto size = static_cast<std::size_t>(op::TypeSize(rows.type));
  auto* const place = reinterpret_cast<std::int32_t*>(places.first());
  for (std::int64_t row = 0; row < count; ++row) {
    const std::byte* const from = rows.first() + static_cast<std::size_t>(row * length) * size;
    const auto keys = keys_of(from, length, static_cast<aclDataType>(rows.type), size);
    std::vector<std::int32_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const SortKey& left = keys[static_cast<std::size_t>(a)];
      const SortKey& right = keys[static_cast<std::size_t>(b)];
      return descending ? right < left : left < right;
    });
    for (std::int64_t i = 0; i < kept; ++i) {
      const auto at = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
      place[row * kept + i] = static_cast<std::int32_t>(at);
      std::memcpy(values.first() + static_cast<std::size_t>(row * kept + i) * size,
                  from + at * size, size);
    }
  }
}

}  // namespace davsim::basic
