// A queue of two buffers at fixed places, with fixed events: what compilers of tensor expressions
// make of a kernel. It has no TPipe, and its calls take nothing but their flags.
#pragma once

#include "kernel_operator.h"

namespace davsim::silicon {

/// `Full` is the event of a buffer that has been filled, `Free` that of a buffer that has been
/// used.
template <AscendC::HardEvent Full, AscendC::HardEvent Free>
class FixedQueue {
 public:
  /// Takes two buffers of `bytes` bytes from `address`, and events 2 `number` and 2 `number` + 1.
  void init(std::uint32_t address, std::uint32_t bytes, std::uint32_t number) {
    address_ = address;
    bytes_ = bytes;
    first_event_ = static_cast<std::int32_t>(2 * number);
    for (std::int32_t i = 0; i < 2; ++i) AscendC::SetFlag<Free>(first_event_ + i);
  }
  void end() {
    for (std::int32_t i = 0; i < 2; ++i) AscendC::WaitFlag<Free>(first_event_ + i);
  }

  template <class T>
  AscendC::LocalTensor<T> AllocTensor() {
    filling_ ^= 1;
    AscendC::WaitFlag<Free>(first_event_ + filling_);
    return buffer<T>(filling_);
  }
  template <class T>
  void EnQue(const AscendC::LocalTensor<T>&) {
    AscendC::SetFlag<Full>(first_event_ + filling_);
  }
  template <class T>
  AscendC::LocalTensor<T> DeQue() {
    using_ ^= 1;
    AscendC::WaitFlag<Full>(first_event_ + using_);
    return buffer<T>(using_);
  }
  template <class T>
  void FreeTensor(const AscendC::LocalTensor<T>&) {
    AscendC::SetFlag<Free>(first_event_ + using_);
  }

 private:
  template <class T>
  AscendC::LocalTensor<T> buffer(std::int32_t which) const {
    return {AscendC::TPosition::VECCALC, address_ + static_cast<std::uint32_t>(which) * bytes_,
            static_cast<std::uint32_t>(bytes_ / sizeof(T))};
  }

  std::uint32_t address_ = 0, bytes_ = 0;
  std::int32_t first_event_ = 0, filling_ = 1, using_ = 1;
};

}  // namespace davsim::silicon
