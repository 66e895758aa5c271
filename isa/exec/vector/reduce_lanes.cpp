// Lanes of reductions. A chunk of groups is halved level by level. The loops are therefore long for
// groups of any size.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/reduce_lanes.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/reduce_lanes.hpp"
#include "isa/exec/vector/vector_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

/// The number of lanes that are reduced together: some KiB, and a multiple of every size of a
/// group.
inline constexpr std::size_t kReduceChunk = 1024;

template <class T, class Op>
HWY_INLINE void halve(const T* from, T* to, std::size_t results) {
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < results; ++i) to[i] = Op()(from[2 * i], from[2 * i + 1]);
}

struct PairSum {
  HWY_INLINE float operator()(float a, float b) const { return a + b; }
};
/// The last sum of a tree. Only here the bits of a NaN matter.
struct LastPairSum {
  HWY_INLINE float operator()(float a, float b) const { return canonical(a + b); }
};

/// Rounds fp32 numbers to half, in place.
HWY_INLINE void round_to_half(float* values, std::size_t n) {
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  for (; i + hn::Lanes(df) <= n; i += hn::Lanes(df)) {
    const auto rounded = hn::DemoteTo(dh, hn::LoadU(df, values + i));
    hn::StoreU(hn::PromoteTo(df, rounded), df, values + i);
  }
#endif
  DAVSIM_INDEPENDENT_LANES
  for (; i < n; ++i) values[i] = float_from_half_bits(half_bits_from_float(values[i]));
}

void sum_float(const void* lanes, void* results, std::size_t groups, std::size_t group) {
  alignas(64) float even[kReduceChunk / 2], odd[kReduceChunk / 2];
  const auto* from = static_cast<const float*>(lanes);
  auto* to = static_cast<float*>(results);
  while (groups > 0) {
    const std::size_t here = std::min(groups, kReduceChunk / group);
    const float* level = from;
    bool parity = false;
    for (std::size_t left = group; left > 2; left /= 2) {
      float* next = parity ? odd : even;
      halve<float, PairSum>(level, next, here * left / 2);
      level = next;
      parity = !parity;
    }
    halve<float, LastPairSum>(level, to, here);
    from += here * group;
    to += here;
    groups -= here;
  }
}

/// Makes rounded halves finite, as CTRL[48] requires.
HWY_INLINE void cut_off(float* values, std::size_t n) {
  constexpr float kMost = 65504;
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) {
    const float number = values[i] == values[i] ? values[i] : 0.0f;
    const float low = number < -kMost ? -kMost : number;
    values[i] = low > kMost ? kMost : low;
  }
}

/// Every sum of two is rounded to half. If `finite`, it is also limited to finite numbers.
template <bool finite>
void sum_half(const void* lanes, void* results, std::size_t groups, std::size_t group) {
  alignas(64) float wide[kReduceChunk], even[kReduceChunk / 2], odd[kReduceChunk / 2];
  const auto* from = static_cast<const std::uint16_t*>(lanes);
  auto* to = static_cast<std::uint16_t*>(results);
  while (groups > 0) {
    const std::size_t here = std::min(groups, kReduceChunk / group);
    widen(from, wide, here * group);
    const float* level = wide;
    bool parity = false;
    for (std::size_t left = group; left > 2; left /= 2) {
      float* next = parity ? odd : even;
      halve<float, PairSum>(level, next, here * left / 2);
      round_to_half(next, here * left / 2);
      if constexpr (finite) cut_off(next, here * left / 2);
      level = next;
      parity = !parity;
    }
    float* sums = parity ? odd : even;
    halve<float, LastPairSum>(level, sums, here);
    if constexpr (finite) {
      round_to_half(sums, here);
      cut_off(sums, here);
    }
    narrow(sums, to, here);
    from += here * group;
    to += here;
    groups -= here;
  }
}

/// Converts numbers to integers of the same order, with -0 before +0. NaN is the largest key of a
/// maximum and the smallest of a minimum.
template <class Int, Int kInfinityBits, Int kNanBits, bool kMin>
struct OrderKey {
  using Key = Int;
  static constexpr bool kIsMin = kMin;
  static constexpr Int kMagnitude = std::numeric_limits<Int>::max();
  static constexpr Int kNan =
      kMin ? std::numeric_limits<Int>::min() : std::numeric_limits<Int>::max();
  static constexpr int kSignShift = sizeof(Int) * 8 - 1;

  static HWY_INLINE Int flipped(Int bits) {
    return bits ^ static_cast<Int>((bits >> kSignShift) & kMagnitude);
  }
  static HWY_INLINE Int key(Int bits) {
    return static_cast<Int>(bits & kMagnitude) > kInfinityBits ? kNan : flipped(bits);
  }
  static HWY_INLINE Int bits(Int key) { return key == kNan ? kNanBits : flipped(key); }
  static HWY_INLINE Int better(Int a, Int b) { return (kMin ? a < b : a > b) ? a : b; }

