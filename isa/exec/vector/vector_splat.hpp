// A scalar operand as a repeat of equal lanes.
#pragma once

#include <algorithm>
#include <array>

#include "isa/instr/params.hpp"

namespace davsim::isa {

class Splat {
 public:
  Splat(std::uint64_t scalar, std::size_t element_bytes) {
    if (element_bytes == 2) {
      fill<std::uint16_t>(scalar);
    } else {
      fill<std::uint32_t>(scalar);
    }
  }
  const std::byte* lanes() const { return lanes_.data(); }

 private:
  template <class Bits>
  void fill(std::uint64_t scalar) {
    auto* to = reinterpret_cast<Bits*>(lanes_.data());
    std::fill_n(to, kRepeatBytes / sizeof(Bits), static_cast<Bits>(scalar));
  }

  alignas(64) std::array<std::byte, kRepeatBytes> lanes_;
};

}  // namespace davsim::isa
