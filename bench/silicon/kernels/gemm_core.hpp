// The cube's part of the matrix products of the vendor's samples: C = A x B from base tiles, as its
// Matmul interface cuts them. Its templates differ in what L1 holds: "Norm" loads a base tile of A
// and B for each product and has one buffer for each; "MDL" loads several along k at once, into two
// buffers.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/silicon/kernels/gm.hpp"
#include "kernels/matmul/operand_loads.h"

namespace davsim::silicon {

struct Gemm {
  std::uint32_t m, n, k;
  std::uint32_t base_m, base_n, base_k;
  std::uint32_t step_k;   ///< base tiles along k that are loaded at once
  std::uint32_t depth;    ///< buffers of A and of B in L1
  std::uint32_t split_m;  ///< cores along m; the others divide n
  std::uint32_t split_k;  ///< cores along k, whose sums are added up afterwards
  std::uint32_t cores;
  std::uint32_t groups;  ///< of as many rows of A each, every one times a B of its own
  bool unit_flag, b_transposed, b_nz, n_first, stagger;
  bool dealt = false;  ///< tile by tile to one core after the other, and not shares of m and of n
  std::uint32_t dealt_n = 1;            ///< tiles beside each other that are dealt together
  const std::uint32_t* ends = nullptr;  ///< the row at which each group ends, if they differ

