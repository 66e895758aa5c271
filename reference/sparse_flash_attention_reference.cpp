// Sparse flash attention: gather, dequantise, softmax over the selected rows, all in double
// precision but for the documented roundings to bf16.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reference/reference.hpp"
#include "reference/rounding.hpp"

namespace davsim::reference {
namespace {

constexpr std::int64_t kHeads = 128, kLatent = 512, kRope = 64, kPage = 128, kListed = 2048;

class SparseFlashAttentionReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call, const operators::TensorMap&,
                                          const operators::TensorMap& outputs) const override {
    const Tolerance tolerance = {0.005, 1e-4, 0.005};
    Comparer comparer("attention_out", tolerance);
    const auto found = outputs.find("attention_out");
    if (found == outputs.end()) {
      comparer.fail("is not put out");
      return {comparer.result()};
    }
    const std::int64_t batches = call.tensors.at("block_table").shape()[0];
    const std::int64_t tokens = call.tensors.at("query_nope").shape()[0] / kHeads;
    // A token with 2048 keys costs 285 million multiplications: of many, some are judged.
    constexpr std::int64_t kMost = 8;
    for (std::int64_t i = 0; i < std::min(tokens, kMost); ++i) {
      const std::int64_t token = tokens <= kMost ? i : i * (tokens - 1) / (kMost - 1);
      judge(call, found->second, token, tokens / batches, comparer);
    }
    return {comparer.result()};
  }

 private:
  /// Keys of a token: rows of 576.
  static std::vector<double> keys_of(const operators::Call& call, std::int64_t token,
                                     std::int64_t steps) {
    const std::int64_t batch = token / steps, step = token % steps;
    const std::int64_t topk = call.attributes.at("topk").to_number<std::int64_t>();
    const std::int64_t length = call.tensors.at("kv_act_seqs").as<std::int32_t>()[batch];
    const std::int64_t used = std::min(std::max<std::int64_t>(length - steps + 1 + step, 0), topk);
    const operators::Tensor& table = call.tensors.at("block_table");
    const operators::Tensor& nope = call.tensors.at("key_nope_2d");
    std::vector<double> keys;
    for (std::int64_t j = 0; j < used; ++j) {
      const std::int64_t position =
          call.tensors.at("topk_indices").as<std::int32_t>()[token * kListed + j];
      const std::int64_t page =
          table.as<std::int32_t>()[batch * table.shape()[1] + position / kPage];
      const std::int64_t row = page * kPage + position % kPage;
      for (std::int64_t d = 0; d < kLatent; ++d) {
        double value = element(nope, row * kLatent + d);
        if (nope.dtype() == isa::DType::kI8) {
          const float scale = call.tensors.at("k_nope_scales").as<float>()[row * 4 + d / 128];
          value = to_bf16(static_cast<float>(value) * scale);
        }
        keys.push_back(value);
      }
      for (std::int64_t d = 0; d < kRope; ++d) {
        keys.push_back(element(call.tensors.at("key_rope_2d"), row * kRope + d));
      }
    }
    return keys;
  }

  static void judge(const operators::Call& call, const operators::Tensor& out, std::int64_t token,
                    std::int64_t steps, Comparer& comparer) {
    constexpr std::int64_t kWidth = kLatent + kRope;
    const std::vector<double> keys = keys_of(call, token, steps);
    const auto count = static_cast<std::int64_t>(keys.size()) / kWidth;
    const double scale = call.attributes.at("softmax_scale").to_number<double>();
    const std::int64_t stride = count > 256 ? 9 : 1;  // of the heads
    for (std::int64_t head = token % stride; head < kHeads; head += stride) {
      const std::int64_t row = token * kHeads + head;
      std::vector<double> query;
      for (std::int64_t d = 0; d < kLatent; ++d) {
        query.push_back(element(call.tensors.at("query_nope"), row * kLatent + d));
      }
      for (std::int64_t d = 0; d < kRope; ++d) {
        query.push_back(element(call.tensors.at("query_rope"), row * kRope + d));
      }
      std::vector<double> weights(static_cast<std::size_t>(count));
      double largest = -INFINITY, sum = 0;
      for (std::int64_t j = 0; j < count; ++j) {
        double score = 0;
        for (std::int64_t d = 0; d < kWidth; ++d) score += query[d] * keys[j * kWidth + d];
        weights[j] = within_f32(score * scale);
        largest = std::max(largest, weights[j]);
      }
      for (double& weight : weights) sum += weight = std::exp(weight - largest);
      std::vector<double> result(kLatent, 0.0);
      for (std::int64_t j = 0; j < count; ++j) {
        const double weight = to_bf16(weights[j] / sum);
        for (std::int64_t d = 0; d < kLatent; ++d) result[d] += weight * keys[j * kWidth + d];
      }
      for (std::int64_t d = 0; d < kLatent; ++d) {
        comparer.add(row * kLatent + d, element(out, row * kLatent + d), to_bf16(result[d]));
      }
    }
  }
};

const ReferenceRegistrar registrar("sparse_flash_attention_quant",
                                   std::make_unique<SparseFlashAttentionReference>());

}  // namespace
}  // namespace davsim::reference
