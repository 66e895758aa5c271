// What an attention problem should give in double precision, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/launch.hpp"

namespace davsim::test {

namespace attention = operators::attention;
using isa::DType;

/// Index of element `d` of a row of a cache in pages of `page_rows` rows.
std::int64_t in_page(const attention::KvTensor& tensor, std::int64_t page_rows, std::int64_t row,
                     std::int64_t head, std::int64_t d);

/// Element `index` of float16, bfloat16 or float values.
double real_at(const std::uint8_t* data, DType type, std::int64_t index);

/// The definition, one row at a time.
class AttnReference {
 public:
  explicit AttnReference(const attention::Problem& p) : p_(p) {}

  struct Row {
    std::vector<double> out;  ///< value_width elements
    double lse = 0;           ///< of the scores; infinity where no column is visible
  };
  /// Of batch `b`, query head `n`, row `i`; a padded row sees no column.
  Row row(std::int64_t b, std::int64_t n, std::int64_t i) const;
  /// Where that row begins in a tensor of the query's layout.
  std::int64_t query_index(const attention::QueryTensor& t, std::int64_t b, std::int64_t n,
                           std::int64_t i) const;

 private:
  bool visible(std::int64_t b, std::int64_t i, std::int64_t j) const;
  double score(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) const;
  double kv_at(const attention::KvTensor& t, std::int64_t b, std::int64_t n, std::int64_t j,
               std::int64_t d) const;

  const attention::Problem& p_;
};

}  // namespace davsim::test
