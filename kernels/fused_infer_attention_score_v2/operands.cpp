// query, key and value: layout, heads, ranks, dtypes, sizes, and the scene that follows from them.
#include <algorithm>
#include <string>

#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;
using E = ErrorClass;

constexpr std::int64_t kMostHeads = 256, kMostWidth = 512, kMostBatches = 65536;
constexpr std::int64_t kMostPromptRows = 20971520, kMostIncrementalKvRows = 262144;
constexpr std::int64_t kMostTokens = 1048576;
constexpr std::int64_t kMostGroup = 64;

bool is_16bit(DType type) {
  return type == DType::kF16 || type == DType::kBF16;
}

void read_heads(Request& r) {
  const std::int64_t heads = int_attribute(r.call, "num_query_heads");
  std::int64_t kv_heads = int_attribute(r.call, "num_key_value_heads");
  require(heads > 0, E::kAttr, "num_query_heads is at least 1", "found " + std::to_string(heads));
  require(kv_heads >= 0, E::kAttr, "num_key_value_heads is not negative",
          "found " + std::to_string(kv_heads));
  if (kv_heads == 0) kv_heads = heads;
  const std::string found = "found " + std::to_string(heads) + " and " + std::to_string(kv_heads);
  require(heads % kv_heads == 0, E::kAttr, "num_query_heads is a multiple of num_key_value_heads",
          found);
  require(heads <= kMostHeads, E::kShape, "num_query_heads is at most 256", found);
  r.problem.query_heads = heads;
  r.problem.kv_heads = kv_heads;
}

bool has_rope(const Request& r) {
  return r.has("query_rope");
}

void validate_rope_pair(const Request& r) {
  const bool query = r.has("query_rope"), key = r.has("key_rope");
  require(query == key, E::kNull, "query_rope and key_rope are given both or neither",
          std::string(query ? "key_rope" : "query_rope") + " is missing");
}

// --- dtypes
// ---------------------------------------------------------------------------------------

void validate_rope_dtypes(const Request& r, DType query, DType kv) {
  const DType query_rope = r.tensor("query_rope").dtype(), key_rope = r.tensor("key_rope").dtype();
  const bool full_quant = query == DType::kI8;
  require(query_rope == (full_quant ? DType::kBF16 : query), E::kDtype,
          full_quant ? "query_rope is bfloat16 where query is int8"
                     : "query_rope has the dtype of query",
          "it is " + name_of(query_rope) + ", query is " + name_of(query));
  require(
      key_rope == (full_quant ? DType::kBF16 : query), E::kDtype,
      full_quant ? "key_rope is bfloat16 where query is int8" : "key_rope has the dtype of query",
      "it is " + name_of(key_rope) + ", query is " + name_of(query));
  const bool antiquant = !full_quant && kv == DType::kI8;
  require(!(antiquant && r.keys.front().shape().size() == 5), E::kUnsupported,
          "int8 caches with rope parts need an int8 query",
          "query is " + name_of(query) + ": a scene of newer products");
}

/// Rules that depend on the path come with its sizes: validate_quantised_path().
void validate_dtypes(const Request& r) {
  const DType query = r.query_type(), kv = r.kv_type();
  for (const auto* list : {&r.keys, &r.values}) {
    for (const Tensor& tensor : *list) {
      require(tensor.dtype() == kv, E::kDtype, "key and value have one dtype",
              "found " + name_of(kv) + " and " + name_of(tensor.dtype()));
    }
  }
  const std::string pair = "query is " + name_of(query) + ", key is " + name_of(kv);
  if (has_rope(r)) {
    validate_rope_dtypes(r, query, kv);
    require(kv == query, E::kDtype, "with rope parts, key and value have the dtype of query", pair);
  }
  require(has_rope(r) || query != DType::kI8, E::kDtype, "an int8 query needs rope parts", pair);
  require(!is_16bit(kv) || kv == query, E::kDtype, "key of 16 bits has the dtype of query", pair);
  if (!has_rope(r) && r.behind_one_another()) {
    require(query == DType::kBF16, E::kDtype, "TND without D = 512 is bfloat16", pair);
    require(kv == query, E::kAttr, "TND takes no quantised key and value", pair);
  }
  if (!has_rope(r) && r.keys.front().shape().size() == 5) {
    require(query == DType::kBF16 && kv == DType::kI8, E::kDtype,
            "caches of rank 5 without rope parts are int8 with a bfloat16 query", pair);
  }
}

