// Paged caches: their three kinds, block_size and block_table.
#include <cstring>
#include <string>

#include "kernels/common/page_table.hpp"
#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;
using E = ErrorClass;

constexpr std::int64_t kMostBnBsHWidth = 65535;
constexpr std::int64_t kMostPageRows = 512;

std::int64_t fractal_width(DType type) {
  return 32 / static_cast<std::int64_t>(isa::dtype_bytes(type));
}

Cache cache_of(const Shape& shape) {
  switch (shape.size()) {
    case 3:
      return Cache::kBnBsH;
    case 4:
      return Cache::kBnNBsD;
    case 5:
      return Cache::kNz;
    default:
      throw Refusal(E::kShape, "a paged key has rank 3, 4 or 5",
                    "a paged key has rank 3, 4 or 5; its shape is " + to_string(shape));
  }
}

/// Shape of a cache of the key's kind for heads of `width` elements.
Shape cache_shape(const Request& r, DType type, std::int64_t width) {
  const std::int64_t nb = r.pages, bs = r.problem.pages.page_rows, heads = r.problem.kv_heads;
  const std::int64_t c0 = fractal_width(type);
  switch (r.cache) {
    case Cache::kBnBsH:
      return {nb, bs, heads * width};
    case Cache::kBnNBsD:
      return {nb, heads, bs, width};
    case Cache::kNz:
      return {nb, heads, width / c0, bs, c0};
    case Cache::kNone:
      break;
  }
  return {};
}

std::string cache_symbols(Cache cache) {
  if (cache == Cache::kBnBsH) return "[nb, bs, Nkv*D]";
  return cache == Cache::kBnNBsD ? "[nb, Nkv, bs, D]" : "[nb, Nkv, D/C0, bs, C0]";
}

attention::KvTensor cache_tensor(const Request& r, const Tensor& tensor, std::int64_t width) {
  const std::int64_t bs = r.problem.pages.page_rows, heads = r.problem.kv_heads;
  attention::KvTensor kv;
  kv.data = {tensor.gm()};
  kv.type = tensor.dtype();
  kv.storage =
      r.cache == Cache::kNz ? attention::Storage::kPagedNz : attention::Storage::kPagedRows;
  kv.strides.batch = heads * bs * width;
  kv.strides.head = r.cache == Cache::kBnBsH ? width : bs * width;
  kv.strides.row = r.cache == Cache::kBnBsH ? heads * width : width;
  if (r.cache == Cache::kNz) kv.strides.row = fractal_width(tensor.dtype());
  return kv;
}

void validate_paged_scene(const Request& r) {
  require(!r.behind_one_another() || r.mla512(), E::kAttr,
          "TND is paged only with D = 512 and rope parts", "block_table is given");
  require(r.kv_type() != DType::kI32, E::kDtype, "int4 key and value are not paged",
          "block_table is given");
  require(r.keys.size() == 1 && r.values.size() == 1, E::kAttr, "tensor lists are not paged",
          "block_table is given");
}

void validate_kind(const Request& r) {
  const Axes axes = r.layout->query;
  const std::string found = "key is " + to_string(r.keys.front().shape()) + ", input_layout is " +
                            std::string(r.layout->name);
  const bool by_heads = axes == Axes::kBnsd || axes == Axes::kTnd;
  require(r.cache != Cache::kBnNBsD || by_heads, E::kAttr,
          "caches [nb, Nkv, bs, D] need a layout whose query is BNSD or TND", found);
  if (r.scene == Scene::kMla512Int8) {
    require(r.cache == Cache::kNz, E::kShape, "with an int8 query, the caches are of rank 5",
            found);
  }
  if (r.mla512() && r.cache == Cache::kNz) {
    require(axes != Axes::kBnsd, E::kAttr,
            "caches of rank 5 with rope parts exclude BNSD and BNSD_NBSD", found);
  }
}

/// The rows of a page that the key's shape says.
std::int64_t page_rows_of(const Request& r) {
  const Shape& shape = r.keys.front().shape();
  const std::int64_t in_shape = shape[r.cache == Cache::kBnBsH ? 1 : shape.size() - 2];
  const std::int64_t rows = int_attribute(r.call, "block_size");
  require(rows > 0, E::kAttr, "block_size is positive where block_table is given",
          "found " + std::to_string(rows));
  require(rows == in_shape, E::kShape, "key's rows a page are block_size",
          "key is " + to_string(shape) + ", block_size is " + std::to_string(rows));
  return rows;
}

void validate_page_rows(const Request& r) {
  const std::int64_t rows = r.problem.pages.page_rows;
  const std::string found = "found " + std::to_string(rows);
  if (r.mla512() && r.cache == Cache::kNz) {
    require(rows == 128, E::kAttr, "block_size of caches of rank 5 with rope parts is 128", found);
  } else if (r.mla512()) {
    require(rows == 16 || rows == 128, E::kAttr, "block_size with D = 512 is 16 or 128", found);
  } else if (r.scene == Scene::kGqaNz) {
    require(rows == 128 || rows == 512, E::kAttr,
            "block_size of int8 caches of rank 5 is 128 or 512", found);
  } else {
    const std::int64_t step =
        r.scene == Scene::kPrompt ? 128 : (r.kv_type() == DType::kI8 ? 32 : 16);
    require(rows % step == 0 && rows <= kMostPageRows, E::kAttr,
            "block_size is a multiple of " + std::to_string(step) + ", at most 512", found);
  }
}

