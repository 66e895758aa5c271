// A product with a bias on mixed cores and LeakyRelu on its blocks, in the form that many programs
// have: a class with Init and Process, the tiling in global memory.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace matmul;

namespace {

__aicore__ inline uint32_t Ceiling(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

__aicore__ inline void CopyTiling(TCubeTiling* tiling, GM_ADDR tilingGM) {
  uint32_t* ptr = reinterpret_cast<uint32_t*>(tiling);
  auto tiling32 = reinterpret_cast<__gm__ uint32_t*>(tilingGM);
  for (uint32_t i = 0; i < sizeof(TCubeTiling) / sizeof(uint32_t); i++, ptr++) {
    *ptr = *(tiling32 + i);
  }
}

template <typename aType, typename bType, typename cType, typename biasType>
class MatmulLeakyRelu {
 public:
  __aicore__ inline MatmulLeakyRelu() {}
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                              const TCubeTiling& cubeTiling, AscendC::TPipe* pipe) {
    tiling = cubeTiling;
    aGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ aType*>(a), tiling.M * tiling.Ka);
    bGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ bType*>(b), tiling.Kb * tiling.N);
    cGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ cType*>(c), tiling.M * tiling.N);
    biasGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ biasType*>(bias), tiling.N);
    const uint32_t mBlocks = Ceiling(tiling.M, tiling.singleCoreM);
    const uint32_t mIdx = AscendC::GetBlockIdx() % mBlocks;
    const uint32_t nIdx = AscendC::GetBlockIdx() / mBlocks;
    aGlobal = aGlobal[mIdx * tiling.Ka * tiling.singleCoreM];
    bGlobal = bGlobal[nIdx * tiling.singleCoreN];
    cGlobal = cGlobal[mIdx * tiling.N * tiling.singleCoreM + nIdx * tiling.singleCoreN];
    biasGlobal = biasGlobal[nIdx * tiling.singleCoreN];
    if (AscendC::GetSysWorkSpacePtr() == nullptr) return;
    pipe->InitBuffer(reluOutQueue, 1, tiling.baseM * tiling.baseN * sizeof(cType));
  }
  __aicore__ inline void Process() {
    if (AscendC::GetBlockIdx() >= tiling.usedCoreNum) return;
    uint32_t computeRound = 0;
    matmulObj.SetTensorA(aGlobal);
    matmulObj.SetTensorB(bGlobal);
    matmulObj.SetBias(biasGlobal);
    while (matmulObj.template Iterate<true>()) {
      auto reluOut = reluOutQueue.AllocTensor<cType>();
      matmulObj.template GetTensorC<true>(reluOut, false, true);
      LeakyRelu(reluOut, reluOut, static_cast<cType>(0.25), tiling.baseM * tiling.baseN);
      reluOutQueue.EnQue(reluOut);
      CopyOut(computeRound++);
    }
    matmulObj.End();
  }

  Matmul<MatmulType<AscendC::TPosition::GM, CubeFormat::ND, aType>,
         MatmulType<AscendC::TPosition::GM, CubeFormat::ND, bType>,
         MatmulType<AscendC::TPosition::VECIN, CubeFormat::ND, cType>,
         MatmulType<AscendC::TPosition::GM, CubeFormat::ND, biasType>>
      matmulObj;
  TCubeTiling tiling;

 private:
  __aicore__ inline void CopyOut(uint32_t count) {
    auto reluOut = reluOutQueue.DeQue<cType>();
    const uint32_t roundM = tiling.singleCoreM / tiling.baseM;
    const uint32_t roundN = tiling.singleCoreN / tiling.baseN;
    const uint32_t startOffset =
        tiling.iterateOrder == 0
            ? count % roundM * tiling.baseM * tiling.N + count / roundM * tiling.baseN
            : count / roundN * tiling.baseM * tiling.N + count % roundN * tiling.baseN;
    AscendC::DataCopyParams copyParam = {
        (uint16_t)tiling.baseM, (uint16_t)(tiling.baseN * sizeof(cType) / 32), 0,
        (uint16_t)((tiling.N - tiling.baseN) * sizeof(cType) / 32)};
    DataCopy(cGlobal[startOffset], reluOut, copyParam);
    reluOutQueue.FreeTensor(reluOut);
  }

  AscendC::GlobalTensor<aType> aGlobal;
  AscendC::GlobalTensor<bType> bGlobal;
  AscendC::GlobalTensor<cType> cGlobal;
  AscendC::GlobalTensor<biasType> biasGlobal;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> reluOutQueue;
};

}  // namespace

extern "C" __global__ __aicore__ void leakyrelu(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                GM_ADDR workspace, GM_ADDR tilingGm) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  AscendC::TPipe pipe;
  TCubeTiling tiling;
  CopyTiling(&tiling, tilingGm);
  MatmulLeakyRelu<half, half, float, float> op;
  op.Init(a, b, bias, c, workspace, tiling, &pipe);
  REGIST_MATMUL_OBJ(&pipe, AscendC::GetSysWorkSpacePtr(), op.matmulObj, &op.tiling);
  op.Process();
}
