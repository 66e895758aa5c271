// D = LeakyRelu(A x B + bias) with a Matmul object. Each vector core asks its cube core for one
// base block after the other, applies LeakyRelu in UB and writes the block out, while the cube core
// works for the other vector core or on the next block.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

class MatmulLeakyRelu {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d,
                              const TCubeTiling& tiling, TPipe* pipe) {
    tiling_ = tiling;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    bias_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias));
    d_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(d));
    pipe->InitBuffer(out_, 2, tiling.baseM * tiling.baseN * sizeof(float));
  }

  __aicore__ inline void Process() {
    // Vector cores share the product as the host divided it; parts of M come first.
    const uint32_t parts = Ceil(tiling_.M, tiling_.singleCoreM);
    const uint32_t row = GetBlockIdx() % parts * tiling_.singleCoreM;
    const uint32_t col = GetBlockIdx() / parts * tiling_.singleCoreN;
    if (GetBlockIdx() >= tiling_.usedCoreNum) return;
    rows_ = min<uint32_t>(tiling_.singleCoreM, tiling_.M - row);
    cols_ = min<uint32_t>(tiling_.singleCoreN, tiling_.N - col);
    matmul.SetTail(rows_, cols_);
    matmul.SetTensorA(a_[uint64_t{row} * tiling_.Ka]);
    matmul.SetTensorB(b_[col]);
    matmul.SetBias(bias_[col]);
    for (uint32_t block = 0; matmul.Iterate(); ++block) {
      LocalTensor<float> y = out_.AllocTensor<float>();
      matmul.GetTensorC(y, false, true);
      LeakyRelu(y, y, kSlope, RowsOf(block) * tiling_.baseN);
      out_.EnQue(y);
      CopyOut(block, d_[uint64_t{row} * tiling_.N + col]);
    }
    matmul.End();
  }

  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>,
         MatmulType<TPosition::GM, CubeFormat::ND, half>,
         MatmulType<TPosition::VECIN, CubeFormat::ND, float>,
         MatmulType<TPosition::GM, CubeFormat::ND, float>>
      matmul;

 private:
  static constexpr float kSlope = 0.25f;

  __aicore__ inline static uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

  // The host asked for M first.
  __aicore__ inline uint32_t RowOf(uint32_t block) const {
    return block % Ceil(rows_, tiling_.baseM) * tiling_.baseM;
  }
  __aicore__ inline uint32_t ColOf(uint32_t block) const {
    return block / Ceil(rows_, tiling_.baseM) * tiling_.baseN;
  }
  __aicore__ inline uint32_t RowsOf(uint32_t block) const {
    return min<uint32_t>(tiling_.baseM, rows_ - RowOf(block));
  }

  __aicore__ inline void CopyOut(uint32_t block, const GlobalTensor<float>& to) {
    const uint32_t row = RowOf(block), col = ColOf(block);
    LocalTensor<float> y = out_.DeQue<float>();
    DataCopyExtParams copy;
    copy.blockCount = RowsOf(block);
    copy.blockLen = min<uint32_t>(tiling_.baseN, cols_ - col) * sizeof(float);
    copy.srcStride = (tiling_.baseN * sizeof(float) - copy.blockLen) / 32;
    copy.dstStride = tiling_.N * sizeof(float) - copy.blockLen;
    DataCopyPad(to[uint64_t{row} * tiling_.N + col], y, copy);
    out_.FreeTensor(y);
  }

  TCubeTiling tiling_;
  GlobalTensor<half> a_, b_;
  GlobalTensor<float> bias_, d_;
  TQue<TPosition::VECOUT, 2> out_;
  uint32_t rows_ = 0, cols_ = 0;
};

extern "C" __global__ __aicore__ void matmul_leakyrelu_custom(GM_ADDR a, GM_ADDR b, GM_ADDR bias,
                                                              GM_ADDR d, GM_ADDR tiling_gm) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, tiling_gm);
  TPipe pipe;
  MatmulLeakyRelu op;
  if ASCEND_IS_AIV {
    op.Init(a, b, bias, d, tiling, &pipe);
  }
  // The cube core serves its vector cores here and goes no further.
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmul, &tiling);
  op.Process();
}
