// Arithmetic of the DeepSeek prologs, plain and in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/reference.hpp"
#include "reference/rounding.hpp"

namespace davsim::reference {

using Row = std::vector<double>;

inline Row rounded(Row row) {
  for (double& x : row) x = to_bf16(x);
  return row;
}

/// A matrix [rows, cols] of a tensor of bf16, int8 or fp32, read once. What is computed with it is
/// double.
struct Matrix {
  Matrix(const operators::Tensor& tensor, std::int64_t rows, std::int64_t cols)
      : rows(rows), cols(cols), values(floats(tensor)) {}
  const float* row(std::int64_t r) const { return values.data() + r * cols; }

  std::int64_t rows, cols;
  std::vector<float> values;
};

/// x times the rows [first, first + x.size()) of a matrix.
inline Row times(const Row& x, const Matrix& w, std::int64_t first = 0) {
  Row y(static_cast<std::size_t>(w.cols), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float* row = w.row(first + static_cast<std::int64_t>(k));
    for (std::size_t n = 0; n < y.size(); ++n) y[n] += x[k] * row[n];
  }
  return y;
}

inline double root_mean_square(const Row& x, double eps) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  return std::sqrt(squares / static_cast<double>(x.size()) + eps);
}

inline Row rms_norm(const Row& x, const Row& gamma, double eps) {
  const double rms = root_mean_square(x, eps);
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] / rms * gamma[i];
  return y;
}

inline double mean_of(const Row& x) {
  double mean = 0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  return mean;
}
/// sqrt(variance + eps), the variance biased.
inline double deviation(const Row& x, double eps) {
  const double mean = mean_of(x);
  double variance = 0;
  for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
  return std::sqrt(variance + eps);
}

inline Row layer_norm(const Row& x, const Row& gamma, const Row& beta, double eps) {
  const double mean = mean_of(x), spread = deviation(x, eps);
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = (x[i] - mean) / spread * gamma[i] + beta[i];
  return y;
}

inline Row rope_half(const Row& x, const Row& cos, const Row& sin) {
  const std::size_t h = x.size() / 2;
  Row y(x.size());
  for (std::size_t i = 0; i < h; ++i) {
    y[i] = x[i] * cos[i] - x[i + h] * sin[i];
    y[i + h] = x[i + h] * cos[i + h] + x[i] * sin[i + h];
  }
  return y;
}

inline Row rope_interleaved(const Row& x, const Row& cos, const Row& sin) {
  const std::size_t h = x.size() / 2;
  Row y(x.size());
  for (std::size_t i = 0; i < h; ++i) {
    y[i] = x[2 * i];
    y[i + h] = x[2 * i + 1];
  }
  return rope_half(y, cos, sin);
}

struct Quantised {
  Row values;
  double scale;  ///< to dequantise with
};

inline Quantised quantise(const Row& x) {
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::fabs(v));
  if (largest == 0) return {Row(x.size(), 0.0), 0};
  const float s = 127.0f / static_cast<float>(largest);
  Quantised q{Row(x.size()), static_cast<double>(1.0f / s)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = static_cast<float>(x[i]) * s;
    q.values[i] = std::clamp(std::nearbyint(scaled), -128.0, 127.0);
  }
  return q;
}

inline Row slice(const Row& x, std::size_t first, std::size_t count) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
  return Row(begin, begin + static_cast<std::ptrdiff_t>(count));
}

/// Numbers that an operator sums in fp32 in its own order. Each may differ by its doubt. If a
/// number is within its doubt of a tie, rounding to bf16 may give either neighbour, and these are a
/// whole step apart. A tolerance cannot cover that step where two large values cancel to a value
/// near zero.
struct Doubtful {
  Row values, doubts;
};

