// z = x + y on fp16 vectors: the smallest kernel that loads, computes and stores at the same time.
//
// Every block takes an equal share and walks through it in tiles. TQue gives each tensor two
// buffers: while the vector unit adds one tile, MTE2 loads the next and MTE3 stores the last.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t kBuffers = 2;
constexpr uint32_t kTile = 4096;  // elements; 8 KiB a buffer, 48 KiB of UB altogether

class AddCustom {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length) {
    const uint32_t share = length / GetBlockNum();
    const uint32_t first = share * GetBlockIdx();
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + first, share);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + first, share);
    z_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z) + first, share);
    pipe_.InitBuffer(x_queue_, kBuffers, kTile * sizeof(half));
    pipe_.InitBuffer(y_queue_, kBuffers, kTile * sizeof(half));
    pipe_.InitBuffer(z_queue_, kBuffers, kTile * sizeof(half));
    share_ = share;
  }

  __aicore__ inline void Process() {
    CopyIn(0);
    for (uint32_t start = 0; start < share_; start += kTile) {
      // Asked for before this tile is added, so that the load runs beside the addition.
      if (start + kTile < share_) CopyIn(start + kTile);
      Compute(start);
      CopyOut(start);
    }
  }

 private:
  __aicore__ inline uint32_t TileSize(uint32_t start) const {
    return share_ - start < kTile ? share_ - start : kTile;
  }

  __aicore__ inline void CopyIn(uint32_t start) {
    LocalTensor<half> x = x_queue_.AllocTensor<half>();
    LocalTensor<half> y = y_queue_.AllocTensor<half>();
    DataCopy(x, x_[start], TileSize(start));
    DataCopy(y, y_[start], TileSize(start));
    x_queue_.EnQue(x);
    y_queue_.EnQue(y);
  }

  __aicore__ inline void Compute(uint32_t start) {
    LocalTensor<half> x = x_queue_.DeQue<half>();
    LocalTensor<half> y = y_queue_.DeQue<half>();
    LocalTensor<half> z = z_queue_.AllocTensor<half>();
    Add(z, x, y, TileSize(start));
    z_queue_.EnQue(z);
    x_queue_.FreeTensor(x);
    y_queue_.FreeTensor(y);
  }

  __aicore__ inline void CopyOut(uint32_t start) {
    LocalTensor<half> z = z_queue_.DeQue<half>();
    DataCopy(z_[start], z, TileSize(start));
    z_queue_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, kBuffers> x_queue_, y_queue_;
  TQue<TPosition::VECOUT, kBuffers> z_queue_;
  GlobalTensor<half> x_, y_, z_;
  uint32_t share_ = 0;
};

/// `length` is a multiple of 16 elements (32 bytes) times the number of blocks.
extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AddCustom op;
  op.Init(x, y, z, length);
  op.Process();
}
