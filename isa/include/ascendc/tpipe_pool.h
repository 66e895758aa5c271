// TBufPool: a part of a TPipe's memory. A kernel divides it into buffers, returns it as a whole,
// and divides it again.
#pragma once

#include <array>
#include <cstdint>
#include <exception>

#include "ascendc/tpipe_queue.h"

namespace AscendC {

/// `bufIDSize` is how many buffers it can be divided into at a time.
template <TPosition pos, std::uint32_t bufIDSize = 4>
class TBufPool {
  using Location = davsim::api::Location;

 public:
  static constexpr TPosition poolPos = pos;
  static constexpr bool isTbufPool = true;
  static_assert(davsim::api::space_of(pos) == davsim::isa::Space::kUb ||
                    davsim::api::space_of(pos) == davsim::isa::Space::kL1,
                "TBufPool: positions are A1, B1, C1, VECIN, VECOUT and VECCALC");

  TBufPool() = default;
  TBufPool(const TBufPool&) = delete;
  TBufPool& operator=(const TBufPool&) = delete;
  ~TBufPool() noexcept(false) {
    if (pipe_.alive() && std::uncaught_exceptions() == 0) Reset();
  }

  template <class T>
  bool InitBuffer(T& que, std::uint32_t num, std::uint32_t len,
                  Location where = Location::current()) {
    static_assert(T::isTQue, "InitBuffer(que, num, len): a TBuf takes InitBuffer(buf, len)");
    static_assert(davsim::api::space_of(T::bufferPosition) == davsim::api::space_of(pos),
                  "TBufPool::InitBuffer: the queue's position lies in another physical buffer");
    davsim::api::QueueBuffer* first = cut("InitBuffer", num, len, where);
    davsim::api::watch_buffers({first, num}, T::bufferPosition,
                               davsim::isa::LocalBuffer::Kind::kQueue, where);
    que.attach(*pipe_, first, num);
    return true;
  }
  template <TPosition bufPos>
  bool InitBuffer(TBuf<bufPos>& buf, std::uint32_t len, Location where = Location::current()) {
    static_assert(davsim::api::space_of(bufPos) == davsim::api::space_of(pos),
                  "TBufPool::InitBuffer: the TBuf's position lies in another physical buffer");
    davsim::api::QueueBuffer* buffer = cut("InitBuffer", 1, len, where);
    davsim::api::watch_buffers({buffer, 1}, bufPos, davsim::isa::LocalBuffer::Kind::kTBuf, where);
    buf.attach(*pipe_, buffer);
    return true;
  }
  /// A pool inside this one.
  template <class T>
  bool InitBufPool(T& bufPool, std::uint32_t len, Location where = Location::current()) {
    static_assert(T::isTbufPool, "InitBufPool takes a TBufPool");
    require_alive("InitBufPool", where);
    davsim::api::require_length("InitBufPool", pos, len, where);
    davsim::api::QueueBuffer stretch;
    davsim::api::cut_buffers({&stretch, 1}, range_, pos, len, where, "InitBufPool");
    bufPool.attach(*pipe_, {stretch.address, 0, stretch.bytes});
    return true;
  }
  /// A pool on the bytes of `shareBuf`: the two are used one after the other.
  template <class T, class U>
  bool InitBufPool(T& bufPool, std::uint32_t len, U& shareBuf,
                   Location where = Location::current()) {
    require_alive("InitBufPool", where);
    bufPool.attach(*pipe_, shareBuf.shared_range(len, where));
    return true;
  }

  /// Awaits the pool's outstanding events and forgets its buffers.
  void Reset(Location where = Location::current()) {
    require_alive("Reset", where);
    davsim::api::await_free_events("Reset", {buffers_.data(), count_}, pipe_->events(), where);
    count_ = 0;
    range_.used = 0;
  }

  void attach(davsim::api::PipeState& pipe, davsim::api::BufferRange range) {
    pipe_ = davsim::api::PipeLink(pipe);
    range_ = range;
    count_ = 0;
  }
  /// The pool's bytes for another pool of `bytes`, which must not be larger.
  davsim::api::BufferRange shared_range(std::uint32_t bytes, Location where) const {
    require_alive("InitBufPool", where);
    if (bytes > range_.size) {
      davsim::api::queue_fault("InitBufPool", pos,
                               {bytes, " bytes are more than the shared pool's ", range_.size},
                               where);
    }
    return {range_.start, 0, range_.size};
  }

 private:
  void require_alive(const char* call, Location where) const {
    if (!pipe_.alive()) {
      davsim::api::queue_fault(call, pos, "InitBufPool was not called for this pool", where);
    }
  }
  davsim::api::QueueBuffer* cut(const char* call, std::uint32_t num, std::uint32_t len,
                                Location where) {
    require_alive(call, where);
    if (num == 0 || num > bufIDSize - count_) {
      davsim::api::queue_fault(
          call, pos,
          {num, " buffers, the pool has ", bufIDSize - count_, " of ", bufIDSize, " left"}, where);
    }
    davsim::api::QueueBuffer* first = buffers_.data() + count_;
    davsim::api::cut_buffers({first, num}, range_, pos, len, where, call);
    count_ += num;
    return first;
  }

  davsim::api::PipeLink pipe_;
  davsim::api::BufferRange range_;
  std::array<davsim::api::QueueBuffer, bufIDSize> buffers_{};
  std::uint32_t count_ = 0;
};

}  // namespace AscendC
