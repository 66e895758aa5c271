// Writing rows from UB into a cache in global memory whose rows are found by an index: plain rows,
// and pages in NZ.
#pragma once

#include "kernels/common/nz_rows.h"

namespace kernel_common {

/// Cache rows [row, row + rows) take rows [first, first + rows) of a block in UB.
struct RowRun {
  uint32_t first;
  uint32_t rows;
  int64_t row;
};

/// Calls store(RowRun) for the rows of a block in UB, of which row i belongs in cache row
/// row_of(i), or nowhere where that is negative. Neighbours that stay neighbours are one run,
/// because every run is a move of its own. A run does not leave its page of `page_rows` rows; 0:
/// there are no pages.
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

/// Cache rows of `width` elements lie behind one another, rows in UB `pitch` elements apart. Both
/// are whole DataBlocks.
template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& cache,
                                 const AscendC::LocalTensor<T>& block, const RowRun& run,
                                 uint32_t width, uint32_t pitch) {
  const uint32_t gap = (pitch - width) * sizeof(T) / kBlockBytes;
  const AscendC::DataCopyExtParams copy(run.rows, width * sizeof(T), gap, 0, 0);
  // davsim: allow race the caller gave two tokens one row; operators warn of it where asked to
  AscendC::DataCopyPad(cache[run.row * width], block[run.first * pitch], copy);
}

/// Pages of `page_rows` rows are NZ, and so is the block in UB, of `pitch` rows. The run stays in
/// its page. `width` is a multiple of C0.
template <typename T>
__aicore__ inline void StoreNzRows(const AscendC::GlobalTensor<T>& cache, uint32_t page_rows,
                                   const AscendC::LocalTensor<T>& block, uint32_t pitch,
                                   const RowRun& run, uint32_t width) {
  const uint64_t page = run.row / page_rows * page_rows * width;
  const AscendC::DataCopyExtParams copy(width / kNzPiece<T>, run.rows * kBlockBytes,
                                        pitch - run.rows, (page_rows - run.rows) * kBlockBytes, 0);
  // davsim: allow race the caller gave two tokens one row; operators warn of it where asked to
  AscendC::DataCopyPad(cache[page + NzOffset<T>(page_rows, run.row % page_rows, 0)],
                       block[NzOffset<T>(pitch, run.first, 0)], copy);
}

}  // namespace kernel_common
