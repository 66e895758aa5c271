// A call of PagedAttention as its rules read it, and the attention problem that follows from it.
// Each read_* function validates one group of rules and fills in its part of the problem, so that
// each rule is in one place.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/attention/problem.hpp"
#include "kernels/common/require.hpp"
#include "kernels/registry/operator.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::operators::paged_attention {

// The values of the attributes, in their documented order.
enum class MaskType : std::uint8_t { kNone, kNorm, kAlibi, kSpec, kMaskFree, kNormCompress };
enum class Quant : std::uint8_t { kNone, kDequantFusion, kOffline, kOnline };
enum class Razor : std::uint8_t { kNone, kHeads, kHeadsRope };

/// Which products' rules hold.
enum class Series : std::uint8_t {
  kCurrent,         ///< A2 and A3
  kOlderInference,  ///< 310P: float16, caches and masks in fractals
};
Series series_of(const sim::SocConfig& soc);
/// The series whose caches a call has.
Series series_of(const Call& call);

struct Request {
  Request(const Call& the_call, Series the_series) : call(the_call), series(the_series) {}

  const Call& call;
  Series series;

  // What the attributes say.
  std::int64_t heads = 0, kv_heads = 0;
  MaskType mask = MaskType::kNone;
  Quant quant = Quant::kNone;
  Razor razor = Razor::kNone;
  bool batch_run = false;  ///< batchRunStatusEnable
  bool offsets = false;    ///< hasQuantOffset
  bool parallel = false;   ///< calcType SPEC: several query rows a batch
  bool logn = false;
  bool bnsd = false;
  std::int64_t merged_width = 0;  ///< mlaVHeadSize
  isa::DType out_type = isa::DType::kNone;

  // What the shapes say.
  std::int64_t tokens = 0;   ///< numTokens
  std::int64_t batches = 0;  ///< entries of contextLens; razor: a token and kv head each
  std::int64_t pages = 0;    ///< nb
  std::int64_t most_context = 0;

  attention::Problem problem;  ///< without its output

  const Tensor& tensor(std::string_view name) const { return tensor_of(call, name); }
  bool older() const { return series == Series::kOlderInference; }
  bool merged() const { return merged_width > 0; }
  /// Everything is int8.
  bool full_quant() const { return quant == Quant::kOffline || quant == Quant::kOnline; }
  /// Value of another width than key, or wide heads, in a cache of its own.
  bool separate() const {
    return !merged() && (problem.key_width != problem.value_width || problem.key_width > 256);
  }
  std::int64_t page_rows() const { return problem.pages.page_rows; }
  isa::DType query_type() const { return tensor("query").dtype(); }
  /// Sequences that a token has: one, or with razor one a kv head.
  std::int64_t sequences_per_token() const { return razor == Razor::kNone ? 1 : kv_heads; }
};

/// Everything that a legal call says. Throws Refusal.
Request read(const Call& call, Series series);

// The groups of rules in their order; each may rely on those before it.
void read_parameters(Request& request);  ///< attributes and what may be combined
void validate_presence(const Request& request);
void validate_dtypes(const Request& request);
void read_operands(Request& request);  ///< ranks and shapes of query, caches, table and lengths
void validate_sizes(const Request& request);
void read_lengths(Request& request);  ///< contextLens, qSeqLens, page numbers
void read_mask(Request& request);
void read_fractal_mask(Request& request);  ///< the older series'
void read_quant(Request& request);         ///< descales, offsets, pScale
void read_scaling(Request& request);       ///< qkScale, qScale, logN, razorOffset

std::vector<TensorShape> output_shapes(const Request& request);
attention::Problem problem_with(const Request& request, const TensorMap& outputs);

}  // namespace davsim::operators::paged_attention
