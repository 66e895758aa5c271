// Quantised key and value with a 16-bit query: which parameters a mode takes, and where those of an
// element are found.
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;
using E = ErrorClass;

enum Mode : std::int64_t {
  kPerChannel = 0,  ///< or one number for the tensor
  kPerToken = 1,
  kPerHead = 2,
  kPerTokenAndHead = 3,
  kPerTokenPaged = 4,
  kPerTokenAndHeadPaged = 5,
};

constexpr const char* kParameters[] = {"dequant_scale_key", "dequant_scale_value",
                                       "dequant_offset_key", "dequant_offset_value"};

void validate_pairs(const Request& r) {
  const auto both = [&](const std::string& key, const std::string& value) {
    require(r.has(key) == r.has(value), E::kNull,
            key + " and " + value + " are given both or neither",
            (r.has(key) ? value : key) + " is missing");
  };
  both("dequant_scale_key", "dequant_scale_value");
  both("dequant_offset_key", "dequant_offset_value");
  require(r.has("dequant_scale_key"), E::kNull, "a quantised key needs dequant_scale_key",
          "it is missing");
}

void validate_modes(const Request& r, std::int64_t key, std::int64_t value) {
  const std::string found =
      "key_quant_mode is " + std::to_string(key) + ", value_quant_mode " + std::to_string(value);
  const bool mixed = key == kPerChannel && value == kPerToken && r.scene == Scene::kIncremental;
  require(key == value || mixed, E::kAttr,
          "key_quant_mode and value_quant_mode are equal, or 0 and 1 with one query row", found);
  const bool several_rows = r.scene == Scene::kPrompt || r.scene == Scene::kGqaNz;
  require(!several_rows || key <= kPerToken, E::kAttr,
          "with several query rows or caches of rank 5, quant modes are 0 and 1", found);
  require(key < kPerTokenPaged || r.paged(), E::kAttr, "quant modes 4 and 5 need paged caches",
          found);
  const bool int4 = r.kv_type() == DType::kI32;
  const bool for_int4 = key == kPerChannel || key == kPerToken || key == kPerTokenAndHead;
  require(!int4 || for_int4, E::kAttr, "quant modes of int4 are 0, 1 and 3", found);
  require(!mixed || int4 || r.query_type() == DType::kF16, E::kDtype,
          "quant modes 0 and 1 together need a float16 query where key is int8",
          found + ", query is " + name_of(r.query_type()));
}

/// Shapes that a mode takes: the first is the usual one, in symbols `text`.
struct Shapes {
  std::vector<Shape> exact;
  std::string text;
  /// The last dimension may be larger.
  bool padded = false;
};

Shapes per_channel_shapes(const Request& r) {
  const std::int64_t heads = r.problem.kv_heads, width = r.problem.key_width;
  const Shape row = {heads * width}, rows = {heads, width};
  if (r.scene == Scene::kGqaNz) {
    const Axes axes = r.layout->query;
    if (axes == Axes::kBsh) return {{row}, "[Nkv*D]"};
    if (axes == Axes::kBsnd) return {{rows}, "[Nkv, D]"};
    return {{{heads, 1, width}}, "[Nkv, 1, D]"};
  }
  if (r.scene == Scene::kPrompt) {
    return {{{heads, 1, width}, rows, row}, "[Nkv, 1, D], [Nkv, D] or [Nkv*D]"};
  }
  Shapes shapes = {{{1, heads, 1, width}, {1, heads, width}, {1, heads * width}},
                   "[1, Nkv, 1, D], [1, Nkv, D] or [1, Nkv*D]"};
  if (r.kv_type() == DType::kI8) {
    shapes.exact.push_back({1});
    shapes.text += "; per tensor [1]";
  }
  return shapes;
}

Shapes shapes_of(const Request& r, std::int64_t mode) {
  const std::int64_t heads = r.problem.kv_heads, rows = r.kv_rows;
  const std::int64_t page_rows = r.problem.pages.page_rows;
  switch (mode) {
    case kPerChannel:
      return per_channel_shapes(r);
    case kPerToken:
      if (r.scene == Scene::kGqaNz) return {{{r.batches, rows}}, "[B, >= maxPages*bs]", true};
      if (r.scene == Scene::kPrompt) return {{{r.batches, rows}}, "[B, Skv]"};
      return {{{1, r.batches, rows}}, "[1, B, >= Skv]", true};
    case kPerHead:
      return {{{heads}}, "[Nkv]"};
    case kPerTokenAndHead:
      return {{{r.batches, heads, rows}}, "[B, Nkv, >= Skv]", true};
    case kPerTokenPaged:
      return {{{r.pages, page_rows}}, "[nb, bs]"};
    default:
      return {{{r.pages, heads, page_rows}}, "[nb, Nkv, bs]"};
  }
}

