// Matmul: plain sums of products in double, in int64 for integers.
//
// A product of up to 1024^3 multiplications is checked in every element. Of a larger one a seeded
// sample of rows and columns is checked, each from end to end, and the comparison says so.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <type_traits>

#include "reference/reference.hpp"

namespace davsim::reference {
namespace {

using isa::DType;

constexpr double kMostMultiplications = 1024.0 * 1024.0 * 1024.0;
constexpr std::int64_t kSampledRows = 8, kSampledColumns = 8;

struct Sizes {
  std::int64_t m, n, k;
};

/// One factor: where element (row, col) of the matrix before transposing lies in the tensor.
class Matrix {
 public:
  Matrix(const operators::Call& call, const std::string& name)
      : tensor_(call.tensors.at(name)),
        transposed_(call.attributes.at("transpose_" + name).as_bool()),
        nz_(call.attributes.at(name + "_format").as_string() == "NZ") {}

  double at(std::int64_t row, std::int64_t col) const {
    if (transposed_) std::swap(row, col);
    const operators::Shape& shape = tensor_.shape();
    if (!nz_) return element(tensor_, row * shape[1] + col);
    // [C / C0][R / 16][16][C0]
    const std::int64_t c0 = shape[3];
    return element(tensor_, ((col / c0 * shape[1] + row / 16) * 16 + row % 16) * c0 + col % c0);
  }

 private:
  const operators::Tensor& tensor_;
  bool transposed_, nz_;
};

/// The rows and columns of c that are checked; all rows and no column by itself: everything.
struct Sample {
  std::vector<std::int64_t> rows, cols;
  bool everything = false;
};

std::vector<std::int64_t> first_to_last(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// `most` different numbers below `count`, the first and the last one among them.
std::vector<std::int64_t> sample_of(std::int64_t count, std::int64_t most, std::mt19937_64& bits) {
  if (count <= most) return first_to_last(count);
  std::vector<std::int64_t> chosen = {0, count - 1};
  while (static_cast<std::int64_t>(chosen.size()) < most) {
    const auto next = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(count));
    if (std::find(chosen.begin(), chosen.end(), next) == chosen.end()) chosen.push_back(next);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Sample choose(const Sizes& n) {
  const double multiplications =
      static_cast<double>(n.m) * static_cast<double>(n.n) * static_cast<double>(n.k);
  Sample sample;
  if (multiplications <= kMostMultiplications) {
    sample.rows = first_to_last(n.m);
    sample.everything = true;
    return sample;
  }
  std::mt19937_64 bits(static_cast<std::uint64_t>(n.m * 31 + n.n * 17 + n.k));
  sample.rows = sample_of(n.m, kSampledRows, bits);
  sample.cols = sample_of(n.n, kSampledColumns, bits);
  return sample;
}

/// Sums of products of some rows with some columns, and of the products' magnitudes.
template <class Number>
struct Sums {
  std::vector<Number> value, magnitude;
};

template <class Number>
Sums<Number> multiply(const Matrix& a, const std::vector<std::int64_t>& rows, const Matrix& b,
                      const std::vector<std::int64_t>& cols, std::int64_t k) {
  const std::size_t width = cols.size();
  Sums<Number> sums;
  sums.value.resize(rows.size() * width);
  sums.magnitude.resize(rows.size() * width);
  std::vector<Number> b_row(width);
  for (std::int64_t depth = 0; depth < k; ++depth) {
    for (std::size_t j = 0; j < width; ++j) b_row[j] = static_cast<Number>(b.at(depth, cols[j]));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto factor = static_cast<Number>(a.at(rows[i], depth));
      Number* value = sums.value.data() + i * width;
      Number* magnitude = sums.magnitude.data() + i * width;
      for (std::size_t j = 0; j < width; ++j) {
        const Number product = factor * b_row[j];
        value[j] += product;
        magnitude[j] += product < 0 ? -product : product;
      }
    }
  }
  return sums;
}

/// Largest error of one rounding to the type, relative to the number.
double unit_roundoff(DType type) {
  switch (type) {
    case DType::kF16:
      return std::ldexp(1.0, -11);
    case DType::kBF16:
      return std::ldexp(1.0, -8);
    case DType::kF32:
      return std::ldexp(1.0, -24);
    default:
      return 0;
  }
}

/// What float16 cannot hold becomes infinite.
double in_range_of(DType type, double value) {
  constexpr double kFirstInfinite = 65520;
  if (type != DType::kF16 || std::fabs(value) < kFirstInfinite) return value;
  return std::copysign(INFINITY, value);
}

class MatmulReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call, const operators::TensorMap&,
                                          const operators::TensorMap& outputs) const override {
    const auto c = outputs.find("c");
    if (c == outputs.end() || c->second.shape().size() != 2) return {missing()};
    const Sizes n = {c->second.shape()[0], c->second.shape()[1], depth_of(call)};
    if (call.tensors.at("a").dtype() == DType::kI8) {
      return {compare_sums<std::int64_t>(call, c->second, n)};
    }
    return {compare_sums<double>(call, c->second, n)};
  }

