// Lanes of gathers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/gather_lanes.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/gather_lanes.hpp"
#include "isa/exec/vector/vector_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

OffsetRange range(const std::uint32_t* offsets, std::size_t n) {
  const hn::ScalableTag<std::uint32_t> d;
  auto most = hn::Zero(d), bits = hn::Zero(d);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto some = hn::LoadU(d, offsets + i);
    most = hn::Max(most, some);
    bits = hn::Or(bits, some);
  }
  alignas(64) std::uint32_t lanes[2][hn::MaxLanes(d)];
  hn::Store(most, d, lanes[0]);
  hn::Store(bits, d, lanes[1]);
  OffsetRange found;
  const auto add = [&found](std::uint32_t a, std::uint32_t b) {
    found.most = std::max(found.most, a);
    found.bits |= b;
  };
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) add(lanes[0][lane], lanes[1][lane]);
  for (; i < n; ++i) add(offsets[i], offsets[i]);
  return found;
}

/// Elements of 16 bits are the low halves of gathered words of 32 bits.
template <class T>
void elements(const std::byte* table, const std::uint32_t* offsets, void* dst, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<std::uint32_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto* base = reinterpret_cast<const std::uint32_t*>(table);
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto at = hn::BitCast(di, hn::LoadU(d, offsets + i));
    const auto found = hn::GatherOffset(d, base, at);
    if constexpr (sizeof(T) == 4) {
      hn::StoreU(found, d, to + i);
    } else {
      const hn::Rebind<T, decltype(d)> narrow;
      hn::StoreU(hn::TruncateTo(narrow, found), narrow, to + i);
    }
  }
#endif
  for (; i < n; ++i) std::memcpy(to + i, table + offsets[i], sizeof(T));
}

HWY_INLINE void blocks_of_repeat(const std::byte* table, const std::uint32_t* offsets,
                                 std::byte* to, std::size_t pitch) {
  using Tag = hn::CappedTag<std::uint8_t, kBlockBytes>;
  constexpr std::size_t kStep = hn::MaxLanes(Tag()), kParts = kBlockBytes / kStep;
  const Tag d;
  hn::Vec<Tag> all[kBlocksPerRepeat][kParts];
  for (std::size_t block = 0; block < kBlocksPerRepeat; ++block) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(table + offsets[block]);
    for (std::size_t i = 0; i < kParts; ++i) all[block][i] = hn::LoadU(d, from + i * kStep);
  }
  for (std::size_t block = 0; block < kBlocksPerRepeat; ++block) {
    auto* into = reinterpret_cast<std::uint8_t*>(to + block * pitch);
    for (std::size_t i = 0; i < kParts; ++i) hn::StoreU(all[block][i], d, into + i * kStep);
  }
}

void blocks(const std::byte* table, const std::uint32_t* offsets, const BlockRows& to,
            std::size_t repeats) {
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    blocks_of_repeat(table, offsets + repeat * kBlocksPerRepeat,
                     to.start + repeat * to.repeat_pitch, to.block_pitch);
  }
}

#if HWY_TARGET != HWY_SCALAR
/// The even elements of two vectors from `from` on. Two rounds take every fourth element of four
/// vectors.
template <std::size_t kPeriod, class D, class T>
HWY_INLINE hn::Vec<D> evens(D d, const T* from) {
  if constexpr (kPeriod == 1) {
    return hn::LoadU(d, from);
  } else {
    const T* behind = from + kPeriod / 2 * hn::Lanes(d);
    return hn::ConcatEven(d, evens<kPeriod / 2>(d, behind), evens<kPeriod / 2>(d, from));
  }
}

#endif

/// Takes every kPeriod-th element, `n` in all. Reads nothing behind the last of them.
template <class T, std::size_t kPeriod>
HWY_INLINE void every_nth(const T* from, T* to, std::size_t n) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  // The last vector would read up to kPeriod - 1 elements behind the last one that it keeps.
  for (; i + hn::Lanes(d) < n; i += hn::Lanes(d)) {
    hn::StoreU(evens<kPeriod>(d, from + i * kPeriod), d, to + i);
  }
#endif
  for (; i < n; ++i) to[i] = from[i * kPeriod];
}

template <class T>
void every(const void* src, std::size_t period, std::size_t first, void* dst, std::size_t n) {
  const auto* from = static_cast<const T*>(src) + first;
  auto* to = static_cast<T*>(dst);
  if (period == 1) return every_nth<T, 1>(from, to, n);
  if (period == 2) return every_nth<T, 2>(from, to, n);
  every_nth<T, 4>(from, to, n);
}

template <class T>
std::size_t keep(const void* src, const std::uint8_t* bits, void* dst, std::size_t n) {
  const auto* from = static_cast<const T*>(src);
  auto* to = static_cast<T*>(dst);
  std::size_t kept = 0, i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<T> d;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    kept += hn::CompressBitsStore(hn::LoadU(d, from + i), bits + i / 8, d, to + kept);
  }
#endif
  for (; i < n; ++i) {
    to[kept] = from[i];
    kept += bits[i / 8] >> i % 8 & 1u;
  }
  return kept;
}

void fill_gathers(GatherTable& table) {
  table = {range,
           elements<std::uint16_t>,
           elements<std::uint32_t>,
           blocks,
           every<std::uint16_t>,
           every<std::uint32_t>,
           keep<std::uint16_t>,
           keep<std::uint32_t>};
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(fill_gathers);

GatherTable make_gather_table() {
  GatherTable table;
  HWY_DYNAMIC_DISPATCH(fill_gathers)(table);
  return table;
}

const GatherTable& gather_table() {
  static const GatherTable table = make_gather_table();
  return table;
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
