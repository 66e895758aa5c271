// Query, caches, page table and lengths: dtypes, shapes, sizes.
#include <algorithm>
#include <string>

#include "kernels/common/page_table.hpp"
#include "kernels/paged_attention/request.hpp"

namespace davsim::operators::paged_attention {
namespace {

using isa::DType;
using E = ErrorClass;

constexpr std::int64_t kWidest = 576;
/// Heads wider than this have small pages, and only masks and batchRunStatus beside them.
constexpr std::int64_t kWide = 256;
constexpr std::int64_t kWideHeadPageRows = 128;
constexpr std::int64_t kMostPageElements = 16384;  ///< D * bs
constexpr std::int64_t kFractalWidth = 16;         ///< of float16

std::string number(std::int64_t value) {
  return std::to_string(value);
}

void require_dtype(const Request& r, const char* name, DType expected, const std::string& rule) {
  const DType found = r.tensor(name).dtype();
  require(found == expected, E::kDtype, "the dtype of " + std::string(name) + " is " + rule,
          "expected " + std::string(isa::dtype_name(expected)) + ", found " +
              std::string(isa::dtype_name(found)));
}

/// Heads of the caches: with razor, each kv head has pages of its own.
std::int64_t cache_heads(const Request& r) {
  return r.razor == Razor::kNone ? r.kv_heads : 1;
}

struct CacheShape {
  std::int64_t pages, rows, heads, width;
};

/// [nb, kvH*D/16, bs, 16]
CacheShape fractal_shape(const Request& r, const char* name) {
  const Shape& shape = r.tensor(name).shape();
  const std::string found = "its shape is " + to_string(shape);
  require(shape[3] == kFractalWidth, E::kShape,
          "the last dimension of " + std::string(name) + " is 16", found);
  require(shape[1] % r.kv_heads == 0, E::kShape,
          "dimension 1 of " + std::string(name) + " is a multiple of kvHeadNum", found);
  return {shape[0], shape[2], r.kv_heads, shape[1] / r.kv_heads * kFractalWidth};
}

CacheShape cache_shape(const Request& r, const char* name) {
  if (r.older()) return fractal_shape(r, name);
  const Shape& shape = r.tensor(name).shape();
  if (r.bnsd) return {shape[0], shape[2], shape[1], shape[3]};
  return {shape[0], shape[1], shape[2], shape[3]};
}

attention::KvTensor cache_tensor(const Request& r, const char* name) {
  const CacheShape shape = cache_shape(r, name);
  attention::KvTensor kv;
  kv.data = {r.tensor(name).gm()};
  kv.type = r.tensor(name).dtype();
  kv.storage = attention::Storage::kPagedRows;
  kv.strides.batch = shape.rows * shape.heads * shape.width;
  kv.strides.head = r.bnsd ? shape.rows * shape.width : shape.width;
  kv.strides.row = r.bnsd ? shape.width : shape.heads * shape.width;
  if (!r.older()) return kv;
  kv.storage = attention::Storage::kPagedNz;
  kv.strides.head = shape.rows * shape.width;
  kv.strides.row = kFractalWidth;
  return kv;
}

void read_query(Request& r) {
  require_rank(r.call, "query", {3});
  require_not_empty(r.call, "query");
  const Shape& shape = r.tensor("query").shape();
  r.tokens = shape[0];
  require(shape[1] == r.heads, E::kShape, "dimension 1 of query is headNum",
          "query is " + to_string(shape) + ", headNum is " + number(r.heads));
  attention::Problem& p = r.problem;
  p.key_width = shape[2];
  require(p.key_width <= kWidest, E::kShape, "D is at most 576", "found " + number(p.key_width));
  p.query_heads = r.heads / r.sequences_per_token();
  p.kv_heads = cache_heads(r);
  p.query = {r.tensor("query").gm(), r.query_type(), {0, p.key_width, p.query_heads * p.key_width}};
}

void read_cache(const Request& r, const char* name, CacheShape& shape) {
  require_rank(r.call, name, {4});
  require_not_empty(r.call, name);
  shape = cache_shape(r, name);
  require(
      shape.heads == cache_heads(r), E::kShape,
      std::string(name) + " has kvHeadNum heads, with compressType one",
      "its shape is " + to_string(r.tensor(name).shape()) + ", kvHeadNum is " + number(r.kv_heads));
}

void read_caches(Request& r) {
  attention::Problem& p = r.problem;
  CacheShape key{}, value{};
  read_cache(r, "keyCache", key);
  require(key.width == p.key_width, E::kShape, "query and keyCache have one D",
          "query has " + number(p.key_width) + ", keyCache has " + number(key.width));
  r.pages = key.pages;
  p.pages.page_rows = key.rows;
  p.key = p.value = cache_tensor(r, "keyCache");
  p.value_width = r.merged_width;
  if (r.merged()) {
    require(r.merged_width <= p.key_width, E::kShape, "mlaVHeadSize is at most D",
            "mlaVHeadSize is " + number(r.merged_width) + ", D is " + number(p.key_width));
    return;
  }
  read_cache(r, "valueCache", value);
  require(value.pages == key.pages && value.rows == key.rows, E::kShape,
          "keyCache and valueCache have as many pages of as many rows",
          "keyCache is " + to_string(r.tensor("keyCache").shape()) + ", valueCache is " +
              to_string(r.tensor("valueCache").shape()));
  p.value_width = value.width;
  p.value = cache_tensor(r, "valueCache");
}

void read_table(Request& r) {
  require_rank(r.call, "blockTables", {2});
  require_rank(r.call, "contextLens", {1});
  require_not_empty(r.call, "blockTables");
  require_not_empty(r.call, "contextLens");
  r.batches = r.tensor("contextLens").shape()[0];
  const Shape& table = r.tensor("blockTables").shape();
  require(table[0] == r.batches, E::kShape, "blockTables and contextLens have as many batches",
          "blockTables is " + to_string(table) + ", contextLens has " + number(r.batches));
  require(r.batches % r.sequences_per_token() == 0, E::kShape,
          "contextLens has an entry for each token and kv head with compressType",
          "found " + number(r.batches) + ", kvHeadNum is " + number(r.kv_heads));
  for (const char* name : {"batchRunStatus", "qSeqLens"}) {
    if (has_tensor(r.call, name)) require_shape(r.call, name, {r.batches}, "[batch]");
  }
  r.problem.pages.table = r.tensor("blockTables").as<std::int32_t>();
  r.problem.pages.columns = table[1];
}

void validate_widths(const Request& r) {
  const attention::Problem& p = r.problem;
  require(p.value_width <= kWidest, E::kShape, "Dv is at most 576",
          "found " + number(p.value_width));
  require(p.key_width % 16 == 0 && p.value_width % 16 == 0, E::kShape,
          "D and Dv are multiples of 16",
          "found " + number(p.key_width) + " and " + number(p.value_width));
  const bool plain = r.razor == Razor::kNone && r.quant == Quant::kNone && !r.parallel && !r.logn &&
                     !r.bnsd && !r.older();
  require(
      plain || !r.separate(), E::kShape,
      "compressType, quantType, calcType, scaleType, inputLayout and the older inference series "
      "need D = Dv of at most 256",
      "D is " + number(p.key_width) + ", Dv is " + number(p.value_width));
}

/// One size of page serves several buffers of the public kernel; hence rules by width.
void validate_page_rows(const Request& r) {
  const attention::Problem& p = r.problem;
  const std::int64_t rows = r.page_rows(), width = p.key_width;
  const std::string found =
      "bs is " + number(rows) + ", D is " + number(width) + ", Dv is " + number(p.value_width);
  require(rows % 16 == 0, E::kShape, "bs is a multiple of 16", found);
  if (width > kWide || p.value_width > kWide) {
    const bool latent = r.merged() && (r.heads == 16 || r.heads == 32) && width == 576 &&
                        p.value_width == 512 && rows == 256;
    require(rows <= kWideHeadPageRows || latent, E::kShape,
            "bs is at most 128 where D or Dv is above 256", found);
    return;
  }
  if (width != p.value_width) return;
  const bool plain =
      r.quant == Quant::kNone && !r.parallel && r.razor == Razor::kNone && !r.logn && !r.older();
  if (width == kWide && rows >= 128 && (plain || r.merged())) {
    require(rows % 128 == 0, E::kShape, "bs of 128 and more is a multiple of 128 where D is 256",
            found);
    return;
  }
  require(width * rows <= kMostPageElements, E::kShape, "D*bs is at most 16384", found);
}

void validate_counts(const Request& r) {
  constexpr std::int64_t kMostMergedBatches = 8192, kMostParallelBatches = 2000;
  const std::string found = "found " + number(r.batches);
  require(!r.merged() || r.batches <= kMostMergedBatches, E::kShape,
          "mlaVHeadSize has at most 8192 batches", found);
  require((!r.parallel && !r.older()) || r.batches <= kMostParallelBatches, E::kShape,
          "calcType 1 and the older inference series have at most 2000 batches", found);
  if (!r.parallel) return;
  require(r.page_rows() <= 128, E::kShape, "bs is at most 128 with calcType 1",
          "found " + number(r.page_rows()));
  if (r.merged()) return;
  require(r.heads <= 256, E::kShape, "calcType 1 has at most 256 heads",
          "found " + number(r.heads));
  const std::int64_t row = r.heads * r.problem.key_width;
  require(row <= kMostPageElements, E::kShape, "D*headNum is at most 16384 with calcType 1",
          "found " + number(row));
}

}  // namespace

void validate_dtypes(const Request& r) {
  const DType query = r.query_type();
  require(!r.older() || query == DType::kF16, E::kDtype,
          "query is float16 on the older inference series",
          "found " + std::string(isa::dtype_name(query)));
  require((query == DType::kI8) == r.full_quant(), E::kDtype,
          "query is int8 with quantType 2 and 3, and only then",
          "query is " + std::string(isa::dtype_name(query)));
  require_dtype(r, "keyCache", r.quant == Quant::kNone ? query : DType::kI8,
                "that of query, int8 with a quantType");
  if (!r.merged()) require_dtype(r, "valueCache", r.tensor("keyCache").dtype(), "that of keyCache");
  if (r.mask != MaskType::kNone) {
    require_dtype(r, "mask", r.full_quant() ? r.out_type : query,
                  "that of query, with quantType 2 and 3 outDataType");
  }
  if (r.logn) {
    require_dtype(r, "logN", r.older() ? DType::kF16 : DType::kF32,
                  "float32, float16 on the older inference series");
  }
  if (r.quant == Quant::kNone) return;
  const DType scale = r.tensor("kDescale").dtype();
  require_dtype(r, "vDescale", scale, "that of kDescale");
  require(scale == DType::kF32 || (query == DType::kF16 && !r.full_quant()), E::kDtype,
          "int64 descales go with quantType 1 and a float16 query",
          "query is " + std::string(isa::dtype_name(query)));
}

void read_operands(Request& r) {
  read_query(r);
  read_caches(r);
  read_table(r);
}

void validate_sizes(const Request& r) {
  validate_widths(r);
  validate_page_rows(r);
  validate_counts(r);
}

}  // namespace davsim::operators::paged_attention
