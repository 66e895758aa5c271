// The cube core's part of attention: scores = query x key, parts = probabilities x value.
//
// All work is products of blocks of at most 128 x 128 x 128. The products of the scores of one step
// alternate with those of value of an earlier step. While the cube multiplies for one of them,
// Fixpipe writes the results of the other. While the vector cores convert scores to probabilities,
// the cube computes the next scores. The unit flag passes L0C on block by block.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/kv_loader.h"
#include "kernels/attention/step_walk.h"
#include "kernels/common/mmad_order.h"

namespace kernel_attention {

/// Unit flag modes: keep the block of L0C, and release it at the end.
constexpr uint8_t kUnitFlagKeep = 2;
constexpr uint8_t kUnitFlagHandOver = 3;

constexpr uint32_t kBlockElements = kAttentionBlock * kAttentionBlock;
constexpr uint32_t kHalfOfL0 = kAttentionHalfOfL0;
constexpr uint32_t kHalfOfL0c = kAttentionHalfOfL0c;
/// The number of events between MTE2 and MTE1. It is larger than the number of blocks loaded ahead.
constexpr uint32_t kLoadEvents = 4;

/// A ring of blocks of one kind in L1.
class L1Ring {
 public:
  __aicore__ inline void Init(uint32_t first, uint32_t size) { first_ = first, size_ = size; }
  __aicore__ inline uint32_t At(uint32_t index) const { return first_ + index % size_; }
  __aicore__ inline uint32_t Take() { return At(taken_++); }

