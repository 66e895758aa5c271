// softmax(Q K^T / sqrt(D)) V without the high-level API. The cube core of an AI core multiplies for
// both of its vector cores, 128 rows of Q with 128 rows of K and of V at a time. It computes the
// scores of the next columns while the vector cores work on the last ones.
//
// Scores, weights and products go through global memory, two slots of each. Flags say that a slot
// is full; the order of steps says that one is free: weights are sent once their scores were read.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kRows = 128, kColumns = 128, kDepth = 64, kSlots = 2;
constexpr uint32_t kShare = kRows / 2;  // rows of a vector core
constexpr uint32_t kBlock = 8;          // floats of a DataBlock
constexpr uint16_t kScores = 0, kWeights = 1, kProducts = 2;

/// What an AI core has in global memory.
struct Workspace {
  GlobalTensor<float> scores, products;
  GlobalTensor<half> weights;
  static constexpr uint32_t kScoreBytes = kSlots * kRows * kColumns * 4;
  static constexpr uint32_t kProductBytes = kSlots * kRows * kDepth * 4;
  static constexpr uint32_t kBytes = kScoreBytes * 3 / 2 + kProductBytes;

  __aicore__ inline explicit Workspace(GM_ADDR all, uint32_t aiCore) {
    GM_ADDR mine = all + uint64_t{aiCore} * kBytes;
    scores.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(mine));
    products.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(mine + kScoreBytes));
    weights.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(mine + kScoreBytes + kProductBytes));
  }
};

/// Tiles of 128 rows, and the steps along the columns of each.
struct Work {
  uint32_t length, tiles;
  __aicore__ inline uint32_t Steps() const { return length / kColumns; }
  __aicore__ inline uint64_t Head(uint32_t tile) const {
    return uint64_t{tile / (length / kRows)} * length * kDepth;
  }
};

class Products {
 public:
  __aicore__ inline void Init(GM_ADDR q, GM_ADDR k, GM_ADDR v) {
    q_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(q));
    k_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(k));
    v_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(v));
    pipe_.InitBuffer(a1_, 2, kRows * kColumns * sizeof(half));
    pipe_.InitBuffer(b1_, 2, kColumns * kDepth * sizeof(half));
    pipe_.InitBuffer(a2_, 2, kRows * kColumns * sizeof(half));
    pipe_.InitBuffer(b2_, 2, kColumns * kDepth * sizeof(half));
    pipe_.InitBuffer(c_, 2, kRows * kColumns * sizeof(float));
  }

  __aicore__ inline void Process(const Workspace& gm, const Work& work) {
    uint32_t step = 0;
    for (uint32_t tile = GetBlockIdx(); tile < work.tiles; tile += GetBlockNum()) {
      for (uint32_t i = 0; i < work.Steps(); ++i, ++step) {
        const uint64_t columns = work.Head(tile) + uint64_t{i} * kColumns * kDepth;
        Scores(gm, q_[uint64_t{tile} * kRows * kDepth], k_[columns], step);
        if (step > 0) Values(gm, v_[last_], step - 1);
        last_ = columns;
      }
    }
    if (step > 0) Values(gm, v_[last_], step - 1);
  }

 private:
  __aicore__ inline void Scores(const Workspace& gm, const GlobalTensor<half>& q,
                                const GlobalTensor<half>& k, uint32_t step) {
    LoadB(k);
    LoadA(q, kDepth);
    // K has the rows that L0B wants as columns: its fractals lie there as they do in L1.
    LocalTensor<half> k1 = b1_.DeQue<half>(), k2 = b2_.AllocTensor<half>();
    LoadData(k2, k1, LoadData2DParams(0, kColumns * kDepth / 256, 1, 0, 0, false, 0));
    b2_.EnQue(k2);
    b1_.FreeTensor(k1);
    Multiply(gm.scores[step % kSlots * kRows * kColumns], kDepth, kColumns);
    CrossCoreSetFlag<2, PIPE_FIX>(kScores);
  }
  __aicore__ inline void Values(const Workspace& gm, const GlobalTensor<half>& v, uint32_t step) {
    LoadB(v);
    CrossCoreWaitFlag<2, PIPE_MTE2>(kWeights);
    LoadA(gm.weights[step % kSlots * kRows * kColumns], kColumns);
    LocalTensor<half> v1 = b1_.DeQue<half>(), v2 = b2_.AllocTensor<half>();
    for (uint32_t i = 0; i < kColumns / 16; ++i) {
      LoadData(v2[i * kDepth * 16], v1,
               LoadData2DParams(i, kDepth / 16, kColumns / 16, 0, 0, true, 0));
    }
    b2_.EnQue(v2);
    b1_.FreeTensor(v1);
    Multiply(gm.products[step % kSlots * kRows * kDepth], kColumns, kDepth);
    CrossCoreSetFlag<2, PIPE_FIX>(kProducts);
  }

  /// 128 rows of `wide` elements to L1 as fractals.
  __aicore__ inline void Load(TQue<TPosition::A1, 2>& to, const GlobalTensor<half>& from,
                              uint32_t wide) {
    LocalTensor<half> x = to.AllocTensor<half>();
    DataCopy(x, from, Nd2NzParams(1, kRows, wide, 0, wide, kRows, 1, 0));
    to.EnQue(x);
  }
  __aicore__ inline void LoadA(const GlobalTensor<half>& from, uint32_t wide) {
    Load(a1_, from, wide);
    LocalTensor<half> x1 = a1_.DeQue<half>(), x2 = a2_.AllocTensor<half>();
    for (uint32_t i = 0; i < kRows / 16; ++i) {
      LoadData(x2[i * wide * 16], x1, LoadData2DParams(i, wide / 16, kRows / 16, 0, 0, false, 0));
    }
    a2_.EnQue(x2);
    a1_.FreeTensor(x1);
  }
  __aicore__ inline void LoadB(const GlobalTensor<half>& from) { Load(b1_, from, kDepth); }

  __aicore__ inline void Multiply(const GlobalTensor<float>& to, uint32_t k, uint32_t n) {
    LocalTensor<half> a = a2_.DeQue<half>(), b = b2_.DeQue<half>();
    LocalTensor<float> c = c_.AllocTensor<float>();
    MmadParams shape;
    shape.m = kRows;
    shape.n = n;
    shape.k = k;
    Mmad(c, a, b, shape);
    a2_.FreeTensor(a);
    b2_.FreeTensor(b);
    c_.EnQue(c);
    c = c_.DeQue<float>();
    FixpipeParamsV220 store;
    store.nSize = n;
    store.mSize = kRows;
    store.srcStride = kRows;
    store.dstStride = n;
    Fixpipe(to, c, store);
    c_.FreeTensor(c);
  }

  TPipe pipe_;
  TQue<TPosition::A1, 2> a1_, b1_;
  TQue<TPosition::A2, 2> a2_;
  TQue<TPosition::B2, 2> b2_;
  TQue<TPosition::CO1, 2> c_;
  GlobalTensor<half> q_, k_, v_;
  uint64_t last_ = 0;
};

