// The DeepSeek prolog: MLA prolog, lightning indexer prolog, and both in one. Every rounding point
// of the operators' pages stands here once, sums are in double precision.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "reference/prolog_math.hpp"
#include "reference/reference.hpp"
#include "reference/rounding.hpp"

namespace davsim::reference {
namespace {

/// Tensors and attributes of one half by the names of its own operator.
class Half {
 public:
  Half(const operators::Call& call, const operators::TensorMap& before,
       const operators::TensorMap& outputs, std::string prefix,
       std::map<std::string, std::string> shared)
      : call_(call),
        before_(before),
        outputs_(outputs),
        prefix_(std::move(prefix)),
        shared_(std::move(shared)) {}

  std::string name(const std::string& own) const {
    const auto found = shared_.find(own);
    return found != shared_.end() ? found->second : prefix_ + own;
  }
  const operators::Tensor& input(const std::string& own) const {
    return call_.tensors.at(name(own));
  }
  const operators::Tensor& before(const std::string& own) const { return before_.at(name(own)); }
  double number(const std::string& own) const {
    return call_.attributes.at(name(own)).to_number<double>();
  }
  Matrix matrix(const std::string& own) const {
    const operators::Tensor& tensor = input(own);
    const std::int64_t cols = tensor.shape().back();
    return Matrix(tensor, tensor.elements() / cols, cols);
  }
  Row row(const std::string& own, std::int64_t index) const {
    const operators::Tensor& tensor = input(own);
    const std::int64_t cols = tensor.shape().back();
    Row values;
    for (std::int64_t i = 0; i < cols; ++i) values.push_back(element(tensor, index * cols + i));
    return values;
  }

  /// Rows of an output, in the order of the tokens given.
  Comparison output(const std::string& own, const std::map<std::int64_t, Row>& expected,
                    const Tolerance& tolerance) const {
    std::map<std::int64_t, Doubtful> certain;
    for (const auto& [token, row] : expected) certain[token] = {row, Row(row.size(), 0.0)};
    return output(own, certain, tolerance);
  }
  Comparison output(const std::string& own, const std::map<std::int64_t, Doubtful>& expected,
                    const Tolerance& tolerance) const {
    Comparer comparer(name(own), tolerance);
    const auto found = outputs_.find(name(own));
    if (found == outputs_.end()) {
      comparer.fail("is not put out");
      return comparer.result();
    }
    for (const auto& [token, row] : expected) {
      const auto width = static_cast<std::int64_t>(row.values.size());
      for (std::int64_t i = 0; i < width; ++i) {
        const std::int64_t at = token * width + i;
        comparer.add(at, element(found->second, at), row.values[i], row.doubts[i]);
      }
    }
    return comparer.result();
  }
  Comparison cache(const std::string& own, std::vector<Write> writes,
                   const Tolerance& tolerance) const {
    return compare_in_place(name(own), before_.at(name(own)), outputs_.at(name(own)),
                            std::move(writes), tolerance);
  }