 private:
  uint32_t first_ = 0, size_ = 1, taken_ = 0;
};

template <typename T>
class CubeStream {
 public:
  __aicore__ inline CubeStream(const AttentionTiling& tiling, uint32_t block) : tiling_(tiling) {
    scores_.walk.Init(tiling, block);
    values_.walk.Init(tiling, block);
    workspace_.Init(tiling, block);
    const AttentionL1& l1 = tiling.l1;
    query_ring_.Init(0, l1.query);
    key_ring_.Init(l1.query, l1.key);
    value_ring_.Init(l1.query + l1.key, l1.value);
    probs_ring_.Init(l1.query + l1.key + l1.value, l1.probs);
    key_chunks_ = Blocks(tiling.key_width);
    chunks_ = key_chunks_ + Blocks(tiling.rope_width);
    value_blocks_ = Blocks(tiling.value_width);
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

  /// One product of blocks, from L1 on.
  struct Product {
    bool of_scores;
    bool of_rope;
    bool first, last;  ///< whether it is the first or last of the products of one sum
    bool ends_step;
    uint32_t m, n, k;
    uint32_t a, b;    ///< the blocks of L1
    uint32_t a_name;  ///< equal names mean equal contents of `a`
    uint64_t to;      ///< the address of the sum
    uint32_t to_pitch;
    bool adds;    ///< to the numbers at `to`
    int32_t sum;  ///< the half of L0C
    int32_t event;
  };
  /// The position in the products of one kind. `outer` and `inner` count blocks of a step.
  struct Cursor {
    StepWalk walk;
    uint32_t outer = 0, inner = 0;
  };

  __aicore__ inline static uint32_t Blocks(uint32_t extent) {
    return (extent + kAttentionBlock - 1) / kAttentionBlock;
  }
  __aicore__ inline static uint32_t BlockExtent(uint32_t extent, uint32_t block) {
    return min(kAttentionBlock, extent - block * kAttentionBlock);
  }
  __aicore__ inline LocalTensor<T> BlockOf(TPosition position, uint32_t block) const {
    return LocalTensor<T>(position, block * kBlockElements * sizeof(T), kBlockElements);
  }

  // --- which product comes next ----------------------------------------------------------------

  /// Products with value follow the scores by some steps. If both can continue, they alternate.
  __aicore__ inline bool ScoresNext() {
    if (scores_.walk.Done()) return false;
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
    const uint32_t due = values_.walk.Now().index + tiling_.lag, at = scores_.walk.Now().index;
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

  /// Loads for the scores of a block of key rows, one chunk of the width after the other.
  __aicore__ inline void FetchScores(Product& p) {
    const Step& step = scores_.walk.Now();
    const uint32_t block = scores_.outer, chunk = scores_.inner;
    const bool rope = p.of_rope = chunk >= key_chunks_;
    const uint32_t place = rope ? chunk - key_chunks_ : chunk;
    const uint32_t column = place * kAttentionBlock;
    p.m = step.Rows();
    p.n = BlockExtent(step.columns, block);
    p.k = BlockExtent(rope ? tiling_.rope_width : tiling_.key_width, place);
    p.first = chunk == 0;
    p.last = chunk + 1 == chunks_;
    p.ends_step = p.last && (block + 1) * kAttentionBlock >= step.columns;
    p.to = workspace_.Scores(step) + uint64_t{block} * kAttentionBlock * sizeof(float);
    p.to_pitch = tiling_.step_columns;
    p.adds = false;
    p.sum = 0;
    // The queries of successive tasks alternate.
    p.a_name = query_count_ * chunks_ + chunk;
    p.a = query_ring_.At(p.a_name);
    p.b = key_ring_.Take();
    if (step.first && block == 0) {
      const L1Block<T> to = {BlockOf(TPosition::A1, p.a), AlignUp(p.m, kFractalRows)};
      LoadQuery(to, step.task, rope ? step.task.query_rope : step.task.query,
                rope ? tiling_.rope_strides : tiling_.query_strides, column, p.k);
    }
    if (Fed() && block == 0 && chunk == 0) CrossCoreWaitFlag<2, PIPE_MTE2>(kRowsReady);
    LoadKv({BlockOf(TPosition::B1, p.b), AlignUp(p.n, kFractalRows)}, step,
           rope ? KvSource{tiling_.key_rope, step.task.key_rope, workspace_.RopeRows(step)}
                : KvSource{tiling_.key, step.task.key, workspace_.Rows(step)},
           {block * kAttentionBlock, p.n, column, p.k});
    AdvanceScores(p);
  }

  __aicore__ inline void AdvanceScores(const Product& p) {
    if (++scores_.inner < chunks_) return;
    scores_.inner = 0;
    ++scores_.outer;
    if (!p.ends_step) return;
    scores_.outer = 0;
    if (scores_.walk.Now().last) ++query_count_;
    scores_.walk.Advance();
  }

  /// Loads for a block of columns of the product with value, one block of key/value rows after the
  /// other.
  __aicore__ inline void FetchValues(Product& p) {
    const Step& step = values_.walk.Now();
    const uint32_t block = values_.outer, rows = values_.inner;
    p.of_rope = false;
    const uint32_t units = Blocks(step.columns);
    p.m = step.Rows();
    p.n = BlockExtent(tiling_.value_width, block);
    p.k = BlockExtent(step.columns, rows);
    p.first = rows == 0;
    p.last = rows + 1 == units;
    p.ends_step = p.last && block + 1 == value_blocks_;
    p.to = workspace_.Parts(step) + uint64_t{block} * kAttentionBlock * sizeof(float);
    p.to_pitch = tiling_.value_width;
    p.adds = tiling_.two_pass != 0 && !step.first;
    // After the last scores, the products with value use both halves of L0C.
    if (p.first) values_sum_ = scores_.walk.Done() ? 1 - values_sum_ : 1;
    p.sum = values_sum_;
    p.a_name = kProbsNames + probs_count_ + rows;
    p.a = probs_ring_.At(probs_count_ + rows);
    p.b = value_ring_.Take();
    if (block == 0) {
      if (rows == 0) CrossCoreWaitFlag<2, PIPE_MTE2>(kProbsReady);
      const GlobalTensor<T> probs = AtAddress<T>(workspace_.Probs(step));
      LoadRows<T>({BlockOf(TPosition::A1, p.a), AlignUp(p.m, kFractalRows)}, 0, 1,
                  probs[uint64_t{rows} * p.m * kAttentionBlock], kAttentionBlock, p.m,
                  AlignUp(p.k, kFractalRows));
    }
    LoadKv({BlockOf(TPosition::B1, p.b), AlignUp(p.k, kFractalRows)}, step,
           {tiling_.value, step.task.value, workspace_.Rows(step)},
           {rows * kAttentionBlock, p.k, block * kAttentionBlock, p.n});
    AdvanceValues(p, units);
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
    const int32_t turn = static_cast<int32_t>(products_++ & 1);
    bool held = false;
    const int32_t a_half = HalfFor(p.a_name, held);
    const int32_t b_half = 2 + turn;
    const LocalTensor<T> l0a = HalfOf(TPosition::A2, a_half);
    const LocalTensor<T> l0b = HalfOf(TPosition::B2, turn);
    WaitFlag<HardEvent::MTE2_MTE1>(p.event);
    WaitFlag<HardEvent::M_MTE1>(a_half);
    WaitFlag<HardEvent::M_MTE1>(b_half);
    if (!held) {
      const kernel_matmul::Chunk<T> a = {BlockOf(TPosition::A1, p.a), AlignUp(p.m, kFractalRows),
                                         p.m};
      kernel_matmul::LoadPlainA(l0a, a, 0, p.k);
    }
    LoadB(l0b, p);
    SetFlag<HardEvent::MTE1_M>(turn);
    WaitFlag<HardEvent::MTE1_M>(turn);
    Sum(p, l0a, l0b);
    SetFlag<HardEvent::M_MTE1>(a_half);
    SetFlag<HardEvent::M_MTE1>(b_half);
    if (p.last) Store(p);
    if (p.of_scores && p.ends_step) ++scored_steps_;
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
  __aicore__ inline void LoadB(const LocalTensor<T>& l0b, const Product& p) {
    const LocalTensor<T> block = BlockOf(TPosition::B1, p.b);
    if (p.of_scores) {
      kernel_matmul::LoadPlainB(l0b, {block, AlignUp(p.n, kFractalRows), p.n}, 0, p.k);
    } else {
      kernel_matmul::LoadTurned(l0b, {block, AlignUp(p.k, kFractalRows), p.n}, 0, p.k, false);
    }
  }

  __aicore__ inline LocalTensor<float> Sums(const Product& p) const {
    return LocalTensor<float>(TPosition::CO1, static_cast<uint32_t>(p.sum) * kHalfOfL0c,
                              kHalfOfL0c / sizeof(float));
  }

  __aicore__ inline void Sum(const Product& p, const LocalTensor<T>& l0a,
                             const LocalTensor<T>& l0b) {
    MmadParams mmad;
    // A product of one row would be a matrix-vector product, which needs another layout of A.
    mmad.m = static_cast<uint16_t>(p.m == 1 ? kFractalRows : p.m);
    mmad.n = static_cast<uint16_t>(p.n);
    mmad.k = static_cast<uint16_t>(p.k);
    mmad.cmatrixInitVal = p.first;
    mmad.unitFlag = p.last ? kUnitFlagHandOver : kUnitFlagKeep;
    if (!p.first) kernel_common::AwaitEarlierSums(p.m, p.n);
    if (p.of_rope && tiling_.types == AttentionTypes::kHalfAndBfloat) {
      // Blocks are moved as elements of 16 bits, whatever their type is.
      Mmad(Sums(p), l0a.template ReinterpretCast<bfloat16_t>(),
           l0b.template ReinterpretCast<bfloat16_t>(), mmad);
    } else {
      Mmad(Sums(p), l0a, l0b, mmad);
    }
  }

  /// Stores whole fractals of columns. The scores behind the last key row are then 0.
  __aicore__ inline void Store(const Product& p) {
    FixpipeParamsV220 fixpipe;
    fixpipe.nSize = static_cast<uint16_t>(AlignUp(p.n, kFractalRows));
    fixpipe.mSize = static_cast<uint16_t>(p.m);
    fixpipe.srcStride = static_cast<uint16_t>(AlignUp(p.m, kFractalRows));
    fixpipe.dstStride = p.to_pitch;
    fixpipe.unitFlag = kUnitFlagHandOver;
    if (p.adds) SetAtomicAdd<float>();
    Fixpipe(AtAddress<float>(p.to), Sums(p), fixpipe);
    if (p.adds) SetAtomicNone();
    if (!p.ends_step) return;
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
  L1Ring query_ring_, key_ring_, value_ring_, probs_ring_;
  Product pending_[kPending];
  uint32_t key_chunks_ = 1, chunks_ = 1, value_blocks_ = 1;
  uint32_t scored_steps_ = 0;  ///< the number of steps whose products of scores have all started
  uint32_t loads_ = 0, products_ = 0, query_count_ = 0, probs_count_ = 0;
  uint32_t l0a_names_[2] = {~0u, ~0u};
  int32_t last_half_ = 0, values_sum_ = 1;
  bool values_turn_ = false;
};

}  // namespace kernel_attention
