// The cube core's part of attention: scores = query x key, parts = probabilities x value.
//
// All work is products of blocks of at most 128 x 128 x 128. A load brings 128 rows of key or value
// with as many blocks of columns as L1 has room for: whole rows travel in long bursts. The products
// of the scores of one step alternate with those of value of an earlier step, load by load. While
// the cube multiplies for one of them, Fixpipe writes the results of the other. While the vector
// cores convert scores to probabilities, the cube computes the next scores. The unit flag passes
// L0C on block by block.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/cube_products.h"
#include "kernels/attention/kv_loader.h"
#include "kernels/attention/step_walk.h"
#include "kernels/common/mmad_order.h"

namespace kernel_attention {

/// Unit flag modes: keep the block of L0C, and release it at the end.
constexpr uint8_t kUnitFlagKeep = 2;
constexpr uint8_t kUnitFlagHandOver = 3;

constexpr uint32_t kHalfOfL0 = kAttentionHalfOfL0;
constexpr uint32_t kHalfOfL0c = kAttentionHalfOfL0c;
/// The number of events between MTE2 and MTE1. It is larger than the number of loads ahead.
constexpr uint32_t kLoadEvents = 4;

template <typename T>
class CubeStream {
 public:
  __aicore__ inline CubeStream(const AttentionTiling& tiling, uint32_t block) : tiling_(tiling) {
    scores_.walk.Init(tiling, block);
    values_.walk.Init(tiling, block);
    workspace_.Init(tiling, block);
    const AttentionL1& l1 = tiling.l1;
    uint32_t end = query_ring_.Init(0, l1.query, l1.query_bytes);
    end = kv_ring_.Init(end, l1.kv, l1.kv_bytes);
    probs_ring_.Init(end, l1.probs, l1.probs_bytes);
    key_chunks_ = Blocks(tiling.key_width);
    chunks_ = key_chunks_ + Blocks(tiling.rope_width);
    value_blocks_ = Blocks(tiling.value_width);
    key_loads_ = (chunks_ + l1.key_blocks - 1) / l1.key_blocks;
    SetLoadDataPaddingValue(T(0));
  }

  __aicore__ inline void Process() {
    for (int32_t half = 0; half < kHalves; ++half) SetFlag<HardEvent::M_MTE1>(half);
    uint32_t fetched = 0, multiplied = 0;
    do {
      while (fetched - multiplied <= tiling_.l1.ahead && !ProbsAreFar() &&
             Fetch(pending_[fetched % kPending])) {
        ++fetched;
      }
      if (fetched == multiplied) break;
      Multiply(pending_[multiplied % kPending]);
      ++multiplied;
    } while (true);
    for (int32_t half = 0; half < kHalves; ++half) WaitFlag<HardEvent::M_MTE1>(half);
  }

 private:
  /// The halves of L0A and of L0B. Each has an event.
  static constexpr int32_t kHalves = 4;
  static constexpr uint32_t kPending = kLoadEvents;

  /// The position in the products of one kind. `outer` and `inner` count blocks of a step.
  struct Cursor {
    StepWalk walk;
    uint32_t outer = 0, inner = 0;
  };

  /// The blocks from `block` on of a place in L1, as many as hold `columns`. Columns of fractals
  /// have `l1_rows` rows.
  __aicore__ inline static L1Block<T> BlockOf(TPosition position, uint32_t place, uint32_t block,
                                              uint32_t l1_rows,
                                              uint32_t columns = kAttentionBlock) {
    const uint32_t elements = kAttentionBlock * l1_rows;
    return {
        LocalTensor<T>(position, place + block * elements * sizeof(T), Blocks(columns) * elements),
        l1_rows};
  }

  // --- which product comes next ----------------------------------------------------------------

