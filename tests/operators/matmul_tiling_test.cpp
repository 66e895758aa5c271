// Tilings of matmul: everything fits, every element of C is computed once, every core that can have
// work has some. Tilings that the search would not choose give the same results.
#include <gtest/gtest.h>

#include <map>

#include "isa/numeric/layout.hpp"
#include "kernels/matmul/l1_panel.h"
#include "kernels/matmul/tile_walk.h"
#include "kernels/matmul/tiling.hpp"
#include "tests/operators/matmul_call.hpp"

namespace davsim::test {
namespace {

using isa::ceil_align;
using isa::ceil_div;
using isa::DType;
namespace mm = operators::matmul;

mm::Problem problem(const MmSizes& s) {
  const auto factor = [&](std::int64_t rows, std::int64_t cols, bool transposed, bool nz) {
    if (transposed) std::swap(rows, cols);
    const auto c0 = static_cast<std::uint64_t>(32 / isa::dtype_bytes(s.input));
    if (nz) rows = ceil_align(rows, 16), cols = ceil_align(cols, c0);
    return mm::Factor{transposed, nz, rows, cols};
  };
  mm::Problem p;
  p.m = s.m, p.n = s.n, p.k = s.k;
  p.a = factor(s.m, s.k, s.transpose_a, s.a_nz);
  p.b = factor(s.k, s.n, s.transpose_b, s.b_nz);
  p.input = s.input;
  p.output = s.input == DType::kI8 ? DType::kI32 : s.input;
  p.bias = s.bias;
  return p;
}

mm::Machine machine(const char* soc = kTestSoc) {
  return mm::Machine::of(sim::SocConfig::named(soc));
}

MmSizes random_sizes(operators::SeededData& random, std::int64_t most) {
  constexpr DType kInputs[] = {DType::kF16, DType::kBF16, DType::kF32, DType::kI8};
  const auto flag = [&] { return random.integer(0, 1) == 1; };
  // As many small sizes as large ones.
  const auto size = [&] {
    return random.integer(1, std::max<std::int64_t>(1, most >> random.integer(0, 10)));
  };
  MmSizes s;
  s.m = size(), s.n = size(), s.k = size();
  s.input = kInputs[random.integer(0, 3)];
  if (flag()) s.bias = s.input == DType::kI8 ? DType::kI32 : DType::kF32;
  s.transpose_a = flag(), s.transpose_b = flag(), s.a_nz = flag(), s.b_nz = flag();
  return s;
}

/// Bytes that a chunk of `side` x `k` takes in L1: whole fractals, and an even number of them below
/// each other where an 8-bit type will be turned.
std::uint64_t chunk_bytes(std::uint64_t side, std::uint64_t k, bool k_in_columns, DType type) {
  const std::uint64_t c0 = isa::c0_elements(type);
  if (k_in_columns) return ceil_align(side, 16) * ceil_align(k, c0) * isa::dtype_bytes(type);
  return ceil_align(k, type == DType::kI8 ? 32 : 16) * ceil_align(side, c0) *
         isa::dtype_bytes(type);
}

void expect_operand_fits(const MatmulTiling& t, const MatmulOperandTiling& operand,
                         std::uint64_t side, DType type) {
  const std::uint64_t k =
      std::min<std::uint64_t>(t.k, std::uint64_t{operand.chunk_steps} * t.step_k);
  EXPECT_GE(operand.slot_bytes, chunk_bytes(side, k, operand.k_in_columns != 0, type));
  EXPECT_GE(operand.slots, 2u);
  EXPECT_LE(operand.slots, kMatmulMostSlots);
  EXPECT_EQ(operand.l1_base % 32, 0u);
  EXPECT_EQ(operand.slot_bytes % 32, 0u);
}

void expect_fits(const mm::Plan& plan, const mm::Problem& p, const mm::Machine& has) {
  const MatmulTiling& t = plan.tiling;
  const std::uint64_t element = isa::dtype_bytes(p.input);
  const std::uint64_t unit = std::max<std::uint64_t>(16, isa::c0_elements(p.input));
  ASSERT_GE(t.tile_m, 1u);
  ASSERT_GE(t.l0_k, 1u);
  EXPECT_EQ(t.tile_m % unit, 0u);
  EXPECT_EQ(t.tile_n % unit, 0u);
  EXPECT_EQ(t.l0_k % unit, 0u);
  EXPECT_EQ(t.step_k % t.l0_k, 0u);
  EXPECT_LE(std::uint64_t{t.tile_m} * t.l0_k * element, has.l0a / 2u);
  EXPECT_LE(std::uint64_t{t.tile_n} * t.l0_k * element, has.l0b / 2u);
  const std::uint64_t sums = std::uint64_t{t.tile_m} * t.tile_n * 4;
  EXPECT_LE(sums, t.l0c_half > 0 ? t.l0c_half : static_cast<std::uint64_t>(has.l0c));
  EXPECT_LE(t.tile_n * 4, has.bias_table);
  expect_operand_fits(t, t.a, t.tile_m, p.input);
  expect_operand_fits(t, t.b, t.tile_n, p.input);
  EXPECT_EQ(t.a.l1_base, 0u);
  EXPECT_EQ(t.b.l1_base, t.a.slots * t.a.slot_bytes);
  const std::uint64_t factors = t.b.l1_base + std::uint64_t{t.b.slots} * t.b.slot_bytes;
  EXPECT_EQ(t.bias_base, factors);
  EXPECT_LE(factors + (p.has_bias() ? 2 * 4 * t.tile_n : 0), has.l1 + std::uint64_t{0});
  EXPECT_TRUE(t.unit_m == 1 || t.unit_n == 1);
  EXPECT_GE(plan.block_dim, 1u);
  EXPECT_LE(plan.block_dim, has.cores);
}

/// How often each tile is computed, by walking as the kernel's cores do.
std::map<std::pair<std::uint32_t, std::uint32_t>, int> visits(const mm::Plan& plan) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
  for (std::uint32_t core = 0; core < plan.block_dim; ++core) {
    kernel_matmul::TileWalk walk(plan.tiling, core, plan.block_dim);
    EXPECT_FALSE(walk.Done()) << "core " << core << " has no work";
    for (; !walk.Done(); walk.Advance()) ++count[{walk.Current().row, walk.Current().col}];
  }
  return count;
}

void expect_covers(const mm::Plan& plan) {
  const MatmulTiling& t = plan.tiling;
  const auto count = visits(plan);
  EXPECT_EQ(count.size(), ceil_div(t.m, t.tile_m) * ceil_div(t.n, t.tile_n));
  for (const auto& [tile, times] : count) {
    EXPECT_EQ(times, 1) << "tile " << tile.first << ", " << tile.second;
    EXPECT_LT(tile.first, ceil_div(t.m, t.tile_m));
    EXPECT_LT(tile.second, ceil_div(t.n, t.tile_n));
  }
}

TEST(MatmulTiling, EverythingFitsAndEveryTileIsComputedOnce) {
  operators::SeededData random(device().memory(), 77);
  for (const char* soc : {"Ascend910B1", "Ascend910B3", "Ascend910_9391"}) {
    const mm::Machine has = machine(soc);
    for (int trial = 0; trial < 150; ++trial) {
      const MmSizes s = random_sizes(random, 16384);
      SCOPED_TRACE(to_string(s));
      const mm::Problem p = problem(s);
      const mm::Plan plan = mm::plan(p, has);
      expect_fits(plan, p, has);
      expect_covers(plan);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(MatmulTiling, SmallerBuffersAreRespected) {
  mm::Machine has = machine();
  has.l1 /= 4, has.l0a /= 2, has.l0b /= 4, has.l0c /= 2, has.bias_table /= 2;
  operators::SeededData random(device().memory(), 78);
  for (int trial = 0; trial < 100; ++trial) {
    const MmSizes s = random_sizes(random, 16384);
    SCOPED_TRACE(to_string(s));
    const mm::Problem p = problem(s);
    expect_fits(mm::plan(p, has), p, has);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(MatmulTiling, BuffersThatHoldNoTileAreSaidSo) {
  mm::Machine has = machine();
  has.l0a = 512;
  EXPECT_THROW(mm::plan(problem({.m = 20, .n = 20, .k = 20}), has), std::invalid_argument);
  has = machine();
  has.l1 = 2048;
  EXPECT_THROW(mm::plan(problem({.m = 20, .n = 20, .k = 20}), has), std::invalid_argument);
}

TEST(MatmulTiling, LargeProductsUseAllOfL0CAndEveryCore) {
  for (const char* soc : {"Ascend910B1", "Ascend910B3"}) {
    const mm::Plan plan = mm::plan(problem({.m = 8192, .n = 8192, .k = 8192}), machine(soc));
    EXPECT_EQ(plan.tiling.tile_m * plan.tiling.tile_n * 4, 128u * 1024) << soc;
    EXPECT_EQ(plan.block_dim, machine(soc).cores) << soc;
  }
}

TEST(MatmulTiling, NarrowProductsSpreadOverTheCores) {
  for (const MmSizes& s :
       {MmSizes{.m = 1, .n = 4096, .k = 4096}, MmSizes{.m = 4096, .n = 1, .k = 4096},
        MmSizes{.m = 300, .n = 300, .k = 300}}) {
    EXPECT_GE(mm::plan(problem(s), machine()).block_dim, 16u) << to_string(s);
  }
}

/// The cores work on a block of C at a time, so that they share what they read.
TEST(MatmulTiling, CoresThatRunTogetherShareRowsAndColumns) {
  const mm::Plan plan =
      mm::plan(problem({.m = 8192, .n = 8192, .k = 8192}), machine("Ascend910B1"));
  std::map<std::uint32_t, int> rows, cols;
  for (std::uint32_t core = 0; core < plan.block_dim; ++core) {
    const kernel_matmul::TileWalk walk(plan.tiling, core, plan.block_dim);
    ++rows[walk.Current().row];
    ++cols[walk.Current().col];
  }
  EXPECT_LE(rows.size() + cols.size(), 12u);  // 24 cores: 6 x 4 or 8 x 3 at best
}

TEST(MatmulL1Panel, KeepsWhatFitsAndReplacesTheOldest) {
  kernel_matmul::L1Panel panel;
  panel.Init(2);
  bool load = false;
  const std::uint32_t first = panel.Find(5, 0, load);
  EXPECT_TRUE(load);
  const std::uint32_t second = panel.Find(5, 1, load);
  EXPECT_TRUE(load);
  EXPECT_NE(first, second);
  EXPECT_EQ(panel.Find(5, 0, load), first);
  EXPECT_FALSE(load);
  EXPECT_EQ(panel.Find(6, 0, load), second);  // the other one was asked for last
  EXPECT_TRUE(load);
  panel.Find(5, 1, load);
  EXPECT_TRUE(load);
}

// --- tilings by hand
// -------------------------------------------------------------------------------

observe::LaunchReport launch(const operators::Call& call, const mm::Plan& plan,
                             operators::TensorMap& outputs) {
  const auto bias = call.tensors.find("bias");
  return device().launch(
      "matmul", plan.block_dim, call.tensors.at("a").gm(), call.tensors.at("b").gm(),
      bias == call.tensors.end() ? nullptr : bias->second.gm(), outputs.at("c").gm(), plan.tiling);
}

/// Short steps, shared panels, chunks of several steps: every way through L1 that the search may
/// choose for products too large for a test.
TEST(MatmulTiling, EveryWayThroughL1GivesTheSameSums) {
  operators::SeededData random(device().memory(), 79);
  for (int trial = 0; trial < 60; ++trial) {
    MmSizes s = random_sizes(random, 300);
    s.m += 60, s.n += 60, s.k += 60;
    const mm::Problem p = problem(s);
    mm::Candidate c;
    c.tile_m = 32 * random.integer(1, 2);
    c.tile_n = 32 * random.integer(1, 3);
    c.l0_k = 32;
    c.step_k = 32 * random.integer(1, 3);
    c.a_steps = random.integer(1, 3);
    c.b_steps = random.integer(1, 3);
    const std::int64_t shared = random.integer(1, 3);
    (trial % 2 == 0 ? c.unit_m : c.unit_n) = shared;
    const auto chunks = [&](std::int64_t steps) {
      return static_cast<std::int64_t>(ceil_div(p.k, steps * c.step_k));
    };
    if (c.unit_n > 1) c.a_slots = std::max<std::int64_t>(2, chunks(c.a_steps));
    if (c.unit_m > 1) c.b_slots = std::max<std::int64_t>(2, chunks(c.b_steps));
    if (std::max(c.a_slots, c.b_slots) > kMatmulMostSlots) continue;
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + to_string(s));
    const mm::Plan plan = mm::plan_with(p, machine(), c);
    expect_fits(plan, p, machine());
    expect_covers(plan);
    const operators::Call call =
        mm_call(s, device().memory(), 500 + static_cast<std::uint64_t>(trial));
    operators::TensorMap outputs;
    outputs.emplace("c", operators::Tensor(device().memory(), p.output, {p.m, p.n}, "c"));
    launch(call, plan, outputs);
    expect_reference(call, outputs);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace davsim::test
