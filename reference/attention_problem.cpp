#include "reference/attention_problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "reference/attention_reference.hpp"
#include "reference/rounding.hpp"

namespace davsim::reference {
namespace {

using isa::DType;
using namespace operators::attention;

constexpr double kInf = std::numeric_limits<double>::infinity();

double load(const std::uint8_t* data, DType type, std::int64_t at) {
  switch (type) {
    case DType::kF16:
      return static_cast<float>(reinterpret_cast<const isa::half*>(data)[at]);
    case DType::kBF16:
      return static_cast<float>(reinterpret_cast<const isa::bfloat16_t*>(data)[at]);
    case DType::kF32:
      return reinterpret_cast<const float*>(data)[at];
    case DType::kI8:
      return reinterpret_cast<const std::int8_t*>(data)[at];
    case DType::kI32:
      return reinterpret_cast<const std::int32_t*>(data)[at];
    case DType::kI64: {  // the lower half is a float
      const auto bits = reinterpret_cast<const std::uint64_t*>(data)[at];
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    case DType::kI4: {
      const int nibble = at % 2 == 0 ? data[at / 2] & 15 : data[at / 2] >> 4;
      return nibble < 8 ? nibble : nibble - 16;
    }
    default:
      throw std::invalid_argument("attention has no tensors of this dtype");
  }
}

void store(const QueryTensor& tensor, std::int64_t at, double value) {
  const auto single = static_cast<float>(value);
  if (tensor.type == DType::kF16) {
    reinterpret_cast<isa::half*>(tensor.data)[at] = isa::half(single);
  } else if (tensor.type == DType::kBF16) {
    reinterpret_cast<isa::bfloat16_t*>(tensor.data)[at] = isa::bfloat16_t(single);
  } else if (tensor.type == DType::kF32) {
    reinterpret_cast<float*>(tensor.data)[at] = single;
  } else {
    const double whole = std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), -128.0, 127.0);
    reinterpret_cast<std::int8_t*>(tensor.data)[at] = static_cast<std::int8_t>(whole);
  }
}

class Evaluator {
 public:
  explicit Evaluator(const Problem& problem) : p_(problem) {}

  void run() {
    for (std::size_t b = 0; b < p_.batches.size(); ++b) {
      for (std::int64_t g = 0; g < p_.kv_heads; ++g) run_head(static_cast<std::int64_t>(b), g);
    }
  }

 private:
  const Batch& batch(std::int64_t b) const { return p_.batches[static_cast<std::size_t>(b)]; }

  std::int64_t page(std::int64_t b, std::int64_t j) const {
    return p_.pages.table[b * p_.pages.columns + j / p_.pages.page_rows];
  }

  double kv_element(const KvTensor& t, std::int64_t b, std::int64_t g, std::int64_t j,
                    std::int64_t d) const {
    if (t.storage == Storage::kContiguous) {
      const std::uint8_t* data = t.data[t.data.size() == 1 ? 0 : static_cast<std::size_t>(b)];
      const std::int64_t row = batch(b).first_kv_row + j;
      const std::int64_t head =
          t.head_strides.empty() ? t.strides.head : t.head_strides[static_cast<std::size_t>(b)];
      return load(data, t.type, b * t.strides.batch + g * head + row * t.strides.row + d);
    }
    const std::int64_t row = j % p_.pages.page_rows;
    const std::int64_t first = page(b, j) * t.strides.batch + g * t.strides.head;
    if (t.storage == Storage::kPagedRows) {
      return load(t.data[0], t.type, first + row * t.strides.row + d);
    }
    const std::int64_t c0 = t.strides.row;
    return load(t.data[0], t.type, first + (d / c0 * p_.pages.page_rows + row) * c0 + d % c0);
  }

  /// Rows [kv_rows, width] in real numbers.
  std::vector<double> matrix(const KvTensor& t, const Antiquant& quant, std::int64_t b,
                             std::int64_t g, std::int64_t width) const {
    std::vector<double> numbers;
    for (std::int64_t j = 0; j < batch(b).kv_rows; ++j) {
      for (std::int64_t d = 0; d < width; ++d) {
        double number = kv_element(t, b, g, j, d);
        if (quant.scale != nullptr) {
          const std::int64_t of_batch = quant.batches == 0 ? b : b % quant.batches;
          std::int64_t at = g * quant.head + d * quant.channel;
          at += quant.paged ? page(b, j) * quant.batch + j % p_.pages.page_rows * quant.token
                            : of_batch * quant.batch + j * quant.token;
          const DType offset = quant.offset_type == DType::kNone ? quant.type : quant.offset_type;
          if (quant.offset != nullptr) number += load(quant.offset, offset, at);
          number *= load(quant.scale, quant.type, at);
        }
        numbers.push_back(number);
      }
    }
    return numbers;
  }

  static std::int64_t at(const Strides& strides, std::int64_t b, std::int64_t n, std::int64_t row) {
    return b * strides.batch + n * strides.head + row * strides.row;
  }

  static std::vector<double> query_row(const QueryTensor& t, std::int64_t first,
                                       std::int64_t width) {
    std::vector<double> numbers;
    for (std::int64_t d = 0; d < width; ++d) numbers.push_back(load(t.data, t.type, first + d));
    return numbers;
  }

  /// Of `query` with row j of `keys`.
  static double dot(const std::vector<double>& query, const std::vector<double>& keys,
                    std::int64_t j) {
    const double* key = keys.data() + static_cast<std::size_t>(j) * query.size();
    double sum = 0;
    for (std::size_t d = 0; d < query.size(); ++d) sum += query[d] * key[d];
    return sum;
  }