  /// Products with value follow the scores by some steps. If both can continue, they alternate. Or
  /// they follow by a unit of steps, and take turns.
  __aicore__ inline bool ScoresNext() {
    if (scores_.walk.Done()) return false;
    if (tiling_.in_turn != 0) return scores_.walk.Unit() <= values_.walk.Unit() + 1;
    const uint32_t due = values_.walk.Now().index + tiling_.lag;
    const uint32_t at = scores_.walk.Now().index;
    if (at != due) return at < due;
    values_turn_ = !values_turn_;
    return values_turn_;
  }

  /// Whether the next product needs probabilities whose scores are not multiplied yet. The loads of
  /// such a product would wait, and could fill the queue before the products of the scores start.
  __aicore__ inline bool ProbsAreFar() const {
    if (values_.walk.Done()) return false;
    const uint32_t at = scores_.walk.Now().index;
    if (tiling_.in_turn != 0) {
      const uint32_t unit = values_.walk.Unit();
      if (!scores_.walk.Done() && scores_.walk.Unit() <= unit + 1) return false;
      return scored_steps_ < min((unit + 1) * tiling_.unit, at);
    }
    const uint32_t due = values_.walk.Now().index + tiling_.lag;
    // The probabilities depend on earlier steps only.
    const uint32_t wanted = due - 1;
    if (scores_.walk.Done()) return scored_steps_ < min(wanted, at);
    if (scored_steps_ >= wanted) return false;
    return at != due ? at > due : values_turn_;
  }

  /// Starts the loads of the next product. Returns false if there is none.
  __aicore__ inline bool Fetch(Product& product) {
    if (values_.walk.Done()) return false;
    product.event = static_cast<int32_t>(loads_++ % kLoadEvents);
    // All loads to L0 of the overwritten blocks are queued by now.
    SetFlag<HardEvent::MTE1_MTE2>(product.event);
    WaitFlag<HardEvent::MTE1_MTE2>(product.event);
    product.of_scores = ScoresNext();
    if (product.of_scores) {
      FetchScores(product);
    } else {
      FetchValues(product);
    }
    SetFlag<HardEvent::MTE2_MTE1>(product.event);
    return true;
  }

  // --- global memory to L1 ---------------------------------------------------------------------

  __aicore__ inline bool Fed() const { return tiling_.key.storage == AttentionStorage::kFed; }
  /// A tensor of a task, and the place of its rows of a step if the vector cores feed them.
  struct KvSource {
    const AttentionKv& kv;
    uint64_t address, fed;
  };
  /// A block of rows, counted from the first row of the step.
  struct KvBlock {
    uint32_t first, rows, column, columns;
  };
  __aicore__ inline void LoadKv(const L1Block<T>& to, const Step& step, const KvSource& from,
                                const KvBlock& block) const {
    const KvLoader<T> loader(from.kv, Fed() ? from.fed : from.address, step.task.table,
                             tiling_.kv_past_l2 != 0);
    loader.Load(to, Fed() ? block.first : step.kv_first + block.first, block.rows, block.column,
                block.columns);
  }