  /// Throws std::invalid_argument if more cores share the product than there are.
  static Gemm of(const sim::Device& device, const Params& p) {
    const Gemm g{p.size("m"),
                 p.size("n"),
                 p.size("k"),
                 p.size("base_m", 128),
                 p.size("base_n", 256),
                 p.size("base_k", 64),
                 p.size("step_k", 1),
                 p.size("depth", 1),
                 p.size("split_m", 1),
                 p.size("split_k", 1),
                 cube_cores(device, p),
                 p.size("groups", 1),
                 p.number("unit_flag", 0) != 0,
                 p.number("b_transposed", 0) != 0,
                 p.number("b_nz", 0) != 0,
                 p.choice("order", {"m", "n"}) == "n",
                 p.number("stagger", 0) != 0,
                 p.number("dealt", 0) != 0};
    if (std::uint64_t{g.split_m} * g.split_k > g.cores) {
      throw std::invalid_argument("split_m=" + std::to_string(g.split_m) +
                                  " times split_k=" + std::to_string(g.split_k) +
                                  " cores share a product, there are " + std::to_string(g.cores));
    }
    return g;
  }
  /// Throws std::invalid_argument if a load of matrix tiles cannot step from row to row.
  void require_short_rows() const {
    constexpr std::uint32_t kMost = 65535;
    const std::uint32_t widest = b_transposed || b_nz ? k : std::max(k, n);
    if (widest <= kMost) return;
    throw std::invalid_argument("matrix rows have " + std::to_string(widest) +
                                " elements, a load into L1 takes up to " + std::to_string(kMost));
  }
  std::uint32_t group_rows() const { return static_cast<std::uint32_t>(ceil_div(m, groups)); }
  std::uint32_t group_end(std::uint32_t group) const {
    return ends != nullptr ? ends[group] : std::min(m, (group + 1) * group_rows());
  }
};

/// A base tile of C and the part of k that a core multiplies for it.
struct GemmTile {
  std::uint32_t row, col, rows, cols;
  std::uint32_t k, depth;
  std::uint32_t group, k_part;
};

/// The tiles of all groups in their order, n first, of which each core takes the next.
inline std::vector<GemmTile> dealt_tiles(const Gemm& g, std::uint32_t core) {
  const auto across = static_cast<std::uint32_t>(ceil_div(g.n, g.base_n));
  const auto shares_across = static_cast<std::uint32_t>(ceil_div(across, g.dealt_n));
  std::vector<GemmTile> tiles;
  std::uint32_t first = 0, next = core;  ///< row of a group; its share that is this core's next
  for (std::uint32_t group = 0; group < g.groups; ++group) {
    const std::uint32_t end = g.group_end(group);
    const auto shares = static_cast<std::uint32_t>(ceil_div(end - first, g.base_m)) * shares_across;
    for (; next < shares; next += g.cores) {
      const std::uint32_t row = first + next / shares_across * g.base_m;
      const std::uint32_t begin = next % shares_across * g.dealt_n;
      for (std::uint32_t i = begin; i < std::min(begin + g.dealt_n, across); ++i) {
        const std::uint32_t col = i * g.base_n;
        tiles.push_back({row, col, std::min(g.base_m, end - row), std::min(g.base_n, g.n - col), 0,
                         g.k, group, 0});
      }
    }
    next -= shares;
    first = end;
  }
  return tiles;
}

/// What a core makes, in its order.
inline std::vector<GemmTile> tiles_of(const Gemm& g, std::uint32_t core) {
  if (g.dealt) return dealt_tiles(g, core);
  const std::uint32_t split_n = g.cores / (g.split_m * g.split_k);
  std::vector<GemmTile> tiles;
  if (core >= split_n * g.split_m * g.split_k) return tiles;
  const std::uint32_t group_rows = g.group_rows(), k_part = core % g.split_k;
  const auto group_tiles = static_cast<std::uint32_t>(ceil_div(group_rows, g.base_m));
  const Share rows =
      share_of(std::uint64_t{group_tiles} * g.groups, core / g.split_k / split_n, g.split_m);
  const Share cols = share_of(ceil_div(g.n, g.base_n), core / g.split_k % split_n, split_n);
  const Share deep = share_of(ceil_div(g.k, g.base_k), k_part, g.split_k);
  const auto k = static_cast<std::uint32_t>(deep.begin) * g.base_k;
  const std::uint32_t depth = std::min(g.k, static_cast<std::uint32_t>(deep.end) * g.base_k) - k;
  const auto add = [&](std::uint64_t row_tile, std::uint64_t col_tile) {
    const auto group = static_cast<std::uint32_t>(row_tile / group_tiles);
    const auto row = static_cast<std::uint32_t>(row_tile % group_tiles) * g.base_m;
    const auto col = static_cast<std::uint32_t>(col_tile) * g.base_n;
    const std::uint32_t end = std::min(group_rows, g.m - group * group_rows);
    if (row >= end || depth == 0) return;
    tiles.push_back({group * group_rows + row, col, std::min(g.base_m, end - row),
                     std::min(g.base_n, g.n - col), k, depth, group, k_part});
  };
  const Share &outer = g.n_first ? rows : cols, &inner = g.n_first ? cols : rows;
  for (std::uint64_t o = outer.begin; o < outer.end; ++o) {
    for (std::uint64_t i = inner.begin; i < inner.end; ++i) {
      add(g.n_first ? o : i, g.n_first ? i : o);
    }
  }
  return tiles;
}

/// Where a piece of B lies: element (k, side) of `tensor`, stored as `operand` says.
template <class T>
struct GemmPiece {
  AscendC::GlobalTensor<T> tensor;
  MatmulOperandTiling operand;
  std::uint32_t side, k;
};

/// B of a group as it is stored. In fractals, both of its sides are whole ones.
template <class T>
MatmulOperandTiling stored_b(const Gemm& g) {
  MatmulOperandTiling b{};
  b.rows = g.b_transposed ? g.n : g.k, b.cols = g.b_transposed ? g.k : g.n;
  b.k_in_columns = g.b_transposed;
  b.nz = g.b_nz;
  if (g.b_nz) {
    b.rows = round_up(b.rows, kernel_matmul::kFractalRows);
    b.cols = round_up(b.cols, kernel_matmul::kC0<T>);
  }
  return b;
}

/// Elements of B of a group as it is stored.
template <class T>
std::uint64_t stored_b_elements(const Gemm& g) {
  const MatmulOperandTiling b = stored_b<T>(g);
  return std::uint64_t{b.rows} * b.cols;
}

/// B as the caller has it.
template <class T>
class StoredB {
 public:
  StoredB(const Gemm& g, T* b)
      : operand_(stored_b<T>(g)),
        group_(stored_b_elements<T>(g)),
        b_(global(b, g.groups * group_)) {}

  GemmPiece<T> piece(const GemmTile& tile, std::uint32_t k) {
    return {b_[tile.group * group_], operand_, tile.col, k};
  }
  void loaded() {}

 private:
  MatmulOperandTiling operand_;
  std::uint64_t group_;  ///< elements of B of a group
  AscendC::GlobalTensor<T> b_;
};

/// `BSource::piece(tile, k)` says where the rows of B from k on lie, and may wait for them;
/// `loaded()` that they are on their way. `Output::put(tile, sums, unit_flag)` takes a tile's sums
/// out of L0C. With `whole_a`, all of k of A is loaded at once, for as many tiles as have its rows.
template <class TIn, class TAcc, class BSource, class Output, bool whole_a = false>
class GemmCore {
 public:
  GemmCore(const Gemm& g, TIn* a, BSource& b, Output& output)
      : g_(g), a_(global(a, std::uint64_t{g.m} * g.k)), b_(b), output_(output) {
    a_op_.rows = g.m, a_op_.cols = g.k, a_op_.k_in_columns = 1;
    const std::uint32_t a_depth = whole_a ? round_up(g.k, g.base_k) : g.base_k * g.step_k;
    a_bytes_ = g.base_m * a_depth * sizeof(TIn);
    b_bytes_ = g.base_n * g.base_k * g.step_k * sizeof(TIn);
  }

