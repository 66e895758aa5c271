// What reductions are compared with: one lane at a time, masked-off lanes left out.
#pragma once

#include <functional>
#include <optional>
#include <random>

#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {

enum class Reduce { kSum, kMax, kMin };

/// A lane, or nothing where the mask keeps it out.
template <class T>
using MaybeLane = std::optional<T>;

/// Neighbours first, each sum rounded to T; a lane without a partner goes on as it is.
template <class T>
MaybeLane<T> tree_sum(const std::vector<MaybeLane<T>>& lanes, std::size_t first, std::size_t n) {
  if (n == 1) return lanes[first];
  const auto a = tree_sum(lanes, first, n / 2), b = tree_sum(lanes, first + n / 2, n / 2);
  if (!a || !b) return a ? a : b;
  return Exact<T>::write(Exact<T>::read(*a) + Exact<T>::read(*b));
}

/// The first of the best lanes, and its number.
template <class T>
struct Best {
  T value{};
  std::uint32_t lane = 0;
};
template <class T>
std::optional<Best<T>> best_lane(Reduce kind, const std::vector<MaybeLane<T>>& lanes,
                                 std::size_t first, std::size_t n) {
  std::optional<Best<T>> best;
  for (std::size_t i = first; i < first + n; ++i) {
    if (!lanes[i]) continue;
    const double x = Exact<T>::read(*lanes[i]);
    if (best) {
      const double so_far = Exact<T>::read(best->value);
      const double winner = kind == Reduce::kMax ? larger(so_far, x) : smaller(so_far, x);
      const bool same =
          std::isnan(so_far) || (winner == so_far && std::signbit(winner) == std::signbit(so_far));
      if (same) continue;
    }
    best = Best<T>{Exact<T>::write(x), static_cast<std::uint32_t>(i)};
  }
  return best;
}

template <class T>
MaybeLane<T> reduced(Reduce kind, const std::vector<MaybeLane<T>>& lanes, std::size_t first,
                     std::size_t n) {
  if (kind == Reduce::kSum) {
    const auto sum = tree_sum(lanes, first, n);
    return sum ? MaybeLane<T>(Exact<T>::write(Exact<T>::read(*sum))) : sum;
  }
  const auto best = best_lane(kind, lanes, first, n);
  return best ? MaybeLane<T>(best->value) : std::nullopt;
}

class ReduceTest : public VectorTest {
 protected:
  /// Numbers of which one in `special` may be a zero, an infinity, NaN or the like.
  template <class T>
  void fill_reducible(std::uint32_t seed, std::uint32_t special) {
    fill<T>(seed);
    std::mt19937 random(seed);
    for (std::size_t at = 0; at < kUbBytes; at += sizeof(T)) {
      const auto ordinary = static_cast<float>(static_cast<std::int32_t>(random()) >> 12) / 512;
      if (random() % special != 0) put<T>(at, T(ordinary));
    }
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  }

  template <class T>
  std::vector<MaybeLane<T>> lanes_of(const Lanes& lanes, std::uint32_t repeat, std::size_t src,
                                     Strides from) const {
    std::vector<MaybeLane<T>> values(lanes.per_repeat);
    for (std::uint32_t l = 0; l < lanes.per_repeat; ++l) {
      if (lanes.active(repeat, l)) {
        values[l] = get<T>(lane_offset(src, from, repeat, l, sizeof(T)));
      }
    }
    return values;
  }

  template <class T>
  T read(std::uint32_t byte) {
    T value;
    std::memcpy(&value, core.buffer<std::byte>(isa::Space::kUb) + byte, sizeof value);
    return value;
  }
};

}  // namespace davsim::test