/// x times w. Rounding errors of K sums add up like a random walk; four times its spread.
inline Doubtful sums_in_fp32(const Row& x, const Matrix& w) {
  Row squares(static_cast<std::size_t>(w.cols), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float* row = w.row(static_cast<std::int64_t>(k));
    for (std::size_t n = 0; n < squares.size(); ++n) {
      const double product = x[k] * row[n];
      squares[n] += product * product;
    }
  }
  Doubtful y{times(x, w), Row(squares.size())};
  for (std::size_t n = 0; n < squares.size(); ++n) {
    y.doubts[n] = 0x1p-24 * std::sqrt(static_cast<double>(x.size()) * squares[n]);
  }
  return y;
}

inline Doubtful rounded(const Doubtful& x) {
  Doubtful y{rounded(x.values), Row(x.values.size())};
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    y.doubts[i] = std::max(std::fabs(to_bf16(x.values[i] + x.doubts[i]) - y.values[i]),
                           std::fabs(to_bf16(x.values[i] - x.doubts[i]) - y.values[i]));
  }
  return y;
}

inline Doubtful slice(const Doubtful& x, std::size_t first, std::size_t count) {
  return {slice(x.values, first, count), slice(x.doubts, first, count)};
}

/// Tables with which a rotation adds up doubts, because doubts are never subtracted.
inline Row magnitudes(Row table) {
  for (double& x : table) x = std::fabs(x);
  return table;
}
inline Row adding_sines(const Row& sin) {
  Row y = magnitudes(sin);
  for (std::size_t i = 0; i < y.size() / 2; ++i) y[i] = -y[i];
  return y;
}
inline Doubtful rope_half(const Doubtful& x, const Row& cos, const Row& sin) {
  return {rope_half(x.values, cos, sin), rope_half(x.doubts, magnitudes(cos), adding_sines(sin))};
}
inline Doubtful rope_interleaved(const Doubtful& x, const Row& cos, const Row& sin) {
  return {rope_interleaved(x.values, cos, sin),
          rope_interleaved(x.doubts, magnitudes(cos), adding_sines(sin))};
}

/// Mean and deviation are those of many numbers and not in doubt; the steps behind them round four
/// times.
inline Doubtful layer_norm(const Doubtful& x, const Row& gamma, const Row& beta, double eps) {
  Doubtful y{layer_norm(x.values, gamma, beta, eps), Row(x.values.size())};
  const double slope = 1 / deviation(x.values, eps);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    y.doubts[i] =
        x.doubts[i] * slope * std::fabs(gamma[i]) + 0x1p-22 * std::fabs(y.values[i] - beta[i]);
  }
  return y;
}

/// The same of the root of the mean square.
inline Doubtful rms_norm(const Doubtful& x, const Row& gamma, double eps) {
  Doubtful y{rms_norm(x.values, gamma, eps), Row(x.values.size())};
  const double slope = 1 / root_mean_square(x.values, eps);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    y.doubts[i] = x.doubts[i] * slope * std::fabs(gamma[i]) + 0x1p-22 * std::fabs(y.values[i]);
  }
  return y;
}

inline Doubtful times(const Doubtful& x, const Matrix& w) {
  Doubtful y = sums_in_fp32(x.values, w);
  for (std::size_t k = 0; k < x.doubts.size(); ++k) {
    if (x.doubts[k] == 0) continue;
    const float* row = w.row(static_cast<std::int64_t>(k));
    for (std::size_t n = 0; n < y.doubts.size(); ++n)
      y.doubts[n] += x.doubts[k] * std::fabs(row[n]);
  }
  return y;
}

/// The doubt of the dequantisation scale of a row, whose largest element may be a little larger or
/// smaller.
inline double doubt_of_scale(const Doubtful& x) {
  double most = 0, least = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    most = std::max(most, std::fabs(x.values[i]) + x.doubts[i]);
    least = std::max(least, std::fabs(x.values[i]) - x.doubts[i]);
  }
  return (most - least) / 127;
}

}  // namespace davsim::reference
