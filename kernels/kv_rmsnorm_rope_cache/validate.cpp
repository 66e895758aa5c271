// The rules of kv_rmsnorm_rope_cache, in the order of its page.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/arithmetic.hpp"
#include "kernels/common/duplicate_rows.hpp"
#include "kernels/common/require.hpp"
#include "kernels/kv_rmsnorm_rope_cache/problem.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::kv_rmsnorm_rope_cache {
namespace {

using isa::DType;

struct Cache {
  const char* name;
  const char* scale;
  const char* offset;
  std::int64_t width;
};
constexpr Cache kCaches[] = {{"k_cache", "k_rope_scale", "k_rope_offset", kRope},
                             {"ckv_cache", "c_kv_scale", "c_kv_offset", kLatent}};

std::string dtype_text(const Call& call, const char* name) {
  return std::string(name) + " is " + std::string(isa::dtype_name(tensor_of(call, name).dtype()));
}

void validate_dtypes(const Call& call) {
  const DType kv = tensor_of(call, "kv").dtype();
  for (const char* name : {"gamma", "cos", "sin"}) {
    require(tensor_of(call, name).dtype() == kv, ErrorClass::kDtype,
            std::string(name) + " has the dtype of kv",
            dtype_text(call, "kv") + ", " + dtype_text(call, name));
  }
  for (const Cache& cache : kCaches) {
    const DType dtype = tensor_of(call, cache.name).dtype();
    require(dtype == kv || dtype == DType::kI8, ErrorClass::kDtype,
            std::string(cache.name) + " has the dtype of kv, or int8",
            dtype_text(call, "kv") + ", " + dtype_text(call, cache.name));
  }
}

void validate_table(const Call& call, const char* name) {
  const Shape& kv = tensor_of(call, "kv").shape();
  const Shape& table = tensor_of(call, name).shape();
  const Shape per_token = {kv[0], 1, kv[2], kRope}, per_batch = {kv[0], 1, 1, kRope};
  require(table == per_token || table == per_batch, ErrorClass::kShape,
          "the shape of " + std::string(name) + " is [B, 1, S, 64] or [B, 1, 1, 64]",
          "kv is " + to_string(kv) + ", " + name + " is " + to_string(table));
}

void validate_inputs(const Call& call) {
  const Shape& kv = tensor_of(call, "kv").shape();
  require(kv[0] >= 1 && kv[1] == 1 && kv[2] >= 1 && kv[3] == kRow, ErrorClass::kShape,
          "the shape of kv is [B, 1, S, 576] with B and S of at least 1", "found " + to_string(kv));
  require_shape(call, "gamma", {kLatent}, "[512]");
  validate_table(call, "cos");
  validate_table(call, "sin");
}

/// Comes after the inputs and before the caches, whose rules depend on it.
CacheMode checked_mode(const Call& call) {
  const std::string name = string_attribute(call, "cache_mode");
  const auto mode = cache_mode_named(name);
  require(mode.has_value(), ErrorClass::kAttr,
          "cache_mode is Norm, PA, PA_BNSD, PA_NZ, PA_BLK_BNSD or PA_BLK_NZ",
          "found \"" + name + "\"");
  return *mode;
}

void validate_index_count(const Call& call, const CacheMode& mode) {
  const Shape& kv = tensor_of(call, "kv").shape();
  const Shape& cache = tensor_of(call, "k_cache").shape();
  const Tensor& index = tensor_of(call, "index");
  const bool pages = mode.indexing == Indexing::kPage;
  const std::int64_t wanted =
      pages ? kv[0] * ceil_div(kv[2], std::max<std::int64_t>(cache[1], 1)) : kv[0] * kv[2];
  require(index.elements() == wanted, ErrorClass::kShape,
          pages ? "index has B*ceil(S, bs) elements" : "index has B*S elements",
          "expected " + std::to_string(wanted) + ", its shape is " + to_string(index.shape()));
}

void validate_cache_shapes(const Call& call, const CacheMode& mode) {
  const std::int64_t batch = tensor_of(call, "kv").shape()[0];
  const Shape& first = tensor_of(call, "k_cache").shape();
  for (const Cache& cache : kCaches) {
    require_not_empty(call, cache.name);
    const std::string width = std::to_string(cache.width);
    if (mode.paged()) {
      require_shape(call, cache.name, {first[0], first[1], 1, cache.width},
                    "[nb, bs, 1, " + width + "], nb and bs those of k_cache");
    } else {
      require_shape(call, cache.name, {batch, 1, first[2], cache.width},
                    "[B, 1, Smax, " + width + "], Smax that of k_cache");
    }
  }
}

bool is_int8(const Call& call, const char* name) {
  return tensor_of(call, name).dtype() == DType::kI8;
}

/// C0 divides 64 and 512, so the widths of the caches need no rule of their own in NZ.
void validate_page_rows(const Call& call, const CacheMode& mode) {
  if (!mode.paged()) return;
  const std::int64_t unit = is_int8(call, "k_cache") || is_int8(call, "ckv_cache") ? 32 : 16;
  const std::int64_t rows = tensor_of(call, "k_cache").shape()[1];
  require(rows % unit == 0, ErrorClass::kShape,
          "bs, the rows of a page, is a multiple of 16, for int8 caches of 32",
          "bs is " + std::to_string(rows));
}

void validate_quant_shape(const Call& call, const char* name, std::int64_t width) {
  if (!has_tensor(call, name)) return;
  const Shape& shape = tensor_of(call, name).shape();
  require(shape == Shape{width} || shape == Shape{1, width}, ErrorClass::kShape,
          "the shape of " + std::string(name) + " is [" + std::to_string(width) + "] or [1, " +
              std::to_string(width) + "]",
          "found " + to_string(shape));
}

std::string given(const Call& call) {
  std::string names;
  for (const Cache& cache : kCaches) {
    for (const char* name : {cache.scale, cache.offset}) {
      if (has_tensor(call, name)) names += (names.empty() ? "" : ", ") + std::string(name);
    }
  }
  return "given: " + (names.empty() ? "none" : names);
}

void validate_quant_combination(const Call& call, const CacheMode& mode) {
  const auto has = [&](const char* name) { return has_tensor(call, name); };
  const bool scaled = has("k_rope_scale") || has("c_kv_scale");
  require(mode.paged() || !scaled, ErrorClass::kAttr, "cache_mode Norm does not quantise",
          given(call));
  for (const Cache& cache : kCaches) {
    require(has(cache.scale) || !has(cache.offset), ErrorClass::kAttr,
            std::string(cache.offset) + " comes with " + cache.scale, given(call));
  }
  if (bool_attribute(call, "partial_quant")) return;
  require(has("k_rope_scale") == has("c_kv_scale"), ErrorClass::kAttr,
          "k_rope_scale and c_kv_scale are given together", given(call));
  require(has("k_rope_offset") == has("c_kv_offset"), ErrorClass::kAttr,
          "k_rope_offset and c_kv_offset are given together", given(call));
}

void validate_cache_dtypes(const Call& call) {
  for (const Cache& cache : kCaches) {
    require(is_int8(call, cache.name) == has_tensor(call, cache.scale), ErrorClass::kDtype,
            std::string(cache.name) + " is int8 where " + cache.scale + " is given, and only there",
            dtype_text(call, cache.name) + ", " + given(call));
  }
}

void validate_capacity(const Problem& p) {
  const std::string found = "S is " + std::to_string(p.seq_len) + ", ";
  if (!p.mode.paged()) {
    require(p.page_rows >= p.seq_len, ErrorClass::kShape, "Smax is at least S",
            found + "Smax is " + std::to_string(p.page_rows));
    return;
  }
  require(p.pages >= p.blocks_of_batch() * p.batch, ErrorClass::kShape,
          "nb is at least ceil(S, bs)*B",
          found + "bs is " + std::to_string(p.page_rows) + ", B is " + std::to_string(p.batch) +
              ", nb is " + std::to_string(p.pages));
}

/// A rule of this implementation: the kernel counts in 32 bits.
void validate_limits(const Problem& p) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / kRow;
  require(p.tokens() <= kMost, ErrorClass::kUnsupported, "B*S is at most " + std::to_string(kMost),
          "B*S is " + std::to_string(p.tokens()));
  require(p.page_rows <= kMost, ErrorClass::kUnsupported,
          "bs and Smax are at most " + std::to_string(kMost),
          "found " + std::to_string(p.page_rows));
}