  /// Loads for the scores of a block of key rows: some chunks of the width after the others.
  __aicore__ inline void FetchScores(Product& p) {
    const Step& step = scores_.walk.Now();
    const uint32_t block = scores_.outer, load = scores_.inner;
    p.m = step.Rows();
    p.rows = BlockExtent(step.columns, block);
    p.from = load * tiling_.l1.key_blocks;
    p.end = min(p.from + tiling_.l1.key_blocks, chunks_);
    p.first = load == 0;
    p.last = p.end == chunks_;
    p.ends_step = p.last && (block + 1) * kAttentionBlock >= step.columns;
    p.to = workspace_.Scores(step) + uint64_t{block} * kAttentionBlock * sizeof(float);
    p.to_pitch = tiling_.step_columns;
    p.adds = false;
    p.sum = 0;
    // The queries of successive tasks alternate.
    p.a_name = query_count_ * chunks_;
    p.a = query_ring_.At(query_count_ * key_loads_ + load);
    p.b = kv_ring_.Take();
    if (Fed() && block == 0 && load == 0) CrossCoreWaitFlag<2, PIPE_MTE2>(kRowsReady);
    const bool with_query = step.first && block == 0;
    if (p.from < key_chunks_) {
      const uint32_t column = p.from * kAttentionBlock;
      const uint32_t columns = min(p.end * kAttentionBlock, tiling_.key_width) - column;
      if (with_query) {
        LoadQuery(BlockOf(TPosition::A1, p.a, 0, AlignUp(p.m, kFractalRows), columns), step.task,
                  step.task.query, tiling_.query_strides, column, columns);
      }
      LoadKv(BlockOf(TPosition::B1, p.b, 0, AlignUp(p.rows, kFractalRows), columns), step,
             {tiling_.key, step.task.key, workspace_.Rows(step)},
             {block * kAttentionBlock, p.rows, column, columns});
    }
    if (p.end > key_chunks_) {
      const uint32_t place = max(p.from, key_chunks_) - p.from;
      const uint32_t column = (p.from + place - key_chunks_) * kAttentionBlock;
      const uint32_t columns =
          min((p.end - key_chunks_) * kAttentionBlock, tiling_.rope_width) - column;
      if (with_query) {
        LoadQuery(BlockOf(TPosition::A1, p.a, place, AlignUp(p.m, kFractalRows), columns),
                  step.task, step.task.query_rope, tiling_.rope_strides, column, columns);
      }
      LoadKv(BlockOf(TPosition::B1, p.b, place, AlignUp(p.rows, kFractalRows), columns), step,
             {tiling_.key_rope, step.task.key_rope, workspace_.RopeRows(step)},
             {block * kAttentionBlock, p.rows, column, columns});
    }
    AdvanceScores(p);
    p.ends_unit = p.ends_step && scores_.walk.BehindUnit();
  }

  __aicore__ inline void AdvanceScores(const Product& p) {
    if (++scores_.inner < key_loads_) return;
    scores_.inner = 0;
    ++scores_.outer;
    if (!p.ends_step) return;
    scores_.outer = 0;
    if (scores_.walk.Now().last) ++query_count_;
    scores_.walk.Advance();
  }

  /// Loads for some blocks of columns of the product with value, one block of key/value rows after
  /// the other.
  __aicore__ inline void FetchValues(Product& p) {
    const Step& step = values_.walk.Now();
    const uint32_t load = values_.outer, block = values_.inner;
    const uint32_t units = Blocks(step.columns);
    p.m = step.Rows();
    p.rows = BlockExtent(step.columns, block);
    p.from = load * tiling_.l1.value_blocks;
    p.end = min(p.from + tiling_.l1.value_blocks, value_blocks_);
    p.first = block == 0;
    p.last = block + 1 == units;
    p.ends_step = p.last && p.end == value_blocks_;
    p.to = workspace_.Parts(step) + uint64_t{p.from} * kAttentionBlock * sizeof(float);
    p.to_pitch = tiling_.value_width;
    p.adds = tiling_.two_pass != 0 && !step.first;
    // After the last scores, the products with value use both halves of L0C.
    if (p.first) values_sum_ = scores_.walk.Done() ? 1 - values_sum_ : 1;
    p.sum = values_sum_;
    p.a_name = kProbsNames + probs_count_ + block;
    p.a = probs_ring_.At(probs_count_ + block);
    p.b = kv_ring_.Take();
    if (load == 0) {
      if (block == 0 && values_.walk.OpensUnit()) CrossCoreWaitFlag<2, PIPE_MTE2>(kProbsReady);
      const GlobalTensor<T> probs = AtAddress<T>(workspace_.Probs(step));
      LoadRows<T>(BlockOf(TPosition::A1, p.a, 0, AlignUp(p.m, kFractalRows)), 0, 1,
                  probs[uint64_t{block} * p.m * kAttentionBlock], kAttentionBlock, p.m,
                  AlignUp(p.rows, kFractalRows));
    }
    const uint32_t column = p.from * kAttentionBlock;
    const uint32_t columns = min(p.end * kAttentionBlock, tiling_.value_width) - column;
    LoadKv(BlockOf(TPosition::B1, p.b, 0, AlignUp(p.rows, kFractalRows), columns), step,
           {tiling_.value, step.task.value, workspace_.Rows(step)},
           {block * kAttentionBlock, p.rows, column, columns});
    AdvanceValues(p, units);
    p.ends_unit = p.ends_step && values_.walk.BehindUnit();
  }

