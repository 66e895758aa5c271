// softmax(Q K^T / sqrt(D)) V with the high-level API: two Matmul objects and SoftmaxFlashV2. Each
// vector core takes tiles of 64 rows of Q. Of K and V it takes 128 rows at a time; the sums and
// maxima of the rows go on from one to the next.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

constexpr uint32_t kRows = 64, kColumns = 128, kDepth = 64, kBlock = 8;  // floats of a DataBlock
constexpr uint32_t kSoftMaxBytes = 60 * 1024;

// Shapes are known when the kernel is compiled, and so are the tilings.
using Q = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using K = MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
using P = MatmulType<TPosition::VECOUT, CubeFormat::ND, half>;
using V = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using InUb = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;
constexpr MatmulBiasParams kNoBias = {false};
constexpr MatmulShapeParams kScoresShape = {kRows, kColumns, kDepth, kRows, kColumns, kDepth};
constexpr MatmulShapeParams kValuesShape = {kRows, kDepth, kColumns, kRows, kDepth, kColumns};
constexpr MatmulApiStaticTiling kScores = GetMatmulApiTiling<Q, K, InUb, InUb>(
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kScoresShape, kNoBias));
constexpr MatmulApiStaticTiling kValues = GetMatmulApiTiling<P, V, InUb, InUb>(
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kValuesShape, kNoBias));

class FlashAttention {
 public:
  __aicore__ inline void Init(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR out, uint32_t length,
                              TPipe* pipe) {
    length_ = length;
    q_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(q));
    k_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(k));
    v_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(v));
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(out));
    pipe->InitBuffer(scores_, kRows * kColumns * sizeof(float));
    pipe->InitBuffer(weights_, kRows * kColumns * sizeof(half));
    pipe->InitBuffer(product_, kRows * kDepth * sizeof(float));
    pipe->InitBuffer(sum_, kRows * kDepth * sizeof(float));
    pipe->InitBuffer(row_values_, 3 * kRows * kBlock * sizeof(float));
    pipe->InitBuffer(softmax_, kSoftMaxBytes);
    pipe->InitBuffer(result_, 1, kRows * kDepth * sizeof(half));
  }

  /// Tiles of all heads, shared among the vector cores.
  __aicore__ inline void Process(uint32_t heads) {
    const uint32_t tiles = heads * length_ / kRows;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum() * 2) {
      Attend(tile * kRows * kDepth, tile / (length_ / kRows) * length_ * kDepth);
    }
  }

  Matmul<Q, K, InUb, InUb, kScores> scores;
  Matmul<P, V, InUb, InUb, kValues> values;

 private:
  __aicore__ inline void Attend(uint32_t rows, uint32_t head) {
    LocalTensor<float> s = scores_.Get<float>(), o = sum_.Get<float>();
    LocalTensor<float> pv = product_.Get<float>(), max = row_values_.Get<float>();
    LocalTensor<float> sum = max[kRows * kBlock], rescale = max[2 * kRows * kBlock];
    LocalTensor<half> p = weights_.Get<half>();
    LocalTensor<uint8_t> tmp = softmax_.Get<uint8_t>();
    const SoftMaxShapeInfo shape{kRows, kColumns, kRows, kColumns};
    const SoftMaxTiling tiling =
        SoftMaxFlashV2TilingFunc(shape, sizeof(float), sizeof(float), kSoftMaxBytes, true, true);
    for (uint32_t column = 0; column < length_; column += kColumns) {
      const uint32_t at = head + column * kDepth;
      scores.SetTensorA(q_[rows]);
      scores.SetTensorB(k_[at], true);
      scores.IterateAll(s);
      scores.End();
      Muls(s, s, 0.125f, kRows * kColumns);  // 1 / sqrt(kDepth)
      PipeBarrier<PIPE_V>();
      if (column == 0) {
        SoftmaxFlashV2<float, false, true, true>(s, sum, max, s, rescale, sum, max, tmp, tiling);
      } else {
        SoftmaxFlashV2<float, true, true, true>(s, sum, max, s, rescale, sum, max, tmp, tiling);
      }
      Cast(p, s, RoundMode::CAST_RINT, kRows * kColumns);
      values.SetTensorA(p);
      values.SetTensorB(v_[at]);
      values.IterateAll(column == 0 ? o : pv);
      values.End();
      if (column == 0) continue;
      OfRows<true>(o, rescale);
      PipeBarrier<PIPE_V>();
      Add(o, o, pv, kRows * kDepth);
      PipeBarrier<PIPE_V>();
    }
    OfRows<false>(o, sum);
    PipeBarrier<PIPE_V>();
    CopyOut(o, rows);
  }

  /// o times, or divided by, a value a row.
  template <bool times>
  __aicore__ inline void OfRows(const LocalTensor<float>& o, const LocalTensor<float>& value) {
    const BinaryRepeatParams rows(1, 1, 0, kDepth / kBlock, kDepth / kBlock, 1);
    if constexpr (times) {
      Mul(o, o, value, kDepth, kRows, rows);
    } else {
      Div(o, o, value, kDepth, kRows, rows);
    }
  }
  __aicore__ inline void CopyOut(const LocalTensor<float>& o, uint32_t rows) {
    LocalTensor<half> y = result_.AllocTensor<half>();
    Cast(y, o, RoundMode::CAST_RINT, kRows * kDepth);
    result_.EnQue(y);
    y = result_.DeQue<half>();
    DataCopy(out_[rows], y, kRows * kDepth);
    result_.FreeTensor(y);
  }

  uint32_t length_ = 0;
  GlobalTensor<half> q_, k_, v_, out_;
  TBuf<TPosition::VECCALC> scores_, weights_, product_, sum_, row_values_, softmax_;
  TQue<TPosition::VECOUT, 1> result_;
};

}  // namespace

/// q, k, v and out are [heads, length, 64] of half; length is a multiple of 128.
extern "C" __global__ __aicore__ void flash_attention_custom(GM_ADDR q, GM_ADDR k, GM_ADDR v,
                                                             GM_ADDR out, uint32_t heads,
                                                             uint32_t length) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  TPipe pipe;
  FlashAttention op;
  if ASCEND_IS_AIV {
    op.Init(q, k, v, out, length, &pipe);
  }
  TCubeTiling* constant = nullptr;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.scores, constant, op.values, constant);
  op.Process(heads);
}
