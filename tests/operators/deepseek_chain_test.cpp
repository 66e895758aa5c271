// The DeepSeek-V3.2 operators behind one another, as a decode step uses them: what one leaves is
// what the next one takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "kernels/common/seeded_data.hpp"
#include "reference/rounding.hpp"
#include "tests/operators/operator_run.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using reference::to_bf16;
using Row = std::vector<double>;

constexpr std::int64_t kPages = 32, kPage = 128, kSteps = 2, kListed = 2048;

/// Four batches of two new tokens in the 32 pages of cases MPQ-1 and MIP-1; the older tokens are
/// what the caches of the case hold.
class Contexts {
 public:
  explicit Contexts(std::vector<std::int64_t> lengths) : lengths_(std::move(lengths)) {
    std::vector<std::int32_t> pages(kPages);
    std::iota(pages.begin(), pages.end(), 0);
    operators::SeededData data(device().memory(), 11);
    for (std::size_t i = pages.size() - 1; i > 0; --i) {
      std::swap(pages[i],
                pages[static_cast<std::size_t>(data.integer(0, static_cast<std::int64_t>(i)))]);
    }
    columns_ = (*std::max_element(lengths_.begin(), lengths_.end()) + kPage - 1) / kPage;
    table_ = data.integers(DType::kI32, {batches(), columns_}, "block_table", -1, -1);
    std::size_t next = 0;
    for (std::int64_t b = 0; b < batches(); ++b) {
      for (std::int64_t i = 0; i * kPage < length(b); ++i) {
        table_.as<std::int32_t>()[b * columns_ + i] = pages.at(next++);
      }
    }
  }

  std::int64_t batches() const { return static_cast<std::int64_t>(lengths_.size()); }
  std::int64_t tokens() const { return batches() * kSteps; }
  std::int64_t length(std::int64_t b) const { return lengths_[static_cast<std::size_t>(b)]; }
  /// Positions that a token sees: itself and what is before it.
  std::int64_t visible(std::int64_t token) const {
    return length(token / kSteps) - kSteps + 1 + token % kSteps;
  }
  std::int64_t cache_row(std::int64_t token, std::int64_t position) const {
    const std::int64_t page =
        table_.as<std::int32_t>()[token / kSteps * columns_ + position / kPage];
    return page * kPage + position % kPage;
  }
  /// Where the new tokens go.
  void place(const operators::Call& call, const char* name) const {
    auto* rows = call.tensors.at(name).as<std::int64_t>();
    for (std::int64_t t = 0; t < tokens(); ++t) rows[t] = cache_row(t, visible(t) - 1);
  }
  const operators::Tensor& table() const { return table_; }
  operators::Tensor lengths() const {
    operators::Tensor tensor(device().memory(), DType::kI32, {batches()}, "kv_act_seqs");
    std::copy(lengths_.begin(), lengths_.end(), tensor.as<std::int32_t>());
    return tensor;
  }

 private:
  std::vector<std::int64_t> lengths_;
  std::int64_t columns_ = 0;
  operators::Tensor table_;
};

/// The same bytes with other dimensions.
operators::Tensor viewed(const operators::Tensor& tensor, operators::Shape shape,
                         const char* name) {
  operators::Tensor view(device().memory(), tensor.dtype(), std::move(shape), name);
  EXPECT_EQ(view.bytes(), tensor.bytes());
  std::memcpy(view.data(), tensor.data(), tensor.bytes());
  return view;
}

/// Attention on what a prolog left; `prefix` is that of its names.
operators::RunResult attend(const operators::RunResult& prolog, const std::string& prefix,
                            const Contexts& contexts, const operators::Tensor& selection,
                            double scale) {
  const std::int64_t heads = contexts.tokens() * 128, rows = kPages * kPage;
  operators::Call call;
  const auto add = [&](const char* name, const char* from, std::int64_t count, std::int64_t width) {
    call.tensors.emplace(name, viewed(prolog.outputs.at(prefix + from), {count, width}, name));
  };
  add("query_nope", "query_nope", heads, 512);
  add("query_rope", "query_rope", heads, 64);
  add("key_nope_2d", "kv_cache", rows, 512);
  add("key_rope_2d", "kr_cache", rows, 64);
  add("k_nope_scales", "k_scale_cache", rows, 4);
  call.tensors.emplace("topk_indices", selection);
  call.tensors.emplace("block_table", contexts.table());
  call.tensors.emplace("kv_act_seqs", contexts.lengths());
  call.attributes["softmax_scale"] = scale;
  return run_and_compare(operators::find_operator("sparse_flash_attention_quant"), call);
}

