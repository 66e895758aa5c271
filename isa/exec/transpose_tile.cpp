#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/transpose_tile.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/transpose_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Rows = const std::byte* const (&)[kTransposeBlocks];

/// 8-bit elements: half a DataBlock takes part.
template <class T>
constexpr std::size_t kColumns = sizeof(T) == 1 ? 16 : kBlockBytes / sizeof(T);

#if HWY_TARGET == HWY_SCALAR
template <class T>
void transpose(Rows rows, std::byte* to) {
  auto* columns = reinterpret_cast<T*>(to);
  for (std::size_t c = 0; c < kColumns<T>; ++c) {
    for (std::size_t r = 0; r < kTransposeBlocks; ++r) {
      columns[c * kTransposeBlocks + r] = reinterpret_cast<const T*>(rows[r])[c];
    }
  }
}
#else
/// Rows i and i + 8 are interleaved, four times over: then neighbours were sixteen apart, which is
/// the transposition. Interleaving works on parts of 16 bytes, so a vector of two parts transposes
/// two groups of columns at once.
template <class T>
void transpose(Rows rows, std::byte* to) {
  const hn::CappedTag<T, kColumns<T> > d;
  const hn::FixedTag<T, 16 / sizeof(T)> part;
  using Vector = hn::Vec<decltype(d)>;
  constexpr std::size_t kPart = 16 / sizeof(T);
  auto* columns = reinterpret_cast<T*>(to);
  for (std::size_t first = 0; first < kColumns<T>; first += hn::Lanes(d)) {
    Vector even[kTransposeBlocks], odd[kTransposeBlocks];
    for (std::size_t r = 0; r < kTransposeBlocks; ++r) {
      even[r] = hn::LoadU(d, reinterpret_cast<const T*>(rows[r]) + first);
    }
    const auto interleave = [&](const Vector* from, Vector* into) HWY_ATTR {
      for (std::size_t i = 0; i < kTransposeBlocks / 2; ++i) {
        into[2 * i] = hn::InterleaveLower(d, from[i], from[i + 8]);
        into[2 * i + 1] = hn::InterleaveUpper(d, from[i], from[i + 8]);
      }
    };
    interleave(even, odd);
    interleave(odd, even);
    interleave(even, odd);
    interleave(odd, even);
    T* const group = columns + first * kTransposeBlocks;
    for (std::size_t i = 0; i < kTransposeBlocks; ++i) {
      alignas(64) T parts[kColumns<T>];
      hn::Store(even[i], d, parts);
      for (std::size_t p = 0; p < hn::Lanes(d) / kPart; ++p) {
        hn::StoreU(hn::Load(part, parts + p * kPart), part,
                   group + p * kPart * kTransposeBlocks + i * kPart);
      }
    }
  }
}
#endif

void transpose_bytes(Rows rows, std::byte* to) {
  transpose<std::uint8_t>(rows, to);
}
void transpose_words(Rows rows, std::byte* to) {
  transpose<std::uint16_t>(rows, to);
}
void transpose_doubles(Rows rows, std::byte* to) {
  transpose<std::uint32_t>(rows, to);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(transpose_bytes);
HWY_EXPORT(transpose_words);
HWY_EXPORT(transpose_doubles);

void transpose_tile(const std::byte* const (&rows)[kTransposeBlocks], std::byte* to,
                    std::uint32_t bytes) {
  if (bytes == 1) return HWY_DYNAMIC_DISPATCH(transpose_bytes)(rows, to);
  if (bytes == 2) return HWY_DYNAMIC_DISPATCH(transpose_words)(rows, to);
  HWY_DYNAMIC_DISPATCH(transpose_doubles)(rows, to);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