  /// Of the row that query_ and rope_query_ hold.
  double score(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) const {
    const std::int64_t row = batch(b).first_query_row + i;
    const double sum = dot(query_, keys_, j) + dot(rope_query_, rope_keys_, j);
    double score = within_f32(sum * p_.query_factor);
    if (p_.column_offset != nullptr) {
      const std::int64_t page_rows = p_.pages.page_rows;
      score += p_.column_offset[page(b, j) * page_rows + j % page_rows];
    }
    const QueryQuant& factors = p_.query_quant;
    double scale = p_.scale;
    if (factors.key_scale != nullptr) scale = within_f32(scale * *factors.key_scale);
    if (factors.query_scale != nullptr) {
      const std::int64_t place = at(factors.query_strides, b, n, row);
      scale = within_f32(scale * load(factors.query_scale, factors.query_scale_type, place));
    }
    score = within_f32(score * scale);
    if (p_.bias.data == nullptr) return score;
    const double bias = bias_at(b, n, i, j);
    if (!p_.bias.hides) return within_f32(score + bias);
    return bias > 0.5 ? -kInf : score;
  }

  double bias_at(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) const {
    const std::int64_t row = batch(b).bias_start + at(p_.bias.strides, b, n, i);
    const std::int64_t column =
        p_.bias.block_stride == 0 ? j : j / 16 * p_.bias.block_stride + j % 16;
    return load(p_.bias.data, p_.bias.type, row + column);
  }

  /// int8 probabilities as if all columns were one step.
  AttentionRow attend_row(std::int64_t n, const std::vector<double>& scores) const {
    if (p_.probs_quant == ProbsQuant::kNone) return attend(scores, values_, p_.value_width);
    Int8Probabilities how;
    how.block = static_cast<std::int64_t>(scores.size());
    if (p_.probs_quant == ProbsQuant::kByHead) how.factor = p_.probs_scale[n];
    return attend_int8(scores, values_, p_.value_width, how);
  }

  bool visible(std::int64_t b, std::int64_t i, std::int64_t j) const {
    const Columns columns = visible_columns(p_, batch(b), i);
    if (j < columns.begin || j >= columns.end) return false;
    if (p_.mask.kind != MaskKind::kFull) return true;
    return p_.mask.data[b * p_.mask.batch_stride + i * p_.mask.row_stride + j] == 0;
  }

  void run_head(std::int64_t b, std::int64_t g) {
    keys_ = matrix(p_.key, p_.key_quant, b, g, p_.key_width);
    values_ = matrix(p_.value, p_.value_quant, b, g, p_.value_width);
    if (p_.rope_width > 0) rope_keys_ = matrix(p_.key_rope, {}, b, g, p_.rope_width);
    for (std::int64_t n = g * p_.group(); n < (g + 1) * p_.group(); ++n) {
      for (std::int64_t i = 0; i < batch(b).query_rows; ++i) run_row(b, n, i);
      for (std::int64_t i = batch(b).query_rows; i < p_.padded_query_rows; ++i) {
        AttentionRow nothing;
        nothing.out.resize(static_cast<std::size_t>(p_.value_width));
        nothing.lse = kInf;
        write(b, n, i, nothing.out, nothing.lse);
      }
    }
  }

  void run_row(std::int64_t b, std::int64_t n, std::int64_t i) {
    const std::int64_t at_row = batch(b).first_query_row + i;
    query_ = query_row(p_.query, at(p_.query.strides, b, n, at_row), p_.key_width);
    rope_query_ = query_row(p_.query_rope, at(p_.query_rope.strides, b, n, at_row), p_.rope_width);
    std::vector<double> scores;
    for (std::int64_t j = 0; j < batch(b).kv_rows; ++j) {
      scores.push_back(visible(b, i, j) ? score(b, n, i, j) : -kInf);
    }
    AttentionRow row = attend_row(n, scores);
    for (std::size_t d = 0; d < row.out.size(); ++d) {
      if (p_.query_quant.value_scale != nullptr) row.out[d] *= *p_.query_quant.value_scale;
      if (p_.query_quant.head_value_scale != nullptr) {
        row.out[d] *= p_.query_quant.head_value_scale[n];
      }
      if (p_.post_quant.scale == nullptr) continue;
      const auto channel = static_cast<std::int64_t>(d) + n * p_.value_width;
      const std::int64_t index = p_.post_quant.per_channel ? channel : 0;
      row.out[d] *= load(p_.post_quant.scale, p_.post_quant.type, index);
      if (p_.post_quant.offset == nullptr) continue;
      row.out[d] += load(p_.post_quant.offset, p_.post_quant.type, index);
    }
    write(b, n, i, row.out, row.lse);
  }

  void write(std::int64_t b, std::int64_t n, std::int64_t i, const std::vector<double>& out,
             double lse) const {
    const std::int64_t row = batch(b).first_query_row + i;
    const std::int64_t first = at(p_.out.strides, b, n, row);
    for (std::size_t d = 0; d < out.size(); ++d) {
      store(p_.out, first + static_cast<std::int64_t>(d), out[d]);
    }
    if (p_.lse.data != nullptr) store(p_.lse, at(p_.lse.strides, b, n, row), lse);
  }

  const Problem& p_;
  std::vector<double> keys_, values_, rope_keys_;  // of a batch and head
  std::vector<double> query_, rope_query_;         // of a row
};

}  // namespace

void evaluate(const Problem& problem) {
  Evaluator(problem).run();
}

}  // namespace davsim::reference