void validate_cache_shapes(const Request& r) {
  const Shape expected = cache_shape(r, r.kv_type(), r.query.width);
  const std::string symbols = cache_symbols(r.cache) + ", D that of query";
  for (const Tensor* tensor : {&r.keys.front(), &r.values.front()}) {
    const std::string name = tensor == &r.keys.front() ? "key" : "value";
    require(tensor->shape() == expected, E::kShape, "the shape of paged " + name + " is " + symbols,
            "expected " + to_string(expected) + ", found " + to_string(tensor->shape()));
  }
  const std::int64_t row = r.problem.kv_heads * r.query.width;
  require(r.cache != Cache::kBnBsH || row <= kMostBnBsHWidth, E::kShape,
          "Nkv*D of caches [nb, bs, Nkv*D] is at most 65535", "found " + std::to_string(row));
  const bool counted = r.incremental_path();
  require(!counted || element_count(expected) < (std::int64_t{1} << 31), E::kShape,
          "a cache of the incremental path has less than 2^31 elements",
          "key is " + to_string(expected));
}

void read_table(Request& r) {
  const Tensor& table = r.tensor("block_table");
  require(table.shape().size() == 2, E::kShape, "block_table is [B, >= maxPages]",
          "its shape is " + to_string(table.shape()));
  r.problem.pages.table = table.as<std::int32_t>();
  r.problem.pages.columns = table.shape()[1];
  if (!r.behind_one_another()) {
    require(table.shape()[0] == r.batches, E::kShape, "dimension 0 of block_table is B",
            "its shape is " + to_string(table.shape()) + ", B is " + std::to_string(r.batches));
  }
  r.kv_rows = r.problem.pages.columns * r.problem.pages.page_rows;
}

/// MLA passes one cache as key and as value. Tensors that came from a file are two, with the same
/// bytes: they count as one, so that the kernel may read their rows once.
bool same_latent_rows(const Request& r) {
  const Tensor& key = r.keys.front();
  const Tensor& value = r.values.front();
  if (!r.mla512()) return false;
  return key.data() == value.data() || std::memcmp(key.data(), value.data(), key.bytes()) == 0;
}

/// With an int8 key, several query rows and pages of rows: what the public kernel takes.
void validate_paged_prompt_antiquant(const Request& r) {
  if (r.scene != Scene::kPrompt || !r.quantised_kv()) return;
  const Axes axes = r.layout->query;
  require(axes == Axes::kBsh || axes == Axes::kBsnd, E::kAttr,
          "paged int8 key with several query rows has the layouts BSH and BSND",
          "found " + std::string(r.layout->name));
  require(int_attribute(r.call, "key_quant_mode") == 0, E::kAttr,
          "paged int8 key with several query rows is quantised per channel",
          "key_quant_mode is " + std::to_string(int_attribute(r.call, "key_quant_mode")));
  require(int_attribute(r.call, "sparse_mode") == 3, E::kAttr,
          "paged int8 key with several query rows has sparse_mode 3",
          "found " + std::to_string(int_attribute(r.call, "sparse_mode")));
  require(int_attribute(r.call, "inner_precise") % 2 == 1, E::kAttr,
          "paged int8 key with several query rows has inner_precise 1 or 3",
          "found " + std::to_string(int_attribute(r.call, "inner_precise")));
  require(!r.has("pse_shift"), E::kAttr, "paged int8 key with several query rows has no pse_shift",
          "it is given");
}

}  // namespace

void read_paging(Request& r) {
  require(r.has("block_table"), E::kNull, "caches of rank 5 need block_table", "it is missing");
  validate_paged_scene(r);
  r.cache = cache_of(r.keys.front().shape());
  validate_kind(r);
  r.pages = r.keys.front().shape()[0];
  r.problem.pages.page_rows = page_rows_of(r);
  validate_page_rows(r);
  validate_cache_shapes(r);
  read_table(r);
  validate_paged_prompt_antiquant(r);
  r.problem.value_width = r.query.width;
  r.problem.key = cache_tensor(r, r.keys.front(), r.query.width);
  const Tensor& value = same_latent_rows(r) ? r.keys.front() : r.values.front();
  r.problem.value = cache_tensor(r, value, r.query.width);
}

void validate_page_ids(const Request& r) {
  if (!r.paged()) return;
  const attention::PageTable& pages = r.problem.pages;
  const Tensor& table = r.tensor("block_table");
  for (std::size_t b = 0; b < r.problem.batches.size(); ++b) {
    require_page_ids(table, "block_table", static_cast<std::int64_t>(b),
                     r.problem.batches[b].kv_rows, pages.page_rows, r.pages);
  }
}

}  // namespace davsim::operators::fused_infer_attention_score