  void run() {
    using namespace AscendC;
    for (std::uint32_t i = 0; i < 2; ++i) SetFlag<HardEvent::M_MTE1>(i);
    for (std::uint32_t i = 0; i < g_.depth; ++i) SetFlag<HardEvent::MTE1_MTE2>(i);
    if constexpr (whole_a) SetFlag<HardEvent::MTE1_MTE2>(kWholeA + 1);
    if (!g_.unit_flag) SetFlag<HardEvent::FIX_M>(0);
    for (const GemmTile& each : tiles_of(g_, static_cast<std::uint32_t>(GetBlockIdx()))) {
      tile(each);
    }
    for (std::uint32_t i = 0; i < 2; ++i) WaitFlag<HardEvent::M_MTE1>(i);
    for (std::uint32_t i = 0; i < g_.depth; ++i) WaitFlag<HardEvent::MTE1_MTE2>(i);
    if constexpr (whole_a) WaitFlag<HardEvent::MTE1_MTE2>(kWholeA + (panels_ + 1) % 2);
    if (!g_.unit_flag) WaitFlag<HardEvent::FIX_M>(0);
  }

 private:
  static constexpr std::int32_t kWholeA = 4;  ///< first of two events for panels of A

  void tile(const GemmTile& t) {
    using namespace AscendC;
    if (!g_.unit_flag) WaitFlag<HardEvent::FIX_M>(0);
    const std::uint32_t chunk = g_.base_k * g_.step_k;
    const auto chunks = static_cast<std::uint32_t>(ceil_div(t.depth, chunk));
    const std::uint32_t first = g_.stagger ? GetBlockIdx() % chunks : 0;
    for (std::uint32_t i = 0; i < chunks; ++i) {
      const std::uint32_t k = (i + first) % chunks * chunk;
      products(t, t.k + k, std::min(chunk, t.depth - k), i == 0, i + 1 == chunks);
    }
    if (!g_.unit_flag) {
      SetFlag<HardEvent::M_FIX>(0);
      WaitFlag<HardEvent::M_FIX>(0);
    }
    output_.put(t, sums(t), g_.unit_flag);
    if (!g_.unit_flag) SetFlag<HardEvent::FIX_M>(0);
  }

  void products(const GemmTile& t, std::uint32_t k, std::uint32_t depth, bool first, bool last) {
    using namespace AscendC;
    using kernel_matmul::Extent;
    if constexpr (whole_a) load_panel(t);
    const std::uint32_t slot = loads_++ % g_.depth, a_slot = whole_a ? panels_ % 2 : slot;
    const auto a_l1 = local<TIn>(TPosition::A1, a_slot * a_bytes_, a_bytes_ / sizeof(TIn));
    const auto b_l1 =
        local<TIn>(TPosition::B1, g_.depth * a_bytes_ + slot * b_bytes_, b_bytes_ / sizeof(TIn));
    WaitFlag<HardEvent::MTE1_MTE2>(slot);
    if constexpr (!whole_a) kernel_matmul::LoadChunk(a_l1, a_, a_op_, t.row, k, {t.rows, depth});
    const GemmPiece<TIn> from = b_.piece(t, k);
    b_operand_ = from.operand;
    kernel_matmul::LoadChunk(b_l1, from.tensor, b_operand_, from.side, from.k, {t.cols, depth});
    b_.loaded();
    SetFlag<HardEvent::MTE2_MTE1>(slot);
    WaitFlag<HardEvent::MTE2_MTE1>(slot);
    const std::uint32_t a_depth = whole_a ? t.depth : depth;
    const Chunk a{a_l1, kernel_matmul::L1Rows<TIn>(a_op_, Extent{t.rows, a_depth}), t.rows};
    const Chunk b{b_l1, kernel_matmul::L1Rows<TIn>(b_operand_, Extent{t.cols, depth}), t.cols};
    for (std::uint32_t at = 0; at < depth; at += g_.base_k) {
      const std::uint32_t deep = std::min(g_.base_k, depth - at);
      const bool ends = at + deep == depth;
      product(t, a, b, whole_a ? k - t.k : 0, at, deep, first && at == 0, last && ends,
              ends ? static_cast<int>(slot) : -1);
    }
  }

