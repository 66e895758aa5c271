// The mask: its shapes, and where in it the rows of a batch are.
#include <string>

#include "kernels/paged_attention/request.hpp"

namespace davsim::operators::paged_attention {
namespace {

using E = ErrorClass;

[[noreturn]] void refuse(const Request& r, const std::string& shapes) {
  const std::string rule = "the shape of mask is " + shapes;
  throw Refusal(E::kShape, rule, rule + "; found " + to_string(r.tensor("mask").shape()));
}

/// [batch, headNum, 1, max] or [headNum, 1, max]: a row a head. The sequences of a token follow one
/// another as their heads do. False if it is another shape.
bool read_by_head(Request& r, const Shape& shape) {
  const std::int64_t kv_heads = r.sequences_per_token(), max = shape.back();
  const bool by_head = shape.size() == 3 && shape[0] == r.heads && shape[1] == 1;
  const bool by_batch =
      shape.size() == 4 && shape[0] == r.batches / kv_heads && shape[1] == r.heads && shape[2] == 1;
  if (!by_head && !by_batch) return false;
  r.problem.bias.strides.head = max;
  for (std::int64_t b = 0; b < r.batches; ++b) {
    const std::int64_t sequence = by_batch ? b : b % kv_heads;
    r.problem.batches[static_cast<std::size_t>(b)].bias_start =
        sequence * r.problem.query_heads * max;
  }
  return true;
}

/// One row a batch, for all heads or one for each. Where each token has several sequences, a mask
/// may count tokens or sequences.
void read_norm(Request& r, const Shape& shape) {
  const std::int64_t kv_heads = r.sequences_per_token(), max = shape.back();
  if (shape.size() == 2 && shape[0] == 1) return;
  const bool single_rows = shape.size() == 3 && shape[1] == 1;
  if (single_rows && shape[0] == 1) return;
  if (single_rows && shape[0] == r.batches) {
    r.problem.bias.strides.batch = max;
  } else if (single_rows && shape[0] == r.batches / kv_heads) {
    for (std::int64_t b = 0; b < r.batches; ++b) {
      r.problem.batches[static_cast<std::size_t>(b)].bias_start = b / kv_heads * max;
    }
  } else if (!read_by_head(r, shape)) {
    refuse(r, "[batch, 1, max], [1, max] or [batch, headNum, 1, max]");
  }
}

void read_alibi(Request& r, const Shape& shape) {
  if (!read_by_head(r, shape)) refuse(r, "[batch, headNum, 1, max] or [headNum, 1, max]");
}

/// Squares: the rows of a batch are those in front of its context's end.
void read_squares(Request& r, const Shape& shape) {
  const std::size_t rank = shape.size();
  const bool fits = (rank == 2 || (rank == 3 && (shape[0] == r.batches || shape[0] == 1))) &&
                    shape[rank - 2] >= r.most_context;
  if (!fits) refuse(r, "[max, max] or [batch, max, max] with calcType 1");
  const std::int64_t max = shape.back();
  r.problem.bias.strides.row = max;
  if (rank == 3 && shape[0] != 1) r.problem.bias.strides.batch = shape[1] * max;
  for (attention::Batch& batch : r.problem.batches) {
    batch.bias_start = (batch.kv_rows - batch.query_rows) * max;
  }
}

void read_spec(Request& r, const Shape& shape) {
  if (shape.size() != 2 || shape[0] != r.tokens) refuse(r, "[numTokens, max]");
  r.problem.bias.strides.row = shape[1];
  for (attention::Batch& batch : r.problem.batches) {
    batch.bias_start = batch.first_query_row * shape[1];
  }
  // Multi-token prediction multiplies this mask by -3e38 in bfloat16: 0 is visible, 1 is not.
  r.problem.bias.hides = r.merged() && r.query_type() == isa::DType::kBF16;
}

}  // namespace

void read_mask(Request& r) {
  if (r.mask == MaskType::kNone) return;
  require_not_empty(r.call, "mask");
  const Tensor& mask = r.tensor("mask");
  const Shape& shape = mask.shape();
  require_rank(r.call, "mask", {2, 3, 4});
  require(shape.back() >= r.most_context, E::kShape,
          "the last dimension of mask is at least the longest context",
          "its shape is " + to_string(shape) + ", the longest context is " +
              std::to_string(r.most_context));
  r.problem.bias.data = mask.gm();
  r.problem.bias.type = mask.dtype();
  if (r.mask == MaskType::kAlibi) return read_alibi(r, shape);
  if (r.mask == MaskType::kSpec) return read_spec(r, shape);
  r.parallel ? read_squares(r, shape) : read_norm(r, shape);
}

}  // namespace davsim::operators::paged_attention
