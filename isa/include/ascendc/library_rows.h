// What the headers of reductions, norms, quantisation and sorting hand to isa/api/library.
#pragma once

#include "ascendc/language.h"
#include "ascendc/library_call.h"
#include "kernel_tiling/library_sizes.h"

namespace davsim::api::lib {

enum class RowOperation : std::uint8_t { kSum, kMax, kMin, kProduct };

/// dst[r] = the sum, maximum or minimum of the first `width` elements of row r of src, times
/// `scale`. Rows begin `pitch` elements apart. `in_half`: halves are added as halves.
void reduce_to_values(const Call& call, RowOperation operation, const Tensor& dst,
                      const Tensor& src, const Tensor& scratch, std::uint32_t rows,
                      std::uint32_t width, std::uint32_t pitch, double scale, bool in_half = false);
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
  Tensor given_mean = {}, given_variance = {};       ///< Normalize: floats, one a row
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

/// Norms of the same over other sets of elements. Rows are `rows` of `width` elements, `pitch`
/// apart. GroupNorm: `group` rows have one mean; gamma and beta have an element for each of
/// `channels` rows, over and over. BatchNorm: each column has a mean, each row an element of gamma
/// and beta.
struct GroupShape {
  std::uint32_t rows, width, pitch, group, channels;
  double epsilon;
};
void group_norm(const Call& call, const NormTensors& tensors, const GroupShape& shape);
void batch_norm(const Call& call, const NormTensors& tensors, const NormShape& shape);

/// The gradients of layer_norm. dst is that of x, normal is (x - mean) / sqrt(variance + epsilon).
struct NormGradTensors {
  Tensor dst = {}, normal = {}, dy = {}, src = {}, variance = {}, mean = {}, gamma = {};
  Tensor scratch = {};
};
void layer_norm_grad(const Call& call, const NormGradTensors& tensors, const NormShape& shape);
/// gamma = the sum of dy * normal over the rows, beta = the sum of dy.
struct ScaleGradTensors {
  Tensor gamma = {}, beta = {}, normal = {}, dy = {}, scratch = {};
};
void layer_norm_grad_beta(const Call& call, const ScaleGradTensors& tensors, std::uint32_t rows,
                          std::uint32_t width, std::uint32_t pitch);

/// The mean and the variance of all values behind `count` pairs of Welford's algorithm. The first
/// `heads` pairs stand for `head` values each, the others for `tail`; or counts says it of each.
struct WelfordEnd {
  Tensor mean = {}, variance = {}, in_mean = {}, in_squares = {}, counts = {}, scratch = {};
  std::uint32_t count = 0, heads = 0, head = 1, tail = 1;
  double reciprocal_pairs = 0, reciprocal_values = 0;
};
void welford_finalize(const Call& call, const WelfordEnd& end);

/// dst[r] = the product of row r, in float.
void multiply_rows(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                   std::uint32_t rows, std::uint32_t width, std::uint32_t pitch);
/// dst[0] = the sum of a xor b, integers of 16 bits.
void xor_sum(const Call& call, const Tensor& dst, const Tensor& a, const Tensor& b,
             const Tensor& scratch, std::uint32_t count);
/// The largest or smallest byte of each row, or of each column.
void reduce_bytes(const Call& call, RowOperation operation, const Tensor& dst, const Tensor& src,
                  const Tensor& scratch, std::uint32_t rows, std::uint32_t width,
                  std::uint32_t pitch, bool columns);

/// Element c of a row of dst = the sum of elements 0 to c of that row.
void sum_along_rows(const Call& call, const Tensor& dst, const Tensor& last, const Tensor& src,
                    const Tensor& scratch, std::uint32_t rows, std::uint32_t width);

/// dst, rows of whole DataBlocks, = rows of `width` elements of src, `pitch` apart, behind `left`
/// elements of `value` and before others of it.
struct PadShape {
  std::uint32_t rows, pitch, width, left, right;
  double value;
};
void pad_rows(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
              const PadShape& shape);
/// dst = the first `width` elements of each row of src, one row behind the other.
void unpad_rows(const Call& call, const Tensor& dst, const Tensor& src, std::uint32_t rows,
                std::uint32_t pitch, std::uint32_t width);

/// Formats of 16-bit elements in UB. Rows of h w elements of NCDHW are padded to whole DataBlocks;
/// the other format is [n, d, c1, h w, c0], or, `fractal`, [d, c1, h w, n1 n0, c0].
struct FormatShape {
  std::uint32_t n, c, d, hw;
  bool fractal;   ///< FRACTAL_Z_3D, else NDC1HWC0
  bool to_ncdhw;  ///< from that format to NCDHW
};
void trans_data(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                const FormatShape& shape);

/// dst, [width, rows], = src, [rows, width], transposed.
void transpose(const Call& call, const Tensor& dst, const Tensor& src, std::uint32_t rows,
               std::uint32_t width);
/// src is fractals of [b, n, s, d]. dst is [b, s, n, d] (`swapped`), or [b, s, n d] (`merged`), or
/// [b, n, s, d], in rows or in fractals.
struct FractalMove {
  std::uint32_t b, n, s, d;
  bool swapped, merged, dst_is_nz;
};
void move_fractals(const Call& call, const Tensor& dst, const Tensor& src, const FractalMove& move);

/// dst = src where the mask's element is 0, or where it is not (`where_set`), else the scalar.
struct MaskShape {
  std::uint32_t rows, width, mask_pitch;
  double scalar;
  bool where_set;
};
void select_by_mask(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& mask,
                    const Tensor& scratch, const MaskShape& shape);
/// dst = src where the mask's bit is 1, else 0. Rows of bits are `mask_pitch` bytes apart, or, with
/// 0, one behind the other.
void select_by_bits(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& mask,
                    const MaskShape& shape);
/// dst = dst * factor.
void scale(const Call& call, const Tensor& dst, double factor, std::uint32_t count);

/// A step of Welford's algorithm on `count` elements: a mean and a sum of squares for each.
/// `reciprocal` is 1 / the number of values with this one. Elements from `count` to `kept` become
/// those that come in.
struct WelfordTensors {
  Tensor mean = {}, squares = {}, in_mean = {}, in_squares = {}, src = {}, scratch = {};
};
void welford_update(const Call& call, const WelfordTensors& tensors, std::uint32_t count,
                    std::uint32_t kept, double reciprocal);
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
  bool small = false;  ///< rows of 32 with indices of their own, and results with no padding
};
void top_k(const Call& call, const Tensor& values, const Tensor& indices, const Tensor& src,
           const Tensor& index, const Tensor& finished, const Tensor& scratch,
           const TopKShape& shape);

}  // namespace davsim::api::lib
