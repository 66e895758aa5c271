#include "reference/attention_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/numeric/half.hpp"

namespace davsim::reference {

AttentionRow attend(const std::vector<double>& scores, const std::vector<double>& values,
                    std::int64_t width) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  AttentionRow row;
  row.out.resize(static_cast<std::size_t>(width));
  row.lse = kInf;
  double most = -kInf;
  // A NaN score is a visible one: not "score > most", which would pass over it.
  for (const double score : scores) {
    if (std::isnan(score) || score > most) most = score;
    if (std::isnan(most)) break;
  }
  if (most == -kInf) return row;
  double sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (scores[j] == -kInf) continue;
    const double weight = std::exp(scores[j] - most);
    sum += weight;
    const double* value = values.data() + j * row.out.size();
    for (std::size_t d = 0; d < row.out.size(); ++d) row.out[d] += weight * value[d];
  }
  for (double& number : row.out) number /= sum;
  row.lse = std::log(sum) + most;
  return row;
}

AttentionRow attend_int8(const std::vector<double>& scores, const std::vector<double>& values,
                         std::int64_t width, const Int8Probabilities& how) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  AttentionRow row;
  row.out.resize(static_cast<std::size_t>(width));
  row.lse = kInf;
  double maximum = -kInf, sum = 0;
  const auto block = static_cast<std::size_t>(how.block);
  for (std::size_t first = 0; first < scores.size(); first += block) {
    const std::size_t end = std::min(scores.size(), first + block);
    const double most = *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(first),
                                          scores.begin() + static_cast<std::ptrdiff_t>(end));
    if (most == -kInf) continue;
    const double decay = most > maximum ? std::exp(maximum - most) : 1;
    maximum = std::max(maximum, most);
    sum *= decay;
    for (double& number : row.out) number *= decay;
    // The largest p of the block may be too small for a number, so that nothing is divided by it.
    const double undone = how.factor != 0 ? 1 : std::exp(most - maximum) / 127;
    for (std::size_t j = first; j < end; ++j) {
      const double p = std::exp(scores[j] - maximum);
      sum += p;
      const double raised = how.factor != 0 ? p * how.factor : 127 * std::exp(scores[j] - most);
      const float half = static_cast<float>(isa::half(static_cast<float>(raised)));
      const double p8 =
          undone * std::clamp(std::nearbyint(static_cast<double>(half)), -128.0, 127.0);
      for (std::size_t d = 0; d < row.out.size(); ++d) {
        row.out[d] += p8 * values[j * row.out.size() + d];
      }
    }
  }
  if (maximum == -kInf) return row;
  for (double& number : row.out) number /= sum;
  row.lse = std::log(sum) + maximum;
  return row;
}

std::int64_t paged_element(const operators::Shape& cache, const std::int32_t* pages,
                           std::int64_t heads, std::int64_t head, std::int64_t token,
                           std::int64_t channel) {
  if (cache.size() == 3) {
    const std::int64_t page_rows = cache[1], width = cache[2] / heads;
    const std::int64_t row = pages[token / page_rows] * page_rows + token % page_rows;
    return (row * heads + head) * width + channel;
  }
  const std::int64_t page_rows = cache[cache.size() - 2], width = cache.back();
  const std::int64_t page_head = pages[token / page_rows] * heads + head;
  if (cache.size() == 4) return (page_head * page_rows + token % page_rows) * width + channel;
  const std::int64_t column = page_head * cache[2] + channel / width;
  return (column * page_rows + token % page_rows) * width + channel % width;
}

std::vector<std::int64_t> spread(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  const std::int64_t taken = std::min(count, std::max<std::int64_t>(most, 2));
  for (std::int64_t i = 0; i < taken; ++i) {
    chosen.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  }
  return chosen;
}

}  // namespace davsim::reference
