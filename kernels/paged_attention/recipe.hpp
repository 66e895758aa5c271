// Makes legal calls from a few sizes, for the documented cases and the tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::paged_attention {

/// A call as its parameters describe it. Everything that is left out is as plain as possible.
struct Recipe {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t width = 64;
  std::int64_t value_width = 0;          ///< 0: width; merged: mlaVHeadSize
  std::vector<std::int64_t> contexts{};  ///< contextLens; razor: of each token and kv head
  std::int64_t page_rows = 16;
  std::int64_t pages = 0;              ///< nb; 0: two more than are used
  isa::DType type = isa::DType::kF16;  ///< of query, of an int8 query that of the output
  bool merged = false;
  bool bnsd = false;
  bool fractals = false;  ///< caches and masks of the older series
  bool batch_run = false;
  std::vector<std::int64_t> query_rows{};  ///< qSeqLens; empty: decode
  /// "", "norm", "norm shared", "norm heads", "norm square", "norm squares", "alibi",
  /// "alibi heads", "spec"; fractals: also "free", "compress", "compress fractals", and of those
  /// above not "norm heads" and the squares.
  std::string mask{};
  std::int64_t quant = 0;      ///< quantType
  bool wide_descales = false;  ///< int64
  bool offsets = false;        ///< hasQuantOffset
  std::int64_t razor = 0;      ///< compressType
  bool logn = false;
  double scale = 0;               ///< qkScale; 0: 1 / sqrt(width)
  double query_scale = 1;         ///< qScale
  std::int64_t mask_columns = 0;  ///< max; 0: a little more than the longest context
};

/// Tensors and attributes. Rows of the caches that no batch reads are NaN, so that reading them
/// shows, unless they are many; page numbers behind the last used page are -1.
Call make_call(SeededData& data, const Recipe& recipe);

}  // namespace davsim::operators::paged_attention
