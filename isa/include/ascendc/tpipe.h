// TPipe: a kernel's on-chip memory and event ids. Includes the queues, buffers and pools.
#pragma once

#include <cstdint>
#include <exception>

#include "ascendc/language.h"
#include "ascendc/sync.h"
#include "ascendc/tpipe_allocator.h"
#include "ascendc/tpipe_buffers.h"
#include "ascendc/tpipe_pool.h"
#include "ascendc/tpipe_queue.h"
#include "ascendc/unsupported.h"

namespace AscendC {

/// One TPipe at a time a core. While it lives on an AIC it holds ids 0 to 2 of M_MTE1, set, as the
/// device library does: kernels that use these ids themselves call Destroy first.
class TPipe : public davsim::api::PipeState {
  using Location = davsim::api::Location;

 public:
  explicit TPipe(Location where = Location::current()) { start(where); }
  /// Waits for outstanding events, but not in a kernel that is being torn down by a fault.
  ~TPipe() noexcept(false) {
    if (running() && std::uncaught_exceptions() == unwinding_) stop(where_destroyed());
    leave_core();
  }

  /// Starts anew after Destroy.
  void Init(Location where = Location::current()) { start(where); }
  /// Awaits all outstanding events and drains all pipes.
  void Destroy(Location where = Location::current()) { stop(where); }
  /// Awaits all outstanding events and forgets all buffers; they can be given out again.
  void Reset(Location where = Location::current()) { restart(where); }

  /// Memory for `num` buffers of `len` bytes each, rounded up to 32.
  template <class T>
  bool InitBuffer(T& que, std::uint32_t num, std::uint32_t len,
                  Location where = Location::current()) {
    static_assert(T::isTQue, "InitBuffer(que, num, len): a TBuf takes InitBuffer(buf, len)");
    static_assert(
        T::hasPath,
        "InitBuffer: on NPU architecture 2201 CO2 is global memory, which has no buffers; "
        "results leave CO1 through Fixpipe");
    constexpr TQueConfig kConfig = T::config;
    const auto require = [&](const char* what, std::uint32_t value, std::uint32_t configured) {
      if (configured == 0 || configured == value) return;
      davsim::api::queue_fault("InitBuffer", T::bufferPosition,
                               {what, " is ", value, ", the queue's TQueConfig says ", configured},
                               where);
    };
    require("num", num, kConfig.bufferNumber);
    require("len", len, kConfig.bufferLen);
    davsim::api::QueueBuffer* first = init_buffers(T::bufferPosition, num, len, where);
    davsim::api::watch_buffers({first, num}, T::bufferPosition,
                               davsim::isa::LocalBuffer::Kind::kQueue, where);
    que.attach(*this, first, num);
    return true;
  }
  /// Buffers at addresses of the caller's choice: pairs of byte address and bytes.
  template <class T, class U, class V, class... Addrs>
  bool InitBuffer(T& que, const Std::tuple<U, V>& addr0, const Addrs&... addrs) {
    davsim::api::QueueBuffer* first = init_at<T>(addr0);
    (init_at<T>(addrs), ...);
    davsim::api::watch_buffers({first, 1 + sizeof...(addrs)}, T::bufferPosition,
                               davsim::isa::LocalBuffer::Kind::kQueue, {});
    que.attach(*this, first, 1 + sizeof...(addrs));
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos>& buf, std::uint32_t len, Location where = Location::current()) {
    davsim::api::QueueBuffer* buffer = init_buffers(pos, 1, len, where);
    davsim::api::watch_buffers({buffer, 1}, pos, davsim::isa::LocalBuffer::Kind::kTBuf, where);
    buf.attach(*this, buffer);
    return true;
  }

  /// A stretch of `len` bytes for `bufPool` to divide.
  template <class T>
  bool InitBufPool(T& bufPool, std::uint32_t len, Location where = Location::current()) {
    static_assert(T::isTbufPool, "InitBufPool takes a TBufPool");
    bufPool.attach(*this, reserve(T::poolPos, len, where));
    return true;
  }
  /// A pool on the bytes of `shareBuf`: the two are used one after the other.
  template <class T, class U>
  bool InitBufPool(T& bufPool, std::uint32_t len, U& shareBuf,
                   Location where = Location::current()) {
    static_assert(davsim::api::space_of(T::poolPos) == davsim::api::space_of(U::poolPos),
                  "InitBufPool: the shared pool lies in another physical buffer");
    bufPool.attach(*this, shareBuf.shared_range(len, where));
    return true;
  }