void validate_indices(const Call& call, const Problem& p) {
  const auto* index = tensor_of(call, "index").as<std::int64_t>();
  const bool of_batch = p.mode.indexing == Indexing::kRowOfBatch;
  const std::int64_t last = (of_batch ? p.page_rows : p.rows()) - 1;
  for (std::int64_t i = 0; i < p.index_count(); ++i) {
    require(index[i] >= -1 && index[i] <= last, ErrorClass::kIndex,
            std::string("entries of index are -1 or rows of ") +
                (of_batch ? "a batch, below Smax" : "the caches, below nb*bs"),
            "index[" + std::to_string(i) + "] is " + std::to_string(index[i]) +
                ", the last row is " + std::to_string(last));
  }
}

}  // namespace

void validate_ranks(const Call& call) {
  require_rank(call, "kv", {4});
  require_rank(call, "gamma", {1});
  require_rank(call, "cos", {4});
  require_rank(call, "sin", {4});
}

void validate(const Call& call) {
  validate_dtypes(call);
  validate_inputs(call);
  // A wrong rank of a cache is a matter of its shape in the documented list.
  for (const Cache& cache : kCaches) {
    const Shape& shape = tensor_of(call, cache.name).shape();
    require(shape.size() == 4, ErrorClass::kShape,
            "the rank of " + std::string(cache.name) + " is 4", "its shape is " + to_string(shape));
  }
  const CacheMode mode = checked_mode(call);
  validate_index_count(call, mode);
  validate_cache_shapes(call, mode);
  validate_page_rows(call, mode);
  for (const Cache& cache : kCaches) {
    validate_quant_shape(call, cache.scale, cache.width);
    validate_quant_shape(call, cache.offset, cache.width);
  }
  validate_quant_combination(call, mode);
  validate_cache_dtypes(call);
  bool_attribute(call, "is_output_kv");
  const Problem problem = problem_of(call);
  validate_capacity(problem);
  validate_limits(problem);
  validate_indices(call, problem);
}

std::vector<std::string> warnings(const Call& call, bool thorough) {
  std::vector<std::string> found;
  if (has_tensor(call, "k_rope_offset") || has_tensor(call, "c_kv_offset")) {
    found.emplace_back(
        "offsets are added after the scale here; the public kernel of A2 and A3 ignores them");
  }
  if (!thorough) return found;
  const Problem p = problem_of(call);
  const auto* index = tensor_of(call, "index").as<std::int64_t>();
  std::vector<std::int64_t> rows;
  for (std::int64_t token = 0; token < p.tokens(); ++token) {
    rows.push_back(cache_row(p, index, token));
  }
  for (std::string& pair : duplicate_rows(rows, " (b*S + s)")) found.push_back(std::move(pair));
  return found;
}

}  // namespace davsim::operators::kv_rmsnorm_rope_cache
