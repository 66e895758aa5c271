// TQueBind, TQue, TSCM and TBuf: buffers of a TPipe as tensors, passed from pipe to pipe.
#pragma once

#include <cstdint>

#include "ascendc/tensor.h"
#include "ascendc/tpipe_buffers.h"
#include "ascendc/tpipe_own_pool.h"
#include "isa/numeric/min_max.hpp"

namespace AscendC {

/// A queue between two positions. AllocTensor waits until a buffer was given back, EnQue hands it
/// over when its pipe has filled it, DeQue holds the reading pipe back until then, FreeTensor gives
/// it back. `depth` is how many tensors may stand in the queue at a time; 0 selects the in-place
/// calls, in which the tensor is the caller's own object. Misuse is a Fault(kQueue).
template <TPosition src, TPosition dst, std::int32_t depth, auto mask = 0>
class TQueBind : public davsim::api::BufferQueue {
  using Location = davsim::api::Location;

 public:
  static constexpr TPosition srcPosition = src;
  static constexpr TPosition dstPosition = dst;
  static constexpr TPosition bufferPosition = davsim::api::buffer_position({src, dst});
  static constexpr TQueConfig config = davsim::api::queue_config(mask);
  static constexpr std::int32_t queDepth = depth;
  static constexpr bool isTQue = true;
  static_assert(depth >= 0, "TQueBind: depth is the number of tensors in the queue, not negative");
  static constexpr bool hasPath = davsim::api::queue_events({src, dst}).exist();
  static_assert(hasPath || src == TPosition::CO2,
                "TQueBind: NPU architecture 2201 has no data path between these two positions");

  template <typename T>
  LocalTensor<T> AllocTensor(Location where = Location::current()) {
    static_assert(depth != 0, "AllocTensor: a queue of depth 0 needs AllocTensor(tensor)");
    return as_tensor<T>(allocate(kTraits, where));
  }
  template <typename T>
  void AllocTensor(LocalTensor<T>& tensor, Location where = Location::current()) {
    static_assert(depth == 0, "AllocTensor(tensor) needs a queue of depth 0");
    tensor = as_tensor<T>(allocate(kTraits, where));
  }

  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor, Location where = Location::current()) {
    enqueue(kTraits, tensor.Address().bufferHandle, order_, where);
    return true;
  }
  /// Hands over between the pipes of two positions of the caller's choice: a queue whose tensors
  /// are input first and output then.
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  bool EnQue(const LocalTensor<T>& tensor, Location where = Location::current()) {
    enqueue(kUserTraits<srcUserPos, dstUserPos>, tensor.Address().bufferHandle, order_, where);
    return true;
  }

  template <typename T>
  LocalTensor<T> DeQue(Location where = Location::current()) {
    static_assert(depth != 0, "DeQue: a queue of depth 0 needs DeQue(tensor)");
    return as_tensor<T>(dequeue(kTraits, order_, where));
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  LocalTensor<T> DeQue(Location where = Location::current()) {
    static_assert(depth != 0, "DeQue: a queue of depth 0 needs DeQue(tensor)");
    return as_tensor<T>(dequeue(kUserTraits<srcUserPos, dstUserPos>, order_, where));
  }
  template <typename T>
  void DeQue(LocalTensor<T>& tensor, Location where = Location::current()) {
    static_assert(depth == 0, "DeQue(tensor) needs a queue of depth 0");
    dequeue_in_place(kTraits, tensor.Address().bufferHandle, where);
  }

  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor, Location where = Location::current()) {
    give_back(kTraits, tensor.Address().bufferHandle, where);
  }
  /// Awaits the free events of all buffers, so that other queues can have their ids.
  void FreeAllEvent(Location where = Location::current()) { await_all_free(kTraits, where); }

  /// The queue's buffers are `num` in a row from `startBufhandle` on: a pool of the kernel's own
  /// says so, and lays each of them down by InitBufHandle.
  void InitStartBufHandle(TBufHandle startBufhandle, std::uint8_t num,
                          [[maybe_unused]] std::uint32_t len,
                          Location where = Location::current()) {
    attach(davsim::api::running_pipe("InitStartBufHandle", bufferPosition, where),
           reinterpret_cast<davsim::api::QueueBuffer*>(startBufhandle), num);
  }
  /// Buffer `index` of the queue is `len` bytes at `curPoolAddr`.
  template <class T>
  void InitBufHandle(T* bufPool, std::uint32_t index, [[maybe_unused]] TBufHandle bufhandle,
                     std::uint32_t curPoolAddr, std::uint32_t len,
                     Location where = Location::current()) {
    static_assert(davsim::api::space_of(T::poolPos) == davsim::api::space_of(bufferPosition),
                  "InitBufHandle: the queue's position lies in another physical buffer");
    bufPool->davsim_own_pool.place(buffer_at("InitBufHandle", kTraits, index, where),
                                   bufferPosition, davsim::isa::LocalBuffer::Kind::kQueue,
                                   {curPoolAddr, 0, len}, where);
  }

  bool VacantInQue() const { return enqueued() < depth; }
  bool HasTensorInQue() const { return enqueued() > 0; }
  std::int32_t GetTensorCountInQue() const { return enqueued(); }
  bool HasIdleBuffer() const { return has_idle_buffer(); }
  template <typename T>
  TBufState GetState(const LocalTensor<T>& tensor, Location where = Location::current()) const {
    void* handle = tensor.Address().bufferHandle;
    return handle == nullptr ? TBufState::FREE
                             : buffer_of("GetState", kTraits, handle, where).state;
  }

 private:
  static constexpr Traits kTraits = {bufferPosition, davsim::api::queue_events({src, dst}), depth};

