// Device code that dispatch and combine share: order between pipes, the mask of active tokens, and
// whose turn of the windows it is.
#pragma once

#include "kernel_operator.h"
#include "kernels/common/work_split.h"
#include "kernels/moe_distribute/moe_distribute_tiling.h"
#include "lib/hccl/hccl.h"

namespace moe_distribute {

template <AscendC::HardEvent event>
__aicore__ inline void Order() {
  const auto id = static_cast<int32_t>(AscendC::GetTPipePtr()->FetchEventID(event));
  AscendC::SetFlag<event>(id);
  AscendC::WaitFlag<event>(id);
}

template <class T>
__aicore__ inline AscendC::GlobalTensor<T> At(GM_ADDR start, uint64_t bytes = 0) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(start + bytes));
  return tensor;
}

__aicore__ inline AscendC::DataCopyExtParams Bytes(uint64_t bytes) {
  return AscendC::DataCopyExtParams(1, static_cast<uint32_t>(bytes), 0, 0, 0);
}
template <class T>
__aicore__ inline AscendC::DataCopyPadExtParams<T> NoPadding() {
  return {false, 0, 0, static_cast<T>(0)};
}

/// Loads numbers [first, first + count) of global memory.
template <class T>
__aicore__ inline void Load(const AscendC::LocalTensor<T>& to, GM_ADDR from, uint64_t first,
                            uint64_t count) {
  AscendC::DataCopyPad(to, At<T>(from, first * sizeof(T)), Bytes(count * sizeof(T)),
                       NoPadding<T>());
}
template <class T>
__aicore__ inline void Store(GM_ADDR to, uint64_t first, const AscendC::LocalTensor<T>& from,
                             uint64_t count) {
  AscendC::DataCopyPad(At<T>(to, first * sizeof(T)), from, Bytes(count * sizeof(T)));
}

/// Rows with more numbers have one buffer, others two.
constexpr uint32_t kWidestPair = 8192;

/// Numbers of a mask that are looked at at a time.
constexpr uint32_t kPiece = 2048;

/// mask as floats 0 and 1: bytes [first, first + count), count at most kPiece. `bytes` and `halves`
/// are scratch.
__aicore__ inline void LoadMask(const AscendC::LocalTensor<float>& to,
                                const AscendC::LocalTensor<uint8_t>& bytes,
                                const AscendC::LocalTensor<half>& halves, GM_ADDR mask,
                                uint64_t first, uint32_t count) {
  Load(bytes, mask, first, count);
  Order<AscendC::HardEvent::MTE2_V>();
  AscendC::Cast(halves, bytes, AscendC::RoundMode::CAST_NONE, count);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(to, halves, AscendC::RoundMode::CAST_NONE, count);
  AscendC::PipeBarrier<PIPE_V>();
}

/// The half of the windows whose turn it is. Each block has a record of its own, and all agree.
__aicore__ inline uint32_t TakeTurn(const AscendC::LocalTensor<int32_t>& room, GM_ADDR window,
                                    uint32_t op, uint32_t block) {
  const AscendC::GlobalTensor<int32_t> record = At<int32_t>(window, EpWindow::Record(op, block));
  AscendC::DataCopy(room, record, 8);
  Order<AscendC::HardEvent::MTE2_S>();
  const uint32_t half = static_cast<uint32_t>(room.GetValue(0)) & 1u;
  room.SetValue(0, static_cast<int32_t>(1 - half));
  Order<AscendC::HardEvent::S_MTE3>();
  AscendC::DataCopy(record, room, 8);
  Order<AscendC::HardEvent::MTE3_V>();
  Order<AscendC::HardEvent::MTE3_MTE2>();
  return half;
}

}  // namespace moe_distribute
