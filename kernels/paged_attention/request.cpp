#include "kernels/paged_attention/request.hpp"

#include "kernels/registry/attributes.hpp"

namespace davsim::operators::paged_attention {

void read_scaling(Request& r) {
  attention::Problem& p = r.problem;
  const double scale = float_attribute(r.call, "qkScale");
  const double given = float_attribute(r.call, "qScale");
  const double query_scale = given != 0 ? given : 1;
  const bool offset = r.razor == Razor::kHeadsRope;
  if (offset) p.query_factor = static_cast<float>(query_scale);
  p.scale = static_cast<float>(offset ? scale : scale * query_scale);
  if (r.logn) {
    require_shape(r.call, "logN", {r.batches}, "[batch]");
    p.query_quant.query_scale = r.tensor("logN").gm();
    p.query_quant.query_scale_type = r.tensor("logN").dtype();
    p.query_quant.query_strides.batch = 1;
  }
  if (offset) {
    require_shape(r.call, "razorOffset", {r.pages, r.page_rows()}, "[nb, bs]");
    p.column_offset = r.tensor("razorOffset").as<float>();
  }
}

Series series_of(const sim::SocConfig& soc) {
  return soc.product() == "310P" ? Series::kOlderInference : Series::kCurrent;
}

Series series_of(const Call& call) {
  const Shape& key = tensor_of(call, "keyCache").shape();
  const Shape& query = tensor_of(call, "query").shape();
  const bool fractals = key.size() == 4 && query.size() == 3 && key[3] == 16 && query[2] != 16;
  return fractals ? Series::kOlderInference : Series::kCurrent;
}

Request read(const Call& call, Series series) {
  Request r(call, series);
  read_parameters(r);
  validate_presence(r);
  validate_dtypes(r);
  read_operands(r);
  validate_sizes(r);
  read_lengths(r);
  r.older() ? read_fractal_mask(r) : read_mask(r);
  read_quant(r);
  read_scaling(r);
  return r;
}

std::vector<TensorShape> output_shapes(const Request& r) {
  const isa::DType type = r.full_quant() ? r.out_type : r.query_type();
  return {{"attnOut", type, {r.tokens, r.heads, r.problem.value_width}}};
}

attention::Problem problem_with(const Request& r, const TensorMap& outputs) {
  attention::Problem problem = r.problem;
  const Tensor& out = outputs.at("attnOut");
  const std::int64_t width = problem.value_width;
  problem.out = {out.gm(), out.dtype(), {0, width, problem.query_heads * width}};
  return problem;
}

}  // namespace davsim::operators::paged_attention