bool fits(const Shapes& shapes, const Shape& shape) {
  return std::any_of(shapes.exact.begin(), shapes.exact.end(), [&](const Shape& exact) {
    if (!shapes.padded) return shape == exact;
    return shape.size() == exact.size() && shape.back() >= exact.back() &&
           std::equal(shape.begin(), shape.end() - 1, exact.begin());
  });
}

void validate_parameter(const Request& r, const std::string& name, std::int64_t mode,
                        const Shapes& shapes) {
  const Tensor& tensor = r.tensor(name);
  const bool by_token = mode != kPerChannel && mode != kPerHead;
  const DType type = by_token ? DType::kF32 : r.query_type();
  require(tensor.dtype() == type, E::kDtype,
          name + (by_token ? " of this quant mode is float32"
                           : " of this quant mode has the dtype of query"),
          "found " + name_of(tensor.dtype()) + ", mode " + std::to_string(mode));
  require(fits(shapes, tensor.shape()), E::kShape,
          "the shape of " + name + " of mode " + std::to_string(mode) + " is " + shapes.text,
          "found " + to_string(tensor.shape()) + ", Skv is " + std::to_string(r.kv_rows));
}

/// Distances of the parameters; which of the mode's shapes it was shows in the element count.
void set_strides(const Request& r, std::int64_t mode, const Tensor& scale,
                 attention::Antiquant& to) {
  const std::int64_t heads = r.problem.kv_heads, last = scale.shape().back();
  switch (mode) {
    case kPerChannel:
      if (scale.elements() == 1) return;
      to.head = r.problem.key_width;
      to.channel = 1;
      return;
    case kPerHead:
      to.head = 1;
      return;
    case kPerTokenAndHead:
    case kPerTokenAndHeadPaged:
      to.head = last;
      to.batch = heads * last;
      break;
    default:
      to.batch = last;
  }
  to.token = 1;
  to.paged = mode == kPerTokenPaged || mode == kPerTokenAndHeadPaged;
}

attention::Antiquant parameters(const Request& r, const std::string& which, std::int64_t mode) {
  const std::string scale_name = "dequant_scale_" + which, offset_name = "dequant_offset_" + which;
  const Shapes shapes = shapes_of(r, mode);
  validate_parameter(r, scale_name, mode, shapes);
  const Tensor& scale = r.tensor(scale_name);
  attention::Antiquant to;
  to.scale = scale.gm();
  to.type = scale.dtype();
  if (r.has(offset_name)) {
    const Tensor& offset = r.tensor(offset_name);
    require(offset.dtype() == scale.dtype(), E::kDtype, offset_name + " has the dtype of its scale",
            "found " + name_of(offset.dtype()));
    require(offset.shape() == scale.shape(), E::kShape, offset_name + " has the shape of its scale",
            "found " + to_string(offset.shape()) + " and " + to_string(scale.shape()));
    to.offset = offset.gm();
  }
  set_strides(r, mode, scale, to);
  return to;
}

void validate_kv_scene(const Request& r) {
  if (r.scene != Scene::kGqaNz) return;
  for (const char* offset : {"dequant_offset_key", "dequant_offset_value"}) {
    require(!r.has(offset), E::kAttr, "int8 caches of rank 5 have no offsets",
            std::string(offset) + " is given");
  }
}

std::int64_t mode_of(const Request& r, const char* name) {
  const std::int64_t mode = int_attribute(r.call, name);
  require(mode >= 0 && mode <= 5, E::kAttr, std::string(name) + " is in [0, 5]",
          "found " + std::to_string(mode));
  return mode;
}

}  // namespace

void read_kv_quant(Request& r) {
  const std::int64_t key = mode_of(r, "key_quant_mode"), value = mode_of(r, "value_quant_mode");
  if (r.query_type() == DType::kI8) return;
  if (!r.quantised_kv()) {
    for (const char* name : kParameters) {
      require(!r.has(name), E::kAttr,
              std::string(name) + " is given only where key and value are quantised",
              "key is " + name_of(r.kv_type()));
    }
    return;
  }
  validate_pairs(r);
  validate_modes(r, key, value);
  validate_kv_scene(r);
  r.problem.key_quant = parameters(r, "key", key);
  r.problem.value_quant = parameters(r, "value", value);
  if (key != value) return;
  require(r.tensor("dequant_scale_key").shape() == r.tensor("dequant_scale_value").shape(),
          E::kShape, "dequant_scale_key and dequant_scale_value have one shape",
          "found " + to_string(r.tensor("dequant_scale_key").shape()) + " and " +
              to_string(r.tensor("dequant_scale_value").shape()));
}

}  // namespace davsim::operators::fused_infer_attention_score
