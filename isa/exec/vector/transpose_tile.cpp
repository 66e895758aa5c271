#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/transpose_tile.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/transpose_tile.hpp"
#include "isa/instr/params.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The elements of a row. 8-bit elements use half a DataBlock.
template <class T>
constexpr std::size_t kColumns = sizeof(T) == 1 ? 16 : kBlockBytes / sizeof(T);
/// The bytes of a row, and of its result.
template <class T>
constexpr std::size_t kUsed = kColumns<T> * sizeof(T);

struct Tile {
  const TransposeTiles& run;
  std::size_t number;

  template <class T>
  HWY_INLINE const T* row(std::size_t i) const {
    return reinterpret_cast<const T*>(run.rows[i] + number * run.row_step);
  }
  template <class T>
  HWY_INLINE T* column(std::size_t i) const {
    return reinterpret_cast<T*>(run.columns[i] + number * run.column_step);
  }
};

#if HWY_TARGET == HWY_SCALAR
template <class T>
void transpose(const Tile& tile) {
  T columns[kColumns<T> * kTransposeBlocks];
  for (std::size_t c = 0; c < kColumns<T>; ++c) {
    for (std::size_t r = 0; r < kTransposeBlocks; ++r) {
      columns[c * kTransposeBlocks + r] = tile.row<T>(r)[c];
    }
  }
  for (std::size_t i = 0; i < kTransposeBlocks; ++i) {
    std::memcpy(tile.column<T>(i), columns + i * kColumns<T>, kUsed<T>);
  }
}
#else
/// Rows i and i + 8 are interleaved four times. Neighbours of the result were then sixteen elements
/// apart, so the result is the transposed matrix. Interleaving works on parts of 16 bytes. A vector
/// of two parts transposes two groups of columns at the same time.
template <class D>
struct Interleaved {
  using Vector = hn::Vec<D>;
  Vector even[kTransposeBlocks];

  template <class T>
  HWY_INLINE Interleaved(D d, const Tile& tile, std::size_t first, T*) {
    Vector odd[kTransposeBlocks];
    for (std::size_t r = 0; r < kTransposeBlocks; ++r) {
      even[r] = hn::LoadU(d, tile.row<T>(r) + first);
    }
    interleave(d, even, odd);
    interleave(d, odd, even);
    interleave(d, even, odd);
    interleave(d, odd, even);
  }

  static HWY_INLINE void interleave(D d, const Vector* from, Vector* into) {
    for (std::size_t i = 0; i < kTransposeBlocks / 2; ++i) {
      into[2 * i] = hn::InterleaveLower(d, from[i], from[i + 8]);
      into[2 * i + 1] = hn::InterleaveUpper(d, from[i], from[i + 8]);
    }
  }
};

/// Transposes one part of 16 bytes at a time, through a buffer.
template <class T>
HWY_INLINE void transpose_by_parts(const Tile& tile) {
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  alignas(64) T columns[kColumns<T> * kTransposeBlocks];
  for (std::size_t first = 0; first < kColumns<T>; first += hn::Lanes(d)) {
    const Interleaved<decltype(d)> part(d, tile, first, static_cast<T*>(nullptr));
    for (std::size_t i = 0; i < kTransposeBlocks; ++i) {
      hn::StoreU(part.even[i], d, columns + first * kTransposeBlocks + i * hn::Lanes(d));
    }
  }
  for (std::size_t i = 0; i < kTransposeBlocks; ++i) {
    std::memcpy(tile.column<T>(i), columns + i * kColumns<T>, kUsed<T>);
  }
}

template <class T>
HWY_INLINE void transpose(const Tile& tile) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  if constexpr (sizeof(T) != 1) {
    const hn::FixedTag<T, kColumns<T> > d;
    const Interleaved<decltype(d)> all(d, tile, 0, static_cast<T*>(nullptr));
    constexpr std::size_t kHalf = kTransposeBlocks / 2;
    for (std::size_t i = 0; i < kHalf; ++i) {
      hn::StoreU(hn::ConcatLowerLower(d, all.even[2 * i + 1], all.even[2 * i]), d,
                 tile.column<T>(i));
    }
    for (std::size_t i = 0; i < kHalf; ++i) {
      hn::StoreU(hn::ConcatUpperUpper(d, all.even[2 * i + 1], all.even[2 * i]), d,
                 tile.column<T>(kHalf + i));
    }
    return;
  }
#endif
  transpose_by_parts<T>(tile);
}
#endif

template <class T>
HWY_INLINE void transpose_all(const TransposeTiles& run) {
  for (std::size_t tile = 0; tile < run.tiles; ++tile) transpose<T>({run, tile});
}
void transpose_bytes(const TransposeTiles& run) {
  transpose_all<std::uint8_t>(run);
}
void transpose_words(const TransposeTiles& run) {
  transpose_all<std::uint16_t>(run);
}
void transpose_doubles(const TransposeTiles& run) {
  transpose_all<std::uint32_t>(run);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(transpose_bytes);
HWY_EXPORT(transpose_words);
HWY_EXPORT(transpose_doubles);

void transpose_tiles(const TransposeTiles& run, std::uint32_t bytes) {
  if (bytes == 1) return HWY_DYNAMIC_DISPATCH(transpose_bytes)(run);
  if (bytes == 2) return HWY_DYNAMIC_DISPATCH(transpose_words)(run);
  HWY_DYNAMIC_DISPATCH(transpose_doubles)(run);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
