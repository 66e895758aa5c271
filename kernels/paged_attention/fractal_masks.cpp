// Masks of the older inference series: fractals of 16 columns.
#include <string>

#include "kernels/paged_attention/request.hpp"

namespace davsim::operators::paged_attention {
namespace {

using E = ErrorClass;

constexpr std::int64_t kWidth = 16;
/// Rows of the mask that MASK_FREE and the pages that go with it have.
constexpr std::int64_t kFreeRows = 128;
constexpr std::int64_t kCompressed = 2048;

void require_mask(const Request& r, bool holds, const std::string& shape) {
  require(holds, E::kShape, "the shape of mask is " + shape + " on the older inference series",
          "found " + to_string(r.tensor("mask").shape()));
}

/// Several rows see up to the diagonal that ends in the right lower corner. The tensor says no more
/// than that, so the kernel takes a triangle of its own.
void read_causal(Request& r, const Shape& shape) {
  if (r.mask == MaskType::kMaskFree) {
    require_mask(r, shape == Shape{1, kFreeRows / kWidth, kFreeRows, kWidth},
                 "[1, 8, 128, 16] with MASK_FREE");
    require(r.page_rows() == kFreeRows, E::kShape, "bs is 128 with MASK_FREE",
            "found " + std::to_string(r.page_rows()));
  } else {
    require_mask(r,
                 shape == Shape{kCompressed, kCompressed} ||
                     shape == Shape{1, kCompressed / kWidth, kCompressed, kWidth},
                 "[2048, 2048] or [1, 128, 2048, 16] with NORM_COMPRESS");
  }
  r.problem.window.after = 0;
  r.problem.window.right_down = true;
}

/// Of the 16 rows of each fractal the first is the one that there is.
void read_single_rows(Request& r, const Shape& shape) {
  attention::Bias& bias = r.problem.bias;
  const std::int64_t each = shape[1] * shape[2] * kWidth;
  if (r.mask == MaskType::kNorm) {
    require_mask(r, shape[2] == kWidth && (shape[0] == 1 || shape[0] == r.batches),
                 "[batch or 1, max/16, 16, 16] with NORM");
    if (shape[0] != 1) bias.strides.batch = each;
    return;
  }
  const bool by_batch = shape[0] == r.batches * r.heads;
  require_mask(r, shape[2] == kWidth && (by_batch || shape[0] == r.heads),
               "[batch*headNum or headNum, max/16, 16, 16] with ALIBI");
  bias.strides.head = each;
  if (by_batch) bias.strides.batch = r.heads * each;
}

void read_spec_of_fractals(Request& r, const Shape& shape) {
  require_mask(r, shape[0] == 1 && shape[2] >= r.tokens, "[1, max/16, numTokens, 16] with SPEC");
  r.problem.bias.strides.row = kWidth;
  for (attention::Batch& batch : r.problem.batches) {
    batch.bias_start = batch.first_query_row * kWidth;
  }
}

}  // namespace

void read_fractal_mask(Request& r) {
  if (r.mask == MaskType::kNone) return;
  require_not_empty(r.call, "mask");
  const Tensor& mask = r.tensor("mask");
  const Shape& shape = mask.shape();
  require_rank(r.call, "mask", {2, 4});
  if (r.mask > MaskType::kSpec) return read_causal(r, shape);
  require_mask(r, shape.size() == 4 && shape[3] == kWidth, "of fractals");
  require_mask(r, shape[1] * kWidth >= r.most_context, "as long as the longest context");
  r.problem.bias.data = mask.gm();
  r.problem.bias.type = mask.dtype();
  r.problem.bias.block_stride = shape[2] * kWidth;
  r.mask == MaskType::kSpec ? read_spec_of_fractals(r, shape) : read_single_rows(r, shape);
}

}  // namespace davsim::operators::paged_attention