 private:
  const operators::Call& call_;
  const operators::TensorMap& before_;
  const operators::TensorMap& outputs_;
  std::string prefix_;
  std::map<std::string, std::string> shared_;
};

/// Of many tokens the query's side is judged on a sample, the first and the last among them: one
/// token costs 20 million multiplications. Keys, which are cheap, are judged for all.
std::set<std::int64_t> judged(std::int64_t tokens) {
  constexpr std::int64_t kMost = 12;
  std::set<std::int64_t> sample;
  for (std::int64_t i = 0; i < std::min(tokens, kMost); ++i) {
    sample.insert(tokens <= kMost ? i : i * (tokens - 1) / (kMost - 1));
  }
  return sample;
}

/// `doubts` come on top of the tensor's tolerance.
void write_row(std::vector<Write>& writes, std::int64_t row, const Doubtful& values,
               std::int64_t offset = 0, std::int64_t pitch = 0) {
  if (row < 0) return;
  const auto width = static_cast<std::int64_t>(values.values.size());
  const std::int64_t first = row * (pitch == 0 ? width : pitch) + offset;
  for (std::int64_t i = 0; i < width; ++i) {
    const auto at = static_cast<std::size_t>(i);
    writes.push_back({first + i, values.values[at], values.doubts[at]});
  }
}
void write_row(std::vector<Write>& writes, std::int64_t row, const Row& values,
               std::int64_t offset = 0, std::int64_t pitch = 0) {
  write_row(writes, row, Doubtful{values, Row(values.size(), 0.0)}, offset, pitch);
}

// --- tolerances, as the operators' pages state them ---

constexpr Tolerance kQuery = {0x1p-7, 0.005, 0.005};
constexpr Tolerance kOneStepMostly = {0, 0, 0.005, 1};
constexpr Tolerance kOneStep = {0, 1};
constexpr Tolerance kTwoSteps = {0, 2};
constexpr Tolerance kMlaScale = {0x1p-7, 2.5e-5, 0.005};
constexpr Tolerance kMlaCacheScale = {0x1p-7, 2.5e-5};
constexpr Tolerance kRopeKey = {0x1p-7, 1e-4};
constexpr Tolerance kIndexerScale = {0x1p-10, 2.5e-5};
constexpr Tolerance kIndexerQueryScale = {0x1p-10, 2.5e-5, 0.005};
constexpr Tolerance kFusedScale = {0.006, 2.5e-5, 0.005};

/// The query's latent, quantised; nothing if its largest element may round to either of two
/// neighbours. The other scale gives the whole token other values, which no tolerance covers.
std::optional<Quantised> query_latent(const Half& mla, const Matrix& w_dq, const Row& gamma,
                                      std::int64_t token) {
  const Doubtful a = rounded(sums_in_fp32(mla.row("token_x", token), w_dq));
  const Doubtful c = rounded(rms_norm(a, gamma, mla.number("epsilon_cq")));
  if (doubt_of_scale(c) > 0) return std::nullopt;
  return quantise(c.values);
}

class MlaHalf {
 public:
  MlaHalf(const Half& names, bool fused)
      : in_(names), fused_(fused), tokens_(names.input("token_x").shape()[0]) {}

  std::vector<Comparison> compare_results() {
    std::vector<Comparison> comparisons = check_query();
    for (Comparison& comparison : check_key()) comparisons.push_back(std::move(comparison));
    return comparisons;
  }

 private:
  std::vector<Comparison> check_query() {
    const Matrix w_dq = in_.matrix("w_dq"), w_uq = in_.matrix("w_uq_qr"), w_uk = in_.matrix("w_uk");
    const Row gamma = in_.row("gamma_cq", 0), channel = elements(in_.input("dequant_scale"));
    std::map<std::int64_t, Row> q_norm, q_scale, nope, rope;
    for (const std::int64_t token : judged(tokens_)) {
      const std::optional<Quantised> q = query_latent(in_, w_dq, gamma, token);
      if (!q) continue;
      q_norm[token] = q->values;
      q_scale[token] = {q->scale};
      Row u = times(q->values, w_uq);
      for (std::size_t n = 0; n < u.size(); ++n) {
        u[n] = to_bf16(static_cast<float>(static_cast<float>(u[n]) * static_cast<float>(q->scale)) *
                       static_cast<float>(channel[n]));
      }
      const Row cos = in_.row("cos", token), sin = in_.row("sin", token);
      for (std::size_t head = 0; head < 128; ++head) {
        const Row absorbed =
            rounded(times(slice(u, head * 192, 128), w_uk, static_cast<std::int64_t>(head) * 128));
        const Row rotated = rounded(rope_interleaved(slice(u, head * 192 + 128, 64), cos, sin));
        nope[token].insert(nope[token].end(), absorbed.begin(), absorbed.end());
        rope[token].insert(rope[token].end(), rotated.begin(), rotated.end());
      }
    }
    std::vector<Comparison> comparisons;
    if (!fused_) {
      comparisons.push_back(in_.output("q_norm", q_norm, kOneStepMostly));
      comparisons.push_back(in_.output("q_norm_scale", q_scale, kMlaScale));
    }
    comparisons.push_back(in_.output("query_nope", nope, kQuery));
    comparisons.push_back(in_.output("query_rope", rope, kQuery));
    return comparisons;
  }