// --- query
// ----------------------------------------------------------------------------------------

void read_query(Request& r) {
  const Axes axes = r.layout->query;
  const Shape& shape = r.tensor("query").shape();
  require_rank(r.call, "query", {rank_of(axes)});
  const std::int64_t heads = r.problem.query_heads;
  require(axes != Axes::kBsh || shape[2] % heads == 0, E::kShape,
          "the last dimension of query is a multiple of num_query_heads",
          "query is " + to_string(shape) + ", num_query_heads is " + std::to_string(heads));
  r.query = extents_of(axes, shape, heads);
  require(r.query.heads == heads, E::kShape,
          "the head axis of query, " + symbols_of(axes) + ", is num_query_heads",
          "query is " + to_string(shape) + ", num_query_heads is " + std::to_string(heads));
  require(r.query.width <= kMostWidth, E::kShape, "D is at most 512",
          "D of query is " + std::to_string(r.query.width));
  r.empty = element_count(shape) == 0;
  r.batches = r.behind_one_another() ? 0 : r.query.batch;
  r.problem.key_width = r.query.width;
  r.problem.query.data = r.tensor("query").gm();
  r.problem.query.type = r.query_type();
  r.problem.query.strides = strides_of(axes, r.query);
}

Scene scene_of(const Request& r) {
  const bool nz = r.keys.front().shape().size() == 5;
  const std::int64_t width = r.query.width;
  if (has_rope(r)) {
    require(width == 512 || width == 128, E::kShape, "with rope parts D is 512 or 128",
            "D of query is " + std::to_string(width));
    if (width == 128) {
      require(r.query_type() == DType::kBF16, E::kDtype, "D = 128 with rope parts is bfloat16",
              "query is " + name_of(r.query_type()));
      return Scene::kMla128;
    }
    return r.query_type() == DType::kI8 ? Scene::kMla512Int8 : Scene::kMla512;
  }
  if (r.behind_one_another()) return Scene::kTnd;
  if (nz) return Scene::kGqaNz;
  return r.query.rows == 1 ? Scene::kIncremental : Scene::kPrompt;
}

/// Which layouts a scene has.
void validate_layout(const Request& r) {
  const std::string found = "found " + std::string(r.layout->name);
  const std::string_view name = r.layout->name;
  const bool mixed = name == "BNSD_BSND", to_ntd = name == "TND_NTD", from_ntd = name == "NTD_TND";
  switch (r.scene) {
    case Scene::kMla512:
    case Scene::kMla512Int8:
      require(!mixed && !from_ntd, E::kAttr, "D = 512 with rope parts has no BNSD_BSND and NTD_TND",
              found);
      require(!r.layout->heads_first() || r.query.rows <= kMostDecodeRows, E::kAttr,
              "..._NBSD takes at most 16 query rows",
              found + ", there are " + std::to_string(r.query.rows));
      return;
    case Scene::kMla128:
      require(r.behind_one_another() && !to_ntd, E::kAttr,
              "D = 128 with rope parts has the layouts TND and NTD_TND", found);
      return;
    case Scene::kTnd:
      require(!to_ntd, E::kAttr, "TND_NTD needs D = 512 and rope parts", found);
      return;
    case Scene::kGqaNz:
      require(!mixed && !r.layout->heads_first(), E::kAttr,
              "caches of rank 5 without rope parts have the layouts BSH, BSND and BNSD", found);
      return;
    case Scene::kPrompt:
    case Scene::kIncremental:
      require(!r.layout->heads_first(), E::kAttr, "..._NBSD needs D = 512 and rope parts", found);
      require(!mixed || r.query.rows > 1, E::kAttr, "BNSD_BSND needs more than one query row",
              found + " with one");
  }
}

// --- key and value
// --------------------------------------------------------------------------------

/// One entry's sizes, D in elements where eight of int4 share a word.
Extents kv_extents(const Request& r, const Tensor& tensor, const std::string& name) {
  const Axes axes = r.layout->query;
  const Shape& shape = tensor.shape();
  const std::int64_t heads = r.problem.kv_heads;
  require(shape.size() == rank_of(axes), E::kRank,
          "the rank of " + name + " is that of " + symbols_of(axes),
          "its shape is " + to_string(shape));
  Shape elements = shape;
  if (tensor.dtype() == DType::kI32) elements.back() *= 8;
  require(axes != Axes::kBsh || elements[2] % heads == 0, E::kShape,
          "the last dimension of " + name + " is a multiple of num_key_value_heads",
          "its shape is " + to_string(shape) + ", num_key_value_heads is " + std::to_string(heads));
  const Extents extents = extents_of(axes, elements, heads);
  require(extents.heads == heads, E::kShape,
          "the head axis of " + name + ", " + symbols_of(axes) + ", is num_key_value_heads",
          "its shape is " + to_string(shape) + ", num_key_value_heads is " + std::to_string(heads));
  return extents;
}

