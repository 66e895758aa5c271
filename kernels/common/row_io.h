// Rows of any width between global memory and UB, and between bf16 and fp32.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// The number of vector cores of the launch.
__aicore__ inline uint32_t VectorCores() {
  return static_cast<uint32_t>(AscendC::GetBlockNum() * AscendC::GetSubBlockNum());
}

template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> Global(GM_ADDR address) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
  return tensor;
}

/// Moves `count` elements, any number: whole 32-byte blocks in UB, exact bytes in memory.
template <typename T>
__aicore__ inline void Load(const AscendC::LocalTensor<T>& ub, const AscendC::GlobalTensor<T>& gm,
                            uint32_t count) {
  AscendC::DataCopyPad(ub, gm, AscendC::DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),
                       AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
}
template <typename T>
__aicore__ inline void Store(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<T>& ub,
                             uint32_t count) {
  AscendC::DataCopyPad(gm, ub, AscendC::DataCopyExtParams(1, count * sizeof(T), 0, 0, 0));
}

/// Moves the first element of each of `blocks` DataBlocks.
template <typename T>
__aicore__ inline void StoreFirsts(const AscendC::GlobalTensor<T>& gm,
                                   const AscendC::LocalTensor<T>& ub, uint32_t blocks) {
  AscendC::DataCopyPad(gm, ub, AscendC::DataCopyExtParams(blocks, sizeof(T), 0, 0, 0));
}

/// Converts bf16 in UB to fp32. Also converts fp32 to bf16 and back, for a value that is stored
/// rounded and then used further.
__aicore__ inline void Widen(const AscendC::LocalTensor<float>& dst,
                             const AscendC::LocalTensor<bfloat16_t>& src, uint32_t count) {
  AscendC::Cast(dst, src, AscendC::RoundMode::CAST_NONE, count);
  AscendC::PipeBarrier<PIPE_V>();
}
__aicore__ inline void Round(const AscendC::LocalTensor<bfloat16_t>& dst,
                             const AscendC::LocalTensor<float>& src, uint32_t count) {
  AscendC::Cast(dst, src, AscendC::RoundMode::CAST_RINT, count);
  AscendC::PipeBarrier<PIPE_V>();
}

}  // namespace kernel_common
