// The sizes of one RopeQuantKvcache call.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators::rope_quant_kvcache {

struct Problem {
  std::int64_t batch = 0;        ///< B
  std::int64_t seq_len = 0;      ///< S
  std::int64_t cache_len = 0;    ///< Smax
  std::int64_t query_heads = 0;  ///< Nq
  std::int64_t kv_heads = 0;     ///< Nkv
  std::int64_t head_dim = 0;     ///< D
  bool kv_output = false;

  std::int64_t tokens() const { return batch * seq_len; }
  /// Heads of a qkv row: q, k and v.
  std::int64_t token_heads() const { return query_heads + 2 * kv_heads; }
};

/// Sizes of a call that passed validate().
Problem problem_of(const Call& call);

/// The operator's own rules, in their documented order. Throws Refusal.
void validate(const Call& call, const sim::SocConfig& soc);

/// The documented examples RQK-1..6 and refusals RQK-N1..6.
std::vector<ExampleCase> cases();
Call make_case(std::string_view id, memory::GlobalMemory& memory);

}  // namespace davsim::operators::rope_quant_kvcache
