#include "bench/silicon/vendor_cut.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace davsim::silicon {
namespace {

using Number = std::uint64_t;

/// A side of a fractal in elements; a large side of a base block; the sums of fp32 that L0C holds.
constexpr Number kFractal = 16, kLargeBase = 256, kMostSums = 128 * 256;

constexpr Number parts(Number whole, Number part) {
  return (whole + part - 1) / part;
}
constexpr Number up(Number value, Number unit) {
  return parts(value, unit) * unit;
}

/// A base block and how many bytes of k it takes.
struct Base {
  Number m, n, k_bytes;
};

/// `size` divided among the cores that `others` blocks along the other side leave.
Number share(Number others, Number cores, Number size, Number most) {
  const Number count = std::max<Number>(cores / others, 1);
  return std::min(up(std::max<Number>(size / count, 1), kFractal), most);
}

/// Rows and columns so that the side with fewer blocks leaves all cores to the other one.
Base balanced(const VendorProduct& p, Base most) {
  const Number down = parts(p.m, most.m), across = parts(p.n, most.n);
  Base base = most;
  if (down < across) {
    base.n = share(down, p.cores, p.n, most.n);
  } else {
    base.m = share(across, p.cores, p.m, most.m);
  }
  base.m = up(std::min(p.m, base.m), kFractal);
  base.n = up(std::min(p.n, base.n), kFractal);
  return base;
}

/// Of the base blocks of small products the one with which a core loads least.
Base least_loads(const VendorProduct& p) {
  constexpr Base kPlain[] = {{128, 256, 128}, {128, 128, 256}, {64, 512, 64}};
  constexpr Base kTransposed[] = {{64, 64, 512}, {128, 128, 256}, {128, 256, 128}};
  Base best{};
  Number least = std::numeric_limits<Number>::max();
  for (Base base : p.b_transposed ? kTransposed : kPlain) {
    if (p.b_transposed) {
      base = balanced(p, base);
    } else {
      base.m = share(parts(p.n, base.n), p.cores, p.m, base.m);
    }
    const Number rounds = parts(parts(p.m, base.m) * parts(p.n, base.n), p.cores);
    const Number loads = (base.m + base.n) * rounds;
    if (loads < least) best = base, least = loads;
  }
  return best;
}

Base small_base(const VendorProduct& p) {
  constexpr Number kSmall = 128;
  const auto middling = [](Number value) { return value > kSmall && value < kLargeBase; };
  Base base = least_loads(p);
  if (middling(p.m) && base.n > kSmall) {
    base.n = kSmall;
  } else if (middling(p.n) && base.m > kSmall) {
    base.m = kSmall;
  }
  if (base.m * base.n > kMostSums) base.m = kMostSums / base.n;
  return base;
}

/// Blocks that are higher than wide, where that loads less of B's rows along k.
bool high_blocks(const VendorProduct& p) {
  if (!p.b_transposed) return false;
  const Number large = p.cores / 2 * kLargeBase;
  if (p.m < large) return p.n < large && p.m > p.n;
  const auto loads = [&](Number m, Number n) { return parts(p.m, m) * p.n + parts(p.n, n) * p.m; };
  return p.n < large || loads(256, 128) < loads(128, 256);
}

Base base_of(const VendorProduct& p) {
  const Base large = high_blocks(p) ? Base{256, 128, 128} : Base{128, 256, 128};
  const Number blocks = up(p.m, 128) / large.m * (up(p.n, kLargeBase) / large.n);
  const bool small = blocks < p.cores || p.m < kLargeBase || p.n < kLargeBase;
  return small ? small_base(p) : large;
}

/// Fewer base blocks along k if whole lines come of it.
Number whole_lines(Number step, Number block_bytes, Number k_bytes) {
  if (step * block_bytes >= k_bytes) return step;
  for (const Number line : {512u, 256u}) {
    if (step * block_bytes <= line) continue;
    if (line % block_bytes != 0) return step;
    while (step * block_bytes % line != 0 && step > 1) --step;
    return step;
  }
  return step;
}

void fill_l1(const VendorProduct& p, VendorCut& cut) {
  constexpr Number kHalfOfL1 = 256 * 1024;
  const Number block = cut.base_k * p.bytes, k_bytes = p.k * p.bytes;
  const auto step = [&](Number base) {
    return whole_lines(std::max<Number>(kHalfOfL1 / base / block / 2, 1), block, k_bytes);
  };
  Number &a = cut.step_ka = step(cut.base_m), &b = cut.step_kb = step(cut.base_n);
  if (a >= b) {
    a = a / b * b;
  } else {
    b = b / a * a;
  }
  const auto whole = [](Number value) { return value % 256 == 0; };
  const bool shorter = cut.base_m * cut.base_n == kMostSums && cut.base_k == 64 && p.bytes == 2 &&
                       whole(p.m) && whole(p.n) && whole(p.k) && p.m >= 768 && p.n >= 768 &&
                       !std::has_single_bit(p.k) && p.m * p.n > kMostSums * p.cores &&
                       p.cores == 24 && p.m % 16384 != 0 && p.n % 16384 != 0;
  if (!shorter) return;
  if (a == 8) a = 4;
  if (b == 8) b = 4;
}

/// One side of C and how it is cut for L2. `worst` is how many cores may read the same rows.
struct Side {
  Number size, base, worst;

