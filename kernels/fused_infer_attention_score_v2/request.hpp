// A call of FusedInferAttentionScore v2 as its rules read it, and the attention problem that
// follows from it. Each read_* function validates one group of rules and fills in its part of the
// problem, so that each rule is in one place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/problem.hpp"
#include "kernels/common/require.hpp"
#include "kernels/fused_infer_attention_score_v2/layout.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::fused_infer_attention_score {

/// The columns of the scene matrix: which rules a call falls under.
enum class Scene : std::uint8_t {
  kPrompt,       ///< several query rows
  kIncremental,  ///< one query row
  kMla512,       ///< split rope part, latent width 512
  kMla512Int8,   ///< the same with int8 query, key and value
  kMla128,       ///< split rope part, width 128, batches behind one another
  kTnd,          ///< batches behind one another, no rope part
  kGqaNz,        ///< int8 caches of fractals, 16-bit query
};

/// How the key and value tensors hold their rows.
enum class Cache : std::uint8_t {
  kNone,    ///< not paged
  kBnBsH,   ///< [nb, bs, Nkv*D]
  kBnNBsD,  ///< [nb, Nkv, bs, D]
  kNz,      ///< [nb, Nkv, D/C0, bs, C0]
};

/// Columns and rows of the mask of the sparse modes 2, 3 and 4.
inline constexpr std::int64_t kMaskSquare = 2048;
inline constexpr std::int64_t kRopeWidth = 64;
/// Query rows a batch of the scenes that treat all of them as one tile.
inline constexpr std::int64_t kMostDecodeRows = 16;

struct Request {
  explicit Request(const Call& the_call) : call(the_call) {}

  const Call& call;
  const Layout* layout = nullptr;
  Scene scene = Scene::kPrompt;
  /// The query has no elements: nothing is computed, and nothing beyond its shape is read.
  bool empty = false;

  Extents query;                     ///< TND: one batch of T rows
  std::int64_t batches = 0;          ///< B
  std::int64_t kv_rows = 0;          ///< Skv, or Tkv; paged: maxPages * bs
  std::vector<Tensor> keys, values;  ///< one, or one a batch
  Cache cache = Cache::kNone;
  std::int64_t pages = 0;  ///< nb
  isa::DType out_type = isa::DType::kNone;
  std::int64_t sparse_mode = 0;

  attention::Problem problem;  ///< without its outputs

  const Tensor& tensor(std::string_view name) const { return tensor_of(call, name); }
  bool has(std::string_view name) const { return optional_tensor(call, name) != nullptr; }
  isa::DType query_type() const { return tensor("query").dtype(); }
  isa::DType kv_type() const { return keys.front().dtype(); }
  bool paged() const { return cache != Cache::kNone; }
  bool behind_one_another() const { return layout->behind_one_another(); }
  bool mla512() const { return scene == Scene::kMla512 || scene == Scene::kMla512Int8; }
  bool general() const { return scene == Scene::kPrompt || scene == Scene::kIncremental; }
  bool quantised_kv() const {
    return kv_type() == isa::DType::kI8 || kv_type() == isa::DType::kI32;
  }
  /// The scenes of one query row or a few, whose rules are those of the incremental path.
  bool incremental_path() const {
    return scene == Scene::kIncremental || scene == Scene::kGqaNz || mla512();
  }
  /// One query row a batch, known from the shape alone.
  bool single_row() const { return !behind_one_another() && query.rows == 1; }
};

/// Everything that a legal call says. Throws Refusal.
Request read(const Call& call);

/// The name of a type in messages.
inline std::string name_of(isa::DType type) {
  return std::string(isa::dtype_name(type));
}

// The groups of rules in their order; each may rely on those before it.
void read_operands(Request& request);  ///< heads, layout, ranks, sizes, dtypes, scene
void read_rope(Request& request);      ///< MLA
void read_paging(Request& request);    ///< caches and page table, without its entries
void read_lengths(Request& request);   ///< actual_seq_qlen, actual_seq_kvlen
void validate_page_ids(const Request& request);
void read_mask(Request& request);  ///< atten_mask, sparse_mode, pre_tokens, next_tokens
void read_pse_shift(Request& request);
void read_kv_quant(Request& request);      ///< dequant_scale_key, ... with a 16-bit query
void read_query_quant(Request& request);   ///< int8 query
void read_output_quant(Request& request);  ///< int8 output
void read_options(Request& request);       ///< inner_precise, softmax_lse, reserved parameters

}  // namespace davsim::operators::fused_infer_attention_score