void validate_list(const Request& r) {
  const auto count = static_cast<std::int64_t>(r.keys.size());
  const std::string found = "key has " + std::to_string(count) + " tensors, value " +
                            std::to_string(r.values.size()) + ", B is " +
                            std::to_string(r.query.batch);
  require(r.keys.size() == r.values.size(), E::kShape,
          "the lists of key and value are of one length", found);
  if (count == 1) return;
  require(r.general(), E::kAttr,
          "tensor lists are for layouts with a batch axis, without rope parts and caches", found);
  require(!r.has("block_table"), E::kAttr, "tensor lists are not paged", "block_table is given");
  require(r.scene != Scene::kPrompt || !r.quantised_kv(), E::kAttr,
          "with several query rows, a quantised key is no list", found);
  require(count == r.query.batch, E::kShape, "a tensor list has one entry or B", found);
}

/// Value may be narrower or wider than key only where a scene says so.
void validate_value_width(const Request& r, std::int64_t width) {
  const std::int64_t key = r.problem.key_width;
  const std::string found =
      "D of key is " + std::to_string(key) + ", of value " + std::to_string(width);
  if (r.scene == Scene::kTnd) {
    require(key == 128 || key == 192, E::kShape, "TND without rope parts has D 128 or 192", found);
    const bool from_ntd = r.layout->query == Axes::kNtd;
    const bool allowed = width == 128 || (width == 192 && key == 192 && !from_ntd);
    require(allowed, E::kShape, "value of TND is 128 wide, or 192 as query and key are", found);
    require(width != 192 || r.problem.group() == 1, E::kShape,
            "value is 192 wide only without groups of query heads", found);
    return;
  }
  require(width == key, E::kShape, "value is as wide as key", found);
}

void read_contiguous_kv(Request& r) {
  attention::Problem& p = r.problem;
  for (std::size_t i = 0; i < r.keys.size(); ++i) {
    const Extents key = kv_extents(r, r.keys[i], "key"),
                  value = kv_extents(r, r.values[i], "value");
    require(
        key.width == p.key_width, E::kShape, "D of key is that of query",
        "it is " + std::to_string(key.width) + ", that of query " + std::to_string(p.key_width));
    require(key.batch == value.batch && key.rows == value.rows, E::kShape,
            "key and value have the same batches and rows",
            "found " + to_string(r.keys[i].shape()) + " and " + to_string(r.values[i].shape()));
    validate_value_width(r, value.width);
    const std::int64_t batch = r.keys.size() > 1 ? 1 : r.query.batch;
    require(key.batch == batch, E::kShape,
            batch == 1 ? "an entry of a tensor list has batch 1" : "B of key is that of query",
            "key is " + to_string(r.keys[i].shape()) + ", B of query is " +
                std::to_string(r.query.batch));
    r.kv_rows = std::max(r.kv_rows, key.rows);
    p.value_width = value.width;
    p.key.data.push_back(r.keys[i].gm());
    p.value.data.push_back(r.values[i].gm());
    p.key.strides = strides_of(r.layout->query, key);
    p.value.strides = strides_of(r.layout->query, value);
    if (r.keys.size() == 1) continue;
    // Entries have an address each, and may differ in their rows.
    for (attention::KvTensor* kv : {&p.key, &p.value}) {
      kv->strides.batch = 0;
      kv->head_strides.push_back(kv->strides.head);
    }
  }
  p.key.type = p.value.type = r.kv_type() == DType::kI32 ? DType::kI4 : r.kv_type();
}

// --- limits
// ---------------------------------------------------------------------------------------

