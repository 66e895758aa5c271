// The indexer half of the prologs: its tensors, attributes, rules and cost.
#include "kernels/prolog/part.hpp"
#include "kernels/prolog/remarks.hpp"
#include "kernels/prolog/rules.hpp"

namespace davsim::operators::prolog {
namespace {

using isa::DType;

const std::vector<Fixed>& indexer_weights() {
  static const std::vector<Fixed> table = {
      {"w_qb_in", {kQueryRank, kIndexHeads * kIndexDim}, "[1536, 8192]"},
      {"w_qb_scale_in", {kIndexHeads * kIndexDim, 1}, "[8192, 1]"},
      {"wk_in", {kHidden, kIndexDim}, "[7168, 128]"},
      {"w_proj_in", {kHidden, kIndexHeads}, "[7168, 64]"},
      {"ln_gamma_k", {kIndexDim}, "[128]"},
      {"ln_beta_k", {kIndexDim}, "[128]"},
      {"hadamard_q", {kIndexDim, kIndexDim}, "[128, 128]"},
      {"hadamard_k", {kIndexDim, kIndexDim}, "[128, 128]"},
  };
  return table;
}

class IndexerPart final : public Part {
 public:
  using Part::Part;

  std::vector<TensorSpec> inputs() const override {
    std::vector<TensorSpec> specs;
    if (!name.fused()) {
      specs.push_back(in("x_in", DType::kBF16, "[t, 7168]", "hidden states"));
      specs.push_back(in("q_norm_in", DType::kI8, "[t, 1536]", "q_norm of mla_prolog_quant"));
      specs.push_back(in("q_norm_scale_in", DType::kF32, "[t, 1]", "its dequantisation scale"));
      specs.push_back(in("cos_idx_rope", DType::kBF16, "[t, 64]", "full-width table"));
      specs.push_back(in("sin_idx_rope", DType::kBF16, "[t, 64]", "full-width table"));
      specs.push_back(in("k_cache_index", DType::kI64, "[t]",
                         "row of the flattened caches for each token; negative: not written"));
    }
    specs.push_back(in("w_qb_in", DType::kI8, "[1536, 8192]", "up projection of the queries"));
    specs.push_back(in("w_qb_scale_in", DType::kF32, "[8192, 1]", "scale of each of its columns"));
    specs.push_back(in("wk_in", DType::kBF16, "[7168, 128]", "projection of the key"));
    specs.push_back(in("w_proj_in", DType::kBF16, "[7168, 64]", "projection of the head weights"));
    specs.push_back(in("ln_gamma_k", DType::kBF16, "[128]", "LayerNorm of the key"));
    specs.push_back(in("ln_beta_k", DType::kBF16, "[128]", "LayerNorm of the key"));
    specs.push_back(in("hadamard_q", DType::kBF16, "[128, 128]", "multiplies every query"));
    specs.push_back(in("hadamard_k", DType::kBF16, "[128, 128]", "multiplies every key"));
    specs.push_back(cached("k_int8", DType::kI8, "[block_num, 128, 1, 128]", "quantised keys"));
    specs.push_back(
        cached("k_scale", DType::kF16, "[block_num, 128, 1, 1]", "their dequantisation scales"));
    return specs;
  }

  std::vector<TensorSpec> outputs() const override {
    return {
        out("q_int8", DType::kI8, "[t, 64, 128]", "quantised queries"),
        out("q_scale", DType::kF16, "[t, 64, 1]", "their dequantisation scales"),
        out("weights", DType::kF16, "[t, 64]", "weight of each head, times 64^-0.5 * 128^-0.5"),
    };
  }

  std::vector<AttributeSpec> attributes() const override {
    return {
        {name("layernorm_epsilon_k"), "float", boost::json::value(1e-6), "of the key's LayerNorm"},
        {name("layout_query"), "string", boost::json::value("TND"), "\"TND\""},
        {name("layout_key"), "string", boost::json::value("PA_BSND"), "\"PA_BSND\""},
    };
  }

  void validate_ranks(const Call& call) const override {
    if (!name.fused()) {
      for (const char* tensor :
           {"x_in", "q_norm_in", "q_norm_scale_in", "cos_idx_rope", "sin_idx_rope"}) {
        require_rank(call, name(tensor), {2});
      }
      require_rank(call, name("k_cache_index"), {1});
    }
    require_ranks(call, name, indexer_weights());
    require_rank(call, name("k_int8"), {4});
    require_rank(call, name("k_scale"), {4});
  }

  void validate_shapes(const Call& call) const override {
    if (!name.fused()) {
      const std::int64_t tokens = valid_tokens(call, name("x_in"), kHidden);
      require_shape(call, name("q_norm_in"), {tokens, kQueryRank}, "[t, 1536]");
      require_shape(call, name("q_norm_scale_in"), {tokens, 1}, "[t, 1]");
      require_shape(call, name("cos_idx_rope"), {tokens, kRope}, "[t, 64]");
      require_shape(call, name("sin_idx_rope"), {tokens, kRope}, "[t, 64]");
      require_shape(call, name("k_cache_index"), {tokens}, "[t]");
    }
    require_shapes(call, name, indexer_weights());
    const std::int64_t pages = valid_pages(call, name("k_int8"), kIndexDim);
    require(valid_pages(call, name("k_scale"), 1) == pages, ErrorClass::kShape,
            name("k_scale") + " has the pages of " + name("k_int8"),
            "found " + to_string(tensor_of(call, name("k_scale")).shape()) + ", block_num is " +
                std::to_string(pages));
  }

