// Pools that a kernel divides by its own rules: EXTERN_IMPL_BUFPOOL gives a class of the kernel's
// the functions by which it lays its buffers out, apart from each other or on top of each other.
#pragma once

#include <array>
#include <cstdint>
#include <exception>

#include "ascendc/tpipe_buffers.h"

namespace davsim::api {

/// What the macro puts into the class: `size` buffers that are nowhere yet, and the stretch that
/// TPipe::InitBufPool gave the pool.
template <AscendC::TPosition pos, std::uint32_t size>
class OwnPool {
 public:
  static_assert(size > 0 && size <= 255, "EXTERN_IMPL_BUFPOOL: BUFID_SIZE is 1 to 255");
  static_assert(space_of(pos) == isa::Space::kUb || space_of(pos) == isa::Space::kL1,
                "EXTERN_IMPL_BUFPOOL: positions are A1, B1, C1, VECIN, VECOUT and VECCALC");

  OwnPool() = default;
  OwnPool(const OwnPool&) = delete;
  OwnPool& operator=(const OwnPool&) = delete;
  ~OwnPool() noexcept(false) {
    if (pipe_.alive() && std::uncaught_exceptions() == 0) reset({});
  }

  void attach(PipeState& pipe, BufferRange range) {
    pipe_ = PipeLink(pipe);
    range_ = range;
    start();
  }
  /// Counts buffers and addresses from the beginning again.
  void start() {
    address = range_.start;
    count = 0;
  }
  /// Awaits the outstanding events of the buffers, and starts anew.
  void reset(Location where) {
    require_alive("Reset", where);
    await_free_events("Reset", buffers_, pipe_->events(), where);
    start();
  }
  AscendC::TBufHandle handle(std::uint32_t index, Location where) {
    if (index >= size) {
      queue_fault("GetBufHandle", pos, {"buffer ", index, " of ", size, " in the pool"}, where);
    }
    return reinterpret_cast<AscendC::TBufHandle>(&buffers_[index]);
  }
  /// Lays a buffer down. One that lies there already is another queue's as well.
  void place(QueueBuffer& buffer, AscendC::TPosition position, isa::LocalBuffer::Kind kind,
             BufferRange at, Location where) {
    require_alive("InitBufHandle", where);
    const std::uint64_t end = std::uint64_t{at.start} + at.size;
    const bool inside =
        range_.size == 0 || (at.start >= range_.start && end <= range_.start + range_.size);
    if (!inside || at.start % isa::kBlockBytes != 0) {
      queue_fault(
          "InitBufHandle", position,
          {at.size, " bytes at byte ", at.start, " are not whole DataBlocks inside the pool"},
          where);
    }
    if (buffer.address == at.start && buffer.bytes == at.size) return;
    buffer.address = at.start;
    buffer.bytes = static_cast<std::uint32_t>(at.size);
    watch_buffers({&buffer, 1}, position, kind, where);
  }

  std::uint32_t address = 0;  ///< GetCurAddr
  std::uint8_t count = 0;     ///< GetCurBufSize

 private:
  void require_alive(const char* call, Location where) const {
    if (!pipe_.alive()) {
      queue_fault(call, pos, "InitBufPool was not called for this pool", where);
    }
  }

  PipeLink pipe_;
  BufferRange range_;
  std::array<QueueBuffer, size> buffers_{};
};

}  // namespace davsim::api

/// Makes the class that it stands in a pool for TPipe::InitBufPool, at POSITION, with BUFID_SIZE
/// buffers at most. The class lays them out by the functions of the macro and by InitStartBufHandle
/// and InitBufHandle of TQue and TBuf.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                               \
 public:                                                                                     \
  static constexpr AscendC::TPosition poolPos = POSITION;                                    \
  static constexpr bool isTbufPool = true;                                                   \
  void Init() {                                                                              \
    davsim_own_pool.start();                                                                 \
  }                                                                                          \
  void Reset(davsim::api::Location where = davsim::api::Location::current()) {               \
    davsim_own_pool.reset(where);                                                            \
  }                                                                                          \
  AscendC::TBufHandle GetBufHandle(                                                          \
      std::uint8_t offset, davsim::api::Location where = davsim::api::Location::current()) { \
    return davsim_own_pool.handle(offset, where);                                            \
  }                                                                                          \
  void SetCurAddr(std::uint32_t curAddr) {                                                   \
    davsim_own_pool.address = curAddr;                                                       \
  }                                                                                          \
  std::uint32_t GetCurAddr() const {                                                         \
    return davsim_own_pool.address;                                                          \
  }                                                                                          \
  void SetCurBufSize(std::uint8_t curBufSize) {                                              \
    davsim_own_pool.count = curBufSize;                                                      \
  }                                                                                          \
  std::uint8_t GetCurBufSize() const {                                                       \
    return davsim_own_pool.count;                                                            \
  }                                                                                          \
  void attach(davsim::api::PipeState& pipe, davsim::api::BufferRange range) {                \
    davsim_own_pool.attach(pipe, range);                                                     \
  }                                                                                          \
  davsim::api::OwnPool<POSITION, BUFID_SIZE> davsim_own_pool
