// Quantisation: int8 caches (quantType 1), and int8 everywhere (2 and 3).
#include <string>

#include "kernels/paged_attention/request.hpp"

namespace davsim::operators::paged_attention {
namespace {

using isa::DType;
using E = ErrorClass;

/// The public kernel's limits where the parameters have 64 bits.
void validate_wide_parameters(const Request& r) {
  const std::int64_t width = r.problem.key_width;
  require(width <= 128 && r.page_rows() <= width, E::kShape,
          "with int64 descales D is at most 128, and bs at most D",
          "D is " + std::to_string(width) + ", bs is " + std::to_string(r.page_rows()));
}

/// A number for each channel of each kv head; sequences of a token are its kv heads.
attention::Antiquant channels(const Request& r, const char* scale, const char* offset,
                              std::int64_t width) {
  const Shape expected = {r.kv_heads * width};
  require_shape(r.call, scale, expected, "[kvHeadNum*width]");
  attention::Antiquant quant;
  quant.scale = r.tensor(scale).gm();
  quant.type = r.tensor(scale).dtype();
  quant.channel = 1;
  if (r.razor == Razor::kNone) {
    quant.head = width;
  } else {
    quant.batch = width;
    quant.batches = r.kv_heads;
  }
  if (!r.offsets) return quant;
  require_shape(r.call, offset, expected, "[kvHeadNum*width]");
  quant.offset = r.tensor(offset).gm();
  quant.offset_type = DType::kI32;
  return quant;
}

void read_dequant_fusion(Request& r) {
  if (r.tensor("kDescale").dtype() == DType::kI64) validate_wide_parameters(r);
  attention::Problem& p = r.problem;
  p.key_quant = channels(r, "kDescale", "kOffset", p.key_width);
  p.value_quant = channels(r, "vDescale", "vOffset", p.value_width);
}

void read_full_quant(Request& r) {
  for (const char* name : {"kDescale", "vDescale"}) {
    require_shape(r.call, name, {r.heads}, "[headNum] with quantType 2 and 3");
  }
  attention::Problem& p = r.problem;
  p.query_quant.query_scale = r.tensor("kDescale").gm();
  p.query_quant.query_strides.head = 1;
  p.query_quant.head_value_scale = r.tensor("vDescale").as<float>();
  if (r.quant == Quant::kOnline) {
    p.probs_quant = attention::ProbsQuant::kByStep;
    return;
  }
  require_shape(r.call, "pScale", {r.heads}, "[headNum]");
  p.probs_quant = attention::ProbsQuant::kByHead;
  p.probs_scale = r.tensor("pScale").as<float>();
}

}  // namespace

void read_quant(Request& r) {
  if (r.quant == Quant::kDequantFusion) read_dequant_fusion(r);
  if (r.full_quant()) read_full_quant(r);
}

}  // namespace davsim::operators::paged_attention