  std::vector<Comparison> check_key() {
    const Matrix w = in_.matrix("w_dkv_kr");
    const Row gamma = in_.row("gamma_ckv", 0);
    const auto* rows = in_.input("cache_index").as<std::int64_t>();
    std::vector<Write> latent, scales, rope;
    for (std::int64_t token = 0; token < tokens_; ++token) {
      if (rows[token] < 0) continue;
      const Doubtful kv = rounded(sums_in_fp32(in_.row("token_x", token), w));
      const Row c = rounded(rms_norm(slice(kv.values, 0, 512), gamma, in_.number("epsilon_ckv")));
      for (std::int64_t group = 0; group < 4; ++group) {
        const Quantised q = quantise(slice(c, static_cast<std::size_t>(group) * 128, 128));
        write_row(latent, rows[token], q.values, group * 128, 512);
        write_row(scales, rows[token], {q.scale}, group, 4);
      }
      write_row(rope, rows[token],
                rounded(rope_interleaved(slice(kv, 512, 64), in_.row("cos", token),
                                         in_.row("sin", token))));
    }
    const Tolerance rope_key = fused_ ? Tolerance{0x1p-7, 1e-4, 0.005} : kRopeKey;
    return {in_.cache("kv_cache", std::move(latent), kOneStep),
            in_.cache("kr_cache", std::move(rope), rope_key),
            in_.cache("k_scale_cache", std::move(scales), fused_ ? kMlaScale : kMlaCacheScale)};
  }

  const Half& in_;
  bool fused_;
  std::int64_t tokens_;
};

class IndexerHalf {
 public:
  /// `mla` gives the quantised query latent of the fused operator; nullptr: it is an input.
  IndexerHalf(const Half& names, const Half* mla)
      : in_(names), mla_(mla), tokens_(names.input("x_in").shape()[0]) {}

  std::vector<Comparison> compare_results() {
    std::vector<Comparison> comparisons = check_query();
    for (Comparison& comparison : check_key()) comparisons.push_back(std::move(comparison));
    comparisons.push_back(check_weights());
    return comparisons;
  }

 private:
  std::optional<Quantised> latent(std::int64_t token, const Matrix* w_dq, const Row& gamma) const {
    if (mla_ != nullptr) return query_latent(*mla_, *w_dq, gamma, token);
    return Quantised{in_.row("q_norm_in", token), element(in_.input("q_norm_scale_in"), token)};
  }

  std::vector<Comparison> check_query() {
    const Matrix w = in_.matrix("w_qb_in"), hadamard = in_.matrix("hadamard_q");
    const Row channel = elements(in_.input("w_qb_scale_in"));
    std::unique_ptr<Matrix> w_dq;
    Row gamma;
    if (mla_ != nullptr) {
      w_dq = std::make_unique<Matrix>(mla_->matrix("w_dq"));
      gamma = mla_->row("gamma_cq", 0);
    }
    std::map<std::int64_t, Row> values, scales;
    for (const std::int64_t token : judged(tokens_)) {
      const std::optional<Quantised> q = latent(token, w_dq.get(), gamma);
      if (!q) continue;
      Row u = times(q->values, w);
      for (std::size_t n = 0; n < u.size(); ++n) {
        u[n] = to_bf16(static_cast<float>(static_cast<float>(u[n]) * static_cast<float>(q->scale)) *
                       static_cast<float>(channel[n]));
      }
      const Row cos = in_.row("cos_idx_rope", token), sin = in_.row("sin_idx_rope", token);
      for (std::size_t head = 0; head < 64; ++head) {
        const Quantised result =
            quantise(rounded(times(rotated_front(slice(u, head * 128, 128), cos, sin), hadamard)));
        values[token].insert(values[token].end(), result.values.begin(), result.values.end());
        scales[token].push_back(result.scale);
      }
    }
    const bool fused = mla_ != nullptr;
    return {in_.output("q_int8", values, fused ? kTwoSteps : kOneStep),
            in_.output("q_scale", scales, fused ? kFusedScale : kIndexerQueryScale)};
  }

