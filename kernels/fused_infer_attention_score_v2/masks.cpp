// atten_mask with sparse_mode, pre_tokens and next_tokens.
#include <algorithm>
#include <string>

#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using attention::MaskKind;
using attention::Window;
using E = ErrorClass;

/// A full mask brought to three axes; `shape` may say fewer.
struct MaskShape {
  std::int64_t batches = 1, rows = 1, columns = 0;
};

/// [rows, columns], [batches, rows, columns], [batches, 1, rows, columns]; of one query row also
/// [batches, columns].
MaskShape mask_shape(const Request& r, const Shape& shape) {
  const std::size_t rank = shape.size();
  require(rank >= 2 && rank <= 4, E::kShape, "atten_mask has rank 2, 3 or 4",
          "its shape is " + to_string(shape));
  if (rank == 2 && r.single_row()) return {shape[0], 1, shape[1]};
  if (rank == 2) return {1, shape[0], shape[1]};
  require(rank == 3 || shape[1] == 1, E::kShape, "dimension 1 of atten_mask of rank 4 is 1",
          "its shape is " + to_string(shape));
  return {shape[0], shape[rank - 2], shape[rank - 1]};
}

void read_full_mask(Request& r) {
  const Tensor& mask = r.tensor("atten_mask");
  const std::string found = "its shape is " + to_string(mask.shape());
  const MaskShape shape = mask_shape(r, mask.shape());
  require(shape.batches == 1 || shape.batches == r.batches, E::kShape,
          "the batch dimension of atten_mask is 1 or B",
          found + ", B is " + std::to_string(r.batches));
  require(r.single_row() ? shape.rows == 1 : shape.rows >= r.query.rows, E::kShape,
          r.single_row() ? "atten_mask of one query row has one row"
                         : "atten_mask has at least Sq rows",
          found + ", Sq is " + std::to_string(r.query.rows));
  require(shape.columns >= r.kv_rows, E::kShape,
          r.paged() ? "atten_mask has at least maxPages*block_size columns"
                    : "atten_mask has at least Skv columns",
          found + ", there are " + std::to_string(r.kv_rows) + " key rows");
  attention::Mask& to = r.problem.mask;
  to.kind = MaskKind::kFull;
  to.data = mask.gm();
  to.batch_stride = shape.batches == 1 ? 0 : shape.rows * shape.columns;
  to.row_stride = r.single_row() ? 0 : shape.columns;
}

void read_square_mask(Request& r) {
  const Tensor& mask = r.tensor("atten_mask");
  const Shape& shape = mask.shape();
  const bool square = shape == Shape{kMaskSquare, kMaskSquare} ||
                      shape == Shape{1, kMaskSquare, kMaskSquare} ||
                      shape == Shape{1, 1, kMaskSquare, kMaskSquare};
  require(square, E::kAttr, "atten_mask of sparse modes 2, 3 and 4 is [2048, 2048]",
          "its shape is " + to_string(shape));
  attention::Mask& to = r.problem.mask;
  to.kind = MaskKind::kTriangle;
  to.data = mask.gm();
  to.row_stride = kMaskSquare;
}

/// pre_tokens or next_tokens, kept where a window counts.
std::int64_t tokens(const Request& r, const char* name) {
  constexpr std::int64_t kMost = Window::kUnbounded;
  return std::clamp(int_attribute(r.call, name), -kMost, kMost);
}

/// The band of mode 0 with a mask and of mode 4. `before_limit` and `after_limit`: how far a
/// negative count may go.
void read_band(Request& r, std::int64_t before_limit, std::int64_t after_limit) {
  const std::int64_t before = tokens(r, "pre_tokens"), after = tokens(r, "next_tokens");
  const std::string found = "pre_tokens is " + std::to_string(before) + ", next_tokens is " +
                            std::to_string(after) + ", Sq is " + std::to_string(r.query.rows) +
                            ", Skv is " + std::to_string(r.kv_rows);
  require(before >= 0 || after >= 0, E::kAttr, "pre_tokens and next_tokens are not both negative",
          found);
  require(before + after >= 0, E::kAttr, "pre_tokens + next_tokens is not negative", found);
  require(before >= 0 || -before < before_limit, E::kAttr,
          "a negative pre_tokens leaves something to see", found);
  require(after >= 0 || -after < after_limit, E::kAttr,
          "a negative next_tokens leaves something to see", found);
  r.problem.window.before = before;
  r.problem.window.after = after;
}

