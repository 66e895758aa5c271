// Random products with random constraints for the tiling classes of Matmul, and what a tiling of
// them has to keep.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tiling/tiling_api.h"

namespace davsim::test {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using Tiling = AscendC::tiling::TCubeTiling;

/// What a program sets; -1 stands for what it leaves to the tiling.
struct Wishes {
  DataType in = DataType::DT_FLOAT16, out = DataType::DT_FLOAT;
  int bits = 16, out_bytes = 4;
  int m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false, bias = false, to_ub = false;
  int cores = 1;
  int base[3] = {-1, -1, -1}, least_base[3] = {-1, -1, -1}, most_base[3] = {-1, -1, -1};
  int single[3] = {-1, -1, -1}, least_single[3] = {-1, -1, -1}, most_single[3] = {-1, -1, -1};
  int align[3] = {-1, -1, -1};
  bool split_k = false;  ///< cores may share k
  int l1 = -1, l0c = -1, ub = -1, order = -1;
};

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int up_to(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)) + 1; }
  bool one_in(int n) { return up_to(n) == 1; }
  /// Small sizes as often as large ones.
  int size(int most) { return up_to(std::max(1, most >> (up_to(8) - 1))); }

 private:
  std::mt19937 random_;
};

inline Wishes draw(Dice& dice, int most_size) {
  struct Types {
    DataType in;
    int bits;
    DataType out;
    int out_bytes;
  };
  static constexpr Types kTypes[] = {
      {DataType::DT_FLOAT16, 16, DataType::DT_FLOAT, 4},
      {DataType::DT_FLOAT16, 16, DataType::DT_INT8, 1},
      {DataType::DT_BF16, 16, DataType::DT_BF16, 2},
      {DataType::DT_FLOAT, 32, DataType::DT_FLOAT, 4},
      {DataType::DT_INT8, 8, DataType::DT_INT32, 4},
      {DataType::DT_INT8, 8, DataType::DT_FLOAT16, 2},
      {DataType::DT_INT4, 4, DataType::DT_INT32, 4},
  };
  const Types& types = kTypes[dice.up_to(7) - 1];
  Wishes w;
  w.in = types.in, w.bits = types.bits, w.out = types.out, w.out_bytes = types.out_bytes;
  const int even = types.bits == 4 ? 2 : 1;
  w.m = dice.size(most_size), w.n = dice.size(most_size) * even, w.k = dice.size(most_size) * even;
  w.trans_a = types.bits != 4 && dice.one_in(2);
  w.trans_b = dice.one_in(2);
  w.bias = dice.one_in(2);
  w.to_ub = dice.one_in(4);
  w.cores = dice.up_to(48);
  w.split_k = dice.one_in(3);
  const int unit_k = std::max(16, 256 / types.bits);
  for (int axis = 0; axis < 3; ++axis) {
    const int unit = axis == 2 ? unit_k : 16;
    if (dice.one_in(5)) w.base[axis] = unit * dice.up_to(8);
    if (dice.one_in(5)) w.least_base[axis] = unit * dice.up_to(4);
    if (dice.one_in(5)) w.most_base[axis] = std::max(w.least_base[axis], 64) + unit * dice.up_to(8);
    if (axis == 2 && !w.split_k) break;
    const int whole = axis == 0 ? w.m : axis == 1 ? w.n : w.k;
    const int step = axis == 2 ? unit_k : even;
    if (dice.one_in(axis == 2 ? 2 : 5))
      w.single[axis] = step * dice.size((whole + step - 1) / step);
    if (dice.one_in(5)) w.least_single[axis] = dice.size(whole);
    if (dice.one_in(5)) w.most_single[axis] = std::max(w.least_single[axis], 0) + dice.size(whole);
    if (dice.one_in(5)) w.align[axis] = 16 * dice.up_to(8);
  }
  if (dice.one_in(4)) w.l1 = 16384 * dice.up_to(31);
  if (dice.one_in(4)) w.l0c = 16384 * dice.up_to(8);
  if (dice.one_in(4)) w.ub = 16384 * dice.up_to(11);
  if (dice.one_in(3)) w.order = dice.up_to(2) - 1;
  return w;
}

