// Shapes and dimensions of reductions, and rows of them for plain references.
#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::reductions {

inline double sum(const Numbers& row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
}

template <class Value>
Numbers each(const std::vector<Numbers>& rows, const Value& value) {
  Numbers values;
  for (const Numbers& row : rows) values.push_back(value(row));
  return values;
}

/// A shape, dimensions of it, and the shape of the result.
struct Case {
  Sizes sizes;
  std::vector<std::int64_t> dims;
  bool keep;
  Sizes out;
};

/// One tile and many, rows of a few elements and of many tiles, one row for all cores, and
/// dimensions in front of others.
inline const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{7, 3}, {1}, false, {7}},
      {{3001, 10}, {-1}, true, {3001, 1}},
      {{130, 1003}, {1}, false, {130}},
      {{130, 1003}, {0}, false, {1003}},
      {{3, 20011}, {1}, true, {3, 1}},
      {{50, 9000}, {1}, false, {50}},
      {{5, 6, 70}, {0, -1}, true, {1, 6, 1}},
      {{5, 6, 70}, {1}, false, {5, 70}},
      {{4, 25, 3000}, {0, 1, 2}, false, {}},
      {{40, 1}, {1}, false, {40}},
  };
  return all;
}

inline std::size_t count(const Sizes& sizes) {
  std::size_t elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<std::size_t>(size);
  return elements;
}

inline std::vector<Numbers> rows_of(const Case& at, const Numbers& values) {
  std::vector<std::size_t> dims;
  for (const std::int64_t dim : at.dims) {
    dims.push_back(static_cast<std::size_t>(dim < 0 ? dim + std::ssize(at.sizes) : dim));
  }
  return test::rows_of(values, at.sizes, dims);
}

inline std::string named(const Case& at, aclDataType type) {
  std::string text = "type " + std::to_string(type) + ", sizes";
  for (const std::int64_t size : at.sizes) text += " " + std::to_string(size);
  return text + ", first dim " + std::to_string(at.dims.front());
}

class ReductionCases : public BasicTest {
 protected:
  /// Calls `call(self, dims, out)` for all cases and compares with `value` of each row.
  template <class Call, class Value>
  void check(aclDataType type, double low, double high, double tolerance, const Call& call,
             const Value& value) {
    for (const Case& at : cases()) {
      SCOPED_TRACE(named(at, type));
      const Numbers x = of_type(spread(count(at.sizes), low, high), type);
      const DeviceTensor self(at.sizes, x, type), out(at.out, Numbers(count(at.out)), type);
      const Ints dims(at.dims);
      ASSERT_EQ(call(self, dims, at.keep, out), ACL_SUCCESS) << last_error();
      expect_near(out.values(), each(rows_of(at, x), value), tolerance);
    }
  }
};

}  // namespace davsim::test::reductions