  /// The first 64 of 128 rotated, all rounded.
  static Doubtful rotated_front(Doubtful x, const Row& cos, const Row& sin) {
    const Doubtful front = rounded(rope_half(slice(x, 0, 64), cos, sin));
    std::copy(front.values.begin(), front.values.end(), x.values.begin());
    std::copy(front.doubts.begin(), front.doubts.end(), x.doubts.begin());
    return x;
  }
  static Row rotated_front(Row x, const Row& cos, const Row& sin) {
    const Row front = rounded(rope_half(slice(x, 0, 64), cos, sin));
    std::copy(front.begin(), front.end(), x.begin());
    return x;
  }

  std::vector<Comparison> check_key() {
    const Matrix w = in_.matrix("wk_in"), hadamard = in_.matrix("hadamard_k");
    const Row gamma = in_.row("ln_gamma_k", 0), beta = in_.row("ln_beta_k", 0);
    const auto* rows = in_.input("k_cache_index").as<std::int64_t>();
    std::vector<Write> values, scales;
    for (std::int64_t token = 0; token < tokens_; ++token) {
      if (rows[token] < 0) continue;
      const Doubtful k = rounded(layer_norm(sums_in_fp32(in_.row("x_in", token), w), gamma, beta,
                                            in_.number("layernorm_epsilon_k")));
      const Doubtful mixed = rounded(
          times(rotated_front(k, in_.row("cos_idx_rope", token), in_.row("sin_idx_rope", token)),
                hadamard));
      const Quantised q = quantise(mixed.values);
      write_row(values, rows[token], q.values);
      write_row(scales, rows[token], Doubtful{{q.scale}, {doubt_of_scale(mixed)}});
    }
    return {in_.cache("k_int8", std::move(values), kOneStep),
            in_.cache("k_scale", std::move(scales), mla_ != nullptr ? kFusedScale : kIndexerScale)};
  }

  Comparison check_weights() {
    const Matrix w = in_.matrix("w_proj_in");
    const double factor = 1 / (std::sqrt(64.0) * std::sqrt(128.0));
    std::map<std::int64_t, Doubtful> weights;
    for (const std::int64_t token : judged(tokens_)) {
      Doubtful row = rounded(sums_in_fp32(in_.row("x_in", token), w));
      for (double& value : row.values) value *= factor;
      for (double& doubt : row.doubts) doubt *= factor;
      weights[token] = row;
    }
    return in_.output("weights", weights, kIndexerScale);
  }

  const Half& in_;
  const Half* mla_;
  std::int64_t tokens_;
};

class MlaPrologReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call,
                                          const operators::TensorMap& before,
                                          const operators::TensorMap& outputs) const override {
    const Half half(call, before, outputs, "", {});
    return MlaHalf(half, false).compare_results();
  }
};

class IndexerPrologReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call,
                                          const operators::TensorMap& before,
                                          const operators::TensorMap& outputs) const override {
    const Half half(call, before, outputs, "", {});
    return IndexerHalf(half, nullptr).compare_results();
  }
};

class FusedPrologReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call,
                                          const operators::TensorMap& before,
                                          const operators::TensorMap& outputs) const override {
    const Half mla(
        call, before, outputs, "mla_",
        {{"token_x", "token_x"}, {"cos", "cos"}, {"sin", "sin"}, {"cache_index", "cache_index"}});
    const Half indexer(call, before, outputs, "ip_",
                       {{"x_in", "token_x"},
                        {"cos_idx_rope", "cos"},
                        {"sin_idx_rope", "sin"},
                        {"k_cache_index", "cache_index"}});
    std::vector<Comparison> comparisons = MlaHalf(mla, true).compare_results();
    for (Comparison& c : IndexerHalf(indexer, &mla).compare_results())
      comparisons.push_back(std::move(c));
    return comparisons;
  }
};

const ReferenceRegistrar mla_registrar("mla_prolog_quant", std::make_unique<MlaPrologReference>());
const ReferenceRegistrar indexer_registrar("lightning_indexer_prolog_quant",
                                           std::make_unique<IndexerPrologReference>());
const ReferenceRegistrar fused_registrar("mla_indexer_prolog_quant",
                                         std::make_unique<FusedPrologReference>());

}  // namespace
}  // namespace davsim::reference