template <class Api>
void set(Api& api, const Wishes& w) {
  using matmul_tiling::TPosition;
  api.SetAType(TPosition::GM, CubeFormat::ND, w.in, w.trans_a);
  api.SetBType(TPosition::GM, CubeFormat::ND, w.in, w.trans_b);
  api.SetCType(w.to_ub ? TPosition::VECIN : TPosition::GM, CubeFormat::ND, w.out);
  api.EnableBias(w.bias);
  api.SetShape(w.m, w.n, w.k);
  api.SetOrgShape(w.m, w.n, w.k);
  api.SetFixSplit(w.base[0], w.base[1], w.base[2]);
  api.SetSplitRange(w.most_base[0], w.most_base[1], w.most_base[2], w.least_base[0],
                    w.least_base[1], w.least_base[2]);
  api.SetBufferSpace(w.l1, w.l0c, w.ub);
  if (w.order >= 0) {
    api.SetTraverse(w.order == 0 ? matmul_tiling::MatrixTraverse::FIRSTM
                                 : matmul_tiling::MatrixTraverse::FIRSTN);
  }
}
inline void set_cores(matmul_tiling::MultiCoreMatmulTiling& api, const Wishes& w) {
  api.SetDim(w.cores);
  api.EnableMultiCoreSplitK(w.split_k);
  api.SetSingleShape(w.single[0], w.single[1], w.single[2]);
  api.SetSingleRange(w.most_single[0], w.most_single[1], w.most_single[2], w.least_single[0],
                     w.least_single[1], w.least_single[2]);
  api.SetAlignSplit(w.align[0], w.align[1], w.align[2]);
}

/// Asks for a tiling, without the sentence that it prints if there is none.
template <class Api>
bool gives_tiling(Api& api, Tiling& tiling) {
  ::testing::internal::CaptureStderr();
  const bool found = api.GetTiling(tiling) == 0;
  ::testing::internal::GetCapturedStderr();
  return found;
}

inline long up(long value, long unit) {
  return (value + unit - 1) / unit * unit;
}
inline int unit_of(const Wishes& w) {
  return std::max(16, w.bits < 16 ? 256 / w.bits : 16);
}
/// Bytes of L1 that blocks of these sizes take, and the rows that lie beside them.
inline long bytes_in_l1(const Wishes& w, long base_m, long base_n, long base_k, long deep_a,
                        long deep_b) {
  const int unit = unit_of(w);
  const long blocks =
      (deep_a * up(base_m, unit) + deep_b * up(base_n, unit)) * up(base_k, unit) * w.bits / 8;
  const bool words = w.out_bytes == 1 || w.out == DataType::DT_FLOAT16;
  return blocks + (w.bias ? 2 * up(base_n * 4, 64) : 0) + (words ? up(base_n * 8, 128) : 0);
}
inline long room_of_results(const Wishes& w) {
  const long l0c = w.l0c > 0 ? w.l0c : 131072;
  if (!w.to_ub) return l0c / 4;
  return std::min(l0c / 4, (w.ub > 0 ? w.ub : 196352L) / w.out_bytes);
}

/// A base block that was set may be as large as the part of a core in whole fractals.
inline bool base_fits_part(const Wishes& w, int axis, int part) {
  return w.base[axis] <= up(part, axis == 0 ? 16 : std::max(16, 256 / w.bits));
}

