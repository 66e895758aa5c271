#include "kernels/paged_attention/cost.hpp"

namespace davsim::operators::paged_attention {
namespace {

double bytes_of(isa::DType type) {
  return static_cast<double>(isa::dtype_bits(type)) / 8;
}

/// Elements of the mask that scores meet: those of all heads together unless each has its own, and
/// those of all batches.
double mask_elements(const Request& r, double scores) {
  const attention::Problem& p = r.problem;
  const bool by_head = p.bias.strides.head != 0;
  return by_head ? scores : scores / static_cast<double>(p.query_heads);
}

double small_tensors(const Request& r) {
  double bytes = 0;
  for (const char* name : {"contextLens", "qSeqLens", "kDescale", "kOffset", "vDescale", "vOffset",
                           "pScale", "logN"}) {
    if (const Tensor* tensor = optional_tensor(r.call, name)) {
      bytes += static_cast<double>(tensor->bytes());
    }
  }
  return bytes;
}

}  // namespace

Cost cost(const Request& r) {
  const attention::Problem& p = r.problem;
  const auto widths = static_cast<double>(p.key_width + p.value_width);
  double rows = 0, context = 0;
  for (const attention::Batch& batch : p.batches) {
    rows += static_cast<double>(batch.query_rows);
    if (batch.query_rows > 0) context += static_cast<double>(batch.kv_rows);
  }
  Cost cost;
  const double scores = attention::visible_scores(p);
  (r.full_quant() ? cost.cube_flops_8bit : cost.cube_flops_16bit) = 2 * scores * widths;
  // A score: scale, maximum, subtraction, exponential, sum and cast.
  cost.vector_flops = 6 * scores;
  const double heads = static_cast<double>(p.kv_heads);
  if (r.quant == Quant::kDequantFusion) cost.vector_flops += 2 * context * heads * widths;

  const double query_rows = rows * static_cast<double>(p.query_heads);
  const isa::DType out = output_shapes(r).front().dtype;
  cost.min_written_bytes = query_rows * static_cast<double>(p.value_width) * bytes_of(out);
  // Merged rows are key and value at once.
  const double kv_width = r.merged() ? static_cast<double>(p.key_width) : widths;
  cost.min_bytes = cost.min_written_bytes +
                   query_rows * static_cast<double>(p.key_width) * bytes_of(p.query.type) +
                   context * heads * kv_width * bytes_of(p.key.type) +
                   context / static_cast<double>(r.page_rows()) * 4 + small_tensors(r);
  if (p.bias.data != nullptr) cost.min_bytes += mask_elements(r, scores) * bytes_of(p.bias.type);
  if (p.column_offset != nullptr) cost.min_bytes += context * 4;
  return cost;
}

}  // namespace davsim::operators::paged_attention