  /// Its length when the side is divided for `cores` blocks.
  Number cut(Number cores) const {
    const Number tiles = std::max<Number>(size / (base * cores), 1);
    return up(parts(size, tiles), base);
  }
  Number last_blocks(Number length) const { return parts((size + length - 1) % length + 1, base); }
};

/// Parts whose matrices L2 holds and of which the last is not too small. The published search; 0
/// if it finds none.
struct PartsForL2 {
  Number outer = 0, inner = 0;
};
PartsForL2 search(const VendorProduct& p, const Side& outer, const Side& inner, Number most_bytes) {
  PartsForL2 found;
  Number outer_conflicts = 0, inner_conflicts = 0;
  const auto fewest = [&](const Side& side) { return std::max<Number>(p.cores / side.worst, 1); };
  for (Number o = p.cores; o >= fewest(outer); --o) {
    for (Number i = p.cores; i >= fewest(inner); --i) {
      const Number a = outer.cut(o), b = inner.cut(i);
      if ((a * p.k + p.k * b + a * b) * p.bytes > most_bytes) continue;
      const Number last_a = outer.last_blocks(a), last_b = inner.last_blocks(b);
      if (last_a * outer.worst < p.cores || last_b * inner.worst < p.cores) continue;
      const Number conflicts_a = parts(p.cores, last_a), conflicts_b = parts(p.cores, last_b);
      const bool better =
          found.outer == 0 || (outer_conflicts >= conflicts_a && inner_conflicts >= conflicts_b);
      if (!better) continue;
      found = {a, b};
      outer_conflicts = conflicts_a, inner_conflicts = conflicts_b;
    }
  }
  return found;
}

void cut_for_l2(const VendorProduct& p, VendorCut& cut) {
  constexpr Number kDown = 4;
  const Number most_bytes = p.l2_bytes * 100 / 192;
  if ((p.m * p.k + p.k * p.n + p.m * p.n) * p.bytes > most_bytes) {
    const Number worst = p.cores == 20 ? 5 : 6, least = p.cores == 20 ? 4 : 3;
    const bool wide = cut.base_n >= cut.base_m;
    const Side m{p.m, cut.base_m, worst};
    const Side n{p.n, cut.base_n, wide || p.b_transposed ? worst : least};
    const PartsForL2 found = wide ? search(p, n, m, most_bytes) : search(p, m, n, most_bytes);
    if (found.outer > 0) {
      cut.part_m = parts(wide ? found.inner : found.outer, cut.base_m);
      cut.part_n = parts(wide ? found.outer : found.inner, cut.base_n);
      return;
    }
  }
  cut.part_m = std::min(kDown, parts(p.m, cut.base_m));
  cut.part_n = std::min(std::max<Number>(p.cores / kDown, 1), parts(p.n, cut.base_n));
}

}  // namespace

VendorCut VendorCut::of(const VendorProduct& p) {
  const Base base = base_of(p);
  VendorCut cut;
  cut.base_m = base.m, cut.base_n = base.n, cut.base_k = base.k_bytes / p.bytes;
  fill_l1(p, cut);
  cut_for_l2(p, cut);
  return cut;
}

}  // namespace davsim::silicon
