// Paged caches for an operator's example cases. Page tables are in random order. In the pages only
// the rows that are read hold numbers.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/common/page_table.hpp"
#include "kernels/common/seeded_data.hpp"

namespace davsim::operators {

/// The rows of each batch, in pages of `page_rows` rows.
struct PagedLengths {
  std::vector<std::int64_t> rows;
  std::int64_t page_rows = 0;

  std::int64_t used_pages() const {
    std::int64_t used = 0;
    for (const std::int64_t length : rows) used += pages_for(length, page_rows);
    return used;
  }
};

/// [batches, columns]: `pages` numbers in random order, and -1 after a batch's last page. If there
/// are too few pages, batches share them.
inline Tensor seeded_page_table(SeededData& data, const PagedLengths& lengths, std::int64_t pages,
                                std::int64_t columns, const std::string& name) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(pages));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = pages - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(data.integer(0, i))]);
  }
  const auto batches = static_cast<std::int64_t>(lengths.rows.size());
  Tensor table = data.zeros(isa::DType::kI32, {batches, columns}, name);
  auto* ids = table.as<std::int32_t>();
  std::fill(ids, ids + table.elements(), -1);
  std::size_t next = 0;
  for (std::int64_t b = 0; b < batches; ++b) {
    const std::int64_t used =
        pages_for(lengths.rows[static_cast<std::size_t>(b)], lengths.page_rows);
    for (std::int64_t i = 0; i < used; ++i) ids[b * columns + i] = order[next++ % order.size()];
  }
  return table;
}

/// Writes random numbers to the first `rows` rows of a page. `row_axis` is the axis of the rows.
inline void fill_page(SeededData& data, Tensor& cache, std::size_t row_axis, std::int64_t page,
                      std::int64_t rows) {
  // The rows of a page lie next to each other between two axes.
  const Shape& shape = cache.shape();
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 1; i < row_axis; ++i) outer *= shape[i];
  for (std::size_t i = row_axis + 1; i < shape.size(); ++i) inner *= shape[i];
  for (std::int64_t o = 0; o < outer; ++o) {
    const std::int64_t first = (page * outer + o) * shape[row_axis] * inner;
    for (std::int64_t i = first; i < first + rows * inner; ++i) data.set_random(cache, i);
  }
}

/// A cache of `shape`, the pages on its first axis, with random numbers in the rows that a batch
/// reads. The others are NaN (all bits set), unless the cache is too large to be filled for that.
inline Tensor seeded_cache(SeededData& data, isa::DType type, Shape shape, std::size_t row_axis,
                           const PagedLengths& lengths, const Tensor& table,
                           const std::string& name) {
  constexpr std::uint64_t kPoisonedBytes = 8 << 20;
  Tensor cache = data.zeros(type, std::move(shape), name);
  if (cache.bytes() <= kPoisonedBytes) std::memset(cache.data(), 0xff, cache.bytes());
  const std::int64_t columns = table.shape()[1];
  for (std::size_t b = 0; b < lengths.rows.size(); ++b) {
    for (std::int64_t row = 0; row < lengths.rows[b]; row += lengths.page_rows) {
      const std::int64_t at = static_cast<std::int64_t>(b) * columns + row / lengths.page_rows;
      fill_page(data, cache, row_axis, table.as<std::int32_t>()[at],
                std::min(lengths.page_rows, lengths.rows[b] - row));
    }
  }
  return cache;
}

}  // namespace davsim::operators