 private:
  static Comparison missing() {
    Comparer comparer("c", {});
    comparer.fail("it is not put out as a matrix");
    return comparer.result();
  }

  /// K: what the attribute says, or a row-major tensor, or the smaller of two padded sizes.
  static std::int64_t depth_of(const operators::Call& call) {
    const auto attribute = call.attributes.at("k").to_number<std::int64_t>();
    if (attribute != 0) return attribute;
    const auto side = [&](const std::string& name, bool by_rows) {
      const operators::Shape& shape = call.tensors.at(name).shape();
      const bool rows = by_rows != call.attributes.at("transpose_" + name).as_bool();
      if (call.attributes.at(name + "_format").as_string() != "NZ") return shape[rows ? 0 : 1];
      return rows ? shape[1] * shape[2] : shape[0] * shape[3];
    };
    return std::min(side("a", false), side("b", true));
  }

  template <class Number>
  static Comparison compare_sums(const operators::Call& call, const operators::Tensor& c,
                                 const Sizes& n) {
    const Matrix a(call, "a"), b(call, "b");
    const Sample sample = choose(n);
    const std::vector<std::int64_t> every_row = first_to_last(n.m), every_col = first_to_last(n.n);
    Sums<Number> in_rows = multiply<Number>(a, sample.rows, b, every_col, n.k);
    Sums<Number> in_cols = multiply<Number>(a, every_row, b, sample.cols, n.k);
    add_bias(call, in_rows, every_col);
    add_bias(call, in_cols, sample.cols);

    Comparer comparer("c", tolerance_for(call, c, n, in_rows, in_cols));
    const auto compare = [&](const Sums<Number>& sums, const std::vector<std::int64_t>& rows,
                             const std::vector<std::int64_t>& cols) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < cols.size(); ++j) {
          const std::int64_t at = rows[i] * n.n + cols[j];
          const auto expected = static_cast<double>(sums.value[i * cols.size() + j]);
          comparer.add(at, element(c, at), in_range_of(c.dtype(), expected));
        }
      }
    };
    compare(in_rows, sample.rows, every_col);
    compare(in_cols, every_row, sample.cols);
    return described(comparer.result(), sample, n);
  }

  template <class Number>
  static void add_bias(const operators::Call& call, Sums<Number>& sums,
                       const std::vector<std::int64_t>& cols) {
    const auto bias = call.tensors.find("bias");
    if (bias == call.tensors.end() || cols.empty()) return;
    for (std::size_t i = 0; i < sums.value.size(); ++i) {
      const auto term = static_cast<Number>(element(bias->second, cols[i % cols.size()]));
      sums.value[i] += term;
      sums.magnitude[i] += term < 0 ? -term : term;
    }
  }

  /// Integers are exact. Of floating types: every addition in float32 rounds, by at most 2^-24 of
  /// its result, which the sum of magnitudes bounds, and in either direction, so that K of them
  /// make sqrt(K) and not K (the usual probabilistic bound); the order of the additions is free.
  /// Then comes one rounding to the type of c, whose smallest steps are those of its subnormals.
  template <class Number>
  static Tolerance tolerance_for(const operators::Call& call, const operators::Tensor& c,
                                 const Sizes& n, const Sums<Number>& in_rows,
                                 const Sums<Number>& in_cols) {
    Tolerance tolerance;
    if constexpr (std::is_same_v<Number, double>) {
      const auto largest = [](const std::vector<double>& values) {
        return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
      };
      const double magnitude = std::max(largest(in_rows.magnitude), largest(in_cols.magnitude));
      const double terms = static_cast<double>(n.k) + (call.tensors.contains("bias") ? 1 : 0);
      tolerance.rtol = unit_roundoff(c.dtype());
      tolerance.atol = std::ldexp(std::sqrt(terms) * magnitude, -24) + std::ldexp(1.0, -25);
    }
    return tolerance;
  }

  static Comparison described(Comparison comparison, const Sample& sample, const Sizes& n) {
    if (sample.everything) return comparison;
    char text[128];
    std::snprintf(text, sizeof text, "a seeded sample: %zu of %lld rows and %zu of %lld columns",
                  sample.rows.size(), static_cast<long long>(n.m), sample.cols.size(),
                  static_cast<long long>(n.n));
    comparison.detail += (comparison.detail.empty() ? "" : "; ") + std::string(text);
    return comparison;
  }
};

const ReferenceRegistrar registrar("matmul", std::make_unique<MatmulReference>());

}  // namespace
}  // namespace davsim::reference