  void validate_attributes(const Call& call) const override {
    require_positive(call, name("layernorm_epsilon_k"));
    require_string(call, name("layout_query"), "TND");
    require_string(call, name("layout_key"), "PA_BSND");
  }

  std::int64_t tokens(const Call& call) const override {
    return tensor_of(call, name("x_in")).shape()[0];
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    const std::int64_t t = tokens(call);
    return {{name("q_int8"), DType::kI8, {t, kIndexHeads, kIndexDim}},
            {name("q_scale"), DType::kF16, {t, kIndexHeads, 1}},
            {name("weights"), DType::kF16, {t, kIndexHeads}}};
  }

  Cost cost(std::int64_t tokens) const override {
    const auto t = static_cast<double>(tokens);
    constexpr std::int64_t kQueryWidth = kIndexHeads * kIndexDim;
    Cost cost;
    cost.cube_flops_16bit =
        2 * t *
        (kQueryWidth * kIndexDim + kIndexDim * kIndexDim + kHidden * (kIndexDim + kIndexHeads));
    cost.cube_flops_8bit = 2 * t * kQueryRank * kQueryWidth;
    // A query needs dequantisation, half a rotation and quantisation.
    cost.vector_flops = t * (8 * kQueryWidth + 15 * kIndexDim);
    const double weight_bytes = 1.0 * kQueryRank * kQueryWidth + 4.0 * kQueryWidth +
                                2.0 * kHidden * (kIndexDim + kIndexHeads) +
                                4.0 * kIndexDim * kIndexDim + 4.0 * kIndexDim;
    const double written = t * (kQueryWidth + 2 * kIndexHeads + kIndexDim + 2 + 2 * kIndexHeads);
    cost.min_written_bytes = written;
    cost.min_bytes = weight_bytes + written;
    // The fused operator reads hidden states, tables and indices once, for both halves.
    if (!name.fused()) cost.min_bytes += t * (2 * kHidden + kQueryRank + 4 + 4 * kRope + 8);
    return cost;
  }

  std::vector<std::string> remarks(const Call& call, const TensorMap& outputs) const override {
    std::vector<std::string> found;
    remark_zeros(found, outputs, name("q_int8"), kIndexDim, nullptr);
    remark_zeros(found, outputs, name("k_int8"), kIndexDim, &tensor_of(call, cache_index()));
    return found;
  }

  void add_inputs(Call& call, SeededData& data, std::int64_t tokens,
                  std::int64_t pages) const override {
    PartInputs tensors(name, call, data);
    if (!name.fused()) {
      tensors.reals("x_in", DType::kBF16, {tokens, kHidden}, -1, 1);
      tensors.int8("q_norm_in", {tokens, kQueryRank}, -127);
      tensors.reals("q_norm_scale_in", DType::kF32, {tokens, 1}, 0.01, 0.03);
      tensors.reals("cos_idx_rope", DType::kBF16, {tokens, kRope}, -1, 1);
      tensors.reals("sin_idx_rope", DType::kBF16, {tokens, kRope}, -1, 1);
      tensors.rows("k_cache_index", tokens, pages);
    }
    tensors.int8("w_qb_in", {kQueryRank, kIndexHeads * kIndexDim}, -127);
    tensors.reals("w_qb_scale_in", DType::kF32, {kIndexHeads * kIndexDim, 1}, 0.0002, 0.0006);
    tensors.reals("wk_in", DType::kBF16, {kHidden, kIndexDim}, -0.02, 0.02);
    tensors.reals("w_proj_in", DType::kBF16, {kHidden, kIndexHeads}, -0.02, 0.02);
    tensors.reals("ln_gamma_k", DType::kBF16, {kIndexDim}, 0.5, 1.5);
    tensors.reals("ln_beta_k", DType::kBF16, {kIndexDim}, -0.5, 0.5);
    tensors.reals("hadamard_q", DType::kBF16, {kIndexDim, kIndexDim}, -0.1, 0.1);
    tensors.reals("hadamard_k", DType::kBF16, {kIndexDim, kIndexDim}, -0.1, 0.1);
    tensors.int8("k_int8", {pages, kPage, 1, kIndexDim}, -128);
    tensors.reals("k_scale", DType::kF16, {pages, kPage, 1, 1}, 0.001, 0.1);
  }

  std::string cache_index() const override { return name("k_cache_index"); }
  std::string cache() const override { return name("k_int8"); }
};

}  // namespace

std::unique_ptr<Part> indexer_part(Naming naming) {
  return std::make_unique<IndexerPart>(std::move(naming));
}

}  // namespace davsim::operators::prolog
