// MLA: the rope parts of query and key.
#include <string>

#include "kernels/fused_infer_attention_score_v2/request.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using E = ErrorClass;

/// The shape of key_rope: that of key with a width of 64.
Shape key_rope_shape(const Request& r, isa::DType type) {
  const Shape& key = r.keys.front().shape();
  const std::int64_t c0 = 32 / static_cast<std::int64_t>(isa::dtype_bytes(type));
  switch (r.cache) {
    case Cache::kBnBsH:
      return {key[0], key[1], r.problem.kv_heads * kRopeWidth};
    case Cache::kNz:
      return {key[0], key[1], kRopeWidth / c0, key[3], c0};
    default: {
      Shape shape = key;
      shape.back() = kRopeWidth;
      return shape;
    }
  }
}

}  // namespace

void read_rope(Request& r) {
  if (!r.has("query_rope")) return;
  Extents query = r.query;
  query.width = kRopeWidth;
  require_shape(r.call, "query_rope", shape_of(r.layout->query, query),
                "that of query with a width of 64");
  const Tensor& key_rope = r.tensor("key_rope");
  const Shape expected = key_rope_shape(r, key_rope.dtype());
  require(key_rope.shape() == expected, E::kShape,
          "the shape of key_rope is that of key with a width of 64",
          "expected " + to_string(expected) + ", found " + to_string(key_rope.shape()));

  attention::Problem& p = r.problem;
  p.rope_width = kRopeWidth;
  p.rounding = attention::Rounding::kNearestAway;
  const Tensor& query_rope = r.tensor("query_rope");
  p.query_rope = {query_rope.gm(), query_rope.dtype(), strides_of(r.layout->query, query)};
  p.key_rope = p.key;
  p.key_rope.data = {key_rope.gm()};
  p.key_rope.type = key_rope.dtype();
  // Distances of key, with 64 for D. Only a fractal's width is not one of them.
  attention::Strides& strides = p.key_rope.strides;
  const auto narrowed = [&](std::int64_t stride) { return stride / p.key_width * kRopeWidth; };
  strides = {narrowed(strides.batch), narrowed(strides.head), narrowed(strides.row)};
  if (r.cache == Cache::kNz) {
    strides.row = 32 / static_cast<std::int64_t>(isa::dtype_bytes(key_rope.dtype()));
  }
}

}  // namespace davsim::operators::fused_infer_attention_score