/// I[j] = sum over heads of relu(q . k * q_scale * k_scale) * weight.
std::vector<std::pair<double, std::int64_t>> indexer_scores(const operators::RunResult& prolog,
                                                            const Contexts& contexts,
                                                            std::int64_t token) {
  const auto* q = prolog.outputs.at("ip_q_int8").as<std::int8_t>() + token * 64 * 128;
  const auto* q_scale = prolog.outputs.at("ip_q_scale").as<isa::half>() + token * 64;
  const auto* weight = prolog.outputs.at("ip_weights").as<isa::half>() + token * 64;
  const auto* k = prolog.outputs.at("ip_k_int8").as<std::int8_t>();
  const auto* k_scale = prolog.outputs.at("ip_k_scale").as<isa::half>();
  std::vector<std::pair<double, std::int64_t>> scores;
  for (std::int64_t position = 0; position < contexts.visible(token); ++position) {
    const std::int64_t row = contexts.cache_row(token, position);
    double score = 0;
    for (std::int64_t head = 0; head < 64; ++head) {
      std::int32_t sum = 0;
      for (std::int64_t d = 0; d < 128; ++d) sum += q[head * 128 + d] * k[row * 128 + d];
      const double scaled = sum * static_cast<double>(static_cast<float>(q_scale[head])) *
                            static_cast<float>(k_scale[row]);
      score += std::max(scaled, 0.0) * static_cast<float>(weight[head]);
    }
    scores.emplace_back(score, position);
  }
  return scores;
}

/// The 2048 best positions of every token; garbage behind those there are.
operators::Tensor best_positions(const operators::RunResult& prolog, const Contexts& contexts) {
  operators::Tensor selection(device().memory(), DType::kI32, {contexts.tokens(), kListed},
                              "topk_indices");
  std::fill_n(selection.as<std::int32_t>(), selection.elements(), -77);
  for (std::int64_t token = 0; token < contexts.tokens(); ++token) {
    auto scores = indexer_scores(prolog, contexts, token);
    const auto count =
        std::min<std::ptrdiff_t>(kListed, static_cast<std::ptrdiff_t>(scores.size()));
    std::partial_sort(scores.begin(), scores.begin() + count, scores.end(), std::greater<>());
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      selection.as<std::int32_t>()[token * kListed + i] =
          static_cast<std::int32_t>(scores[static_cast<std::size_t>(i)].second);
    }
  }
  return selection;
}

TEST(DeepseekChain, DecodeStep) {
  const Contexts contexts({2300, 666, 129, 2});
  const operators::Operator& mip = operators::find_operator("mla_indexer_prolog_quant");
  const operators::Call call = mip.make_case("MIP-1", device().memory());
  contexts.place(call, "cache_index");
  const operators::RunResult prolog = run_and_compare(mip, call);
  const operators::Tensor selection = best_positions(prolog, contexts);
  // More keys than are selected, so that the indexer's choice means something.
  EXPECT_GT(contexts.visible(0), kListed);
  const operators::RunResult attention =
      attend(prolog, "mla_", contexts, selection, 1 / std::sqrt(192.0));
  EXPECT_EQ(attention.outputs.at("attention_out").shape(), (operators::Shape{4, kSteps, 128, 512}));
}

// --- MLA with and without absorption -------------------------------------------------------------

Row rope(const Row& x, const operators::Call& call, std::int64_t token) {
  Row y(64);
  const auto table = [&](const char* name, std::size_t i) {
    return reference::element(call.tensors.at(name), token * 64 + static_cast<std::int64_t>(i));
  };
  for (std::size_t i = 0; i < 32; ++i) {
    const double even = x[2 * i], odd = x[2 * i + 1];
    y[i] = to_bf16(even * table("cos", i) - odd * table("sin", i));
    y[i + 32] = to_bf16(odd * table("cos", i + 32) + even * table("sin", i + 32));
  }
  return y;
}

/// What a head's 192 query columns are before absorption.
Row query_columns(const operators::Call& call, const operators::RunResult& prolog,
                  std::int64_t token, std::int64_t head) {
  const auto* latent = prolog.outputs.at("q_norm").as<std::int8_t>() + token * 1536;
  const float scale = prolog.outputs.at("q_norm_scale").as<float>()[token];
  Row columns;
  for (std::int64_t column = head * 192; column < (head + 1) * 192; ++column) {
    std::int32_t sum = 0;
    const auto* weight = call.tensors.at("w_uq_qr").as<std::int8_t>() + column;
    for (std::int64_t k = 0; k < 1536; ++k) sum += latent[k] * weight[k * 24576];
    columns.push_back(to_bf16(static_cast<float>(sum) * scale *
                              call.tensors.at("dequant_scale").as<float>()[column]));
  }
  return columns;
}

