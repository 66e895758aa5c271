// Lanes of comparisons and choices.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/compare_lanes.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/compare_lanes.hpp"
#include "isa/exec/vector/vector_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

// The bytes that Highway reads and writes for the bits of one vector.
inline constexpr std::size_t kMaskBytes = 8;

#define DAVSIM_COMPARISON(Name, function)        \
  struct Name {                                  \
    template <class V>                           \
    HWY_INLINE auto operator()(V a, V b) const { \
      return hn::function(a, b);                 \
    }                                            \
  }
DAVSIM_COMPARISON(Less, Lt);
DAVSIM_COMPARISON(Greater, Gt);
DAVSIM_COMPARISON(Equal, Eq);
DAVSIM_COMPARISON(LessEqual, Le);
DAVSIM_COMPARISON(GreaterEqual, Ge);
#undef DAVSIM_COMPARISON
/// The device's NotEqual is false for NaN.
struct NotEqual {
  template <class V>
  HWY_INLINE auto operator()(V a, V b) const {
    return hn::Or(hn::Lt(a, b), hn::Gt(a, b));
  }
};

/// The bits of kCompareChunk lanes.
template <class T, class Op>
HWY_INLINE void compare_chunk(const T* a, const T* b, std::uint8_t* bits) {
  const hn::CappedTag<T, kCompareChunk> d;
  const std::size_t step = hn::Lanes(d);
  std::uint8_t out[kCompareChunk / 8 + kMaskBytes] = {};
  for (std::size_t i = 0; i < kCompareChunk; i += step) {
    std::uint8_t some[kMaskBytes] = {};
    hn::StoreMaskBits(d, Op()(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), some);
    if (step >= 8) {
      std::memcpy(out + i / 8, some, step / 8);
    } else {
      out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | some[0] << i % 8);
    }
  }
  std::memcpy(bits, out, kCompareChunk / 8);
}

template <class T, class Op>
void compare(const void* a, const void* b, std::size_t b_step, std::uint8_t* bits, std::size_t n) {
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  for (std::size_t i = 0; i < n; i += kCompareChunk, y += b_step) {
    compare_chunk<T, Op>(x + i, y, bits + i / 8);
  }
}

template <class Op>
void compare_half(const void* a, const void* b, std::size_t b_step, std::uint8_t* bits,
                  std::size_t n) {
  alignas(64) float x[kHalfChunk], y[kHalfChunk];
  const auto* from0 = static_cast<const std::uint16_t*>(a);
  const auto* from1 = static_cast<const std::uint16_t*>(b);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    widen(from0 + done, x, lanes);
    widen(from1, y, b_step == 0 ? kCompareChunk : lanes);
    compare<float, Op>(x, y, b_step, bits + done / 8, lanes);
    from1 += kHalfChunk / kCompareChunk * b_step;
  }
}

/// `bits` has kMaskBytes readable bytes behind the bits of the lanes.
template <class T>
HWY_INLINE void select_chunk(T* to, const T* a, const T* b, const std::uint8_t* bits,
                             std::size_t n) {
  const hn::CappedTag<T, kCompareChunk> d;
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    std::uint8_t some[kMaskBytes] = {static_cast<std::uint8_t>(bits[i / 8] >> i % 8)};
    const auto mask = hn::LoadMaskBits(d, step >= 8 ? bits + i / 8 : some);
    hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
  }
  for (; i < n; ++i) to[i] = (bits[i / 8] >> i % 8 & 1) != 0 ? a[i] : b[i];
}

template <class T>
void select(void* dst, const void* a, const void* b, const std::uint8_t* bits, std::size_t n) {
  constexpr std::size_t kChunk = 512;
  auto* to = static_cast<T*>(dst);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  std::uint8_t here[kChunk / 8 + kMaskBytes] = {};
  for (std::size_t i = 0; i < n; i += kChunk) {
    const std::size_t lanes = std::min(kChunk, n - i);
    std::memcpy(here, bits + i / 8, (lanes + 7) / 8);
    select_chunk(to + i, x + i, y + i, here, lanes);
  }
}

template <class Op>
void add_comparison(CompareTable& table, CompareMode mode) {
  table.of_float[static_cast<std::size_t>(mode)] = compare<float, Op>;
  table.of_half[static_cast<std::size_t>(mode)] = compare_half<Op>;
}

void fill_comparisons(CompareTable& table) {
  add_comparison<Less>(table, CompareMode::kLess);
  add_comparison<Greater>(table, CompareMode::kGreater);
  add_comparison<Equal>(table, CompareMode::kEqual);
  add_comparison<LessEqual>(table, CompareMode::kLessEqual);
  add_comparison<GreaterEqual>(table, CompareMode::kGreaterEqual);
  add_comparison<NotEqual>(table, CompareMode::kNotEqual);
  table.equal_int32 = compare<std::int32_t, Equal>;
  table.select_16 = select<std::uint16_t>;
  table.select_32 = select<std::uint32_t>;
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(fill_comparisons);

CompareTable make_compare_table() {
  CompareTable table;
  HWY_DYNAMIC_DISPATCH(fill_comparisons)(table);
  return table;
}

const CompareTable& compare_table() {
  static const CompareTable table = make_compare_table();
  return table;
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
