// What the headers of reductions, norms, quantisation and sorting hand to isa/api/library.
#pragma once

#include "ascendc/language.h"
#include "ascendc/library_call.h"
#include "kernel_tiling/library_sizes.h"

namespace davsim::api::lib {

enum class RowOperation : std::uint8_t { kSum, kMax, kMin };

/// dst[r] = the sum, maximum or minimum of the first `width` elements of row r of src, times
/// `scale`. Rows begin `pitch` elements apart.
void reduce_to_values(const Call& call, RowOperation operation, const Tensor& dst,
                      const Tensor& src, const Tensor& scratch, std::uint32_t rows,
                      std::uint32_t width, std::uint32_t pitch, double scale);
/// dst[c] = the same along columns; without scratch.
void reduce_to_row(const Call& call, RowOperation operation, const Tensor& dst, const Tensor& src,
                   std::uint32_t rows, std::uint32_t width, std::uint32_t pitch, double scale);

/// dst, [rows, width], = src, [1, width] (`along_rows`) or [rows, 1].
void broadcast(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
               std::uint32_t rows, std::uint32_t width, bool along_rows);

/// Norms of `rows` rows of which `width` elements count, `pitch` apart. Tensors that a norm does
/// not have are left out.
struct NormTensors {
  Tensor dst = {}, src = {};
  Tensor added = {};                                 ///< DeepNorm: x is src * alpha + added
  Tensor gamma = {}, beta = {};                      ///< one element a column
  Tensor mean = {}, variance = {}, reciprocal = {};  ///< results, one element a row
  Tensor scratch = {};
};
struct NormShape {
  std::uint32_t rows, width, pitch;
  double epsilon;
  double alpha = 1;
};
/// (x - mean) / sqrt(variance + epsilon) * gamma + beta
void layer_norm(const Call& call, const NormTensors& tensors, const NormShape& shape);
/// x / sqrt(mean of x^2 + epsilon) * gamma
void rms_norm(const Call& call, const NormTensors& tensors, const NormShape& shape);

/// A step of Welford's algorithm on `rows` rows of `width` elements, `pitch` apart: a mean and a
/// sum of squares for each element. `reciprocal` is 1 / the number of values with this one.
struct WelfordTensors {
  Tensor mean = {}, squares = {}, in_mean = {}, in_squares = {}, src = {}, scratch = {};
};
void welford_update(const Call& call, const WelfordTensors& tensors, std::uint32_t count,
                    double reciprocal);
/// Rows of dst = the sums of all rows of src up to this one; last = the last of them, if present.
void sum_rows_up(const Call& call, const Tensor& dst, const Tensor& last, const Tensor& src,
                 const Tensor& scratch, std::uint32_t rows, std::uint32_t width);

/// Scales and offsets of a quantisation: numbers, or tensors of an element a column.
struct Scales {
  Tensor scale = {}, offset = {};
  double scale_value = 1, offset_value = 0;
};
/// dst (int8_t) = src * scale + offset in half, rounded to even and saturated.
void quantise(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
              const Scales& scales, std::uint32_t columns, std::uint32_t count);
/// dst = src (int32_t) * scale in float; `width` columns of rows `n` apart.
void dequantise(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                const Scales& scales, std::uint32_t rows, std::uint32_t n, std::uint32_t width);
/// dst = (src + offset) * scale of int8_t: rows of `columns` elements; every `rows_a_scale` rows
/// have a row of scales. `by_row`: scales and offsets have an element a row.
void antiquantise(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                  const Scales& scales, std::uint32_t rows, std::uint32_t columns,
                  std::uint32_t rows_a_scale, bool by_row);

struct TopKShape {
  std::uint32_t rows, inner, n, k;
  bool largest, has_index;
};
void top_k(const Call& call, const Tensor& values, const Tensor& indices, const Tensor& src,
           const Tensor& index, const Tensor& finished, const Tensor& scratch,
           const TopKShape& shape);

}  // namespace davsim::api::lib
