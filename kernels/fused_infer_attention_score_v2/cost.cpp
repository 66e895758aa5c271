#include "kernels/fused_infer_attention_score_v2/cost.hpp"

#include <algorithm>

#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;

double bytes_of(DType type) {
  return static_cast<double>(isa::dtype_bits(type)) / 8;
}

double tensor_bytes(const Request& r, const char* name) {
  const Tensor* tensor = optional_tensor(r.call, name);
  return tensor == nullptr ? 0 : static_cast<double>(tensor->bytes());
}

/// Rows of all batches; of key and value those that some query row sees.
struct Rows {
  double query = 0, kv = 0;
};

Rows rows_of(const Request& r) {
  Rows rows;
  for (const attention::Batch& batch : r.problem.batches) {
    rows.query += static_cast<double>(batch.query_rows);
    if (batch.query_rows == 0) continue;
    // The window moves on from row to row.
    const auto first = attention::visible_columns(r.problem, batch, 0);
    const auto last = attention::visible_columns(r.problem, batch, batch.query_rows - 1);
    rows.kv += static_cast<double>(std::max<std::int64_t>(0, last.end - first.begin));
  }
  return rows;
}

double query_bytes(const Request& r, double rows) {
  const attention::Problem& p = r.problem;
  double row = static_cast<double>(p.key_width) * bytes_of(p.query.type);
  if (p.rope_width > 0) row += static_cast<double>(p.rope_width) * bytes_of(p.query_rope.type);
  return rows * static_cast<double>(p.query_heads) * row;
}

/// Latent rows that are key and value at once are read once.
double kv_bytes(const Request& r, double rows) {
  const attention::Problem& p = r.problem;
  double row = static_cast<double>(p.key_width) * bytes_of(p.key.type);
  if (p.value.data != p.key.data) {
    row += static_cast<double>(p.value_width) * bytes_of(p.value.type);
  }
  if (p.rope_width > 0) row += static_cast<double>(p.rope_width) * bytes_of(p.key_rope.type);
  return rows * static_cast<double>(p.kv_heads) * row;
}

/// Parameters of a quantised key or value, of the rows that are there.
double parameter_bytes(const Request& r, const attention::Antiquant& quant, std::int64_t width,
                       double rows) {
  if (quant.scale == nullptr) return 0;
  double count = 1;
  if (quant.head != 0) count *= static_cast<double>(r.problem.kv_heads);
  if (quant.channel != 0) count *= static_cast<double>(width);
  if (quant.token != 0) count *= rows;
  return count * bytes_of(quant.type) * (quant.offset == nullptr ? 1 : 2);
}

/// Bytes of a full mask and of pse_shift that visible scores meet. Of the square mask any small
/// piece may do, over and over.
double score_bytes(const Request& r, double scores) {
  const attention::Problem& p = r.problem;
  const auto batches = static_cast<double>(p.batches.size());
  double bytes = 0;
  if (p.mask.kind == attention::MaskKind::kFull) {
    const double pairs = scores / static_cast<double>(p.query_heads);
    bytes += p.mask.batch_stride == 0 ? pairs / batches : pairs;
  }
  if (p.bias.data != nullptr) {
    bytes += scores * bytes_of(p.bias.type) / (p.bias.strides.batch == 0 ? batches : 1);
  }
  return bytes;
}

}  // namespace

Cost cost(const Request& r) {
  Cost cost;
  if (r.empty) return cost;
  const attention::Problem& p = r.problem;
  const double scores = attention::visible_scores(p);
  const double value_flops = 2 * scores * static_cast<double>(p.value_width);
  const double key_flops = 2 * scores * static_cast<double>(p.key_width);
  const bool int8 = p.query.type == DType::kI8;
  (int8 ? cost.cube_flops_8bit : cost.cube_flops_16bit) += value_flops + key_flops;
  cost.cube_flops_16bit += 2 * scores * static_cast<double>(p.rope_width);
  // A score: scale, maximum, subtraction, exponential, sum and cast.
  cost.vector_flops = 6 * scores;

  const Rows rows = rows_of(r);
  if (r.quantised_kv() && !int8) {
    // An addition and a product an element.
    cost.vector_flops += 2 * rows.kv * static_cast<double>(p.kv_heads) *
                         static_cast<double>(p.key_width + p.value_width);
  }
  const double out_rows = static_cast<double>(r.query.batch * r.query.rows * r.query.heads);
  cost.min_written_bytes = out_rows * static_cast<double>(p.value_width) * bytes_of(r.out_type);
  if (bool_attribute(r.call, "return_softmax_lse")) cost.min_written_bytes += out_rows * 4;
  cost.min_bytes = cost.min_written_bytes + query_bytes(r, rows.query) + kv_bytes(r, rows.kv) +
                   score_bytes(r, scores) + parameter_bytes(r, p.key_quant, p.key_width, rows.kv) +
                   parameter_bytes(r, p.value_quant, p.value_width, rows.kv) +
                   tensor_bytes(r, "dequant_scale_query") + tensor_bytes(r, "quant_scale_out") +
                   tensor_bytes(r, "quant_offset_out");
  if (r.paged()) {
    cost.min_bytes += rows.kv / static_cast<double>(p.pages.page_rows) * 4;
  }
  return cost;
}

}  // namespace davsim::operators::fused_infer_attention_score
