// One tile of a matrix product on a cube core, written with queues: C[tile] = A[rows, :] x B[:,
// cols] of half matrices that lie row-major in global memory.
//
//   GM --DataCopy, rows to fractals--> L1 --LoadData--> L0A, L0B --Mmad--> L0C --Fixpipe--> GM
//
// L1 holds a matrix as columns of fractals (16 x 16 elements); L0A wants rows of fractals, L0B rows
// of transposed fractals.
#pragma once

#include "kernel_operator.h"

namespace example {

using namespace AscendC;

/// Products of `kM` x `kN` elements, `kK` of k at a time; all multiples of 16.
template <uint32_t kM, uint32_t kN, uint32_t kK>
class CubeTile {
 public:
  __aicore__ inline void Init(TPipe& pipe, GM_ADDR a, GM_ADDR b, uint32_t n, uint32_t k) {
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    n_ = n;
    k_ = k;
    pipe.InitBuffer(a1_, 2, kM * kK * sizeof(half));
    pipe.InitBuffer(b1_, 2, kK * kN * sizeof(half));
    pipe.InitBuffer(a2_, 2, kM * kK * sizeof(half));
    pipe.InitBuffer(b2_, 2, kK * kN * sizeof(half));
    pipe.InitBuffer(co1_, 1, kM * kN * sizeof(float));
  }

  /// C of this tile goes to `c`, whose rows are `c_pitch` elements apart.
  __aicore__ inline void Run(uint32_t row, uint32_t col, const GlobalTensor<float>& c,
                             uint32_t c_pitch) {
    LocalTensor<float> sum = co1_.AllocTensor<float>();
    for (uint32_t k = 0; k < k_; k += kK) {
      CopyIn(row, col, k);
      Split();
      Multiply(sum, k == 0);
    }
    co1_.EnQue(sum);
    sum = co1_.DeQue<float>();
    FixpipeParamsV220 out;
    out.mSize = kM;
    out.nSize = kN;
    out.srcStride = kM;  // rows of a column of fractals in L0C
    out.dstStride = c_pitch;
    Fixpipe(c, sum, out);
    co1_.FreeTensor(sum);
  }

 private:
  static constexpr uint32_t kFractal = 16;
  static constexpr uint32_t kFractalSize = kFractal * kFractal;

  __aicore__ inline void CopyIn(uint32_t row, uint32_t col, uint32_t k) {
    LocalTensor<half> a1 = a1_.AllocTensor<half>();
    LocalTensor<half> b1 = b1_.AllocTensor<half>();
    ToFractals(a1, a_[uint64_t{row} * k_ + k], kM, kK, k_);
    ToFractals(b1, b_[uint64_t{k} * n_ + col], kK, kN, n_);
    a1_.EnQue(a1);
    b1_.EnQue(b1);
  }

  __aicore__ inline void ToFractals(const LocalTensor<half>& dst, const GlobalTensor<half>& src,
                                    uint32_t rows, uint32_t cols, uint32_t pitch) {
    Nd2NzParams copy;
    copy.ndNum = 1;
    copy.nValue = rows;
    copy.dValue = cols;
    copy.srcDValue = pitch;
    copy.dstNzC0Stride = rows;
    copy.dstNzNStride = 1;
    DataCopy(dst, src, copy);
  }

  __aicore__ inline void Split() {
    LocalTensor<half> a1 = a1_.DeQue<half>();
    LocalTensor<half> b1 = b1_.DeQue<half>();
    LocalTensor<half> a2 = a2_.AllocTensor<half>();
    LocalTensor<half> b2 = b2_.AllocTensor<half>();
    LoadData2DParams load;
    load.repeatTimes = kK / kFractal;
    load.srcStride = kM / kFractal;
    for (uint32_t m = 0; m < kM / kFractal; ++m) {
      LoadData(a2[m * (kK / kFractal) * kFractalSize], a1[m * kFractalSize], load);
    }
    load.repeatTimes = kN / kFractal;
    load.srcStride = kK / kFractal;
    load.ifTranspose = true;
    for (uint32_t k = 0; k < kK / kFractal; ++k) {
      LoadData(b2[k * (kN / kFractal) * kFractalSize], b1[k * kFractalSize], load);
    }
    a2_.EnQue(a2);
    b2_.EnQue(b2);
    a1_.FreeTensor(a1);
    b1_.FreeTensor(b1);
  }

  __aicore__ inline void Multiply(const LocalTensor<float>& sum, bool first) {
    LocalTensor<half> a2 = a2_.DeQue<half>();
    LocalTensor<half> b2 = b2_.DeQue<half>();
    MmadParams mmad;
    mmad.m = kM;
    mmad.n = kN;
    mmad.k = kK;
    mmad.cmatrixInitVal = first;  // the first product overwrites, the others add
    Mmad(sum, a2, b2, mmad);
    a2_.FreeTensor(a2);
    b2_.FreeTensor(b2);
  }

  TQue<TPosition::A1, 2> a1_;
  TQue<TPosition::B1, 2> b1_;
  TQue<TPosition::A2, 2> a2_;
  TQue<TPosition::B2, 2> b2_;
  TQue<TPosition::CO1, 1> co1_;
  GlobalTensor<half> a_, b_;
  uint32_t n_ = 0, k_ = 0;
};

}  // namespace example
