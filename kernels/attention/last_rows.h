// The last work of the vector cores: rows without any visible column, and merges of split tasks.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/row_output.h"
#include "kernels/attention/split_merge.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

template <typename T>
__aicore__ inline void FillRows(const AttentionTiling& tiling, RowOutput<T>& output, uint32_t first,
                                uint32_t step) {
  for (uint32_t i = first; i < tiling.fills; i += step) {
    const auto task =
        ReadRecord<AttentionTask>(tiling.fill_list + uint64_t{i} * sizeof(AttentionTask));
    const uint32_t rows = uint32_t{task.heads} * task.rows;
    for (uint32_t row = 0; row < rows; row += tiling.ub.out_rows) {
      output.StoreNothing(task, row, min(tiling.ub.out_rows, rows - row));
    }
  }
}

/// Runs after the stream of vector core `core` of `cores` has ended. `T` is the type of the output.
template <typename T>
__aicore__ inline void EndRows(const AttentionTiling& tiling, RowOutput<T>& output, uint32_t core,
                               uint32_t cores) {
  FillRows(tiling, output, core, cores);
  if (tiling.merges != 0) {
    SyncAll<true>();
    SplitMerge<T> merge(tiling, output);
    merge.Process(core, cores);
  }
  output.Finish();
}

}  // namespace kernel_attention
