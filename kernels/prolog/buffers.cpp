#include "kernels/prolog/buffers.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/common/duplicate_rows.hpp"
#include "kernels/common/require.hpp"
#include "kernels/prolog/sizes.hpp"

namespace davsim::operators::prolog {
namespace {

using isa::DType;

/// The address of a tensor of a call or of an output, by its name in its own operator.
class Lookup {
 public:
  Lookup(const Naming& name, const Call& call, const TensorMap& outputs)
      : name_(name), call_(call), outputs_(outputs) {}

  const Tensor& tensor(const char* own) const { return tensor_of(call_, name_(own)); }
  std::uint8_t* in(const char* own) const { return tensor(own).gm(); }
  std::uint8_t* out(const char* own) const {
    const auto found = outputs_.find(name_(own));
    return found == outputs_.end() ? nullptr : found->second.gm();
  }

 private:
  const Naming& name_;
  const Call& call_;
  const TensorMap& outputs_;
};

}  // namespace

std::uint8_t* Workspace::allocate(DType dtype, Shape shape, const std::string& name) {
  tensors_.emplace_back(memory_, dtype, std::move(shape), name);
  memory_.declare_unwritten(tensors_.back().data());
  return tensors_.back().gm();
}

std::uint8_t* Workspace::in_fractals(const std::vector<Tensor>& matrices, const std::string& name) {
  constexpr std::int64_t kRows = 16;
  constexpr std::int64_t kRowBytes = 32;
  const DType type = matrices.front().dtype();
  const auto element = static_cast<std::int64_t>(isa::dtype_bytes(type));
  const std::int64_t rows = matrices.front().shape()[0];
  std::int64_t all_columns = 0;  // of fractals
  for (const Tensor& matrix : matrices) all_columns += matrix.shape()[1] * element / kRowBytes;
  Tensor fractals(memory_, type, {all_columns, rows / kRows, kRows, kRowBytes / element}, name);
  std::byte* to = fractals.data();
  for (const Tensor& matrix : matrices) {
    const std::int64_t row_bytes = matrix.shape()[1] * element;
    const std::int64_t columns = row_bytes / kRowBytes;
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::byte* from = matrix.data() + column * kRowBytes;
      for (std::int64_t row = 0; row < rows; ++row, to += kRowBytes) {
        std::memcpy(to, from + row * row_bytes, kRowBytes);
      }
    }
  }
  tensors_.push_back(fractals);
  return fractals.gm();
}

std::uint8_t* Workspace::of_last_writers(const Tensor& index, const std::string& name) {
  const auto* rows = index.as<std::int64_t>();
  const auto kept = last_writers({rows, rows + index.elements()});
  if (!kept) return index.gm();
  Tensor copy(memory_, DType::kI64, index.shape(), name);
  std::copy(kept->begin(), kept->end(), copy.as<std::int64_t>());
  tensors_.push_back(copy);
  return copy.gm();
}

MlaBuffers mla_buffers(const Naming& name, const Call& call, const TensorMap& outputs,
                       Workspace& workspace) {
  const Lookup at(name, call, outputs);
  const std::int64_t tokens = at.tensor("token_x").shape()[0];
  MlaBuffers b{};
  b.token_x = at.in("token_x");
  b.w_dq = workspace.in_fractals({at.tensor("w_dq")}, "w_dq in fractals");
  b.w_uq_qr = workspace.in_fractals({at.tensor("w_uq_qr")}, "w_uq_qr in fractals");
  b.dequant_scale = at.in("dequant_scale");
  b.w_uk = at.in("w_uk");
  b.w_dkv_kr = workspace.in_fractals({at.tensor("w_dkv_kr")}, "w_dkv_kr in fractals");
  b.gamma_cq = at.in("gamma_cq");
  b.gamma_ckv = at.in("gamma_ckv");
  b.cos = at.in("cos");
  b.sin = at.in("sin");
  b.cache_index = workspace.of_last_writers(at.tensor("cache_index"), "cache_index of those kept");
  b.kv_cache = at.in("kv_cache");
  b.kr_cache = at.in("kr_cache");
  b.k_scale_cache = at.in("k_scale_cache");
  b.q_norm = at.out("q_norm");
  b.q_norm_scale = at.out("q_norm_scale");
  if (b.q_norm == nullptr) {
    b.q_norm = workspace.allocate(DType::kI8, {tokens, kQueryRank}, "q_norm");
    b.q_norm_scale = workspace.allocate(DType::kF32, {tokens}, "q_norm_scale");
  }
  b.query_nope = at.out("query_nope");
  b.query_rope = at.out("query_rope");
  b.query_latent = workspace.allocate(DType::kBF16, {tokens, kQueryRank}, "query latent");
  b.key = workspace.allocate(DType::kBF16, {tokens, kKeyWidth}, "key");
  b.query_sums = workspace.allocate(DType::kI32, {tokens, kHeads * kHeadWidth}, "query sums");
  b.query_parts = workspace.allocate(DType::kBF16, {tokens, kHeads, kNope}, "query parts");
  return b;
}

IndexerBuffers indexer_buffers(const Naming& name, const Call& call, const TensorMap& outputs,
                               const MlaBuffers* mla, Workspace& workspace) {
  const Lookup at(name, call, outputs);
  const std::int64_t tokens = at.tensor("x_in").shape()[0];
  IndexerBuffers b{};
  b.x = at.in("x_in");
  b.q_norm = mla != nullptr ? mla->q_norm : at.in("q_norm_in");
  b.q_norm_scale = mla != nullptr ? mla->q_norm_scale : at.in("q_norm_scale_in");
  b.w_qb = workspace.in_fractals({at.tensor("w_qb_in")}, "w_qb_in in fractals");
  b.w_qb_scale = at.in("w_qb_scale_in");
  b.w_key = workspace.in_fractals({at.tensor("wk_in"), at.tensor("w_proj_in")},
                                  "wk_in and w_proj_in in fractals");
  b.ln_gamma = at.in("ln_gamma_k");
  b.ln_beta = at.in("ln_beta_k");
  b.cos = at.in("cos_idx_rope");
  b.sin = at.in("sin_idx_rope");
  b.hadamard_q = at.in("hadamard_q");
  b.hadamard_k = at.in("hadamard_k");
  b.cache_index = workspace.of_last_writers(at.tensor("k_cache_index"), "index of those kept");
  b.k_int8 = at.in("k_int8");
  b.k_scale = at.in("k_scale");
  b.q_int8 = at.out("q_int8");
  b.q_scale = at.out("q_scale");
  b.weights = at.out("weights");
  const Shape queries = {tokens, kIndexHeads, kIndexDim}, keys = {tokens, kIndexDim};
  b.query_sums = workspace.allocate(DType::kI32, queries, "index query sums");
  b.rotated_query = workspace.allocate(DType::kBF16, queries, "rotated index queries");
  b.mixed_query = workspace.allocate(DType::kBF16, queries, "mixed index queries");
  b.key = workspace.allocate(DType::kF32, {tokens, kIndexDim + kIndexHeads}, "index keys");
  b.rotated_key = workspace.allocate(DType::kBF16, keys, "rotated index keys");
  b.mixed_key = workspace.allocate(DType::kBF16, keys, "mixed index keys");
  return b;
}

}  // namespace davsim::operators::prolog
