// int8 query, key and value of MLA.
#include <string>

#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;
using E = ErrorClass;

void validate_query_mode(const Request& r) {
  const std::int64_t mode = int_attribute(r.call, "query_quant_mode");
  const std::int64_t expected = r.query_type() == DType::kI8 ? 3 : 0;
  require(mode == expected, E::kAttr, "query_quant_mode is 3 where query is int8, else 0",
          "found " + std::to_string(mode));
}

/// One float32 for a whole tensor.
float* scalar_scale(const Request& r, const std::string& name) {
  require(r.has(name), E::kAttr, name + " is required with an int8 query", "it is missing");
  const Tensor& scale = r.tensor(name);
  require(scale.dtype() == DType::kF32, E::kDtype, name + " is float32 with an int8 query",
          "found " + std::string(isa::dtype_name(scale.dtype())));
  require(scale.shape() == Shape{1}, E::kShape,
          "the shape of " + name + " is [1] with an int8 query",
          "found " + to_string(scale.shape()));
  return scale.as<float>();
}

void read_query_scale(Request& r) {
  require(r.has("dequant_scale_query"), E::kAttr,
          "dequant_scale_query is required with an int8 query", "it is missing");
  const Extents& q = r.query;
  const bool tnd = r.behind_one_another();
  const Shape expected = tnd ? Shape{q.rows, q.heads} : Shape{q.batch, q.rows, q.heads};
  require_shape(r.call, "dequant_scale_query", expected, tnd ? "[T, Nq]" : "[B, Sq, Nq]");
  attention::QueryQuant& to = r.problem.query_quant;
  to.query_scale = r.tensor("dequant_scale_query").gm();
  to.query_strides = {.batch = tnd ? 0 : q.rows * q.heads, .head = 1, .row = q.heads};
}

}  // namespace

void read_query_quant(Request& r) {
  validate_query_mode(r);
  if (r.query_type() != DType::kI8) {
    require(!r.has("dequant_scale_query"), E::kAttr,
            "dequant_scale_query is given only with an int8 query", "it is given");
    return;
  }
  for (const char* mode : {"key_quant_mode", "value_quant_mode"}) {
    require(int_attribute(r.call, mode) == 0, E::kAttr,
            std::string(mode) + " is 0 with an int8 query",
            "found " + std::to_string(int_attribute(r.call, mode)));
  }
  for (const char* name : {"dequant_offset_key", "dequant_offset_value"}) {
    require(!r.has(name), E::kAttr, std::string(name) + " is not given with an int8 query",
            "it is given");
  }
  read_query_scale(r);
  r.problem.query_quant.key_scale = scalar_scale(r, "dequant_scale_key");
  r.problem.query_quant.value_scale = scalar_scale(r, "dequant_scale_value");
}

}  // namespace davsim::operators::fused_infer_attention_score
