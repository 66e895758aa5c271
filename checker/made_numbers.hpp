// Numbers for the buffers and tensors that the lines of a kernel make. A line that makes the same
// bytes again makes the same buffer or tensor.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>

#include "isa/core/core_watcher.hpp"

namespace davsim::checker {

struct Made {
  Made(const isa::LocalBuffer& buffer)
      : addr(buffer.addr),
        bytes(buffer.bytes),
        space(buffer.space),
        line(buffer.where.line()),
        file(buffer.where.file_name()) {}
  Made(const isa::GlobalBuffer& tensor)
      : addr(tensor.addr),
        bytes(tensor.bytes),
        space(isa::Space::kGm),
        line(tensor.where.line()),
        file(tensor.where.file_name()) {}

  bool operator==(const Made&) const = default;

  std::uint64_t addr, bytes;
  isa::Space space;
  std::uint32_t line;
  const char* file;

  /// Kernels make tensors in their inner loops, so a hash takes few steps.
  struct Hash {
    std::size_t operator()(const Made& made) const {
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
      const auto where = reinterpret_cast<std::uintptr_t>(made.file) ^
                         std::uint64_t{made.line} << 40 ^
                         static_cast<std::uint64_t>(made.space) << 60;
      return ((made.addr * kOdd ^ made.bytes) * kOdd ^ where) * kOdd;
    }
  };
};

using MadeNumbers = boost::unordered_flat_map<Made, std::uint16_t, Made::Hash>;

}  // namespace davsim::checker