void require_mask(const Request& r) {
  require(r.has("atten_mask"), E::kAttr, "sparse modes 1, 2, 3 and 4 need atten_mask",
          "it is missing, sparse_mode is " + std::to_string(r.sparse_mode));
}

/// Mode 3: the diagonal ends in the right lower corner.
void read_causal(Request& r) {
  require_mask(r);
  read_square_mask(r);
  r.problem.window.after = 0;
  r.problem.window.right_down = true;
}

/// Scenes in which a call has no mask, or mode 3 with its mask.
void read_none_or_causal(Request& r) {
  const std::string found = "sparse_mode is " + std::to_string(r.sparse_mode) +
                            (r.has("atten_mask") ? ", atten_mask is given" : ", without a mask");
  const bool none = r.sparse_mode == 0 && !r.has("atten_mask");
  const bool causal = r.sparse_mode == 3;
  if (r.behind_one_another()) {
    require(none || causal, E::kAttr, "with TND, sparse_mode is 0 without a mask or 3 with one",
            found);
  } else {
    require(r.single_row() ? none : causal, E::kAttr,
            r.single_row() ? "with one query row, sparse_mode is 0 and there is no mask"
                           : "with several query rows, sparse_mode is 3",
            found);
  }
  if (causal) read_causal(r);
}

void read_prompt_mask(Request& r) {
  const bool given = r.has("atten_mask");
  if (r.sparse_mode == 0 && !given) return;
  require_mask(r);
  require(!r.tensor("atten_mask").empty(), E::kShape, "atten_mask is not empty",
          "its shape is " + to_string(r.tensor("atten_mask").shape()));
  switch (r.sparse_mode) {
    case 0:
      read_full_mask(r);
      return read_band(r, r.kv_rows, r.query.rows);
    case 1:
      return read_full_mask(r);
    case 2:
      r.problem.window.after = 0;
      return read_square_mask(r);
    case 3:
      return read_causal(r);
    default:
      read_square_mask(r);
      r.problem.window.right_down = true;
      return read_band(r, r.query.rows, r.kv_rows);
  }
}

}  // namespace

void read_mask(Request& r) {
  r.sparse_mode = int_attribute(r.call, "sparse_mode");
  require(r.sparse_mode >= 0 && r.sparse_mode <= 4, E::kAttr, "sparse_mode is 0, 1, 2, 3 or 4",
          "found " + std::to_string(r.sparse_mode));
  if (!r.general()) return read_none_or_causal(r);
  if (r.scene == Scene::kPrompt) return read_prompt_mask(r);
  // One query row: only the mask counts, whatever the mode says.
  if (!r.has("atten_mask")) return;
  require(!r.tensor("atten_mask").empty(), E::kShape, "atten_mask is not empty",
          "its shape is " + to_string(r.tensor("atten_mask").shape()));
  read_full_mask(r);
}

void read_pse_shift(Request& r) {
  const Tensor* pse = optional_tensor(r.call, "pse_shift");
  if (pse == nullptr) return;
  require(r.general(), E::kAttr, "pse_shift is not given with rope parts, TND or caches of rank 5",
          "it is given");
  require(pse->dtype() == r.query_type(), E::kDtype, "pse_shift has the dtype of query",
          "found " + std::string(isa::dtype_name(pse->dtype())));
  const Shape& shape = pse->shape();
  require(shape.size() == 4, E::kShape, "pse_shift has rank 4", "its shape is " + to_string(shape));
  // Paged, the table may be wider than any batch is long.
  std::int64_t columns = r.paged() ? 0 : r.kv_rows;
  for (const attention::Batch& batch : r.problem.batches) {
    columns = std::max(columns, batch.kv_rows);
  }
  const bool fits = (shape[0] == 1 || shape[0] == r.batches) && shape[1] == r.problem.query_heads &&
                    shape[2] >= r.query.rows && shape[3] >= columns;
  require(fits, E::kShape, "the shape of pse_shift is [B or 1, Nq, >= Sq, >= Skv]",
          "it is " + to_string(shape) + ", Sq is " + std::to_string(r.query.rows) + ", Skv is " +
              std::to_string(columns));
  attention::Bias& bias = r.problem.bias;
  bias.data = pse->gm();
  bias.type = pse->dtype();
  bias.strides.row = shape[3];
  bias.strides.head = shape[2] * shape[3];
  bias.strides.batch = shape[0] == 1 ? 0 : shape[1] * bias.strides.head;
}

}  // namespace davsim::operators::fused_infer_attention_score
