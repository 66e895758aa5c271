#include "kernels/fused_infer_attention_score_v2/request.hpp"

#include <string>

#include "kernels/fused_infer_attention_score_v2/spec.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using E = ErrorClass;

void validate_reserved(const Request& r) {
  require(!r.has("dequant_scale_key_rope"), E::kAttr,
          "dequant_scale_key_rope is reserved and not given", "it is given");
  for (const char* name : kReservedTypes) {
    require(!has_attribute(r.call, name), E::kAttr,
            std::string(name) + " is reserved and not given", "it is given");
  }
}

}  // namespace

void read_options(Request& r) {
  validate_reserved(r);
  const std::int64_t precise = int_attribute(r.call, "inner_precise");
  const std::string found = "found " + std::to_string(precise);
  require(precise >= 0 && precise <= 3, E::kAttr, "inner_precise is 0, 1, 2 or 3", found);
  require(!r.single_row() || precise <= 1, E::kAttr, "with one query row, inner_precise is 0 or 1",
          found);
  require(r.scene != Scene::kGqaNz || precise == 1, E::kAttr,
          "inner_precise of int8 caches of rank 5 is 1", found);
  const bool lse = bool_attribute(r.call, "return_softmax_lse");
  require(!lse || !(r.mla512() || r.scene == Scene::kGqaNz), E::kAttr,
          "softmax_lse is not available with D = 512 or caches of rank 5",
          "return_softmax_lse is true");
}

Request read(const Call& call) {
  Request r(call);
  read_operands(r);
  if (r.empty) {
    r.problem.value_width = r.problem.key_width;
    read_output_quant(r);
    return r;
  }
  read_rope(r);
  read_lengths(r);
  read_mask(r);
  read_pse_shift(r);
  read_query_quant(r);
  read_kv_quant(r);
  read_output_quant(r);
  read_options(r);
  validate_page_ids(r);
  return r;
}

}  // namespace davsim::operators::fused_infer_attention_score