  /// All of k of a tile's rows, unless they are there. The panel before is free when MTE1 has come
  /// this far.
  void load_panel(const GemmTile& t) {
    using namespace AscendC;
    if (t.row == panel_row_) return;
    if (panel_row_ != kNoRow) {
      SetFlag<HardEvent::MTE1_MTE2>(kWholeA + static_cast<std::int32_t>(panels_ % 2));
      ++panels_;
      WaitFlag<HardEvent::MTE1_MTE2>(kWholeA + static_cast<std::int32_t>(panels_ % 2));
    }
    panel_row_ = t.row;
    const auto l1 = local<TIn>(TPosition::A1, panels_ % 2 * a_bytes_, a_bytes_ / sizeof(TIn));
    kernel_matmul::LoadChunk(l1, a_, a_op_, t.row, t.k, {t.rows, t.depth});
  }

  using Chunk = kernel_matmul::Chunk<TIn>;
  /// `at`: in B's chunk, which begins `a_at` into A's. `free_slot`: of L1, which nobody reads
  /// behind this; -1: none.
  void product(const GemmTile& t, const Chunk& a, const Chunk& b, std::uint32_t a_at,
               std::uint32_t at, std::uint32_t deep, bool first, bool last, int free_slot) {
    using namespace AscendC;
    constexpr std::uint32_t kHalf = 32768;
    const auto half = static_cast<std::int32_t>(products_++ % 2);
    const auto l0a = local<TIn>(TPosition::A2, half * kHalf, kHalf / sizeof(TIn));
    const auto l0b = local<TIn>(TPosition::B2, half * kHalf, kHalf / sizeof(TIn));
    WaitFlag<HardEvent::M_MTE1>(half);
    kernel_matmul::LoadA(l0a, a, a_op_, a_at + at, deep);
    kernel_matmul::LoadB(l0b, b, b_operand_, at, deep);
    if (free_slot >= 0) SetFlag<HardEvent::MTE1_MTE2>(free_slot);
    SetFlag<HardEvent::MTE1_M>(half);
    WaitFlag<HardEvent::MTE1_M>(half);
    MmadParams mmad;
    mmad.m = static_cast<std::uint16_t>(std::max(t.rows, 16u));
    mmad.n = static_cast<std::uint16_t>(t.cols);
    mmad.k = static_cast<std::uint16_t>(deep);
    mmad.cmatrixInitVal = first;
    if (g_.unit_flag) mmad.unitFlag = last ? 3 : 2;
    Mmad(sums(t), l0a, l0b, mmad);
    SetFlag<HardEvent::M_MTE1>(half);
  }

  AscendC::LocalTensor<TAcc> sums(const GemmTile& t) const {
    return local<TAcc>(AscendC::TPosition::CO1, 0, round_up(t.rows, 16) * round_up(t.cols, 16));
  }

  Gemm g_;
  AscendC::GlobalTensor<TIn> a_;
  BSource& b_;
  Output& output_;
  MatmulOperandTiling a_op_{}, b_operand_{};
  std::uint32_t a_bytes_ = 0, b_bytes_ = 0;
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  std::uint32_t loads_ = 0, products_ = 0;
  std::uint32_t panels_ = 0, panel_row_ = kNoRow;
};

/// How a tile's sums leave L0C for rows of `pitch` elements.
inline AscendC::FixpipeParamsV220 rows_out(const GemmTile& tile, std::uint32_t pitch,
                                           bool unit_flag) {
  AscendC::FixpipeParamsV220 fixpipe;
  fixpipe.nSize = static_cast<std::uint16_t>(tile.cols);
  fixpipe.mSize = static_cast<std::uint16_t>(tile.rows);
  fixpipe.srcStride = static_cast<std::uint16_t>(round_up(tile.rows, 16));
  fixpipe.dstStride = pitch;
  if (unit_flag) fixpipe.unitFlag = 3;
  return fixpipe;
}

/// C in global memory.
template <class TAcc, class TOut>
class RowMajorOutput {
 public:
  RowMajorOutput(const Gemm& g, TOut* c) : n_(g.n), c_(global(c, std::uint64_t{g.m} * g.n)) {}

  void put(const GemmTile& tile, const AscendC::LocalTensor<TAcc>& sums, bool unit_flag) {
    using namespace AscendC;
    FixpipeParamsV220 fixpipe = rows_out(tile, n_, unit_flag);
    if constexpr (std::is_same_v<TOut, half>) {
      constexpr bool kInteger = std::is_same_v<TAcc, std::int32_t>;
      fixpipe.quantPre = kInteger ? QuantMode_t::DEQF16 : QuantMode_t::F322F16;
    }
    if constexpr (std::is_same_v<TOut, bfloat16_t>) fixpipe.quantPre = QuantMode_t::F322BF16;
    Fixpipe(c_[std::uint64_t{tile.row} * n_ + tile.col], sums, fixpipe);
  }

 private:
  std::uint32_t n_;
  AscendC::GlobalTensor<TOut> c_;
};

}  // namespace davsim::silicon
