#include "tests/operators/attention_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::test {

std::int64_t in_page(const attention::KvTensor& tensor, std::int64_t page_rows, std::int64_t row,
                     std::int64_t head, std::int64_t d) {
  const std::int64_t base = row / page_rows * tensor.strides.batch + head * tensor.strides.head;
  if (tensor.storage == attention::Storage::kPagedNz) {
    return base + (d / 16 * page_rows + row % page_rows) * 16 + d % 16;
  }
  return base + row % page_rows * tensor.strides.row + d;
}

double real_at(const std::uint8_t* data, DType type, std::int64_t index) {
  if (type == DType::kF16) return float(reinterpret_cast<const isa::half*>(data)[index]);
  if (type == DType::kBF16) return float(reinterpret_cast<const isa::bfloat16_t*>(data)[index]);
  return reinterpret_cast<const float*>(data)[index];
}

AttnReference::Row AttnReference::row(std::int64_t b, std::int64_t n, std::int64_t i) const {
  const auto& batch = p_.batches[static_cast<std::size_t>(b)];
  std::vector<double> scores;
  std::vector<std::int64_t> columns;
  for (std::int64_t j = 0; i < batch.query_rows && j < batch.kv_rows; ++j) {
    if (!visible(b, i, j)) continue;
    columns.push_back(j);
    scores.push_back(score(b, n, i, j));
  }
  Row result{std::vector<double>(static_cast<std::size_t>(p_.value_width)),
             std::numeric_limits<double>::infinity()};
  if (scores.empty()) return result;
  double most = scores[0], sum = 0;
  for (const double s : scores) most = std::max(most, s);
  for (double& s : scores) sum += s = std::exp(s - most);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::int64_t d = 0; d < p_.value_width; ++d) {
      result.out[static_cast<std::size_t>(d)] +=
          scores[c] / sum * kv_at(p_.value, b, n, columns[c], d);
    }
  }
  result.lse = std::log(sum) + most;
  return result;
}

std::int64_t AttnReference::query_index(const attention::QueryTensor& t, std::int64_t b,
                                        std::int64_t n, std::int64_t i) const {
  const auto& batch = p_.batches[static_cast<std::size_t>(b)];
  return b * t.strides.batch + n * t.strides.head + (batch.first_query_row + i) * t.strides.row;
}

bool AttnReference::visible(std::int64_t b, std::int64_t i, std::int64_t j) const {
  const auto& batch = p_.batches[static_cast<std::size_t>(b)];
  const std::int64_t shift = p_.window.right_down ? batch.kv_rows - batch.query_rows : 0;
  if (j > i + shift + p_.window.after || j < i + shift - p_.window.before) return false;
  if (p_.mask.kind != attention::MaskKind::kFull) return true;
  return p_.mask.data[b * p_.mask.batch_stride + i * p_.mask.row_stride + j] == 0;
}

double AttnReference::score(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) const {
  double sum = 0;
  for (std::int64_t d = 0; d < p_.key_width; ++d) {
    sum += real_at(p_.query.data, p_.query.type, query_index(p_.query, b, n, i) + d) *
           kv_at(p_.key, b, n, j, d);
  }
  for (std::int64_t d = 0; d < p_.rope_width; ++d) {
    sum += real_at(p_.query_rope.data, p_.query.type, query_index(p_.query_rope, b, n, i) + d) *
           kv_at(p_.key_rope, b, n, j, d);
  }
  sum *= p_.scale;
  if (p_.bias.data != nullptr) {
    const attention::Strides& at = p_.bias.strides;
    sum += real_at(p_.bias.data, p_.bias.type, b * at.batch + n * at.head + i * at.row + j);
  }
  return sum;
}

double AttnReference::kv_at(const attention::KvTensor& t, std::int64_t b, std::int64_t n,
                            std::int64_t j, std::int64_t d) const {
  const std::int64_t head = n / (p_.query_heads / p_.kv_heads);
  if (t.storage != attention::Storage::kContiguous) {
    const std::int64_t page = p_.pages.table[b * p_.pages.columns + j / p_.pages.page_rows];
    const std::int64_t row = page * p_.pages.page_rows + j % p_.pages.page_rows;
    return real_at(t.data[0], t.type, in_page(t, p_.pages.page_rows, row, head, d));
  }
  const auto& batch = p_.batches[static_cast<std::size_t>(b)];
  return real_at(
      t.data[0], t.type,
      b * t.strides.batch + head * t.strides.head + (batch.first_kv_row + j) * t.strides.row + d);
}

}  // namespace davsim::test
