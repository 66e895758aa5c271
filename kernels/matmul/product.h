// A product of matrices on the cube cores, C = A x B + bias, or several of one size ("batches").
//
// C is cut into tiles. The sums of a tile stay in L0C. A core walks through the k of a tile in
// steps. MTE2 moves the chunks of A and B of the next step from global memory to L1. At the same
// time, MTE1 loads those of this step to L0A and L0B in pieces, and the cube multiplies them. L1,
// L0A and L0B hold two pieces of each operand. L1 may hold a whole panel that several tiles use.
// Fixpipe writes the results of a tile while the next tile begins: the unit flag passes L0C on
// block by block.
//
// A kernel may carry out several Products, one after the other, between BeginProducts and
// EndProducts. They share the buffers. The loads of a Product follow the last reads of the one
// before.
#pragma once

#include "kernel_operator.h"
#include "kernels/common/mmad_order.h"
#include "kernels/matmul/l1_panel.h"
#include "kernels/matmul/matmul_tiling.h"
#include "kernels/matmul/operand_loads.h"
#include "kernels/matmul/tile_walk.h"

namespace kernel_matmul {

/// The event of the bias table. The halves of L0A and L0B have the events 0 and 1.
constexpr int32_t kBiasTableFree = 2;

/// Unit flag modes: keep the block of L0C, and release it at the end.
constexpr uint8_t kUnitFlagKeep = 2;
constexpr uint8_t kUnitFlagHandOver = 3;

/// Must be called before the first Product of a kernel. It marks both halves of L0A and L0B and the
/// bias table as free.
__aicore__ inline void BeginProducts() {
  for (int32_t id = 0; id <= kBiasTableFree; ++id) SetFlag<HardEvent::M_MTE1>(id);
}
/// Must be called after the last Product of a kernel.
__aicore__ inline void EndProducts() {
  for (int32_t id = 0; id <= kBiasTableFree; ++id) WaitFlag<HardEvent::M_MTE1>(id);
}

template <typename TIn, typename TAcc, typename TOut>
class Product {
 public:
  /// The part of core `core` of a product that `cores` cores share.
  __aicore__ inline Product(const MatmulTiling& tiling, uint32_t core, uint32_t cores)
      : tiling_(tiling), walk_(tiling, core, cores) {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c) {
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ TIn*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ TIn*>(b));
    bias_ = bias;
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ TOut*>(c));
    a_panel_.Init(tiling_.a.slots);
    b_panel_.Init(tiling_.b.slots);
    SetLoadDataPaddingValue(TIn(0));
  }

  __aicore__ inline void Process() {
    if (walk_.Done()) return;
    Step next = FirstStep();
    Fetch(next);
    bool more = true;
    while (more) {
      const Step now = next;
      more = Advance(next);
      if (more) Fetch(next);
      Compute(now);
    }
  }

 private:
  /// One step of the L1 pipeline: a part of k of one tile.
  struct Step {
    Tile tile;
    uint32_t m, n;        ///< the size of the tile
    uint32_t index;       ///< the number of the step in its tile
    uint32_t tile_count;  ///< the number of earlier tiles of this core
    uint32_t a_slot, b_slot;
    bool awaits;    ///< the step waits for a load
    int32_t event;  ///< the event of this load
  };

  __aicore__ inline bool HasBias() const { return tiling_.bias != MatmulBias::kNone; }

  // --- the walk over steps ---------------------------------------------------------------------

  __aicore__ inline Step FirstStep() {
    Step step = {};
    EnterTile(step);
    return step;
  }
  __aicore__ inline void EnterTile(Step& step) {
    step.tile = walk_.Current();
    step.m = min(tiling_.tile_m, tiling_.m - step.tile.row * tiling_.tile_m);
    step.n = min(tiling_.tile_n, tiling_.n - step.tile.col * tiling_.tile_n);
    step.index = 0;
  }
  /// Advances to the next step. Returns false after the last step of the core.
  __aicore__ inline bool Advance(Step& step) {
    if (!IsLast(step)) {
      ++step.index;
      return true;
    }
    walk_.Advance();
    if (walk_.Done()) return false;
    ++step.tile_count;
    EnterTile(step);
    return true;
  }
  __aicore__ inline bool IsLast(const Step& step) const {
    return (step.index + 1) * tiling_.step_k >= tiling_.k;
  }

  // --- global memory to L1 ---------------------------------------------------------------------

  /// Loads the chunks that `step` needs and L1 does not hold. They replace chunks that were used
  /// two or more steps ago. All loads of these chunks to L0 are queued by now, so one event orders
  /// the new loads behind them.
  __aicore__ inline void Fetch(Step& step) {
    bool load_a = false, load_b = false;
    const bool load_bias = HasBias() && step.index == 0;
    if (step.index % tiling_.a.chunk_steps == 0) {
      step.a_slot = a_panel_.Find(step.tile.batch * walk_.Rows() + step.tile.row,
                                  step.index / tiling_.a.chunk_steps, load_a);
    }
    if (step.index % tiling_.b.chunk_steps == 0) {
      step.b_slot = b_panel_.Find(step.tile.batch * walk_.Cols() + step.tile.col,
                                  step.index / tiling_.b.chunk_steps, load_b);
    }
    step.awaits = load_a || load_b || load_bias;
    if (!step.awaits) return;
    step.event = static_cast<int32_t>(batches_++ & 1);
    SetFlag<HardEvent::MTE1_MTE2>(step.event);
    WaitFlag<HardEvent::MTE1_MTE2>(step.event);
    if (load_bias) FetchBias(step);
    const uint32_t k = step.index * tiling_.step_k;
    if (load_a) {
      LoadChunk(SlotOf(TPosition::A1, tiling_.a, step.a_slot), OfBatch(a_, tiling_.a, step),
                tiling_.a, step.tile.row * tiling_.tile_m, k, {step.m, ChunkDepth(tiling_.a, k)});
    }
    if (load_b) {
      LoadChunk(SlotOf(TPosition::B1, tiling_.b, step.b_slot), OfBatch(b_, tiling_.b, step),
                tiling_.b, step.tile.col * tiling_.tile_n, k, {step.n, ChunkDepth(tiling_.b, k)});
    }
    SetFlag<HardEvent::MTE2_MTE1>(step.event);
  }

  __aicore__ inline GlobalTensor<TIn> OfBatch(const GlobalTensor<TIn>& all,
                                              const MatmulOperandTiling& operand,
                                              const Step& step) const {
    return all[static_cast<uint64_t>(step.tile.batch) * operand.batch_distance];
  }
  __aicore__ inline uint32_t ChunkDepth(const MatmulOperandTiling& operand, uint32_t k) const {
    return min(operand.chunk_steps * tiling_.step_k, tiling_.k - k);
  }
  __aicore__ inline LocalTensor<TIn> SlotOf(TPosition position, const MatmulOperandTiling& operand,
                                            uint32_t slot) const {
    return LocalTensor<TIn>(position, operand.l1_base + slot * operand.slot_bytes,
                            operand.slot_bytes / sizeof(TIn));
  }

  __aicore__ inline void FetchBias(const Step& step) {
    if (tiling_.bias == MatmulBias::kHalf) {
      FetchBiasAs<half>(step);
    } else {
      FetchBiasAs<TAcc>(step);
    }
  }
  /// Moves the bias as a matrix of one row, because such a move takes any length.
  template <typename T>
  __aicore__ inline void FetchBiasAs(const Step& step) {
    GlobalTensor<T> bias;
    bias.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bias_));
    Nd2NzParams copy;
    copy.ndNum = 1;
    copy.nValue = 1;
    copy.dValue = static_cast<uint16_t>(step.n);
    copy.srcDValue = static_cast<uint16_t>(step.n);
    copy.dstNzC0Stride = 1;
    copy.dstNzNStride = 1;
    DataCopy(BiasRow<T>(step), bias[step.tile.col * tiling_.tile_n], copy);
  }
  /// The place of a tile's bias in L1. Successive tiles of a core alternate between two places.
  template <typename T>
  __aicore__ inline LocalTensor<T> BiasRow(const Step& step) const {
    const uint32_t bytes = tiling_.tile_n * sizeof(TAcc);
    return LocalTensor<T>(TPosition::C1, tiling_.bias_base + (step.tile_count & 1) * bytes,
                          tiling_.tile_n);
  }

  // --- L1 to L0, product -----------------------------------------------------------------------

  __aicore__ inline void Compute(const Step& step) {
    if (step.awaits) WaitFlag<HardEvent::MTE2_MTE1>(step.event);
    const Chunk<TIn> a = ChunkOf(TPosition::A1, tiling_.a, step.a_slot, step.m, step);
    const Chunk<TIn> b = ChunkOf(TPosition::B1, tiling_.b, step.b_slot, step.n, step);
    const uint32_t begin = step.index * tiling_.step_k;
    const uint32_t end = min(begin + tiling_.step_k, tiling_.k);
    for (uint32_t k = begin; k < end; k += tiling_.l0_k) {
      const int32_t half = static_cast<int32_t>(products_++ & 1);
      const uint32_t depth = min(tiling_.l0_k, end - k);
      const LocalTensor<TIn> l0a = Half<TIn>(TPosition::A2, half, tiling_.l0a_half);
      const LocalTensor<TIn> l0b = Half<TIn>(TPosition::B2, half, tiling_.l0b_half);
      WaitFlag<HardEvent::M_MTE1>(half);
      if (k == 0 && HasBias()) LoadBias(step);
      LoadA(l0a, a, tiling_.a, InChunk(tiling_.a, k), depth);
      LoadB(l0b, b, tiling_.b, InChunk(tiling_.b, k), depth);
      SetFlag<HardEvent::MTE1_M>(half);
      WaitFlag<HardEvent::MTE1_M>(half);
      Multiply(step, l0a, l0b, k, depth);
      SetFlag<HardEvent::M_MTE1>(half);
      if (k == 0 && HasBias()) SetFlag<HardEvent::M_MTE1>(kBiasTableFree);
    }
    if (IsLast(step)) Store(step);
  }

  /// The offset of `k` in its chunk.
  __aicore__ inline uint32_t InChunk(const MatmulOperandTiling& operand, uint32_t k) const {
    return k % (operand.chunk_steps * tiling_.step_k);
  }
  __aicore__ inline Chunk<TIn> ChunkOf(TPosition position, const MatmulOperandTiling& operand,
                                       uint32_t slot, uint32_t side, const Step& step) const {
    const uint32_t chunk_k = operand.chunk_steps * tiling_.step_k;
    const uint32_t first = step.index / operand.chunk_steps * chunk_k;
    const Extent extent = {side, ChunkDepth(operand, first)};
    return {SlotOf(position, operand, slot), L1Rows<TIn>(operand, extent), side};
  }
  /// One of the two buffers of an L0 memory.
  template <typename T>
  __aicore__ inline LocalTensor<T> Half(TPosition position, int32_t half, uint32_t distance) const {
    return LocalTensor<T>(position, static_cast<uint32_t>(half) * distance, distance / sizeof(T));
  }

  __aicore__ inline void LoadBias(const Step& step) {
    WaitFlag<HardEvent::M_MTE1>(kBiasTableFree);
    constexpr uint32_t kTableUnit = 64;  // bytes
    DataCopyParams copy;
    copy.blockLen = static_cast<uint16_t>(AlignUp(step.n * sizeof(TAcc), kTableUnit) / kTableUnit);
    if constexpr (std::is_same_v<TIn, half>) {
      if (tiling_.bias == MatmulBias::kHalf) {
        DataCopy(BiasTable(), BiasRow<half>(step), copy);
        return;
      }
    }
    DataCopy(BiasTable(), BiasRow<TAcc>(step), copy);
  }
  __aicore__ inline LocalTensor<TAcc> BiasTable() const {
    return LocalTensor<TAcc>(TPosition::C2, 0, tiling_.tile_n);
  }

  __aicore__ inline void Multiply(const Step& step, const LocalTensor<TIn>& l0a,
                                  const LocalTensor<TIn>& l0b, uint32_t k, uint32_t depth) {
    MmadParams mmad;
    // A product of one row would be a matrix-vector product, which needs another layout of A.
    mmad.m = static_cast<uint16_t>(step.m == 1 ? kFractalRows : step.m);
    mmad.n = static_cast<uint16_t>(step.n);
    mmad.k = static_cast<uint16_t>(depth);
    mmad.unitFlag = k + depth == tiling_.k ? kUnitFlagHandOver : kUnitFlagKeep;
    mmad.kDirectionAlign = !tiling_.a.k_in_columns;  // turned fractals of float come in pairs
    mmad.cmatrixInitVal = k == 0;
    if (k > 0) kernel_common::AwaitEarlierSums(step.m, step.n);
    if (k == 0 && HasBias()) {
      mmad.cmatrixInitVal = false;
      Mmad(Sums(step), l0a, l0b, BiasTable(), mmad);
    } else {
      Mmad(Sums(step), l0a, l0b, mmad);
    }
  }
  __aicore__ inline LocalTensor<TAcc> Sums(const Step& step) const {
    return LocalTensor<TAcc>(TPosition::CO1, (step.tile_count & 1) * tiling_.l0c_half,
                             AlignUp(tiling_.tile_m, kFractalRows) * tiling_.tile_n);
  }

  // --- L0C to global memory --------------------------------------------------------------------

  __aicore__ inline void Store(const Step& step) {
    FixpipeParamsV220 fixpipe;
    fixpipe.nSize = static_cast<uint16_t>(step.n);
    fixpipe.mSize = static_cast<uint16_t>(step.m);
    fixpipe.srcStride = static_cast<uint16_t>(AlignUp(step.m, kFractalRows));
    fixpipe.dstStride = tiling_.c_cols;
    fixpipe.unitFlag = kUnitFlagHandOver;
    if constexpr (std::is_same_v<TOut, half>) fixpipe.quantPre = QuantMode_t::F322F16;
    if constexpr (std::is_same_v<TOut, bfloat16_t>) fixpipe.quantPre = QuantMode_t::F322BF16;
    const uint64_t row = static_cast<uint64_t>(step.tile.row) * tiling_.tile_m;
    const uint64_t batch = static_cast<uint64_t>(step.tile.batch) * tiling_.c_batch_distance;
    Fixpipe(c_[batch + row * tiling_.c_cols + step.tile.col * tiling_.tile_n], Sums(step), fixpipe);
  }

  const MatmulTiling& tiling_;
  TileWalk walk_;
  L1Panel a_panel_, b_panel_;
  GlobalTensor<TIn> a_, b_;
  GlobalTensor<TOut> c_;
  GM_ADDR bias_ = nullptr;
  uint32_t batches_ = 0;   ///< the number of batches of loads to L1 so far
  uint32_t products_ = 0;  ///< the number of Mmads so far
};

}  // namespace kernel_matmul
