#include "reference/paged_attention_view.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace davsim::reference::paged_attention {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// A descale: a float, or the lower half of 64 bits.
double descale(const operators::Tensor& tensor, std::int64_t index) {
  if (tensor.dtype() != isa::DType::kI64) return element(tensor, index);
  const std::uint64_t bits = tensor.as<std::uint64_t>()[index];
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0xffffffffu));
}

}  // namespace

View::View(const operators::Call& call) : call_(call) {
  heads = number("headNum");
  kv_heads = number("kvHeadNum");
  if (kv_heads == 0) kv_heads = heads;
  group = heads / kv_heads;
  razor = number("compressType") != 0;
  merged = number("mlaVHeadSize") != 0;
  parallel = number("calcType") == 1;
  quant = number("quantType");
  heads_before_rows_ = number("inputLayout") == 1;
  const operators::Shape& key = tensor("keyCache").shape();
  key_width = tensor("query").shape()[2];
  fractals = key[3] == 16 && key_width != 16;
  page_rows_ = key[heads_before_rows_ || fractals ? 2 : 1];
  value_width = merged ? number("mlaVHeadSize") : tensor("valueCache").shape()[3];
  if (fractals) value_width = tensor("valueCache").shape()[1] / kv_heads * 16;
  const operators::Tensor& contexts = tensor("contextLens");
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < contexts.elements(); ++i) {
    Sequence sequence = {i, contexts.as<std::int32_t>()[i], 1, row};
    if (parallel) sequence.rows = tensor("qSeqLens").as<std::int32_t>()[i];
    if (sequence.context == 0) continue;
    most_context = std::max(most_context, sequence.context);
    row += sequence.rows;
    sequences.push_back(sequence);
  }
}

std::int64_t View::page(const Sequence& sequence, std::int64_t row) const {
  const operators::Tensor& table = tensor("blockTables");
  return table.as<std::int32_t>()[sequence.index * table.shape()[1] + row / page_rows_];
}

std::int64_t View::cache_element(const operators::Shape& s, const Place& place,
                                 std::int64_t kv_head, std::int64_t channel) const {
  if (fractals) {
    const std::int64_t column = kv_head * (s[1] / kv_heads * 16) + channel;
    return ((place.page * s[1] + column / 16) * s[2] + place.row) * 16 + column % 16;
  }
  if (heads_before_rows_) {
    return ((place.page * s[1] + kv_head) * s[2] + place.row) * s[3] + channel;
  }
  const std::int64_t head = razor ? 0 : kv_head;
  return ((place.page * s[1] + place.row) * s[2] + head) * s[3] + channel;
}

std::vector<double> View::rows_of(bool key, const Sequence& sequence, std::int64_t kv_head) const {
  const operators::Tensor& cache = tensor(key || merged ? "keyCache" : "valueCache");
  const std::int64_t width = key ? key_width : value_width;
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(sequence.context * width));
  for (std::int64_t j = 0; j < sequence.context; ++j) {
    const Place place = {page(sequence, j), j % page_rows_};
    for (std::int64_t d = 0; d < width; ++d) {
      double number = element(cache, cache_element(cache.shape(), place, kv_head, d));
      if (quant == 1) {
        const std::int64_t channel = kv_head * width + d;
        const char* offsets = key ? "kOffset" : "vOffset";
        if (has(offsets)) number += value(offsets, channel);
        number *= descale(tensor(key ? "kDescale" : "vDescale"), channel);
      }
      rows.push_back(number);
    }
  }
  return rows;
}

double View::mask(const Sequence& sequence, std::int64_t row, std::int64_t head,
                  std::int64_t column) const {
  if (!has("mask")) return 0;
  const operators::Shape& s = tensor("mask").shape();
  const std::int64_t type = number("maskType"), max = s.back(), b = sequence.index;
  const std::int64_t sequences_per_token = razor ? kv_heads : 1;
  const std::int64_t batches = tensor("contextLens").elements();
  // Up to the diagonal that ends with the last row of query and the last of key.
  if (type > 3) return column > sequence.context - sequence.rows + row ? -kInf : 0;
  if (fractals) {
    std::int64_t matrix = s[0] == 1 || type == 3 ? 0 : b;
    if (type == 2) matrix = s[0] == heads ? head : b * heads + head;
    const std::int64_t line = type == 3 ? sequence.first_row + row : 0;
    return value("mask", ((matrix * s[1] + column / 16) * s[2] + line) * 16 + column % 16);
  }
  std::int64_t line = 0;
  if (type == 3) {
    const double number = value("mask", (sequence.first_row + row) * max + column);
    const bool zero_or_one = merged && tensor("mask").dtype() == isa::DType::kBF16;
    if (!zero_or_one) return number;
    return number > 0.5 ? -kInf : 0;
  }
  if (parallel) {  // squares
    line = sequence.context - sequence.rows + row;
    if (s.size() == 3 && s[0] > 1) line += b * s[1];
  } else if (s.size() == 4) {
    line = b / sequences_per_token * heads + head;
  } else if (s.size() == 3 && type == 2) {
    line = head;
  } else if (s.size() == 3) {
    const std::int64_t tokens = batches / sequences_per_token;
    if (s[0] == heads && s[0] != batches && s[0] != tokens) line = head;
    if (s[0] == tokens) line = b / sequences_per_token;
    if (s[0] == batches) line = b;
  }
  return value("mask", line * max + column);
}

double View::offset(const Sequence& sequence, std::int64_t column) const {
  if (!has("razorOffset")) return 0;
  return value("razorOffset", page(sequence, column) * page_rows_ + column % page_rows_);
}

}  // namespace davsim::reference::paged_attention
