// The choice of base blocks, of what L1 holds and of the order of a product on one core. The host's
// tiling classes and the compile-time tiling of kernels make it with this code.
//
// The choice minimises an estimate of time: a base block takes as long as the slowest of the cube,
// the loads to L0 and the loads to L1, then its result leaves L0C. The rates are those of
// architecture 2201 in rounded bytes a cycle; they rank choices and predict nothing.
#pragma once

#include <cstdint>

namespace davsim {
namespace tiling {

/// Bytes of a core's buffers.
struct MatmulBuffers {
  std::int64_t l1 = 524032, l0a = 65536, l0b = 65536, l0c = 131072, bias_table = 1024;
};

/// What a core has to multiply. -1 stands for "choose".
struct MatmulQuestion {
  std::int32_t m = 0, n = 0, k = 0;
  std::int32_t bits = 16;  ///< of an element of A and B
  bool trans_a = false, trans_b = false;
  bool bias = false;
  bool words = false;   ///< L1 has a row of quantisation words
  bool sparse = false;  ///< B is 4:2 sparse: whole fractals of it are twice as many elements of k
  std::int32_t base_m = -1, base_n = -1, base_k = -1;
  std::int32_t most_base_m = -1, most_base_n = -1, most_base_k = -1;
  std::int32_t least_base_m = -1, least_base_n = -1, least_base_k = -1;
  std::int32_t order = -1;  ///< 0: M first, 1: N first
  MatmulBuffers buffers;
};

struct MatmulChoice {
  bool found = false;
  std::int32_t base_m = 0, base_n = 0, base_k = 0;
  std::int32_t step_ka = 1, step_kb = 1, depth_a = 1, depth_b = 1;
  std::int32_t db_l0c = 1;
  std::int32_t order = 0;
  double cycles = 0;  ///< the estimate
};

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
constexpr std::int64_t align_up(std::int64_t a, std::int64_t unit) {
  return ceil_div(a, unit) * unit;
}
constexpr std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
constexpr double most(double a, double b) {
  return a > b ? a : b;
}

/// Elements of 32 bytes.
constexpr std::int32_t matmul_c0(std::int32_t bits) {
  return 256 / bits;
}
/// What a side of a base block is a multiple of: transposing loads of less than 16 bits move
/// squares of C0.
constexpr std::int32_t matmul_side_unit(std::int32_t bits, bool k_in_columns) {
  return bits < 16 && !k_in_columns ? matmul_c0(bits) : 16;
}
constexpr std::int32_t matmul_k_unit(std::int32_t bits) {
  return bits < 16 ? matmul_c0(bits) : 16;
}

/// Bytes that a block takes in L1: fractals are whole, and squares of C0 for less than 16 bits.
constexpr std::int64_t matmul_block_in_l1(std::int32_t bits, std::int64_t side, std::int64_t k) {
  return align_up(side, matmul_k_unit(bits)) * align_up(k, matmul_k_unit(bits)) * bits / 8;
}
/// Bytes of L1 that the rows beside the blocks leave: the bias twice, quantisation words.
constexpr std::int64_t matmul_room(const MatmulQuestion& q, std::int64_t base_n) {
  return q.buffers.l1 - (q.bias ? align_up(base_n * 4, 64) * 2 : 0) -
         (q.words ? align_up(base_n * 8, 128) : 0);
}

namespace matmul_rate {
constexpr double kGm = 64, kL0A = 256, kL0B = 128, kOut = 64, kTileStart = 300;
/// Bytes of a row in global memory that cost as much as fewer.
constexpr std::int64_t kRow = 512;
/// Products along k that the cube makes in a cycle, for 16 x 16 results.
constexpr double along_k(std::int32_t bits) {
  return bits >= 32 ? 4 : 256.0 / bits;
}
}  // namespace matmul_rate

/// Bytes that the loads of one operand of a block count as: short rows take as long as longer ones.
/// Where k runs along the rows, L1 takes several blocks of k at a time.
constexpr double matmul_loaded(const MatmulQuestion& q, std::int64_t side, bool k_in_columns) {
  const std::int64_t row = side * q.bits / 8;
  return static_cast<double>(k_in_columns ? row : align_up(row, matmul_rate::kRow)) * q.k;
}

/// Cycles of one block of `m` x `n` over all of k.
constexpr double matmul_block_cycles(const MatmulQuestion& q, std::int64_t m, std::int64_t n) {
  const double bytes = q.bits / 8.0 * q.k;
  const double cube = static_cast<double>(ceil_div(m, 16) * ceil_div(n, 16)) *
                      static_cast<double>(q.k) / matmul_rate::along_k(q.bits);
  const double gm =
      (matmul_loaded(q, m, !q.trans_a) + matmul_loaded(q, n, q.trans_b)) / matmul_rate::kGm;
  const double l0 = static_cast<double>(m) * bytes / matmul_rate::kL0A +
                    static_cast<double>(n) * bytes / matmul_rate::kL0B;
  const double out = static_cast<double>(m * n * 4) / matmul_rate::kOut;
  return most(cube, most(gm, l0)) + out + matmul_rate::kTileStart;
}

/// Cycles of all blocks, those at the edges included.
constexpr double matmul_cycles(const MatmulQuestion& q, std::int64_t base_m, std::int64_t base_n) {
  const std::int64_t rows = q.m / base_m, cols = q.n / base_n;
  const std::int64_t tail_m = q.m % base_m, tail_n = q.n % base_n;
  double cycles = static_cast<double>(rows * cols) * matmul_block_cycles(q, base_m, base_n);
  if (tail_m > 0) cycles += static_cast<double>(cols) * matmul_block_cycles(q, tail_m, base_n);
  if (tail_n > 0) cycles += static_cast<double>(rows) * matmul_block_cycles(q, base_m, tail_n);
  if (tail_m > 0 && tail_n > 0) cycles += matmul_block_cycles(q, tail_m, tail_n);
  return cycles;
}

/// The longest base k of which L0A and L0B hold two blocks, and L1 one of each operand; 0 if there
/// is none.
constexpr std::int64_t matmul_base_k(const MatmulQuestion& q, std::int64_t base_m,
                                     std::int64_t base_n) {
  const std::int64_t unit = matmul_k_unit(q.bits) * (q.sparse ? 2 : 1);
  const std::int64_t room = matmul_room(q, base_n);
  if (q.base_k > 0) {
    const bool fits = base_m * q.base_k * q.bits / 8 <= q.buffers.l0a &&
                      base_n * q.base_k * q.bits / 8 <= q.buffers.l0b &&
                      matmul_block_in_l1(q.bits, base_m, q.base_k) +
                              matmul_block_in_l1(q.bits, base_n, q.base_k) <=
                          room;
    const std::int32_t whole = matmul_c0(q.bits) * (q.sparse ? 2 : 1);
    return fits && q.base_k % whole == 0 ? q.base_k : 0;
  }
  const std::int64_t in_a = q.buffers.l0a / 2 * 8 / (base_m * q.bits);
  const std::int64_t in_b = q.buffers.l0b / 2 * 8 / (base_n * q.bits);
  const std::int64_t of_k = matmul_block_in_l1(q.bits, base_m, unit) / unit +
                            matmul_block_in_l1(q.bits, base_n, unit) / unit;
  std::int64_t base = least(least(in_a, in_b), least(align_up(q.k, unit), 1024));
  base = least(base, room > 0 ? room / of_k : 0);
  if (q.most_base_k > 0) base = least(base, q.most_base_k);
  base = base / unit * unit;
  if (q.least_base_k <= base) return base;
  // More than the product has, or than two blocks leave room for: one block has to do.
  const std::int64_t asked = align_up(q.least_base_k, unit);
  const bool fits = base_m * asked * q.bits / 8 <= q.buffers.l0a &&
                    base_n * asked * q.bits / 8 <= q.buffers.l0b && of_k * asked <= room &&
                    (q.most_base_k <= 0 || asked <= q.most_base_k);
  return fits ? asked : 0;
}

constexpr bool matmul_base_fits(const MatmulQuestion& q, std::int64_t base_m, std::int64_t base_n) {
  if (base_m * base_n * 4 > q.buffers.l0c) return false;
  if (q.bias && base_n * 4 > q.buffers.bias_table) return false;
  return matmul_base_k(q, base_m, base_n) > 0;
}

/// Says how much of k L1 holds of both operands: all of one panel where that saves loads, else
/// pieces of as many base blocks as fit, twice.
constexpr void choose_matmul_depth(const MatmulQuestion& q, MatmulChoice& choice) {
  const std::int64_t block_a = matmul_block_in_l1(q.bits, choice.base_m, choice.base_k);
  const std::int64_t block_b = matmul_block_in_l1(q.bits, choice.base_n, choice.base_k);
  const std::int64_t room = matmul_room(q, choice.base_n);
  const std::int64_t steps = ceil_div(q.k, choice.base_k);
  const std::int64_t rows = ceil_div(q.m, choice.base_m), cols = ceil_div(q.n, choice.base_n);
  const auto set = [&choice](std::int64_t ka, std::int64_t a, std::int64_t kb, std::int64_t b) {
    choice.step_ka = static_cast<std::int32_t>(ka);
    choice.depth_a = static_cast<std::int32_t>(a);
    choice.step_kb = static_cast<std::int32_t>(kb);
    choice.depth_b = static_cast<std::int32_t>(b);
  };
  if (2 * steps * (block_a + block_b) <= room) {
    set(steps, 2 * steps, steps, 2 * steps);
    if (q.order < 0) choice.order = rows * block_b >= cols * block_a ? 0 : 1;
    return;
  }
  // A panel of A stays while N advances, one of B while M does.
  const bool keep_a = q.order != 0 && cols > 1 && steps * block_a + 2 * block_b <= room;
  const bool keep_b = q.order != 1 && rows > 1 && steps * block_b + 2 * block_a <= room;
  const std::int64_t saved_a = keep_a ? (cols - 1) * rows * block_a : 0;
  const std::int64_t saved_b = keep_b ? (rows - 1) * cols * block_b : 0;
  const auto piece = [&](std::int64_t block, std::int64_t left) {
    std::int64_t step = least(left / (2 * block), steps);
    while (steps % step != 0) --step;  // the steps along k of A and B divide one another
    return step;
  };
  if (keep_a && saved_a >= saved_b) {
    const std::int64_t step = piece(block_b, room - steps * block_a);
    set(steps, steps, step, 2 * step);
    choice.order = 1;
    return;
  }
  if (keep_b) {
    const std::int64_t step = piece(block_a, room - steps * block_b);
    set(step, 2 * step, steps, steps);
    choice.order = 0;
    return;
  }
  const std::int64_t fit = room / (2 * (block_a + block_b));
  std::int64_t step = least(least(fit > 0 ? fit : 1, steps), 8);
  for (std::int64_t even = step; even * 2 > step; --even) {
    if (steps % even == 0) {
      step = even;
      break;
    }
  }
  const std::int64_t twice = fit > 0 ? 2 : 1;
  set(step, twice * step, step, twice * step);
}

constexpr MatmulChoice choose_matmul_tiles(const MatmulQuestion& q) {
  MatmulChoice best;
  if (q.m <= 0 || q.n <= 0 || q.k <= 0) return best;
  const std::int64_t unit_m = matmul_side_unit(q.bits, !q.trans_a);
  const std::int64_t unit_n = matmul_side_unit(q.bits, q.trans_b);
  const auto limit = [](std::int64_t size, std::int64_t unit, std::int32_t least_base,
                        std::int32_t most_base) {
    std::int64_t bound = least(align_up(size, unit), 512);
    if (least_base > bound) bound = align_up(least_base, unit);
    return most_base > 0 ? least(bound, most_base) : bound;
  };
  const auto start = [](std::int32_t fixed, std::int64_t unit, std::int32_t least_base) {
    if (fixed > 0) return std::int64_t{fixed};
    return least_base > 0 ? align_up(least_base, unit) : unit;
  };
  const std::int64_t from_m = start(q.base_m, unit_m, q.least_base_m);
  const std::int64_t from_n = start(q.base_n, unit_n, q.least_base_n);
  const std::int64_t to_m =
      q.base_m > 0 ? q.base_m : limit(q.m, unit_m, q.least_base_m, q.most_base_m);
  const std::int64_t to_n =
      q.base_n > 0 ? q.base_n : limit(q.n, unit_n, q.least_base_n, q.most_base_n);
  for (std::int64_t m = from_m; m <= to_m; m += unit_m) {
    for (std::int64_t n = from_n; n <= to_n; n += unit_n) {
      if (!matmul_base_fits(q, m, n)) continue;
      const double cycles = matmul_cycles(q, m, n);
      if (best.found && cycles >= best.cycles) continue;
      best.found = true;
      best.cycles = cycles;
      best.base_m = static_cast<std::int32_t>(m);
      best.base_n = static_cast<std::int32_t>(n);
    }
  }
  if (!best.found) return best;
  best.base_k = static_cast<std::int32_t>(matmul_base_k(q, best.base_m, best.base_n));
  best.db_l0c = 2 * best.base_m * best.base_n * 4 <= q.buffers.l0c ? 2 : 1;
  best.order = q.order >= 0 ? q.order : 0;
  choose_matmul_depth(q, best);
  return best;
}

}  // namespace tiling
}  // namespace davsim