  /// The keys of the best of some vectors of bits. The bits of positive numbers have the order of
  /// the numbers, those of negative numbers the opposite order. Three extremes of the bits
  /// therefore give the best number, and whether there is a NaN.
  template <class D>
  static HWY_INLINE hn::Vec<D> best_key(D d, const Int* bits, std::size_t vectors) {
    const hn::RebindToUnsigned<D> du;
    auto largest = hn::LoadU(d, bits);
    auto lowest_bits = hn::BitCast(du, largest), highest_bits = lowest_bits;
    for (std::size_t v = 1; v < vectors; ++v) {
      const auto x = hn::LoadU(d, bits + v * hn::Lanes(d));
      largest = hn::Max(largest, x);
      lowest_bits = hn::Min(lowest_bits, hn::BitCast(du, x));
      highest_bits = hn::Max(highest_bits, hn::BitCast(du, x));
    }
    const auto highest = hn::BitCast(d, highest_bits), lowest = hn::BitCast(d, lowest_bits);
    const auto infinity = hn::Set(d, kInfinityBits), magnitude = hn::Set(d, kMagnitude);
    const auto none = hn::Zero(d);
    // Of negative numbers, the one with the highest bits is the lowest.
    const auto best = kMin ? hn::IfThenElse(hn::Lt(highest, none), highest, lowest)
                           : hn::IfThenElse(hn::Lt(largest, none), lowest, largest);
    const auto key = hn::Xor(best, hn::And(hn::ShiftRight<kSignShift>(best), magnitude));
    const auto negative_nan =
        hn::And(hn::Lt(highest, none), hn::Gt(hn::And(highest, magnitude), infinity));
    return hn::IfThenElse(hn::Or(hn::Gt(largest, infinity), negative_nan), hn::Set(d, kNan), key);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> best_lane(D d, hn::Vec<D> keys) {
    return kMin ? hn::MinOfLanes(d, keys) : hn::MaxOfLanes(d, keys);
  }
};
template <bool kMin>
using FloatKey = OrderKey<std::int32_t, 0x7f800000, 0x7fc00000, kMin>;
template <bool kMin>
using HalfKey = OrderKey<std::int16_t, 0x7c00, 0x7e00, kMin>;

template <class Order>
struct Better {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    return Order::better(a, b);
  }
};

/// Computes the keys of `groups` groups. A group longer than a vector is reduced to its best key.
/// Returns the number of keys of each group.
template <class Order>
HWY_INLINE std::size_t load_keys(const typename Order::Key* from, typename Order::Key* to,
                                 std::size_t groups, std::size_t group) {
  const hn::ScalableTag<typename Order::Key> d;
  const std::size_t width = hn::Lanes(d);
  if (group <= width) {
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < groups * group; ++i) to[i] = Order::key(from[i]);
    return group;
  }
  for (std::size_t g = 0; g < groups; ++g) {
    to[g] = hn::GetLane(Order::best_lane(d, Order::best_key(d, from + g * group, group / width)));
  }
  return 1;
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
/// The best of the even and odd neighbours of two vectors, those of `a` first.
template <bool kMin, class D, class V>
HWY_INLINE V best_neighbours(D d, V a, V b) {
  const V even = hn::ConcatEven(d, b, a), odd = hn::ConcatOdd(d, b, a);
  return kMin ? hn::Min(even, odd) : hn::Max(even, odd);
}

/// Lane i of the result is the best of the `group` numbers of group first + i: `groups` of them, as
/// many as a vector has lanes or a half of that, and so on. Lanes with NaN are set in `nan`.
template <bool kMin, std::size_t groups, class D, class M>
HWY_INLINE hn::Vec<D> best_of_groups(D d, const float* from, std::size_t group, M& nan) {
  if constexpr (groups > 1) {
    const auto low = best_of_groups<kMin, groups / 2>(d, from, group, nan);
    const auto high = best_of_groups<kMin, groups / 2>(d, from + groups / 2 * group, group, nan);
    return best_neighbours<kMin>(d, low, high);
  } else {
    auto best = hn::LoadU(d, from);
    nan = hn::Or(nan, hn::IsNaN(best));
    for (std::size_t i = hn::Lanes(d); i < group; i += hn::Lanes(d)) {
      const auto x = hn::LoadU(d, from + i);
      nan = hn::Or(nan, hn::IsNaN(x));
      best = kMin ? hn::Min(best, x) : hn::Max(best, x);
    }
    return best;
  }
}

#endif

/// Whether plain_extremes() may succeed. Highway 1.0 has the shuffles for all vectors of x86.
template <class Key>
inline constexpr bool kHasPlainExtremes = HWY_ARCH_X86&& HWY_TARGET <= HWY_AVX2 &&
                                          sizeof(Key) == sizeof(float);

