// The MLA half of the prologs: its tensors, attributes, rules and cost.
#include "kernels/prolog/part.hpp"
#include "kernels/prolog/remarks.hpp"
#include "kernels/prolog/rules.hpp"

namespace davsim::operators::prolog {
namespace {

using isa::DType;

const std::vector<Fixed>& latent_weights() {
  static const std::vector<Fixed> table = {
      {"w_dq", {kHidden, kQueryRank}, "[7168, 1536]"},
      {"w_uq_qr", {kQueryRank, kHeads * kHeadWidth}, "[1536, 128*192]"},
      {"dequant_scale", {kHeads * kHeadWidth, 1}, "[24576, 1]"},
      {"w_uk", {kHeads, kNope, kLatent}, "[128, 128, 512]"},
      {"w_dkv_kr", {kHidden, kKeyWidth}, "[7168, 576]"},
      {"gamma_cq", {kQueryRank}, "[1536]"},
      {"gamma_ckv", {kLatent}, "[512]"},
  };
  return table;
}

class MlaPart final : public Part {
 public:
  using Part::Part;

  std::vector<TensorSpec> inputs() const override {
    return {
        in("token_x", DType::kBF16, "[t, 7168]", "hidden states"),
        in("w_dq", DType::kBF16, "[7168, 1536]", "down projection of the query"),
        in("w_uq_qr", DType::kI8, "[1536, 128*192]",
           "up projection of the query; of each head 128 columns without and 64 with rope"),
        in("dequant_scale", DType::kF32, "[24576, 1]", "scale of each column of w_uq_qr"),
        in("w_uk", DType::kBF16, "[128, 128, 512]", "absorbs the key's up projection"),
        in("w_dkv_kr", DType::kBF16, "[7168, 576]", "key's latent (512) and rope key (64)"),
        in("gamma_cq", DType::kBF16, "[1536]", "RMSNorm of the query's latent"),
        in("gamma_ckv", DType::kBF16, "[512]", "RMSNorm of the key's latent"),
        in("cos", DType::kBF16, "[t, 64]", "full-width table"),
        in("sin", DType::kBF16, "[t, 64]", "full-width table"),
        in("cache_index", DType::kI64, "[t]",
           "row of the flattened caches for each token; negative: not written"),
        cached("kv_cache", DType::kI8, "[block_num, 128, 1, 512]", "quantised key latent"),
        cached("kr_cache", DType::kBF16, "[block_num, 128, 1, 64]", "rotated rope key"),
        cached("k_scale_cache", DType::kF32, "[block_num, 128, 1, 4]",
               "dequantisation scale of each quarter of a latent row"),
    };
  }

  std::vector<TensorSpec> outputs() const override {
    std::vector<TensorSpec> specs;
    if (!name.fused()) {
      specs.push_back(out("q_norm", DType::kI8, "[t, 1536]", "normalised, quantised query latent"));
      specs.push_back(out("q_norm_scale", DType::kF32, "[t, 1]", "its dequantisation scale"));
    }
    specs.push_back(out("query_nope", DType::kBF16, "[t, 128, 512]", "absorbed queries"));
    specs.push_back(out("query_rope", DType::kBF16, "[t, 128, 64]", "rotated part of the queries"));
    return specs;
  }

  std::vector<AttributeSpec> attributes() const override {
    return {
        {name("epsilon_cq"), "float", boost::json::value(1e-5), "of the query's RMSNorm"},
        {name("epsilon_ckv"), "float", boost::json::value(1e-5), "of the key's RMSNorm"},
        {name("cache_mode"), "string", boost::json::value("PA_BSND"), "\"PA_BSND\""},
    };
  }

  void validate_ranks(const Call& call) const override {
    require_rank(call, name("token_x"), {2});
    require_ranks(call, name, latent_weights());
    require_rank(call, name("cos"), {2});
    require_rank(call, name("sin"), {2});
    require_rank(call, name("cache_index"), {1});
    for (const char* cache : {"kv_cache", "kr_cache", "k_scale_cache"}) {
      require_rank(call, name(cache), {4});
    }
  }

  void validate_shapes(const Call& call) const override {
    const std::int64_t tokens = valid_tokens(call, name("token_x"), kHidden);
    require_shapes(call, name, latent_weights());
    require_shape(call, name("cos"), {tokens, kRope}, "[t, 64]");
    require_shape(call, name("sin"), {tokens, kRope}, "[t, 64]");
    require_shape(call, name("cache_index"), {tokens}, "[t]");
    const std::int64_t pages = valid_pages(call, name("kv_cache"), kLatent);
    for (const auto& [cache, width] :
         {std::pair{"kr_cache", kRope}, std::pair{"k_scale_cache", kLatentGroups}}) {
      require(valid_pages(call, name(cache), width) == pages, ErrorClass::kShape,
              name(cache) + " has the pages of " + name("kv_cache"),
              "found " + to_string(tensor_of(call, name(cache)).shape()) + ", block_num is " +
                  std::to_string(pages));
    }
  }