class SoftMaxRows {
 public:
  __aicore__ inline void Init(GM_ADDR out) {
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(out));
    first_ = GetSubBlockIdx() * kShare;
    pipe_.InitBuffer(scores_, 2, kShare * kColumns * sizeof(float));
    pipe_.InitBuffer(products_, 2, kShare * kDepth * sizeof(float));
    pipe_.InitBuffer(weights_, 2, kShare * kColumns * sizeof(half));
    pipe_.InitBuffer(result_, 1, kShare * kDepth * sizeof(half));
    pipe_.InitBuffer(halves_, kShare * kDepth * sizeof(float));
    pipe_.InitBuffer(sum_, kShare * kDepth * sizeof(float));
    pipe_.InitBuffer(rows_, (4 * kShare + 3 * kShare * kBlock) * sizeof(float));
  }

  __aicore__ inline void Process(const Workspace& gm, const Work& work) {
    const LocalTensor<float> values = rows_.Get<float>();
    max_ = values, sums_ = values[kShare], next_ = values[2 * kShare], rest_ = values[3 * kShare];
    spread_ = values[4 * kShare];
    rescale_[0] = spread_[kShare * kBlock], rescale_[1] = spread_[2 * kShare * kBlock];
    uint32_t step = 0;
    for (uint32_t tile = GetBlockIdx() / 2; tile < work.tiles; tile += GetBlockNum()) {
      Duplicate(max_, -3e38f, kShare);
      Duplicate(sums_, 0.0f, kShare);
      Duplicate(sum_.Get<float>(), 0.0f, kShare * kDepth);
      PipeBarrier<PIPE_V>();
      for (uint32_t i = 0; i < work.Steps(); ++i, ++step) {
        Weigh(gm, step);
        if (i > 0) Add(gm, step - 1);
      }
      Add(gm, step - 1);
      Finish(uint64_t{tile} * kRows * kDepth + first_ * kDepth);
    }
  }

 private:
  /// Scores to weights, and the maxima and sums of the rows so far.
  __aicore__ inline void Weigh(const Workspace& gm, uint32_t step) {
    const uint32_t slot = step % kSlots * kRows * kColumns + first_ * kColumns;
    LocalTensor<float> s = scores_.AllocTensor<float>();
    CrossCoreWaitFlag<2, PIPE_MTE2>(kScores);
    DataCopy(s, gm.scores[slot], kShare * kColumns);
    scores_.EnQue(s);
    s = scores_.DeQue<float>();
    const LocalTensor<float> t = halves_.Get<float>();
    Muls(s, s, 0.125f, kShare * kColumns);  // 1 / sqrt(kDepth)
    PipeBarrier<PIPE_V>();
    Max(t, s, s[kDepth], kDepth, kShare, {1, 1, 1, 8, 16, 16});
    PipeBarrier<PIPE_V>();
    WholeReduceMax(next_, t, kDepth, kShare, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    PipeBarrier<PIPE_V>();
    Max(next_, next_, max_, kShare);
    PipeBarrier<PIPE_V>();
    Sub(rest_, max_, next_, kShare);
    Brcb(spread_, next_, kShare / 8, {1, 8});
    Adds(max_, next_, 0.0f, kShare);
    PipeBarrier<PIPE_V>();
    Exp(rest_, rest_, kShare);
    const BinaryRepeatParams of_rows(1, 1, 0, 16, 16, 1);
    Sub(s, s, spread_, kDepth, kShare, of_rows);
    Sub(s[kDepth], s[kDepth], spread_, kDepth, kShare, of_rows);
    PipeBarrier<PIPE_V>();
    Exp(s, s, kShare * kColumns);
    Brcb(rescale_[step % 2], rest_, kShare / 8, {1, 8});
    Mul(sums_, sums_, rest_, kShare);
    PipeBarrier<PIPE_V>();
    LocalTensor<half> p = weights_.AllocTensor<half>();
    Cast(p, s, RoundMode::CAST_RINT, kShare * kColumns);
    weights_.EnQue(p);
    AscendC::Add(t, s, s[kDepth], kDepth, kShare, {1, 1, 1, 8, 16, 16});
    PipeBarrier<PIPE_V>();
    WholeReduceSum(next_, t, kDepth, kShare, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    AscendC::Add(sums_, sums_, next_, kShare);
    PipeBarrier<PIPE_V>();
    scores_.FreeTensor(s);
    p = weights_.DeQue<half>();
    DataCopy(gm.weights[slot], p, kShare * kColumns);
    weights_.FreeTensor(p);
    CrossCoreSetFlag<2, PIPE_MTE3>(kWeights);
  }

  /// The sum so far to the new maxima, and the weighted rows of V to it.
  __aicore__ inline void Add(const Workspace& gm, uint32_t step) {
    LocalTensor<float> pv = products_.AllocTensor<float>();
    CrossCoreWaitFlag<2, PIPE_MTE2>(kProducts);
    DataCopy(pv, gm.products[step % kSlots * kRows * kDepth + first_ * kDepth], kShare * kDepth);
    products_.EnQue(pv);
    pv = products_.DeQue<float>();
    const LocalTensor<float> o = sum_.Get<float>();
    Mul(o, o, rescale_[step % 2], kDepth, kShare, {1, 1, 0, 8, 8, 1});
    PipeBarrier<PIPE_V>();
    AscendC::Add(o, o, pv, kShare * kDepth);
    PipeBarrier<PIPE_V>();
    products_.FreeTensor(pv);
  }

  __aicore__ inline void Finish(uint64_t at) {
    const LocalTensor<float> o = sum_.Get<float>();
    Brcb(spread_, sums_, kShare / 8, {1, 8});
    PipeBarrier<PIPE_V>();
    Div(o, o, spread_, kDepth, kShare, {1, 1, 0, 8, 8, 1});
    PipeBarrier<PIPE_V>();
    LocalTensor<half> y = result_.AllocTensor<half>();
    Cast(y, o, RoundMode::CAST_RINT, kShare * kDepth);
    PipeBarrier<PIPE_V>();
    result_.EnQue(y);
    y = result_.DeQue<half>();
    DataCopy(out_[at], y, kShare * kDepth);
    result_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> scores_, products_;
  TQue<TPosition::VECOUT, 2> weights_;
  TQue<TPosition::VECOUT, 1> result_;
  TBuf<TPosition::VECCALC> halves_, sum_, rows_;
  GlobalTensor<half> out_;
  LocalTensor<float> max_, sums_, next_, rest_, spread_, rescale_[2];
  uint32_t first_ = 0;
};

}  // namespace

/// q, k, v and out are [heads, length, 64] of half; length is a multiple of 128. The workspace has
/// 448 KiB a block.
extern "C" __global__ __aicore__ void flash_attention_by_hand(GM_ADDR q, GM_ADDR k, GM_ADDR v,
                                                              GM_ADDR out, GM_ADDR workspace,
                                                              uint32_t heads, uint32_t length) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  const Work work{length, heads * length / kRows};
  if ASCEND_IS_AIC {
    Products op;
    op.Init(q, k, v);
    op.Process(Workspace(workspace, GetBlockIdx()), work);
  }
  if ASCEND_IS_AIV {
    SoftMaxRows op;
    op.Init(out);
    op.Process(Workspace(workspace, GetBlockIdx() / 2), work);
  }
}
