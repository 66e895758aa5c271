// Stores of rows from UB into a cache in global memory. An index gives the cache row of each row.
// The host lets no two rows have the same cache row. The cache has plain rows or pages in NZ.
#pragma once

#include "kernels/common/nz_rows.h"

namespace kernel_common {

/// Rows [first, first + rows) of a block in UB go to cache rows [row, row + rows).
struct RowRun {
  uint32_t first;
  uint32_t rows;
  int64_t row;
};

/// Calls store(RowRun) for the rows of a block in UB. Row i goes to cache row row_of(i); a negative
/// number means that the row is not stored. Rows that are neighbours in UB and in the cache form
/// one run, because every run is a move of its own. A run stays in its page of `page_rows` rows; 0
/// means that there are no pages.
template <class RowOf, class Store>
__aicore__ inline void ForEachRun(uint32_t rows, uint32_t page_rows, const RowOf& row_of,
                                  const Store& store) {
  RowRun run = {0, 0, 0};
  for (uint32_t i = 0; i < rows; ++i) {
    const int64_t row = row_of(i);
    const bool new_page = page_rows != 0 && row % page_rows == 0;
    if (run.rows != 0 && row == run.row + run.rows && !new_page) {
      ++run.rows;
      continue;
    }
    if (run.rows != 0) store(run);
    run = {i, row < 0 ? 0u : 1u, row};
  }
  if (run.rows != 0) store(run);
}

/// Stores into contiguous cache rows of `width` elements. Rows in UB are `pitch` elements apart.
/// Both numbers are whole DataBlocks.
template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& cache,
                                 const AscendC::LocalTensor<T>& block, const RowRun& run,
                                 uint32_t width, uint32_t pitch) {
  const uint32_t gap = (pitch - width) * sizeof(T) / kBlockBytes;
  const AscendC::DataCopyExtParams copy(run.rows, width * sizeof(T), gap, 0, 0);
  AscendC::DataCopyPad(cache[run.row * width], block[run.first * pitch], copy);
}

/// Stores into NZ pages of `page_rows` rows, from an NZ block of `pitch` rows in UB. The run stays
/// in its page. `width` is a multiple of C0.
template <typename T>
__aicore__ inline void StoreNzRows(const AscendC::GlobalTensor<T>& cache, uint32_t page_rows,
                                   const AscendC::LocalTensor<T>& block, uint32_t pitch,
                                   const RowRun& run, uint32_t width) {
  const uint64_t page = run.row / page_rows * page_rows * width;
  const AscendC::DataCopyExtParams copy(width / kNzPiece<T>, run.rows * kBlockBytes,
                                        pitch - run.rows, (page_rows - run.rows) * kBlockBytes, 0);
  AscendC::DataCopyPad(cache[page + NzOffset<T>(page_rows, run.row % page_rows, 0)],
                       block[NzOffset<T>(pitch, run.first, 0)], copy);
}

}  // namespace kernel_common