  void validate_attributes(const Call& call) const override {
    require_positive(call, name("epsilon_cq"));
    require_positive(call, name("epsilon_ckv"));
    require_string(call, name("cache_mode"), "PA_BSND");
  }

  std::int64_t tokens(const Call& call) const override {
    return tensor_of(call, name("token_x")).shape()[0];
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    const std::int64_t t = tokens(call);
    std::vector<TensorShape> shapes;
    if (!name.fused()) {
      shapes.push_back({name("q_norm"), DType::kI8, {t, kQueryRank}});
      shapes.push_back({name("q_norm_scale"), DType::kF32, {t, 1}});
    }
    shapes.push_back({name("query_nope"), DType::kBF16, {t, kHeads, kLatent}});
    shapes.push_back({name("query_rope"), DType::kBF16, {t, kHeads, kRope}});
    return shapes;
  }

  Cost cost(std::int64_t tokens) const override {
    const auto t = static_cast<double>(tokens);
    Cost cost;
    cost.cube_flops_16bit =
        2 * t * (kHidden * kQueryRank + kHeads * kNope * kLatent + kHidden * kKeyWidth);
    cost.cube_flops_8bit = 2 * t * kQueryRank * kHeads * kHeadWidth;
    // Dequantisation takes three operations for each element. Norms and quantisation take about
    // ten.
    cost.vector_flops = t * (3 * kHeads * kHeadWidth + 10 * (kQueryRank + kKeyWidth));
    const double weight_bytes = 2.0 * kHidden * (kQueryRank + kKeyWidth) +
                                1.0 * kQueryRank * kHeads * kHeadWidth +
                                2.0 * kHeads * kNope * kLatent + 4.0 * kHeads * kHeadWidth;
    const double written = t * (2 * kHeads * (kLatent + kRope) + kLatent + 2 * kRope + 16 +
                                (name.fused() ? 0 : kQueryRank + 4));
    cost.min_written_bytes = written;
    cost.min_bytes = weight_bytes + written + t * (2 * kHidden + 4 * kRope + 8);
    return cost;
  }

  std::vector<std::string> remarks(const Call& call, const TensorMap& outputs) const override {
    std::vector<std::string> found;
    if (!name.fused()) remark_zeros(found, outputs, name("q_norm"), kQueryRank, nullptr);
    remark_zeros(found, outputs, name("kv_cache"), kLatent / kLatentGroups,
                 &tensor_of(call, cache_index()));
    return found;
  }

  void add_inputs(Call& call, SeededData& data, std::int64_t tokens,
                  std::int64_t pages) const override {
    PartInputs tensors(name, call, data);
    // Weights are about 1/sqrt(K), so that the values of every stage stay near one.
    tensors.reals("token_x", DType::kBF16, {tokens, kHidden}, -1, 1);
    tensors.reals("w_dq", DType::kBF16, {kHidden, kQueryRank}, -0.02, 0.02);
    tensors.int8("w_uq_qr", {kQueryRank, kHeads * kHeadWidth}, -127);
    tensors.reals("dequant_scale", DType::kF32, {kHeads * kHeadWidth, 1}, 0.0002, 0.0006);
    tensors.reals("w_uk", DType::kBF16, {kHeads, kNope, kLatent}, -0.1, 0.1);
    tensors.reals("w_dkv_kr", DType::kBF16, {kHidden, kKeyWidth}, -0.02, 0.02);
    tensors.reals("gamma_cq", DType::kBF16, {kQueryRank}, 0.5, 1.5);
    tensors.reals("gamma_ckv", DType::kBF16, {kLatent}, 0.5, 1.5);
    tensors.reals("cos", DType::kBF16, {tokens, kRope}, -1, 1);
    tensors.reals("sin", DType::kBF16, {tokens, kRope}, -1, 1);
    tensors.rows("cache_index", tokens, pages);
    tensors.int8("kv_cache", {pages, kPage, 1, kLatent}, -128);
    tensors.reals("kr_cache", DType::kBF16, {pages, kPage, 1, kRope}, -1, 1);
    tensors.reals("k_scale_cache", DType::kF32, {pages, kPage, 1, kLatentGroups}, 0.001, 0.1);
  }

  std::string cache_index() const override { return name("cache_index"); }
  std::string cache() const override { return name("kv_cache"); }
};

}  // namespace

std::unique_ptr<Part> mla_part(Naming naming) {
  return std::make_unique<MlaPart>(std::move(naming));
}

}  // namespace davsim::operators::prolog