/// All that is set is kept, and the buffers hold it.
inline void expect_kept(const Tiling& t, const Wishes& w) {
  const int base[3] = {t.baseM, t.baseN, t.baseK};
  const int part[2] = {t.singleCoreM, t.singleCoreN};
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(::testing::Message() << "base of axis " << axis << " is " << base[axis]);
    EXPECT_EQ(base[axis] % (axis == 2 ? 256 / w.bits : 16), 0);
    if (w.base[axis] > 0) {
      EXPECT_EQ(base[axis], w.base[axis]);
      if (axis < 2) {
        EXPECT_TRUE(base_fits_part(w, axis, part[axis])) << "part " << part[axis];
      }
      continue;
    }
    if (w.least_base[axis] > 0) {
      EXPECT_GE(base[axis], w.least_base[axis]);
    }
    if (w.most_base[axis] > 0) {
      EXPECT_LE(base[axis], w.most_base[axis]);
    }
  }
  const auto bytes = [&](long elements) { return elements * w.bits / 8; };
  EXPECT_LE(bytes(long{t.baseM} * t.baseK) * t.dbL0A, 65536);
  EXPECT_LE(bytes(long{t.baseN} * t.baseK) * t.dbL0B, 65536);
  EXPECT_LE(long{t.baseM} * t.baseN, room_of_results(w));
  EXPECT_LE(long{t.baseM} * t.baseN * 4 * t.dbL0C, w.l0c > 0 ? w.l0c : 131072);
  EXPECT_LE(t.isBias * t.baseN * 4, 1024);
  EXPECT_LE(bytes_in_l1(w, t.baseM, t.baseN, t.baseK, t.depthA1, t.depthB1),
            w.l1 > 0 ? w.l1 : 524032);
  EXPECT_TRUE(t.depthA1 % (t.stepM * t.stepKa) == 0 && t.depthA1 <= 2 * t.stepM * t.stepKa);
  EXPECT_TRUE(t.depthB1 % (t.stepN * t.stepKb) == 0 && t.depthB1 <= 2 * t.stepN * t.stepKb);
  EXPECT_TRUE(t.stepKa % t.stepKb == 0 || t.stepKb % t.stepKa == 0);
  EXPECT_EQ(t.isBias, w.bias);
  if (w.order >= 0) {
    EXPECT_EQ(t.iterateOrder, w.order);
  }
  EXPECT_EQ((std::vector<int>{t.M, t.N, t.Ka, t.Kb}), (std::vector<int>{w.m, w.n, w.k, w.k}));
  if (!w.split_k) {
    EXPECT_EQ(t.singleCoreK, w.k);
  }
}

inline void expect_cores_kept(const Tiling& t, const Wishes& w) {
  const int whole[3] = {w.m, w.n, w.k};
  const int part[3] = {t.singleCoreM, t.singleCoreN, t.singleCoreK};
  int used = 1;
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(::testing::Message() << "part of axis " << axis << " is " << part[axis]);
    used *= (whole[axis] + part[axis] - 1) / part[axis];
    EXPECT_LE(part[axis], whole[axis]);
    if (w.single[axis] > 0) {
      EXPECT_EQ(part[axis], std::min(w.single[axis], whole[axis]));
      continue;
    }
    EXPECT_GE(part[axis], std::min(w.least_single[axis], whole[axis]));
    if (w.most_single[axis] > 0) {
      EXPECT_LE(part[axis], w.most_single[axis]);
    }
    if (w.align[axis] > 0 && part[axis] < whole[axis]) {
      EXPECT_EQ(part[axis] % w.align[axis], 0);
    }
  }
  EXPECT_EQ(t.usedCoreNum, used);
  EXPECT_LE(used, w.cores);
}

/// Whether the smallest base block that is allowed fits.
inline bool has_a_base(const Wishes& w) {
  if (!base_fits_part(w, 0, w.m) || !base_fits_part(w, 1, w.n)) return false;
  long base[3];
  for (int axis = 0; axis < 3; ++axis) {
    const bool turned = axis == 0 ? w.trans_a : !w.trans_b;  // the side lies in the rows
    const int unit = axis == 2 || turned ? unit_of(w) : 16;
    base[axis] = w.base[axis] > 0 ? w.base[axis] : up(std::max(w.least_base[axis], 1), unit);
    if (w.base[axis] < 0 && w.most_base[axis] > 0 && base[axis] > w.most_base[axis]) return false;
  }
  const auto bytes = [&](long elements) { return elements * w.bits / 8; };
  return bytes(base[0] * base[2]) <= 65536 && bytes(base[1] * base[2]) <= 65536 &&
         base[0] * base[1] <= room_of_results(w) && (!w.bias || base[1] * 4 <= 1024) &&
         bytes_in_l1(w, base[0], base[1], base[2], 1, 1) <= (w.l1 > 0 ? w.l1 : 524032);
}

}  // namespace davsim::test
