// Makes legal calls of every kind from a few sizes, for the example cases and the tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::fused_infer_attention_score {

/// The description of a call. Everything that is not set is as plain as possible.
struct Recipe {
  std::string layout = "BNSD";
  std::int64_t batch = 1;       ///< TND: the length of query_lengths counts instead
  std::int64_t query_rows = 1;  ///< Sq, or T
  std::int64_t kv_rows = 16;    ///< Skv, or Tkv; paged: rows that the table has room for at least
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t width = 64;
  std::int64_t value_width = 0;  ///< 0: width
  isa::DType query = isa::DType::kF16;
  isa::DType kv = isa::DType::kNone;  ///< kNone: that of query; kI4 becomes words of int32
  bool rope = false;
  std::vector<std::int64_t> query_lengths{}, kv_lengths{};  ///< empty: the attribute is not given

  std::string cache{};         ///< "", "BnBsH", "BnNBsD", "NZ"
  std::int64_t page_rows = 0;  ///< block_size
  std::int64_t pages = 0;      ///< nb; 0: two more than are used

  std::int64_t sparse_mode = 0;
  std::string mask{};  ///< "", "full", "square"
  std::int64_t pre = 2147483647, next = 2147483647;
  bool pse = false, lse = false;
  std::int64_t key_mode = 0, value_mode = 0;
  bool offsets = false;     ///< of a quantised key and value
  bool per_tensor = false;  ///< mode 0 with one number
  std::string out_quant{};  ///< "", "tensor", "channel"
  bool out_offset = false;
  std::int64_t inner_precise = 0;
  double scale = 0;   ///< 0: 1 / sqrt(width)
  bool list = false;  ///< key and value as lists of one entry a batch
};

/// Tensors and attributes. Rows of key and value that no batch reads are NaN, so that reading them
/// shows, unless they are many; page numbers behind the last used page are -1.
Call make_call(const Recipe& recipe, SeededData& data);

}  // namespace davsim::operators::fused_infer_attention_score
