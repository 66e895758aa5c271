// The gradient of an embedding: functions/gradients.txt.
#include <vector>

#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

struct EmbeddingGradient {
  const aclTensor *gradient, *indices;
  int64_t rows, padding;
  const aclTensor* out;
};

void require_embedding(const EmbeddingGradient& call) {
  require_kernel_float(required(call.gradient, "grad"), "grad");
  required_index(call.indices, "indices");
  require_kernel_float(required(call.out, "out"), "out");
  const Shape& shape = call.out->GetViewShape();
  if (shape.GetDimNum() != 2 || shape.GetDim(0) != call.rows) {
    refuse_aclnn("out has the shape [numWeights,size], not " + text(shape));
  }
  const int64_t size = shape.GetDim(1), elements = call.gradient->Numel();
  if (size > 0 && (elements % size != 0 || elements / size != call.indices->Numel())) {
    refuse_aclnn("grad has a row of out for each index, not the shape " +
                 text(call.gradient->GetViewShape()));
  }
}

/// The numbers of the rows, -1 where the index is that of the padding, and for each the reciprocal
/// of how often it is there.
void add_row_counts(WorkList& work, const EmbeddingGradient& call, const aclTensor& numbers,
                    const aclTensor& shares) {
  const aclTensor* const indices = as(work, *call.indices, call.indices->GetDataType());
  work.add_task(
      {&numbers, &shares}, {indices},
      [function = work.type(), rows = call.rows, padding = call.padding](auto to, auto from) {
        std::vector<double> counts(static_cast<std::size_t>(rows));
        for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
          const int64_t row = whole_at(from[0], i);
          if (row < 0 || row >= rows) out_of_range(function, "indices", i, row, 0, rows);
          set_whole(to[0], i, row == padding ? -1 : row);
          ++counts[static_cast<std::size_t>(row)];
        }
        for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
          const auto row = static_cast<std::size_t>(whole_at(from[0], i));
          set_number(to[1], i, 1 / counts[row]);
        }
      });
}

}  // namespace

DAVSIM_FIRST_PHASE(
    EmbeddingDenseBackward,
    (const aclTensor* grad, const aclTensor* indices, uint64_t numWeights, uint64_t paddingIdx,
     bool scaleGradByFreq, const aclTensor* out),
    {
      const EmbeddingGradient call{grad, indices, static_cast<int64_t>(numWeights),
                                   static_cast<int64_t>(paddingIdx), out};
      require_embedding(call);
      if (out->IsEmpty()) return;
      const int64_t count = indices->Numel(), size = out->GetViewShape().GetDim(1);
      Formula f(work);
      aclTensor* const sums = temporary(work, ge::DT_FLOAT, out->GetViewShape());
      work.add_zeros(*sums);
      if (count > 0) {
        aclTensor* const numbers = temporary(work, ge::DT_INT32, {count});
        aclTensor* const shares = temporary(work, ge::DT_FLOAT, {count, 1});
        add_row_counts(work, call, *numbers, *shares);
        Operand list(reshaped(work, *as(work, *grad, ge::DT_FLOAT), {count, size}), "grad");
        if (scaleGradByFreq) list = f.times(list, {shares, "grad"});
        add_indexed_rows(work, {.table = sums,
                                .numbers = numbers,
                                .list = list.tensor,
                                .lists = 1,
                                .rows = call.rows,
                                .run = size,
                                .scatters = true,
                                .adds = true,
                                .skips = true});
      }
      f.finish({sums, "out"}, *out);
    })
