// int8 output.
#include <string>

#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using attention::Window;
using isa::DType;
using E = ErrorClass;

DType unquantised_type(const Request& r) {
  return r.query_type() == DType::kI8 ? r.tensor("query_rope").dtype() : r.query_type();
}

void validate_output_scene(const Request& r) {
  const std::string found = "quant_scale_out is given";
  require(r.general(), E::kAttr, "int8 output is not for rope parts, TND and caches of rank 5",
          found);
  require(r.kv_type() != DType::kI32, E::kAttr, "int8 output is not for int4 key and value", found);
  require(!(r.scene == Scene::kPrompt && r.quantised_kv()), E::kAttr,
          "with several query rows and a quantised key, the output is bfloat16", found);
}

void validate_scale(const Request& r) {
  const Tensor& scale = r.tensor("quant_scale_out");
  const bool bf16 = scale.dtype() == DType::kBF16 && r.query_type() == DType::kBF16;
  require(scale.dtype() == DType::kF32 || bf16, E::kDtype,
          "quant_scale_out is float32, or bfloat16 where query is",
          "found " + std::string(isa::dtype_name(scale.dtype())));
  const std::int64_t channels = r.problem.query_heads * r.problem.value_width;
  require(scale.elements() == 1 || scale.elements() == channels, E::kShape,
          "quant_scale_out has one element or Nq*Dv",
          "its shape is " + to_string(scale.shape()) + ", Nq*Dv is " + std::to_string(channels));
  const bool lse = bool_attribute(r.call, "return_softmax_lse");
  require(scale.elements() == 1 || !lse, E::kAttr,
          "quant_scale_out has one element where softmax_lse is asked for",
          "its shape is " + to_string(scale.shape()));
  const Tensor* offset = optional_tensor(r.call, "quant_offset_out");
  if (offset == nullptr) return;
  require(offset->dtype() == scale.dtype(), E::kDtype,
          "quant_offset_out has the dtype of quant_scale_out",
          "found " + std::string(isa::dtype_name(offset->dtype())));
  require(offset->shape() == scale.shape(), E::kShape,
          "quant_offset_out has the shape of quant_scale_out",
          "found " + to_string(offset->shape()) + " and " + to_string(scale.shape()));
}

/// With an offset, a row that sees nothing would have to be 0, which int8 cannot say.
void validate_rows_see_something(const Request& r) {
  const Window& window = r.problem.window;
  for (const attention::Batch& batch : r.problem.batches) {
    const std::int64_t longer = batch.query_rows - batch.kv_rows;
    bool blind = false;
    if (r.sparse_mode == 0 && r.has("atten_mask")) {
      blind = longer - window.before > 0 || window.after < 0;
    }
    if (r.sparse_mode == 3) blind = longer > 0;
    if (r.sparse_mode == 4) blind = window.before < 0 || window.after - longer < 0;
    require(!blind, E::kAttr, "with quant_offset_out, every query row sees a key row",
            "a batch has " + std::to_string(batch.query_rows) + " query rows and " +
                std::to_string(batch.kv_rows) + " key rows, sparse_mode is " +
                std::to_string(r.sparse_mode));
  }
}

void validate_visibility(const Request& r) {
  // One query row: modes and windows are ignored.
  if (r.scene != Scene::kPrompt) return;
  const Window& window = r.problem.window;
  require(r.sparse_mode != 4 || (window.before >= 0 && window.after >= 0), E::kAttr,
          "int8 output with sparse_mode 4 needs pre_tokens and next_tokens of at least 0",
          "found " + std::to_string(window.before) + " and " + std::to_string(window.after));
  const Tensor* offset = optional_tensor(r.call, "quant_offset_out");
  if (offset != nullptr && !offset->empty()) validate_rows_see_something(r);
}

}  // namespace

void read_output_quant(Request& r) {
  r.out_type = unquantised_type(r);
  if (!r.has("quant_scale_out")) {
    require(!r.has("quant_offset_out"), E::kNull, "quant_offset_out needs quant_scale_out",
            "quant_scale_out is missing");
    return;
  }
  r.out_type = DType::kI8;
  if (r.empty) return;
  validate_output_scene(r);
  validate_scale(r);
  validate_visibility(r);
  const Tensor& scale = r.tensor("quant_scale_out");
  attention::PostQuant& to = r.problem.post_quant;
  to.scale = scale.gm();
  to.type = scale.dtype();
  to.per_channel = scale.elements() != 1;
  if (r.has("quant_offset_out")) to.offset = r.tensor("quant_offset_out").gm();
}

}  // namespace davsim::operators::fused_infer_attention_score
