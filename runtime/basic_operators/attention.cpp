#include "runtime/basic_operators/attention.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

boost::json::value numbers(const aclIntArray* array) {
  if (array == nullptr || array->Size() == 0) return nullptr;
  boost::json::array all;
  for (std::uint64_t i = 0; i < array->Size(); ++i) all.emplace_back((*array)[i]);
  return all;
}

}  // namespace

void Attention::query(const aclTensor* tensor, const char* layout) {
  add("query", tensor, "query");
  query_ = tensor;
  layout_ = layout == nullptr ? "BSH" : layout;
  call_.attributes["input_layout"] = layout_;
}

void Attention::keys(const aclTensorList* key, const aclTensorList* value) {
  call_.add_list("key", key, "key");
  call_.add_list("value", value, "value");
}

void Attention::keys(const aclTensor* key, const aclTensor* value) {
  add("key", key, "key");
  add("value", value, "value");
}

void Attention::masks(const aclTensor* shift, const char* shift_name, const aclTensor* mask,
                      const char* mask_name, std::int64_t sparse_mode, std::int64_t pre_tokens,
                      std::int64_t next_tokens) {
  add("pse_shift", shift, shift_name);
  add("atten_mask", mask, mask_name);
  call_.attributes["sparse_mode"] = sparse_mode;
  call_.attributes["pre_tokens"] = std::min(pre_tokens, kAllTokens);
  call_.attributes["next_tokens"] = std::min(next_tokens, kAllTokens);
}

void Attention::lengths(const aclIntArray* of_query, const aclIntArray* of_key) {
  call_.attributes["actual_seq_qlen"] = numbers(of_query);
  call_.attributes["actual_seq_kvlen"] = numbers(of_key);
}

void Attention::pages(const aclTensor* table, const char* name, std::int64_t rows) {
  add("block_table", table, name);
  call_.attributes["block_size"] = rows;
}

void Attention::quantised_output(const aclTensor* scale, const char* scale_name,
                                 const aclTensor* offset, const char* offset_name) {
  add("quant_scale_out", scale, scale_name);
  add("quant_offset_out", offset, offset_name);
}

void Attention::heads(std::int64_t of_query, std::int64_t of_key, double scale,
                      std::int64_t precise) {
  call_.attributes["num_query_heads"] = of_query;
  call_.attributes["num_key_value_heads"] = of_key;
  call_.attributes["softmax_scale"] = scale;
  call_.attributes["inner_precise"] = precise;
}

void Attention::quantised_keys(const aclTensor* scale, const aclTensor* offset, std::int64_t mode) {
  add("dequant_scale_key", scale, "keyAntiquantScaleOptional");
  add("dequant_offset_key", offset, "keyAntiquantOffsetOptional");
  call_.attributes["key_quant_mode"] = mode;
}

void Attention::quantised_values(const aclTensor* scale, const aclTensor* offset,
                                 std::int64_t mode) {
  add("dequant_scale_value", scale, "valueAntiquantScaleOptional");
  add("dequant_offset_value", offset, "valueAntiquantOffsetOptional");
  call_.attributes["value_quant_mode"] = mode;
}

void Attention::quantised_both(WorkList& work, const aclTensor* scale, const aclTensor* offset,
                               std::int64_t mode) {
  add_halves(work, scale, "antiquantScale", "dequant_scale");
  add_halves(work, offset, "antiquantOffset", "dequant_offset");
  if (scale == nullptr) return;
  call_.attributes["key_quant_mode"] = mode;
  call_.attributes["value_quant_mode"] = mode;
}

void Attention::rope(const aclTensor* query, const aclTensor* key) {
  add("query_rope", query, "queryRopeOptional");
  add("key_rope", key, "keyRopeOptional");
}

void Attention::add(WorkList& work, const aclTensor* out, const aclTensor* lse, bool wants_lse) {
  required(out, "attentionOut");
  call_.outputs = {{"attention_out", out, "attentionOut"}, {"softmax_lse", lse, "softmaxLse"}};
  call_.attributes["return_softmax_lse"] = wants_lse;
  add_device_operator(work, call_);
}

void Attention::add(const char* name, const aclTensor* tensor, const char* parameter) {
  call_.inputs.push_back({name, tensor, parameter});
}

void Attention::add_halves(WorkList& work, const aclTensor* both, const char* parameter,
                           const std::string& name) {
  if (both == nullptr) return;
  const Shape& shape = both->GetViewShape();
  if (shape.GetDimNum() == 0 || shape.GetDim(0) != 2) {
    runtime::refuse_aclnn(std::string(parameter) + " has two parts, not the shape " + text(shape));
  }
  const bool by_heads = layout_.starts_with("BNSD");
  const bool one_row = required(query_, "query").GetViewShape().GetDim(by_heads ? 2 : 1) == 1;
  for (const auto& [part, of] : {std::pair{0, "_key"}, std::pair{1, "_value"}}) {
    aclTensor* const half = work.view(*both);
    half->offset += part * half->strides[0];
    half->shape.SetDim(0, 1);
    if (!one_row) {
      Shape rest;
      for (std::size_t d = 1; d < shape.GetDimNum(); ++d) rest.AppendDim(shape.GetDim(d));
      half->shape = rest;
      half->strides.erase(half->strides.begin());
    }
    call_.inputs.push_back({name + of, half, parameter});
  }
}

}  // namespace davsim::basic
