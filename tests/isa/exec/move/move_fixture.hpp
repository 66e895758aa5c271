// What tests of moves, loads, Mmad and Fixpipe share: global memory, local tensors, faults.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <string>
#include <vector>

#include "ascendc/cube.h"
#include "ascendc/data_copy.h"
#include "tests/isa/test_core.hpp"

namespace davsim::test {

/// Allocates as the device does: at addresses that are multiples of 512 bytes.
template <class T>
struct DeviceAllocator {
  using value_type = T;
  DeviceAllocator() = default;
  template <class U>
  DeviceAllocator(const DeviceAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{512}));
  }
  void deallocate(T* start, std::size_t) { ::operator delete (start, std::align_val_t{512}); }
  friend bool operator==(const DeviceAllocator&, const DeviceAllocator&) { return true; }
};
template <class T>
using GmVector = std::vector<T, DeviceAllocator<T>>;

class MoveTest : public ::testing::Test {
 protected:
  /// A vector in global memory; `start` skips that many elements, for addresses that are not
  /// aligned.
  template <class T, class Allocator>
  AscendC::GlobalTensor<T> gm(std::vector<T, Allocator>& data, std::size_t start = 0) {
    core.global.add(data.data(), data.size() * sizeof(T));
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data.data() + start, data.size() - start);
    return tensor;
  }

  template <class T>
  static AscendC::LocalTensor<T> local(AscendC::TPosition position, std::uint32_t byte_offset = 0,
                                       std::uint32_t elements = 16) {
    return {position, byte_offset, elements};
  }

  /// Runs `call`, which must be refused with this class, a message that contains `text`, and the
  /// source line of the call, `line`.
  static void expect_fault(isa::FaultClass cls, const std::string& text, unsigned line,
                           const std::function<void()>& call) {
    try {
      call();
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
      EXPECT_NE(fault.message.find(text), std::string::npos) << fault.message;
      EXPECT_EQ(fault.where.line(), line) << fault.message;
      EXPECT_FALSE(fault.instruction.empty()) << fault.message;
      return;
    }
    ADD_FAILURE() << "nothing was refused; expected: " << text;
  }

  /// The last record that is not a register's.
  const isa::Instr& last() const {
    for (auto it = core.emitted.rbegin(); it != core.emitted.rend(); ++it) {
      if (it->op != isa::Opcode::kSetRegister) return *it;
    }
    throw std::logic_error("nothing was emitted");
  }

  TestCore core;
};

/// The source line of the call is that of the macro.
#define EXPECT_FAULT(cls, text, ...) \
  expect_fault(davsim::isa::FaultClass::cls, text, __LINE__, [&] { __VA_ARGS__; })

/// 1, 2, 3, ... as T; small enough to be exact in every type.
template <class T>
std::vector<T> counting(std::size_t count, int modulus = 120) {
  std::vector<T> data(count);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = static_cast<T>(static_cast<float>(1 + static_cast<int>(i) % modulus));
  }
  return data;
}

/// Deterministic numbers in [-limit, limit].
inline int noise(std::uint64_t index, int limit) {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  return static_cast<int>(x % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
}

}  // namespace davsim::test
