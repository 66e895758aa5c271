// Reads a call of FusedInferAttentionScore v2 by name, for its reference. The operator's own rules
// share nothing with this file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/reference.hpp"

namespace davsim::reference::fused_infer_attention_score {

/// Sizes of the axes of a tensor of query rows or key rows.
struct Axes {
  std::string names;  ///< "BSH", "BNSD", ...
  std::int64_t batch, heads, rows, width;

  /// First element of a row; `row` counts from the tensor's start where batches follow one another.
  std::int64_t at(std::int64_t b, std::int64_t n, std::int64_t row) const {
    if (names == "BSH" || names == "BSND") return ((b * rows + row) * heads + n) * width;
    if (names == "BNSD") return ((b * heads + n) * rows + row) * width;
    if (names == "NBSD") return ((n * batch + b) * rows + row) * width;
    if (names == "TND") return (row * heads + n) * width;
    return (n * rows + row) * width;  // NTD
  }
};

inline Axes axes_of(const std::string& names, const operators::Shape& s, std::int64_t heads) {
  if (names == "BSH") return {names, s[0], heads, s[1], s[2] / heads};
  if (names == "BSND") return {names, s[0], heads, s[1], s[3]};
  if (names == "BNSD") return {names, s[0], heads, s[2], s[3]};
  if (names == "TND") return {names, 1, heads, s[0], s[2]};
  return {names, 1, heads, s[1], s[2]};
}

struct Batch {
  std::int64_t query_rows, kv_rows, first_query_row, first_kv_row;
};

/// The tensors and attributes of the call, read by name.
class View {
 public:
  explicit View(const operators::Call& call) : call_(call) {
    const std::string layout = text("input_layout");
    const std::size_t bar = layout.find('_');
    in = layout.substr(0, bar);
    out = bar == std::string::npos ? in : layout.substr(bar + 1);
    heads = number("num_query_heads");
    kv_heads = number("num_key_value_heads");
    if (kv_heads == 0) kv_heads = heads;
    tnd = in == "TND" || in == "NTD";
    query = axes_of(in, tensor("query").shape(), heads);
    paged = has("block_table");
    rope = has("query_rope");
    read_lengths();
  }

  bool has(const std::string& name) const { return call_.tensors.contains(name); }
  const operators::Tensor& tensor(const std::string& name) const { return call_.tensors.at(name); }
  double value(const std::string& name, std::int64_t index) const {
    return element(tensor(name), index);
  }
  std::int64_t number(const std::string& name) const {
    return call_.attributes.at(name).to_number<std::int64_t>();
  }
  double real(const std::string& name) const {
    return call_.attributes.at(name).to_number<double>();
  }
  bool flag(const std::string& name) const { return call_.attributes.at(name).as_bool(); }
  std::string text(const std::string& name) const {
    return std::string(call_.attributes.at(name).as_string());
  }
  /// Empty if it is not given.
  std::vector<std::int64_t> list(const std::string& name) const {
    std::vector<std::int64_t> numbers;
    const auto* given = call_.attributes.if_contains(name);
    if (given == nullptr) return numbers;
    for (const auto& item : given->as_array()) numbers.push_back(item.to_number<std::int64_t>());
    return numbers;
  }
  /// Key or value of a batch: the tensor, or its entry in a list.
  const operators::Tensor& of_batch(const std::string& name, std::int64_t b) const {
    const auto single = call_.tensors.find(name);
    if (single != call_.tensors.end()) return single->second;
    const auto entry = call_.tensors.find(name + "." + std::to_string(b));
    return entry != call_.tensors.end() ? entry->second : tensor(name + ".0");
  }
  bool list_of_many(const std::string& name) const { return has(name + ".1"); }
  const std::int32_t* pages(std::int64_t b) const {
    const operators::Tensor& table = tensor("block_table");
    return table.as<std::int32_t>() + b * table.shape()[1];
  }

  std::string in, out;
  Axes query;
  std::int64_t heads, kv_heads;
  bool tnd, paged, rope;
  std::vector<Batch> batches;

 private:
  void read_lengths() {
    const auto query_list = list("actual_seq_qlen"), kv_list = list("actual_seq_kvlen");
    const auto count = tnd ? static_cast<std::int64_t>(query_list.size()) : query.batch;
    Batch before = {0, 0, 0, 0};
    for (std::int64_t b = 0; b < count; ++b) {
      const auto entry = [&](const std::vector<std::int64_t>& lengths, std::int64_t otherwise) {
        if (lengths.empty()) return otherwise;
        return lengths[lengths.size() == 1 ? 0 : static_cast<std::size_t>(b)];
      };
      Batch batch = {0, 0, 0, 0};
      if (tnd) {
        batch.first_query_row = before.first_query_row + before.query_rows;
        batch.query_rows = entry(query_list, 0) - batch.first_query_row;
        batch.first_kv_row = paged ? 0 : before.first_kv_row + before.kv_rows;
        batch.kv_rows = entry(kv_list, 0) - batch.first_kv_row;
      } else {
        batch.query_rows = query.rows == 1 ? 1 : entry(query_list, query.rows);
        const std::int64_t all = paged ? 0 : axes_of(in, of_batch("key", b).shape(), kv_heads).rows;
        batch.kv_rows = entry(kv_list, all);
      }
      batches.push_back(batch);
      before = batch;
    }
  }

  const operators::Call& call_;
};

/// Rows [kv_rows, width] of key, key_rope or value of one key/value head, dequantised where the
/// query is of 16 bits.
std::vector<double> kv_matrix(const View& view, const std::string& name, std::int64_t b,
                              std::int64_t g, std::int64_t width);

/// Which columns a row does not see.
class Mask {
 public:
  explicit Mask(const View& view);
  bool hides(std::int64_t b, std::int64_t i, std::int64_t j) const;

 private:
  bool full(std::int64_t b, std::int64_t i, std::int64_t j) const;
  bool outside(std::int64_t i, std::int64_t j) const { return j > i + next_ || j < i - pre_; }

  const View& view_;
  const std::uint8_t* mask_ = nullptr;
  bool single_row_ = false;
  std::int64_t mode_ = 0, batches_ = 1, rows_ = 0, columns_ = 0;
  std::int64_t pre_ = 0, next_ = 0;
};

}  // namespace davsim::reference::fused_infer_attention_score
