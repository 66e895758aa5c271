// Fills global memory from a kernel.
#pragma once

#include <cstdint>

#include "ascendc/data_copy.h"
#include "ascendc/tpipe.h"
#include "ascendc/vector_duplicate.h"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// Fills through what is left of UB. A vector core's work; on a cube core it does nothing.
template <typename T>
void fill_global(const char* call, AscendC::GlobalTensor<T> gm, std::uint64_t size, T value,
                 Location where) {
  if (!core_has(isa::Pipe::V) || size == 0) return;
  AscendC::LocalTensor<T> piece;
  if (!AscendC::PopStackBuffer<T, AscendC::TPosition::LCM>(piece, where)) {
    queue_fault(call, AscendC::TPosition::MAX, "nothing is left of UB to fill from", where);
  }
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, piece.GetSize()));
  // What the kernel did with these bytes of UB before is over.
  AscendC::PipeBarrier<PIPE_ALL>(where);
  AscendC::Duplicate(piece, value, static_cast<std::int32_t>(count), where);
  const auto event = AscendC::GetTPipePtr(where)->FetchEventID(AscendC::HardEvent::V_MTE3, where);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event, where);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event, where);
  for (std::uint64_t start = 0; start < size; start += count) {
    const auto rest = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, size - start));
    AscendC::DataCopyPad(
        gm[start], piece,
        AscendC::DataCopyExtParams(1, static_cast<std::uint32_t>(rest * kElementBytes<T>), 0, 0, 0),
        where);
  }
}

}  // namespace davsim::api

namespace AscendC {

/// Fills `size` elements with `value` by way of the part of UB that no InitBuffer has taken, so it
/// comes before them; what follows on MTE2 or in UB awaits MTE3. uint16_t, int16_t, half, uint32_t,
/// int32_t, float.
template <typename T>
void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const std::uint64_t size, const T value,
                      davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fill_global("InitGlobalMemory", gmWorkspaceAddr, size, value, where);
}
/// Newer name of InitGlobalMemory.
template <typename T>
void Fill(GlobalTensor<T>& gmWorkspaceAddr, const std::uint64_t size, const T value,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fill_global("Fill", gmWorkspaceAddr, size, value, where);
}
/// Older name of InitGlobalMemory.
template <typename T>
void InitOutput(GlobalTensor<T> gmWorkspaceAddr, std::uint32_t size, T value = 0,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fill_global("InitOutput", gmWorkspaceAddr, size, value, where);
}

}  // namespace AscendC
