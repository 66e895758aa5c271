// Reads a call of PagedAttention by name, for its reference. The operator's own rules share
// nothing with this file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/reference.hpp"

namespace davsim::reference::paged_attention {

/// Rows of one sequence: a batch, or with razor a token and kv head.
struct Sequence {
  std::int64_t index;      ///< in contextLens
  std::int64_t context;    ///< rows of key and value
  std::int64_t rows;       ///< of query
  std::int64_t first_row;  ///< running, over all sequences before it
};

class View {
 public:
  explicit View(const operators::Call& call);

  bool has(const char* name) const { return call_.tensors.contains(name); }
  const operators::Tensor& tensor(const char* name) const { return call_.tensors.at(name); }
  double value(const char* name, std::int64_t index) const { return element(tensor(name), index); }
  std::int64_t number(const char* name) const {
    return call_.attributes.at(name).to_number<std::int64_t>();
  }
  double real(const char* name) const { return call_.attributes.at(name).to_number<double>(); }

  /// Key (or value) of a sequence's kv head, [context, width], dequantised with quantType 1.
  std::vector<double> rows_of(bool key, const Sequence& sequence, std::int64_t kv_head) const;
  /// What the mask adds to a score; -inf if it hides the column.
  double mask(const Sequence& sequence, std::int64_t row, std::int64_t head,
              std::int64_t column) const;
  /// What razorOffset adds to a product before it is scaled.
  double offset(const Sequence& sequence, std::int64_t column) const;

  bool razor, merged, parallel;
  bool fractals;                 ///< caches and masks of the older series
  std::int64_t heads, kv_heads;  ///< of the model
  std::int64_t group;            ///< query heads that share a kv head
  std::int64_t key_width, value_width;
  std::int64_t quant;  ///< quantType
  std::vector<Sequence> sequences;
  std::int64_t most_context = 0;

 private:
  struct Place {
    std::int64_t page, row;  ///< in the page
  };
  std::int64_t page(const Sequence& sequence, std::int64_t row) const;
  std::int64_t cache_element(const operators::Shape& cache, const Place& place,
                             std::int64_t kv_head, std::int64_t channel) const;

  const operators::Call& call_;
  std::int64_t page_rows_;
  bool heads_before_rows_;  ///< in the caches
};

}  // namespace davsim::reference::paged_attention
