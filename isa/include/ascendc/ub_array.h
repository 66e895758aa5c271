// Arrays in UB: `__ubuf__ float x[64];` in a function of the SIMD C API. davsim-cc makes of it
//
//   davsim::api::UbArrays hold; float (&x)[64] = hold;
//
// so that x is an array whose address is an offset in UB, as every pointer into UB is here.
#pragma once

#include <cstdint>

#include "ascendc/emit.h"
#include "ascendc/refuse.h"

namespace davsim::api {

/// Gives arrays their places one behind the other, from byte 0 of UB on, and takes them back at the
/// end of their scope, as a stack does.
class UbArrays {
 public:
  explicit UbArrays(Location where = Location::current())
      : where_(where), before_(registers().ub_arrays) {}
  UbArrays(const UbArrays&) = delete;
  UbArrays& operator=(const UbArrays&) = delete;
  ~UbArrays() { registers().ub_arrays = before_; }

  /// A place for an array of type T. A core without UB has room for all: it does nothing with them.
  template <class T>
  operator T&() const {  // NOLINT(google-explicit-constructor): that is what it is for
    const std::uint64_t first = registers().ub_arrays;
    const std::uint64_t end =
        (first + sizeof(T) + isa::kBlockBytes - 1) / isa::kBlockBytes * isa::kBlockBytes;
    const std::uint64_t size = isa::current_core().buffer_size(isa::Space::kUb);
    if (size != 0 && end > size) {
      refuse("__ubuf__", "the end of the arrays in UB", static_cast<std::int64_t>(end),
             {"up to ", size, " bytes"}, where_);
    }
    registers().ub_arrays = static_cast<std::uint32_t>(end);
    return *reinterpret_cast<T*>(first);
  }

 private:
  Location where_;
  std::uint32_t before_;
};

}  // namespace davsim::api