void validate_groups(const Request& r) {
  const attention::Problem& p = r.problem;
  const std::string found = "num_query_heads is " + std::to_string(p.query_heads) +
                            ", num_key_value_heads " + std::to_string(p.kv_heads);
  if (r.mla512()) {
    const bool power = (p.query_heads & (p.query_heads - 1)) == 0;
    require(p.kv_heads == 1, E::kAttr, "D = 512 with rope parts has one key and value head", found);
    require(power && p.query_heads <= 128, E::kAttr,
            "D = 512 with rope parts has 1, 2, 4, ... or 128 query heads", found);
    return;
  }
  require(p.group() <= kMostGroup, E::kAttr, "at most 64 query heads share a key and value head",
          found);
  if (r.scene != Scene::kGqaNz) return;
  constexpr std::int64_t kPairs[][2] = {{10, 1}, {64, 8}, {80, 8}, {128, 16}};
  const bool listed = std::any_of(std::begin(kPairs), std::end(kPairs), [&](const auto& pair) {
    return pair[0] == p.query_heads && pair[1] == p.kv_heads;
  });
  require(listed, E::kAttr,
          "int8 caches of fractals have the heads (10, 1), (64, 8), (80, 8) or (128, 16)", found);
}

void validate_widths(const Request& r) {
  const std::int64_t width = r.problem.key_width;
  const bool int4 = r.kv_type() == DType::kI32;
  const bool int8 = r.kv_type() == DType::kI8 || r.has("quant_scale_out");
  const std::int64_t step = int4 ? 64 : int8 ? 32 : 16;
  require(width % step == 0, E::kShape,
          "D is a multiple of 16; of 32 where something is int8, of 64 where key is int4",
          "D is " + std::to_string(width));
  require(r.scene != Scene::kGqaNz || width == 128, E::kShape,
          "int8 caches of fractals have D = 128", "D is " + std::to_string(width));
}

void validate_rows(const Request& r) {
  const std::string rows = "there are " + std::to_string(r.query.rows);
  if (r.behind_one_another()) {
    require(r.query.rows <= kMostTokens && r.kv_rows <= kMostTokens, E::kShape,
            "T is at most 1048576",
            rows + " query rows and " + std::to_string(r.kv_rows) + " key rows");
    return;
  }
  require(r.query.batch <= kMostBatches, E::kShape, "B is at most 65536",
          "B is " + std::to_string(r.query.batch));
  if (r.mla512()) {
    require(r.query.rows <= kMostDecodeRows, E::kShape,
            "D = 512 with rope parts takes at most 16 query rows a batch", rows);
  }
  if (r.scene == Scene::kPrompt) {
    require(r.query.rows <= kMostPromptRows && r.kv_rows <= kMostPromptRows, E::kShape,
            "Sq and Skv are at most 20971520",
            "Sq is " + std::to_string(r.query.rows) + ", Skv is " + std::to_string(r.kv_rows));
  } else {
    require(r.kv_rows <= kMostIncrementalKvRows, E::kShape,
            "Skv of the incremental path is at most 262144", "Skv is " + std::to_string(r.kv_rows));
  }
}

/// Quantised key and value with several query rows.
void validate_quantised_path(const Request& r) {
  if (!r.quantised_kv() || !(r.scene == Scene::kPrompt || r.scene == Scene::kGqaNz)) return;
  const std::string found = "query is " + name_of(r.query_type()) + ", key is " +
                            name_of(r.kv_type()) + ", Sq is " + std::to_string(r.query.rows);
  require(r.query.rows <= kMostDecodeRows, E::kAttr,
          "a quantised key takes at most 16 query rows a batch", found);
  require(r.query_type() == DType::kBF16 && r.kv_type() == DType::kI8, E::kDtype,
          "with several query rows, a quantised key is int8 and query is bfloat16", found);
}

}  // namespace

void read_operands(Request& r) {
  r.keys = tensor_list(r.call, "key");
  r.values = tensor_list(r.call, "value");
  validate_rope_pair(r);
  read_heads(r);
  r.layout = &layout_named(string_attribute(r.call, "input_layout"));
  validate_dtypes(r);
  read_query(r);
  r.problem.scale = static_cast<float>(float_attribute(r.call, "softmax_scale"));
  if (r.empty) return;
  r.scene = scene_of(r);
  validate_layout(r);
  validate_list(r);
  if (r.has("block_table") || r.keys.front().shape().size() == 5) {
    read_paging(r);
  } else {
    require(!r.mla512(), E::kNull, "D = 512 with rope parts needs paged caches",
            "block_table is missing");
    read_contiguous_kv(r);
  }
  validate_groups(r);
  validate_widths(r);
  validate_rows(r);
  validate_quantised_path(r);
}

}  // namespace davsim::operators::fused_infer_attention_score
