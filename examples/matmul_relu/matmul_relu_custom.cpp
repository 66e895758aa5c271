// D = relu(A x B + bias): the cube core multiplies, its two vector cores add the bias and rectify.
//
// There is no way from L0C to UB: tiles go through global memory. The workspace of an AI core holds
// two of them. Flag kFull says that a tile is there, flag kFree that both vector cores have read
// it: so the cube core works on the next tile while the vector cores finish the last.
#include "examples/common/cube_tile.h"

using namespace AscendC;

constexpr uint32_t kTile = 64;
constexpr uint32_t kStep = 64;  // of k
constexpr uint32_t kTileSize = kTile * kTile;
constexpr uint32_t kSlots = 2;          // tiles in the workspace of an AI core
constexpr uint32_t kShare = kTile / 2;  // rows of a tile that a vector core takes

constexpr uint16_t kFull = 0;
constexpr uint16_t kFree = 1;

struct Tiles {
  uint32_t columns, count;
  __aicore__ inline uint32_t Row(uint32_t tile) const { return tile / columns * kTile; }
  __aicore__ inline uint32_t Col(uint32_t tile) const { return tile % columns * kTile; }
};

/// Tiles of this AI core: every `ai_cores`-th.
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, const GlobalTensor<float>& workspace,
                                const Tiles& tiles, uint32_t n, uint32_t k) {
  TPipe pipe;
  example::CubeTile<kTile, kTile, kStep> product;
  product.Init(pipe, a, b, n, k);
  uint32_t done = 0;
  for (uint32_t tile = GetBlockIdx(); tile < tiles.count; tile += GetBlockNum(), ++done) {
    if (done >= kSlots) CrossCoreWaitFlag<2, PIPE_FIX>(kFree);
    product.Run(tiles.Row(tile), tiles.Col(tile), workspace[done % kSlots * kTileSize], kTile);
    CrossCoreSetFlag<2, PIPE_FIX>(kFull);
  }
  // Every flag that is raised is awaited.
  for (uint32_t left = done < kSlots ? done : kSlots; left > 0; --left) {
    CrossCoreWaitFlag<2, PIPE_FIX>(kFree);
  }
}

class BiasRelu {
 public:
  __aicore__ inline void Init(GM_ADDR bias, GM_ADDR d, uint32_t n) {
    bias_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias), n);
    d_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(d));
    n_ = n;
    pipe_.InitBuffer(in_, 2, kShare * kTile * sizeof(float));
    pipe_.InitBuffer(bias_in_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(out_, 2, kShare * kTile * sizeof(float));
  }

  __aicore__ inline void Process(const GlobalTensor<float>& workspace, const Tiles& tiles) {
    const uint32_t ai_core = GetBlockIdx() / GetTaskRatio();
    const uint32_t first_row = GetSubBlockIdx() * kShare;
    uint32_t done = 0;
    for (uint32_t tile = ai_core; tile < tiles.count; tile += GetBlockNum(), ++done) {
      CrossCoreWaitFlag<2, PIPE_MTE2>(kFull);
      CopyIn(workspace[done % kSlots * kTileSize + first_row * kTile], tiles.Col(tile));
      CrossCoreSetFlag<2, PIPE_MTE2>(kFree);  // when the loads before it have ended
      Compute();
      CopyOut(d_[uint64_t{tiles.Row(tile) + first_row} * n_ + tiles.Col(tile)]);
    }
  }

 private:
  __aicore__ inline void CopyIn(const GlobalTensor<float>& tile, uint32_t col) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    LocalTensor<float> bias = bias_in_.AllocTensor<float>();
    DataCopy(x, tile, kShare * kTile);
    DataCopy(bias, bias_[col], kTile);
    in_.EnQue(x);
    bias_in_.EnQue(bias);
  }

  __aicore__ inline void Compute() {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> bias = bias_in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    // A repeat is a row of 64 floats; the bias stays where it is (repeat stride 0).
    Add(y, x, bias, kTile, kShare, {1, 1, 1, 8, 8, 0});
    PipeBarrier<PIPE_V>();
    Relu(y, y, kShare * kTile);
    out_.EnQue(y);
    in_.FreeTensor(x);
    bias_in_.FreeTensor(bias);
  }

  __aicore__ inline void CopyOut(const GlobalTensor<float>& to) {
    LocalTensor<float> y = out_.DeQue<float>();
    DataCopyParams rows;
    rows.blockCount = kShare;
    rows.blockLen = kTile * sizeof(float) / 32;
    rows.dstStride = (n_ - kTile) * sizeof(float) / 32;
    DataCopy(to, y, rows);
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_, bias_in_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<float> bias_, d_;
  uint32_t n_ = 0;
};

/// m and n are multiples of 64, k too. The workspace has 32 KiB a block.
extern "C" __global__ __aicore__ void matmul_relu_custom(GM_ADDR a, GM_ADDR b, GM_ADDR bias,
                                                         GM_ADDR d, GM_ADDR workspace, uint32_t m,
                                                         uint32_t n, uint32_t k) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  const Tiles tiles{n / kTile, m / kTile * (n / kTile)};
  GlobalTensor<float> slots;
  slots.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace));
  if ASCEND_IS_AIC {
    Multiply(a, b, slots[GetBlockIdx() * kSlots * kTileSize], tiles, n, k);
  }
  if ASCEND_IS_AIV {
    BiasRelu op;
    op.Init(bias, d, n);
    op.Process(slots[GetBlockIdx() / GetTaskRatio() * kSlots * kTileSize], tiles);
  }
}