  template <TPosition srcUserPos, TPosition dstUserPos>
  static constexpr Traits user_traits() {
    constexpr auto is_vector = [](TPosition position) {
      return position == TPosition::GM || position == TPosition::VECIN ||
             position == TPosition::VECOUT || position == TPosition::VECCALC;
    };
    static_assert(is_vector(srcUserPos) && is_vector(dstUserPos),
                  "EnQue and DeQue take the positions GM, VECIN, VECOUT and VECCALC");
    static_assert(srcUserPos != TPosition::GM || dstUserPos != TPosition::GM,
                  "EnQue and DeQue: not both positions can be GM");
    const davsim::api::QueueEvents user = davsim::api::queue_events({srcUserPos, dstUserPos});
    return {bufferPosition, {user.full, kTraits.events.free}, depth};
  }
  template <TPosition srcUserPos, TPosition dstUserPos>
  static constexpr Traits kUserTraits = user_traits<srcUserPos, dstUserPos>();

  template <typename T>
  static LocalTensor<T> as_tensor(davsim::api::QueueBuffer& buffer) {
    LocalTensor<T> tensor;
    tensor.SetAddr({buffer.bytes, buffer.address, &buffer,
                    static_cast<std::uint8_t>(bufferPosition), buffer.watched});
    return tensor;
  }

  davsim::api::QueueBuffer* order_[std::max(depth, 1)] = {};
};

/// The queue at one position.
template <TPosition pos, std::int32_t depth, auto mask = 0>
class TQue : public TQueBind<davsim::api::queue_ends(pos).src, davsim::api::queue_ends(pos).dst,
                             depth, mask> {
  static_assert(davsim::api::queue_ends(pos).src != TPosition::MAX,
                "TQue: positions are VECIN, VECOUT, VECCALC, A1, A2, B1, B2, C1, C2, CO1, CO2 and "
                "C2PIPE2GM; use TBuf elsewhere");
};

/// A queue of matrices in L1 that stay for several products.
template <TPosition pos, std::int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

/// One buffer that is not handed from pipe to pipe: its user orders the accesses.
template <TPosition pos = TPosition::LCM>
class TBuf {
  using Location = davsim::api::Location;

 public:
  static constexpr TPosition bufferPosition = pos;
  static constexpr bool isTQue = false;

  /// The whole buffer.
  template <typename T>
  LocalTensor<T> Get(Location where = Location::current()) const {
    require_buffer("Get", where);
    return as_tensor<T>(buffer_->bytes, 0);
  }
  /// The first `len` elements.
  template <typename T>
  LocalTensor<T> Get(std::uint32_t len, Location where = Location::current()) const {
    return part<T>("Get", len, 0, where);
  }
  /// `size` elements from byte `bufOffset` on.
  template <typename T>
  LocalTensor<T> GetWithOffset(std::uint32_t size, std::uint32_t bufOffset,
                               Location where = Location::current()) const {
    return part<T>("GetWithOffset", size, bufOffset, where);
  }

  /// The calls of a queue, without its order between pipes.
  template <typename T>
  LocalTensor<T> AllocTensor(Location where = Location::current()) const {
    return Get<T>(where);
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&) const {}

  /// The calls of a queue for pools of the kernel's own.
  void InitStartBufHandle(TBufHandle startBufhandle, [[maybe_unused]] std::uint8_t num,
                          [[maybe_unused]] std::uint32_t len,
                          Location where = Location::current()) {
    attach(davsim::api::running_pipe("InitStartBufHandle", pos, where),
           reinterpret_cast<davsim::api::QueueBuffer*>(startBufhandle));
  }
  template <class T>
  void InitBufHandle(T* bufPool, [[maybe_unused]] std::uint32_t index, TBufHandle bufhandle,
                     std::uint32_t curPoolAddr, std::uint32_t len,
                     Location where = Location::current()) {
    static_assert(davsim::api::space_of(T::poolPos) == davsim::api::space_of(pos),
                  "InitBufHandle: the TBuf's position lies in another physical buffer");
    bufPool->davsim_own_pool.place(*reinterpret_cast<davsim::api::QueueBuffer*>(bufhandle), pos,
                                   davsim::isa::LocalBuffer::Kind::kTBuf, {curPoolAddr, 0, len},
                                   where);
  }

  void attach(davsim::api::PipeState& pipe, const davsim::api::QueueBuffer* buffer) {
    pipe_ = davsim::api::PipeLink(pipe);
    buffer_ = buffer;
  }

 private:
  void require_buffer(const char* call, Location where) const {
    if (!pipe_.alive())
      davsim::api::queue_fault(call, pos, "InitBuffer was not called for it", where);
  }
  template <typename T>
  LocalTensor<T> part(const char* call, std::uint32_t elements, std::uint32_t offset,
                      Location where) const {
    require_buffer(call, where);
    const std::uint64_t bytes =
        std::uint64_t{elements} * davsim::isa::dtype_bits(davsim::api::dtype_of<T>()) / 8;
    if (offset > buffer_->bytes || bytes > buffer_->bytes - offset) {
      davsim::api::queue_fault(call, pos,
                               {bytes, " bytes from byte ", offset, " are not inside the TBuf of ",
                                buffer_->bytes, " bytes"},
                               where);
    }
    return as_tensor<T>(static_cast<std::uint32_t>(bytes), offset);
  }
  template <typename T>
  LocalTensor<T> as_tensor(std::uint32_t bytes, std::uint32_t offset) const {
    LocalTensor<T> tensor;
    tensor.SetAddr({bytes, buffer_->address + offset, nullptr, static_cast<std::uint8_t>(pos),
                    buffer_->watched});
    return tensor;
  }

  davsim::api::PipeLink pipe_;
  const davsim::api::QueueBuffer* buffer_ = nullptr;
};

}  // namespace AscendC
