// The sum of a float vector over all cores: every block sums its share and leaves the sum in global
// memory; when all have done so (SyncAll), block 0 sums the sums.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kTile = 4096;  // elements
constexpr uint32_t kLanes = 64;   // of a repeat
constexpr uint32_t kSlot = 8;     // elements of a DataBlock: the least that DataCopy moves

class ReduceSumCustom {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace, uint32_t length) {
    const uint32_t share = length / GetBlockNum();
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + uint64_t{share} * GetBlockIdx(), share);
    sum_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sum), kSlot);
    partial_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), GetBlockNum() * kSlot);
    share_ = share;
    pipe_.InitBuffer(in_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(out_, 1, kSlot * sizeof(float));
    pipe_.InitBuffer(lanes_, kLanes * sizeof(float));
    pipe_.InitBuffer(work_, kTile * sizeof(float));
  }

  __aicore__ inline void Process() {
    const LocalTensor<float> lanes = lanes_.Get<float>();
    Duplicate(lanes, 0.0f, kLanes);
    PipeBarrier<PIPE_V>();
    for (uint32_t start = 0; start < share_; start += kTile) {
      const uint32_t left = share_ - start;
      AddUp(lanes, x_[start], left < kTile ? left : kTile);
    }
    Store(partial_[GetBlockIdx() * kSlot], lanes, kLanes);

    SyncAll();
    if (GetBlockIdx() != 0) return;
    LocalTensor<float> sums = in_.AllocTensor<float>();
    DataCopy(sums, partial_, GetBlockNum() * kSlot);
    in_.EnQue(sums);
    sums = in_.DeQue<float>();
    Store(sum_, sums, GetBlockNum() * kSlot);  // the rest of a slot is 0
    in_.FreeTensor(sums);
  }

 private:
  /// Adds `count` elements, a multiple of 64, to 64 sums, each repeat to the same lanes.
  __aicore__ inline void AddUp(const LocalTensor<float>& lanes, const GlobalTensor<float>& from,
                               uint32_t count) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    DataCopy(x, from, count);
    in_.EnQue(x);
    x = in_.DeQue<float>();
    Add(lanes, lanes, x, kLanes, count / kLanes, {1, 1, 1, 0, 0, 8});
    PipeBarrier<PIPE_V>();
    in_.FreeTensor(x);
  }

  /// The sum of `count` elements as the first element of a slot.
  __aicore__ inline void Store(const GlobalTensor<float>& to, const LocalTensor<float>& from,
                               uint32_t count) {
    LocalTensor<float> slot = out_.AllocTensor<float>();
    Duplicate(slot, 0.0f, kSlot);
    PipeBarrier<PIPE_V>();
    ReduceSum(slot, from, work_.Get<float>(), count);
    out_.EnQue(slot);
    slot = out_.DeQue<float>();
    DataCopy(to, slot, kSlot);
    out_.FreeTensor(slot);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> lanes_, work_;
  GlobalTensor<float> x_, sum_, partial_;
  uint32_t share_ = 0;
};

/// `length` is a multiple of 64 elements times the number of blocks; all blocks run at once. `sum`
/// and each block's part of the workspace have 32 bytes.
extern "C" __global__ __aicore__ void reduce_sum_custom(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace,
                                                        uint32_t length) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  ReduceSumCustom op;
  op.Init(x, sum, workspace, length);
  op.Process();
}
