// What a launch of attention sees of its scores.
#include <gtest/gtest.h>

#include "kernels/attention/problem.hpp"

namespace davsim::test {
namespace {

using namespace operators::attention;

Problem problem_with(Window window, std::int64_t query_rows, std::int64_t kv_rows) {
  Problem problem;
  problem.query_heads = 2;
  problem.kv_heads = 1;
  problem.window = window;
  problem.batches = {{query_rows, kv_rows, 0, 0}};
  return problem;
}

/// The window's definition, pair by pair.
double count_visible(const Problem& problem) {
  double count = 0;
  for (const Batch& batch : problem.batches) {
    const std::int64_t shift =
        problem.window.right_down ? batch.kv_rows - batch.query_rows : std::int64_t{0};
    for (std::int64_t i = 0; i < batch.query_rows; ++i) {
      for (std::int64_t j = 0; j < batch.kv_rows; ++j) {
        const bool late = j > i + problem.window.after + shift;
        const bool early = j < i - problem.window.before + shift;
        count += !late && !early ? 1 : 0;
      }
    }
  }
  return count * static_cast<double>(problem.query_heads);
}

TEST(AttentionProblem, CountsWhatTheWindowShows) {
  constexpr std::int64_t kAll = Window::kUnbounded;
  for (const Window& window : {Window{}, Window{kAll, 0, false}, Window{kAll, 0, true},
                               Window{3, 2, false}, Window{5, -2, true}, Window{-1, 4, true}}) {
    for (const auto& [query_rows, kv_rows] : {std::pair<int, int>{17, 40}, {40, 17}, {1, 1}}) {
      const Problem problem = problem_with(window, query_rows, kv_rows);
      EXPECT_EQ(visible_scores(problem), count_visible(problem))
          << window.before << " " << window.after << " " << query_rows << " x " << kv_rows;
    }
  }
}

TEST(AttentionProblem, BatchesWithoutRowsShowNothing) {
  Problem problem = problem_with({}, 0, 10);
  EXPECT_EQ(visible_scores(problem), 0);
  problem.batches = {{10, 0, 0, 0}};
  EXPECT_EQ(visible_scores(problem), 0);
}

}  // namespace
}  // namespace davsim::test