/// Computes a vector of results of groups that are longer than a vector. Returns false if the
/// groups have a NaN or if a result is zero, because the sign of a zero is not determined here.
template <class Order>
HWY_INLINE bool plain_extremes([[maybe_unused]] const typename Order::Key* bits,
                               [[maybe_unused]] typename Order::Key* results,
                               [[maybe_unused]] std::size_t group) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  if constexpr (kHasPlainExtremes<typename Order::Key>) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    auto nan = hn::IsNaN(hn::Zero(d));
    const auto best = best_of_groups<Order::kIsMin, hn::MaxLanes(d)>(
        d, reinterpret_cast<const float*>(bits), group, nan);
    if (!hn::AllFalse(d, hn::Or(nan, hn::Eq(best, hn::Zero(d))))) return false;
    hn::StoreU(hn::BitCast(di, best), di, results);
    return true;
  }
#endif
  return false;
}

/// The best of `groups` groups, of which load_keys leaves at most kReduceChunk keys.
template <class Order>
HWY_INLINE void extremes_by_keys(const typename Order::Key* from, typename Order::Key* to,
                                 std::size_t groups, std::size_t group) {
  using Key = typename Order::Key;
  alignas(64) Key even[kReduceChunk], odd[kReduceChunk];
  const Key* level = even;
  Key* next = odd;
  Key* other = even;
  for (std::size_t left = load_keys<Order>(from, even, groups, group); left > 1; left /= 2) {
    halve<Key, Better<Order>>(level, next, groups * left / 2);
    level = next;
    std::swap(next, other);
  }
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < groups; ++i) to[i] = Order::bits(level[i]);
}

template <class Order>
void extreme(const void* lanes, void* results, std::size_t groups, std::size_t group) {
  using Key = typename Order::Key;
  const auto* from = static_cast<const Key*>(lanes);
  auto* to = static_cast<Key*>(results);
  const std::size_t width = hn::Lanes(hn::ScalableTag<Key>());
  const bool folded = group > width;
  const std::size_t most = folded && kHasPlainExtremes<Key> ? width
                           : folded                         ? kReduceChunk
                                                            : kReduceChunk / group;
  while (groups > 0) {
    const std::size_t here = std::min(groups, most);
    const bool plain = folded && here == width && plain_extremes<Order>(from, to, group);
    if (!plain) extremes_by_keys<Order>(from, to, here, group);
    from += here * group;
    to += here;
    groups -= here;
  }
}

/// The first lane with the result. Numbers are compared bit by bit. All NaN are alike.
template <class Int, Int kInfinityBits>
void find_lanes(const void* lanes, const void* results, std::uint32_t* indices, std::size_t groups,
                std::size_t group) {
  const hn::CappedTag<Int, 64> d;
  const auto* from = static_cast<const Int*>(lanes);
  const auto* values = static_cast<const Int*>(results);
  constexpr Int kMagnitude = std::numeric_limits<Int>::max();
  const auto magnitude = hn::Set(d, kMagnitude), infinity = hn::Set(d, kInfinityBits);
  const std::size_t step = hn::Lanes(d);
  for (std::size_t g = 0; g < groups; ++g, from += group) {
    const bool nan = (values[g] & kMagnitude) > kInfinityBits;
    const auto wanted = hn::Set(d, values[g]);
    std::size_t i = 0;
    for (; i + step <= group; i += step) {
      const auto x = hn::LoadU(d, from + i);
      const auto hit = nan ? hn::Gt(hn::And(x, magnitude), infinity) : hn::Eq(x, wanted);
      const std::intptr_t lane = hn::FindFirstTrue(d, hit);
      if (lane >= 0) {
        i += static_cast<std::size_t>(lane);
        break;
      }
    }
    // A group that is shorter than a vector.
    if (step > group) {
      const auto is_result = [&](Int x) {
        return nan ? (x & kMagnitude) > kInfinityBits : x == values[g];
      };
      while (i + 1 < group && !is_result(from[i])) ++i;
    }
    indices[g] = static_cast<std::uint32_t>(i);
  }
}

void fill_float(ReduceLanes& lanes) {
  lanes = {sum_float, nullptr, extreme<FloatKey<false>>, extreme<FloatKey<true>>,
           find_lanes<std::int32_t, 0x7f800000>};
}

void fill_half(ReduceLanes& lanes) {
  lanes = {sum_half<false>, sum_half<true>, extreme<HalfKey<false>>, extreme<HalfKey<true>>,
           find_lanes<std::int16_t, 0x7c00>};
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(fill_float);
HWY_EXPORT(fill_half);

ReduceLanes make_reduce_lanes(DType type) {
  ReduceLanes lanes;
  if (type == DType::kF32) HWY_DYNAMIC_DISPATCH(fill_float)(lanes);
  if (type == DType::kF16) HWY_DYNAMIC_DISPATCH(fill_half)(lanes);
  return lanes;
}

const ReduceLanes& reduce_lanes(DType type) {
  static const ReduceLanes of_float = make_reduce_lanes(DType::kF32);
  static const ReduceLanes of_half = make_reduce_lanes(DType::kF16);
  static const ReduceLanes none;
  return type == DType::kF32 ? of_float : type == DType::kF16 ? of_half : none;
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
