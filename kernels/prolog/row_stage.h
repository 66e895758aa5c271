// Constants, loads and loops that the vector stages of the prologs share.
#pragma once

#include "kernel_operator.h"
#include "kernels/common/cache_rows.h"
#include "kernels/common/dynamic_quant.h"
#include "kernels/common/rope.h"
#include "kernels/common/row_io.h"
#include "kernels/common/work_split.h"
#include "kernels/prolog/head_round.h"
#include "kernels/prolog/prolog_tiling.h"

namespace kernel_prolog {

using namespace AscendC;
using namespace kernel_common;

constexpr uint32_t kRopeWidth = 64;
constexpr uint32_t kIndexHeads = 64;
constexpr uint32_t kIndexWidth = 128;  ///< of the indexer's queries and keys
constexpr int32_t kSlots = 2;          ///< double buffering

/// The tokens of this core.
__aicore__ inline WorkRange MyTokens(const PrologTiling& tiling) {
  return ShareOfWork(tiling.tokens, VectorCores(), GetBlockIdx());
}

/// Loads a row of parameters that a whole stage needs: bf16 in memory, fp32 in UB. The row passes
/// through `queue`, whose buffers hold at least `count` bf16.
template <class Queue>
__aicore__ inline void LoadParameters(const LocalTensor<float>& ub, GM_ADDR gm, Queue& queue,
                                      uint32_t count) {
  auto row = queue.template AllocTensor<bfloat16_t>();
  Load(row, Global<bfloat16_t>(gm), count);
  queue.EnQue(row);
  row = queue.template DeQue<bfloat16_t>();
  Widen(ub, row, count);
  queue.FreeTensor(row);
}

/// Calls work(first, count) for the pieces of [share.begin, share.end), one after the other. The
/// pieces have about the same size, at most `capacity`.
template <class Work>
__aicore__ inline void ForEachPiece(const WorkRange& share, uint32_t capacity, const Work& work) {
  for (uint64_t first = share.begin; first < share.end;) {
    const uint32_t count = EvenPiece(share.end - first, capacity);
    work(first, count);
    first += count;
  }
}

/// Processes the units of [share.begin, share.end). Each unit is loaded while the one before is
/// computed.
template <class CopyIn, class Compute, class CopyOut>
__aicore__ inline void WithNextOnItsWay(const WorkRange& share, const CopyIn& copy_in,
                                        const Compute& compute, const CopyOut& copy_out) {
  if (share.begin != share.end) copy_in(share.begin);
  for (uint64_t unit = share.begin; unit < share.end; ++unit) {
    if (unit + 1 < share.end) copy_in(unit + 1);
    compute(unit);
    copy_out(unit);
  }
}

}  // namespace kernel_prolog