  __aicore__ inline void AdvanceValues(const Product& p, uint32_t units) {
    if (++values_.inner < units) return;
    values_.inner = 0;
    ++values_.outer;
    if (!p.ends_step) return;
    values_.outer = 0;
    probs_count_ += units;
    values_.walk.Advance();
  }

  // --- L1 to L0, product, L0C to global memory -------------------------------------------------

  __aicore__ inline void Multiply(const Product& p) {
    WaitFlag<HardEvent::MTE2_MTE1>(p.event);
    for (uint32_t block = p.from; block < p.end; ++block) Multiply(p, BlockProductOf(p, block));
    if (p.of_scores && p.ends_step) ++scored_steps_;
  }

  __aicore__ inline BlockProduct BlockProductOf(const Product& p, uint32_t block) const {
    const uint32_t place = block - p.from;
    if (!p.of_scores) {
      return {place, BlockExtent(tiling_.value_width, block), p.rows, p.a_name, p.first, p.last,
              false};
    }
    const bool rope = block >= key_chunks_;
    const uint32_t k = rope ? BlockExtent(tiling_.rope_width, block - key_chunks_)
                            : BlockExtent(tiling_.key_width, block);
    return {place, p.rows, k, p.a_name + block, block == 0, block + 1 == chunks_, rope};
  }

  __aicore__ inline void Multiply(const Product& p, const BlockProduct& block) {
    const int32_t turn = static_cast<int32_t>(products_++ & 1);
    bool held = false;
    const int32_t a_half = HalfFor(block.a_name, held);
    const int32_t b_half = 2 + turn;
    const LocalTensor<T> l0a = HalfOf(TPosition::A2, a_half);
    const LocalTensor<T> l0b = HalfOf(TPosition::B2, turn);
    WaitFlag<HardEvent::M_MTE1>(a_half);
    WaitFlag<HardEvent::M_MTE1>(b_half);
    if (!held) {
      const L1Block<T> a =
          BlockOf(TPosition::A1, p.a, p.of_scores ? block.place : 0, AlignUp(p.m, kFractalRows));
      kernel_matmul::LoadPlainA(l0a, kernel_matmul::Chunk<T>{a.tensor, a.l1_rows, p.m}, 0, block.k);
    }
    LoadB(l0b, p, block);
    SetFlag<HardEvent::MTE1_M>(turn);
    WaitFlag<HardEvent::MTE1_M>(turn);
    Sum(p, block, l0a, l0b);
    SetFlag<HardEvent::M_MTE1>(a_half);
    SetFlag<HardEvent::M_MTE1>(b_half);
    if (block.last) Store(p, block);
  }

  /// The half of L0A for a block: the one that holds it, or else the least recently used one.
  __aicore__ inline int32_t HalfFor(uint32_t name, bool& held) {
    for (int32_t half = 0; half < 2; ++half) {
      held = l0a_names_[half] == name;
      if (held) return last_half_ = half;
    }
    last_half_ = 1 - last_half_;
    l0a_names_[last_half_] = name;
    return last_half_;
  }
  __aicore__ inline LocalTensor<T> HalfOf(TPosition position, int32_t half) const {
    return LocalTensor<T>(position, static_cast<uint32_t>(half) * kHalfOfL0, kHalfOfL0 / sizeof(T));
  }

  /// Key rows run along n and have the layout of L0B. Value rows run along k and are transposed.
  __aicore__ inline void LoadB(const LocalTensor<T>& l0b, const Product& p,
                               const BlockProduct& block) {
    const L1Block<T> b = BlockOf(TPosition::B1, p.b, block.place, AlignUp(p.rows, kFractalRows));
    const kernel_matmul::Chunk<T> chunk = {b.tensor, b.l1_rows, block.n};
    if (p.of_scores) {
      kernel_matmul::LoadPlainB(l0b, chunk, 0, block.k);
    } else {
      kernel_matmul::LoadTurned(l0b, chunk, 0, block.k, false);
    }
  }