  /// An event id of one's own, until ReleaseEventID. Throws Fault(kQueue) when all eight are taken.
  template <HardEvent evt>
  TEventID AllocEventID(Location where = Location::current()) {
    static_assert(evt < HardEvent::MAX, "AllocEventID: no such event");
    return events().allocate(evt, "AllocEventID", where);
  }
  template <HardEvent evt>
  void ReleaseEventID(TEventID id, Location where = Location::current()) {
    static_assert(evt < HardEvent::MAX, "ReleaseEventID: no such event");
    davsim::api::require_range("ReleaseEventID", "id", id, 0, davsim::api::kEventIds - 1, where);
    events().release(evt, id);
  }
  /// An event id that is free now, for a SetFlag and its WaitFlag that follow at once.
  template <HardEvent evt>
  TEventID FetchEventID(Location where = Location::current()) {
    return FetchEventID(evt, where);
  }
  TEventID FetchEventID(HardEvent evt, Location where = Location::current()) {
    davsim::api::require_range("FetchEventID", "evt", static_cast<std::int64_t>(evt), 0,
                               static_cast<std::int64_t>(HardEvent::MAX) - 1, where);
    return events().lowest_free(evt, "FetchEventID", where);
  }

  DAVSIM_UNSUPPORTED(InitSpmBuffer, "a part of global memory that takes what UB cannot hold")
  DAVSIM_UNSUPPORTED(WriteSpmBuffer, "a part of global memory that takes what UB cannot hold")
  DAVSIM_UNSUPPORTED(ReadSpmBuffer, "a part of global memory that takes what UB cannot hold")

  /// Addresses of local tensors are offsets in their buffer: every buffer begins at 0.
  std::uint8_t* GetBaseAddr(std::int8_t) const { return nullptr; }
  /// Bytes `offset` to `offset` + `len` of the buffer of `pos`, whoever else has them.
  template <TPosition pos>
  TBuffAddr GetAbsAddr(std::int32_t offset, std::int32_t len) const {
    TBuffAddr address{};
    address.dataLen = static_cast<std::uint32_t>(len);
    address.bufferAddr = static_cast<std::uint32_t>(offset);
    address.logicPos = static_cast<std::uint8_t>(pos);
    return address;
  }
  /// The same as a tensor of `size` elements.
  template <TPosition pos, typename T>
  LocalTensor<T> GetAbsAddr(std::int32_t offset, std::int32_t size) const {
    LocalTensor<T> tensor;
    tensor.SetAddr(GetAbsAddr<pos>(offset, static_cast<std::int32_t>(size * sizeof(T))));
    return tensor;
  }

 private:
  template <class T, class U, class V>
  davsim::api::QueueBuffer* init_at(const Std::tuple<U, V>& address) {
    return init_buffer_at(T::bufferPosition, static_cast<std::int64_t>(std::get<0>(address)),
                          static_cast<std::int64_t>(std::get<1>(address)), {});
  }
  static Location where_destroyed(Location where = Location::current()) { return where; }

  int unwinding_ = std::uncaught_exceptions();
};

/// The TPipe of the running kernel. Throws Fault(kQueue) if there is none.
inline TPipe* GetTPipePtr(davsim::api::Location where = davsim::api::Location::current()) {
  return static_cast<TPipe*>(&davsim::api::running_pipe("GetTPipePtr", TPosition::MAX, where));
}

/// What is left of the physical buffer of `pos`, as one tensor; false if nothing is left. The bytes
/// are not taken: the next InitBuffer may get them.
template <typename T, TPosition pos>
bool PopStackBuffer(LocalTensor<T>& popLocal,
                    davsim::api::Location where = davsim::api::Location::current()) {
  constexpr davsim::isa::Space kSpace = davsim::api::space_of(pos);
  const std::uint32_t used = GetTPipePtr(where)->used(kSpace);
  const auto size = static_cast<std::uint32_t>(davsim::isa::current_core().buffer_size(kSpace));
  const std::uint32_t bytes =
      size > used ? (size - used) / davsim::isa::kBlockBytes * davsim::isa::kBlockBytes : 0;
  popLocal.SetAddr({bytes, used, nullptr, static_cast<std::uint8_t>(pos)});
  return bytes > 0;
}

}  // namespace AscendC

// Kernels outside the namespace call it without naming it.
using AscendC::GetTPipePtr;
