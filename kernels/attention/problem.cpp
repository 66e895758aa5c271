#include "kernels/attention/problem.hpp"

#include <algorithm>

namespace davsim::operators::attention {

Columns visible_columns(const Problem& problem, const Batch& batch, std::int64_t row) {
  const Window& window = problem.window;
  const std::int64_t shift = window.right_down ? batch.kv_rows - batch.query_rows : 0;
  Columns columns = {0, batch.kv_rows};
  if (window.before != Window::kUnbounded) {
    columns.begin = std::max<std::int64_t>(0, row + shift - window.before);
  }
  if (window.after != Window::kUnbounded) {
    columns.end = std::min(batch.kv_rows, row + shift + window.after + 1);
  }
  return columns;
}

double visible_scores(const Problem& problem) {
  double scores = 0;
  for (const Batch& batch : problem.batches) {
    for (std::int64_t row = 0; row < batch.query_rows; ++row) {
      const Columns columns = visible_columns(problem, batch, row);
      scores += static_cast<double>(std::max<std::int64_t>(0, columns.end - columns.begin));
    }
  }
  return scores * static_cast<double>(problem.query_heads);
}

}  // namespace davsim::operators::attention
