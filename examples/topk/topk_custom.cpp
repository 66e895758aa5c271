// The k largest numbers of every row of a float matrix, with their places in the row.
//
// Sort32 sorts runs of 32 pairs of number and place, MrgSort merges four runs into one until the
// row is one run, Extract takes the pairs apart. Blocks take turns with the rows.
#include "kernel_operator.h"

using namespace AscendC;

class TopkCustom {
  static constexpr uint32_t kRun = 32;  ///< pairs that Sort32 sorts

 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint32_t rows,
                              uint32_t width, uint32_t k) {
    x_.SetGlobalBuffer((__gm__ float*)x, uint64_t{rows} * width);
    values_.SetGlobalBuffer((__gm__ float*)values, uint64_t{rows} * k);
    places_.SetGlobalBuffer((__gm__ uint32_t*)places, uint64_t{rows} * k);
    rows_ = rows;
    width_ = width;
    k_ = k;
    pipe_.InitBuffer(in_, 2, width * sizeof(float));
    pipe_.InitBuffer(outValues_, 2, width * sizeof(float));
    pipe_.InitBuffer(outPlaces_, 2, width * sizeof(uint32_t));
    pipe_.InitBuffer(count_, width * sizeof(uint32_t));
    pipe_.InitBuffer(pairs_, GetSortLen<float>(width) * sizeof(float));
    pipe_.InitBuffer(merged_, GetSortLen<float>(width) * sizeof(float));
  }

  __aicore__ inline void Process() {
    CreateVecIndex(count_.Get<int32_t>(), 0, width_);  // 0, 1, 2, ...
    for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
      LocalTensor<float> x = in_.AllocTensor<float>();
      DataCopy(x, x_[uint64_t{row} * width_], width_);
      in_.EnQue(x);
      Compute();
      CopyOut(row);
    }
  }

 private:
  __aicore__ inline void Compute() {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> from = pairs_.Get<float>(), to = merged_.Get<float>();
    PipeBarrier<PIPE_V>();
    Sort32(from, x, count_.Get<uint32_t>(), width_ / kRun);
    in_.FreeTensor(x);
    for (uint32_t run = kRun; run < width_; run *= 4) {
      PipeBarrier<PIPE_V>();
      Merge(to, from, run);
      const LocalTensor<float> merged = to;
      to = from;
      from = merged;
    }
    PipeBarrier<PIPE_V>();
    LocalTensor<float> values = outValues_.AllocTensor<float>();
    LocalTensor<uint32_t> places = outPlaces_.AllocTensor<uint32_t>();
    Extract(values, places, from, width_ / kRun);
    outValues_.EnQue(values);
    outPlaces_.EnQue(places);
  }

  /// Four sorted runs of `run` pairs after the other become one, all along the row.
  __aicore__ inline void Merge(const LocalTensor<float>& to, const LocalTensor<float>& from,
                               uint32_t run) {
    const auto place = [&](uint32_t i) { return from[GetSortOffset<float>(i * run)]; };
    const MrgSortSrcList<float> runs(place(0), place(1), place(2), place(3));
    const auto length = static_cast<uint16_t>(run);
    const uint16_t lengths[] = {length, length, length, length};
    // All four take part; as many times as there are four.
    const MrgSort4Info info(lengths, false, 0b1111, static_cast<uint16_t>(width_ / (4 * run)));
    MrgSort(to, runs, info);
  }

  __aicore__ inline void CopyOut(uint32_t row) {
    const DataCopyExtParams k(1, k_ * sizeof(float), 0, 0, 0);
    LocalTensor<float> values = outValues_.DeQue<float>();
    DataCopyPad(values_[uint64_t{row} * k_], values, k);
    outValues_.FreeTensor(values);
    LocalTensor<uint32_t> places = outPlaces_.DeQue<uint32_t>();
    DataCopyPad(places_[uint64_t{row} * k_], places, k);
    outPlaces_.FreeTensor(places);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> outValues_, outPlaces_;
  TBuf<TPosition::VECCALC> count_, pairs_, merged_;
  GlobalTensor<float> x_, values_;
  GlobalTensor<uint32_t> places_;
  uint32_t rows_ = 0, width_ = 0, k_ = 0;
};

/// `width` is 32, 128, 512 or 2048; 1 <= k <= width.
extern "C" __global__ __aicore__ void topk_custom(GM_ADDR x, GM_ADDR values, GM_ADDR places,
                                                  uint32_t rows, uint32_t width, uint32_t k) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TopkCustom op;
  op.Init(x, values, places, rows, width, k);
  op.Process();
}
