// Random choices, the same on every host: what generators of random calls are made of.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/common/seeded_data.hpp"

namespace davsim::test {

class RandomChoice {
 protected:
  RandomChoice(memory::GlobalMemory& memory, std::uint64_t seed) : bits_(memory, seed) {}

  /// In [low, high].
  std::int64_t number(std::int64_t low, std::int64_t high) { return bits_.integer(low, high); }
  bool flag() { return number(0, 1) == 1; }
  bool seldom() { return number(0, 3) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + number(0, static_cast<std::int64_t>(choices.size()) - 1));
  }

 private:
  operators::SeededData bits_;
};

}  // namespace davsim::test