Row dequantised(const operators::RunResult& prolog, std::int64_t row) {
  Row latent;
  for (std::int64_t d = 0; d < 512; ++d) {
    latent.push_back(to_bf16(prolog.outputs.at("kv_cache").as<std::int8_t>()[row * 512 + d] *
                             prolog.outputs.at("k_scale_cache").as<float>()[row * 4 + d / 128]));
  }
  return latent;
}

double dot(const Row& a, const Row& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Every head has keys and values of its own, 128 wide: the latents times w_uk and times `w_uv`,
/// [128, 512].
Row without_absorption(const operators::Call& call, const operators::RunResult& prolog,
                       const Contexts& contexts, std::int64_t token, std::int64_t head,
                       const std::vector<Row>& w_uv, double scale) {
  const Row query = query_columns(call, prolog, token, head);
  const Row query_rope = rope(Row(query.begin() + 128, query.end()), call, token);
  std::vector<Row> w_uk;
  for (std::int64_t d = 0; d < 128; ++d) {
    Row row;
    for (std::int64_t c = 0; c < 512; ++c) {
      row.push_back(reference::element(call.tensors.at("w_uk"), (head * 128 + d) * 512 + c));
    }
    w_uk.push_back(std::move(row));
  }
  Row weights;
  std::vector<Row> values;
  for (std::int64_t position = 0; position < contexts.visible(token); ++position) {
    const std::int64_t cached = contexts.cache_row(token, position);
    const Row latent = dequantised(prolog, cached);
    double score = 0;
    Row value;
    for (std::size_t d = 0; d < 128; ++d) {
      score += query[d] * dot(w_uk[d], latent);
      value.push_back(dot(w_uv[d], latent));
    }
    for (std::size_t d = 0; d < 64; ++d) {
      score += query_rope[d] * reference::element(prolog.outputs.at("kr_cache"),
                                                  cached * 64 + static_cast<std::int64_t>(d));
    }
    weights.push_back(score * scale);
    values.push_back(std::move(value));
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  Row out(128, 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    for (std::size_t d = 0; d < 128; ++d) out[d] += weights[j] / sum * values[j][d];
  }
  return out;
}

/// The prolog absorbs w_uk into the queries, and attention works on latents; multiplied with w_uv
/// its output is that of plain attention over keys and values of every head.
TEST(DeepseekChain, AbsorbedAttentionIsPlainAttention) {
  const Contexts contexts({200, 129, 40, 2});
  const operators::Operator& mpq = operators::find_operator("mla_prolog_quant");
  const operators::Call call = mpq.make_case("MPQ-1", device().memory());
  contexts.place(call, "cache_index");
  const operators::RunResult prolog = operators::run(mpq, call, device());
  operators::Tensor all(device().memory(), DType::kI32, {contexts.tokens(), kListed},
                        "topk_indices");
  for (std::int64_t i = 0; i < all.elements(); ++i) {
    all.as<std::int32_t>()[i] = static_cast<std::int32_t>(i % kListed);
  }
  const double scale = 1 / std::sqrt(192.0);
  const operators::RunResult attention = attend(prolog, "", contexts, all, scale);
  operators::SeededData data(device().memory(), 12);
  for (const auto& [token, head] :
       {std::pair{0, 3}, std::pair{3, 127}, std::pair{5, 64}, std::pair{6, 0}, std::pair{7, 77}}) {
    std::vector<Row> w_uv(128, Row(512));
    for (Row& row : w_uv) {
      for (double& value : row) value = data.uniform(-0.1, 0.1);
    }
    const Row plain = without_absorption(call, prolog, contexts, token, head, w_uv, scale);
    Row out;
    for (std::int64_t d = 0; d < 512; ++d) {
      out.push_back(reference::element(attention.outputs.at("attention_out"),
                                       (token * 128 + head) * 512 + d));
    }
    double error = 0;
    for (std::size_t d = 0; d < 128; ++d) {
      error += std::pow(dot(w_uv[d], out) - plain[d], 2);
    }
    EXPECT_LT(std::sqrt(error / dot(plain, plain)), 0.01) << "token " << token << " head " << head;
  }
}

}  // namespace
}  // namespace davsim::test