  __aicore__ inline LocalTensor<float> Sums(const Product& p, const BlockProduct& block) const {
    const uint32_t elements = AlignUp(p.m, kFractalRows) * kAttentionBlock;
    const uint32_t place = p.of_scores ? 0 : block.place;
    return LocalTensor<float>(
        TPosition::CO1,
        static_cast<uint32_t>(p.sum) * kHalfOfL0c + place * elements * sizeof(float), elements);
  }

  __aicore__ inline void Sum(const Product& p, const BlockProduct& block, const LocalTensor<T>& l0a,
                             const LocalTensor<T>& l0b) {
    MmadParams mmad;
    // A product of one row would be a matrix-vector product, which needs another layout of A.
    mmad.m = static_cast<uint16_t>(p.m == 1 ? kFractalRows : p.m);
    mmad.n = static_cast<uint16_t>(block.n);
    mmad.k = static_cast<uint16_t>(block.k);
    mmad.cmatrixInitVal = block.first;
    mmad.unitFlag = block.last ? kUnitFlagHandOver : kUnitFlagKeep;
    if (!block.first) kernel_common::AwaitEarlierSums(p.m, block.n);
    if (block.of_rope && tiling_.types == AttentionTypes::kHalfAndBfloat) {
      // Blocks are moved as elements of 16 bits, whatever their type is.
      Mmad(Sums(p, block), l0a.template ReinterpretCast<bfloat16_t>(),
           l0b.template ReinterpretCast<bfloat16_t>(), mmad);
    } else {
      Mmad(Sums(p, block), l0a, l0b, mmad);
    }
  }

  /// Stores whole fractals of columns. The scores behind the last key row are then 0.
  __aicore__ inline void Store(const Product& p, const BlockProduct& block) {
    FixpipeParamsV220 fixpipe;
    fixpipe.nSize = static_cast<uint16_t>(AlignUp(block.n, kFractalRows));
    fixpipe.mSize = static_cast<uint16_t>(p.m);
    fixpipe.srcStride = static_cast<uint16_t>(AlignUp(p.m, kFractalRows));
    fixpipe.dstStride = p.to_pitch;
    fixpipe.unitFlag = kUnitFlagHandOver;
    const uint64_t to =
        p.to + (p.of_scores ? 0 : uint64_t{block.place} * kAttentionBlock * sizeof(float));
    if (p.adds) SetAtomicAdd<float>();
    Fixpipe(AtAddress<float>(to), Sums(p, block), fixpipe);
    if (p.adds) SetAtomicNone();
    if (!p.ends_unit || p.from + block.place + 1 != p.end) return;
    if (p.of_scores) {
      CrossCoreSetFlag<2, PIPE_FIX>(kScoresReady);
    } else {
      CrossCoreSetFlag<2, PIPE_FIX>(kPartsReady);
    }
  }

  /// The names of blocks of probabilities start here. Names of blocks of queries are smaller.
  static constexpr uint32_t kProbsNames = 1u << 31;

  const AttentionTiling& tiling_;
  Workspace workspace_;
  Cursor scores_, values_;
  L1Ring query_ring_, kv_ring_, probs_ring_;
  Product pending_[kPending];
  uint32_t key_chunks_ = 1, chunks_ = 1, value_blocks_ = 1;  ///< blocks of columns
  uint32_t key_loads_ = 1;                                   ///< of all chunks of key rows
  uint32_t scored_steps_ = 0;  ///< the number of steps whose products of scores have all started
  uint32_t loads_ = 0, products_ = 0, query_count_ = 0, probs_count_ = 0;
  uint32_t l0a_names_[2] = {~0u, ~0u};
  int32_t last_half_ = 0, values_sum_ = 1;
  bool values_turn_ = false;
};

}  // namespace kernel_attention
