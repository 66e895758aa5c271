#include "isa/exec/vector/merge_keys.hpp"

#include <algorithm>

namespace davsim::isa {
namespace {

/// The number of keys of `a` among the first `outputs` keys of the result.
std::size_t taken_of_a(const SortKey* a, std::size_t a_length, const SortKey* b,
                       std::size_t b_length, std::size_t outputs) {
  std::size_t low = outputs - std::min(outputs, b_length);
  std::size_t high = std::min(outputs, a_length);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (a[middle] > b[outputs - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Merges one part. It may read the first keys behind its part, which are smaller than all keys of
/// the part. The loop has no branches, because the host could not predict which key comes next.
struct Part {
  const SortKey *a, *b;
  SortKey* to;

  void step() {
    const bool second = *b > *a;
    *to++ = second ? *b : *a;
    a += !second;
    b += second;
  }
};

}  // namespace

void merge_keys(const SortKey* a, std::size_t a_length, const SortKey* b, std::size_t b_length,
                SortKey* to) {
  const std::size_t total = a_length + b_length, length = total / 4;
  const auto part = [&](std::size_t first) {
    const std::size_t of_a = taken_of_a(a, a_length, b, b_length, first);
    return Part{a + of_a, b + (first - of_a), to + first};
  };
  // A step depends on the one before it. The host works on four parts at the same time.
  Part first = part(0), second = part(length), third = part(2 * length), fourth = part(3 * length);
  for (std::size_t i = 0; i < length; ++i) {
    first.step();
    second.step();
    third.step();
    fourth.step();
  }
  for (std::size_t i = 4 * length; i < total; ++i) fourth.step();
  to[total] = 0;
}

}  // namespace davsim::isa
