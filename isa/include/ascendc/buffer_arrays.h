// Arrays in the buffers of a core: `__ubuf__ float x[64];` in a function of the SIMD C API.
// davsim-cc makes of it
//
//   davsim::api::UbArrays hold; float (&x)[64] = hold;
//
// so that x is an array whose address is an offset in UB, as every pointer into UB is here.
#pragma once

#include <cstdint>
#include <string>

#include "ascendc/emit.h"
#include "ascendc/refuse.h"

namespace davsim::api {

/// Where the next array in each buffer of a core begins.
inline __BLOCK_LOCAL__ std::uint32_t array_bytes[isa::kSpaceCount] = {};

/// Gives arrays of a buffer their places one behind the other, from byte 0 on, and takes them back
/// at the end of their scope, as a stack does.
template <isa::Space kSpace>
class BufferArrays {
 public:
  explicit BufferArrays(Location where = Location::current()) : where_(where), before_(taken()) {}
  BufferArrays(const BufferArrays&) = delete;
  BufferArrays& operator=(const BufferArrays&) = delete;
  ~BufferArrays() { taken() = before_; }

  /// A place for an array of type T. A core without the buffer has room for all: it does nothing
  /// with them.
  template <class T>
  operator T&() const {  // NOLINT(google-explicit-constructor): that is what it is for
    const std::uint64_t first = taken();
    const std::uint64_t end = (first + sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    const std::uint64_t size = isa::current_core().buffer_size(kSpace);
    if (size != 0 && end > size) {
      refuse("an array", "the end of the arrays in " + std::string(isa::space_name(kSpace)),
             static_cast<std::int64_t>(end), {"up to ", size, " bytes"}, where_);
    }
    taken() = static_cast<std::uint32_t>(end);
    return *reinterpret_cast<T*>(first);
  }

 private:
  /// The buffers of the cube unit are addressed in fractals.
  static constexpr std::uint64_t kAlignment =
      kSpace == isa::Space::kUb || kSpace == isa::Space::kL1 ? isa::kBlockBytes : 512;

  static std::uint32_t& taken() { return array_bytes[static_cast<std::size_t>(kSpace)]; }

  Location where_;
  std::uint32_t before_;
};

using UbArrays = BufferArrays<isa::Space::kUb>;
using L1Arrays = BufferArrays<isa::Space::kL1>;
using L0aArrays = BufferArrays<isa::Space::kL0A>;
using L0bArrays = BufferArrays<isa::Space::kL0B>;
using L0cArrays = BufferArrays<isa::Space::kL0C>;

}  // namespace davsim::api
