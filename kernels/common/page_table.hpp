// Page tables of paged key/value caches: the rules that every paged operator has on the host.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/common/require.hpp"

namespace davsim::operators {

/// The number of pages that hold this many rows.
inline std::int64_t pages_for(std::int64_t rows, std::int64_t page_rows) {
  return (rows + page_rows - 1) / page_rows;
}

/// Refuses with E_INDEX if a page number of the first `rows` rows of batch `batch` is not in
/// [0, pages). Later entries are never read. `table` is [batches, columns] of int32 and has enough
/// columns.
inline void require_page_ids(const Tensor& table, const std::string& name, std::int64_t batch,
                             std::int64_t rows, std::int64_t page_rows, std::int64_t pages) {
  const std::int64_t columns = table.shape()[1];
  const std::int32_t* ids = table.as<std::int32_t>() + batch * columns;
  for (std::int64_t column = 0; column < pages_for(rows, page_rows); ++column) {
    const std::int64_t id = ids[column];
    if (id >= 0 && id < pages) continue;
    const std::string at = name + "[" + std::to_string(batch) + ", " + std::to_string(column) + "]";
    throw Refusal(ErrorClass::kIndex, "page numbers in " + name + " are in [0, nb)",
                  "page numbers in " + name + " are in [0, nb); " + at + " is " +
                      std::to_string(id) + ", nb is " + std::to_string(pages));
  }
}

}  // namespace davsim::operators
