// The rules of RopeQuantKvcache, in the order of its page.
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/common/require.hpp"
#include "kernels/registry/attributes.hpp"
#include "kernels/rope_quant_kvcache/problem.hpp"
#include "kernels/rope_quant_kvcache/tiling.hpp"

namespace davsim::operators::rope_quant_kvcache {
namespace {

void validate_ranks(const Call& call) {
  require_rank(call, "qkv", {3});
  require_rank(call, "cos", {4});
  require_rank(call, "sin", {4});
  require_rank(call, "quant_scale", {1});
  require_rank(call, "quant_offset", {1});
  require_rank(call, "k_cache", {4});
  require_rank(call, "v_cache", {4});
  require_rank(call, "indice", {1, 2});
}

/// Sizes that do not depend on attributes.
void validate_shapes(const Call& call) {
  for (const char* name : {"qkv", "k_cache", "v_cache"}) require_not_empty(call, name);
  const Shape& qkv = tensor_of(call, "qkv").shape();
  const Shape& cache = tensor_of(call, "k_cache").shape();
  const std::int64_t batch = qkv[0], seq_len = qkv[1], head_dim = cache[3];

  require_shape(call, "v_cache", cache, "that of k_cache, [B, Smax, Nkv, D]");
  require(cache[0] == batch, ErrorClass::kShape, "dimension 0 of the caches is B, that of qkv",
          "k_cache is " + to_string(cache) + ", qkv is " + to_string(qkv));
  require(head_dim % 32 == 0, ErrorClass::kShape,
          "D, the last dimension of k_cache, is a multiple of 32",
          "D is " + std::to_string(head_dim));
  const Shape table = {batch, seq_len, 1, head_dim};
  require_shape(call, "cos", table, "[B, S, 1, D]");
  require_shape(call, "sin", table, "[B, S, 1, D]");
  require_shape(call, "quant_scale", {head_dim}, "[D]");
  require_shape(call, "quant_offset", {head_dim}, "[D]");
  const Shape& indice = tensor_of(call, "indice").shape();
  require(indice == Shape{batch} || indice == Shape{batch, 1}, ErrorClass::kShape,
          "the shape of indice is [B] or [B, 1]",
          "B is " + std::to_string(batch) + ", found " + to_string(indice));
}

void validate_splits(const Call& call) {
  const std::vector<std::int64_t> splits = int_list_attribute(call, "size_splits");
  const std::string found = "found " + to_string(splits);
  require(splits.size() == 3, ErrorClass::kAttr,
          "size_splits has three entries, {Nq*D, Nkv*D, Nkv*D}", found);
  const std::int64_t row = tensor_of(call, "qkv").shape()[2];
  const Shape& cache = tensor_of(call, "k_cache").shape();
  const std::int64_t head_dim = cache[3];
  // One by one before the sum, which could overflow.
  for (const std::int64_t split : splits) {
    require(split >= 1 && split <= row, ErrorClass::kAttr,
            "every entry of size_splits is between 1 and H",
            found + ", H is " + std::to_string(row));
  }
  require(splits[0] + splits[1] + splits[2] == row, ErrorClass::kAttr,
          "the entries of size_splits add up to H, the last dimension of qkv",
          found + ", H is " + std::to_string(row));
  const bool kv_matches =
      splits[1] == splits[2] && splits[1] % head_dim == 0 && splits[1] / head_dim == cache[2];
  require(kv_matches, ErrorClass::kAttr,
          "size_splits[1] and size_splits[2] are Nkv*D of the caches",
          found + ", k_cache is " + to_string(cache));
  require(splits[0] >= head_dim && splits[0] % head_dim == 0, ErrorClass::kAttr,
          "size_splits[0] is a multiple of D, at least D",
          found + ", D is " + std::to_string(head_dim));
}

void validate_layout(const Call& call) {
  const std::string layout = string_attribute(call, "layout");
  const std::int64_t seq_len = tensor_of(call, "qkv").shape()[1];
  require(layout == "BSND" || (layout == "BNSD" && seq_len == 1), ErrorClass::kAttr,
          "layout is \"BSND\", or \"BNSD\" where S is 1",
          "found \"" + layout + "\", S is " + std::to_string(seq_len));
}

/// Rules of this implementation, not of the operator.
void validate_limits(const Call& call, const sim::SocConfig& soc) {
  const Shape& qkv = tensor_of(call, "qkv").shape();
  const Shape& cache = tensor_of(call, "k_cache").shape();
  // What fits in UB as all SoCs of the architecture have it is supported: where it does not fit,
  // the changed UB is at fault and not the call.
  constexpr std::uint64_t kUbOfProducts = 192 * 1024;  // bytes
  const std::uint64_t ub = soc.integer("AICoreSpec", "ub_size");
  const std::int64_t widest = max_head_dim(ub);
  if (cache[3] > widest && cache[3] <= max_head_dim(kUbOfProducts)) {
    throw std::invalid_argument("rope_quant_kvcache: one head of " + std::to_string(cache[3]) +
                                " elements does not fit in UB, of which this SoC's has " +
                                std::to_string(ub) + " bytes");
  }
  require(cache[3] <= widest, ErrorClass::kUnsupported,
          "one head fits in UB: D is at most " + std::to_string(widest),
          "D is " + std::to_string(cache[3]));
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t dim : {qkv[0], qkv[1], qkv[2], cache[1]}) {
    require(dim <= kMost, ErrorClass::kUnsupported, "B, S, H and Smax are below 2^31",
            "found " + std::to_string(dim));
  }
}

void validate_indices(const Call& call) {
  const Tensor& indice = tensor_of(call, "indice");
  const std::int64_t seq_len = tensor_of(call, "qkv").shape()[1];
  const std::int64_t cache_len = tensor_of(call, "k_cache").shape()[1];
  for (std::int64_t b = 0; b < indice.elements(); ++b) {
    const std::int64_t position = indice.as<std::int32_t>()[b];
    require(position >= 0 && position + seq_len <= cache_len, ErrorClass::kIndex,
            "0 <= indice[b] and indice[b] + S <= Smax",
            "indice[" + std::to_string(b) + "] is " + std::to_string(position) + ", S is " +
                std::to_string(seq_len) + ", Smax is " + std::to_string(cache_len));
  }
}

}  // namespace

void validate(const Call& call, const sim::SocConfig& soc) {
  validate_ranks(call);
  validate_shapes(call);
  validate_splits(call);
  validate_layout(call);
  bool_attribute(call, "kv_output");
  validate_limits(call, soc);
  validate_indices(call);
}

}  // namespace davsim::operators::rope_quant_kvcache
