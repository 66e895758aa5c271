// Mmad against a plain triple loop, on operands laid out by hand.
#include <bit>
#include <cmath>
#include <limits>

#include "isa/exec/cube/mmad_gemm.hpp"
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::Mmad;
using AscendC::MmadParams;
using AscendC::TPosition;
using isa::Space;

/// A number that spoils every sum it gets into.
template <class T>
T poison() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::max();
  else
    return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
}

/// A product of small numbers whose sums are exact in fp32 and int32; all that lies beside the
/// operands in L0A and L0B is poison.
template <class T>
struct Product {
  using Result = std::conditional_t<std::is_integral_v<T>, std::int32_t, float>;

  Product(TestCore& on, int rows, int columns, int depth)
      : core(on), m(rows), n(columns), k(depth) {
    std::fill_n(core.buffer<T>(Space::kL0A), 65536 / sizeof(T), poison<T>());
    std::fill_n(core.buffer<T>(Space::kL0B), 65536 / sizeof(T), poison<T>());
    for (int i = 0; i < 32768; ++i)
      core.buffer<Result>(Space::kL0C)[i] = static_cast<Result>(i % 97);
    params.m = static_cast<std::uint16_t>(m);
    params.n = static_cast<std::uint16_t>(n);
    params.k = static_cast<std::uint16_t>(k);
  }

  static float a_value(int row, int col) { return static_cast<float>(noise(row * 4099 + col, 16)); }
  static float b_value(int row, int col) {
    return static_cast<float>(noise(row * 8209 + col + 7, 16));
  }

  void lay_out(int k_fractals_of_a = 0) {
    const int c0 = 32 / static_cast<int>(sizeof(T));
    const int kf = (k + c0 - 1) / c0, nf = (n + 15) / 16;
    const int a_pitch = k_fractals_of_a == 0 ? kf : k_fractals_of_a;
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < k; ++col) {
        const int at =
            m == 1 ? col : ((row / 16 * a_pitch + col / c0) * 16 + row % 16) * c0 + col % c0;
        core.buffer<T>(Space::kL0A)[at] = static_cast<T>(a_value(row, col));
      }
    }
    for (int row = 0; row < k; ++row) {
      for (int col = 0; col < n; ++col) {
        const int at = ((row / c0 * nf + col / 16) * 16 + col % 16) * c0 + row % c0;
        core.buffer<T>(Space::kL0B)[at] = static_cast<T>(b_value(row, col));
      }
    }
  }

  Result& c(int row, int col) {
    const int mf = (m + 15) / 16;
    return core.buffer<Result>(Space::kL0C)[(col / 16 * mf * 16 + row) * 16 + col % 16];
  }

  /// `start(row, col)` is what C starts from.
  template <class Start>
  void expect(Start start) {
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        double sum = start(row, col);
        for (int i = 0; i < k; ++i) sum += double{a_value(row, i)} * b_value(i, col);
        ASSERT_EQ(double{static_cast<double>(c(row, col))}, sum)
            << m << "x" << n << "x" << k << " at " << row << ", " << col;
      }
    }
  }

  void run() {
    Mmad(AscendC::LocalTensor<Result>(TPosition::CO1, 0, 16),
         AscendC::LocalTensor<T>(TPosition::A2, 0, 16),
         AscendC::LocalTensor<T>(TPosition::B2, 0, 16), params);
  }

  TestCore& core;
  int m, n, k;
  MmadParams params;
};

template <class T>
class MmadTyped : public MoveTest {};
using MmadTypes = ::testing::Types<half, bfloat16_t, float, std::int8_t>;
TYPED_TEST_SUITE(MmadTyped, MmadTypes);

TYPED_TEST(MmadTyped, FullFractals) {
  Product<TypeParam> product(this->core, 64, 96, 64);
  product.lay_out();
  product.run();
  product.expect([](int, int) { return 0.0; });
  EXPECT_EQ(this->last().op, isa::Opcode::kMmad);
  EXPECT_EQ(this->last().pipe, isa::Pipe::M);
}

TYPED_TEST(MmadTyped, TailsOfEverySize) {
  for (auto [m, n, k] :
       {std::array{30, 40, 70}, {17, 1, 1}, {2, 16, 33}, {16, 15, 8}, {47, 33, 100}}) {
    Product<TypeParam> product(this->core, m, n, k);
    product.lay_out();
    product.run();
    product.expect([](int, int) { return 0.0; });
  }
}

TYPED_TEST(MmadTyped, AddsToC) {
  Product<TypeParam> product(this->core, 33, 40, 24);
  product.lay_out();
  std::vector<double> before;
  for (int row = 0; row < 33; ++row) {
    for (int col = 0; col < 40; ++col) before.push_back(static_cast<double>(product.c(row, col)));
  }
  product.params.cmatrixInitVal = false;
  product.run();
  product.expect([&](int row, int col) { return before[row * 40 + col]; });
}

TYPED_TEST(MmadTyped, RowsBeyondMKeepWhatTheyHeld) {
  Product<TypeParam> product(this->core, 18, 16, 16);
  product.lay_out();
  const auto* c = this->core.template buffer<typename Product<TypeParam>::Result>(Space::kL0C);
  product.run();
  for (int i = 18 * 16; i < 32 * 16; ++i) EXPECT_EQ(static_cast<int>(c[i]), i % 97);
}

TYPED_TEST(MmadTyped, ColumnsBeyondNSeeZeros) {
  Product<TypeParam> product(this->core, 16, 19, 16);
  product.lay_out();
  const auto* c = this->core.template buffer<typename Product<TypeParam>::Result>(Space::kL0C);
  product.params.cmatrixInitVal = false;
  product.run();
  for (int row = 0; row < 16; ++row) {
    for (int col = 3; col < 16; ++col) {
      const int at = 256 + row * 16 + col;
      EXPECT_EQ(static_cast<int>(c[at]), at % 97);
    }
  }
  product.params.cmatrixInitVal = true;
  product.run();
  for (int row = 0; row < 16; ++row) {
    for (int col = 3; col < 16; ++col) EXPECT_EQ(static_cast<int>(c[256 + row * 16 + col]), 0);
  }
}

TYPED_TEST(MmadTyped, StartsFromTheBiasTable) {
  using Result = typename Product<TypeParam>::Result;
  Product<TypeParam> product(this->core, 20, 40, 20);
  product.lay_out();
  for (int i = 0; i < 256; ++i) {
    this->core.template buffer<Result>(Space::kBt)[i] = static_cast<Result>(1000 + i);
  }
  Mmad(this->template local<Result>(TPosition::CO1), this->template local<TypeParam>(TPosition::A2),
       this->template local<TypeParam>(TPosition::B2),
       this->template local<Result>(TPosition::C2, 64), product.params);
  product.expect([](int, int col) { return 1016.0 + col; });
  // Without a bias operand, cmatrixSource takes the table from its start.
  product.params.cmatrixInitVal = false;
  product.params.cmatrixSource = true;
  product.run();
  product.expect([](int, int col) { return 1000.0 + col; });
}

TYPED_TEST(MmadTyped, OneRowIsAVector) {
  for (auto [n, k] : {std::array{32, 256}, {50, 100}, {16, 1024}}) {
    Product<TypeParam> product(this->core, 1, n, k);
    product.lay_out();
    product.run();
    product.expect([](int, int) { return 0.0; });
  }
}

TEST_F(MoveTest, MmadBiasInL0cIsC) {
  Product<half> product(core, 16, 16, 16);
  product.lay_out();
  const float before = product.c(3, 5);
  Mmad(local<float>(TPosition::CO1), local<half>(TPosition::A2), local<half>(TPosition::B2),
       local<float>(TPosition::CO1), product.params);
  double sum = before;
  for (int i = 0; i < 16; ++i) sum += double{product.a_value(3, i)} * product.b_value(i, 5);
  EXPECT_EQ(product.c(3, 5), sum);
}

TEST_F(MoveTest, MmadOldIsBiasMeansFromC) {
  Product<half> product(core, 16, 16, 16);
  product.lay_out();
  const float before = product.c(0, 0);
  product.params.isBias = true;
  product.run();
  double sum = before;
  for (int i = 0; i < 16; ++i) sum += double{product.a_value(0, i)} * product.b_value(i, 0);
  EXPECT_EQ(product.c(0, 0), sum);
}

TEST_F(MoveTest, MmadDeepIntegerProductsAreExact) {
  Product<std::int8_t> product(core, 1, 16, 4095);
  std::fill_n(core.buffer<std::int8_t>(Space::kL0A), 65536, std::int8_t{127});
  std::fill_n(core.buffer<std::int8_t>(Space::kL0B), 65536, std::int8_t{127});
  product.run();
  EXPECT_EQ(product.c(0, 3), 4095 * 127 * 127);  // odd and beyond 2^24: no float holds it
  std::fill_n(core.buffer<std::int8_t>(Space::kL0B), 65536, std::int8_t{-128});
  product.run();
  EXPECT_EQ(product.c(0, 3), 4095 * 127 * -128);
}

TEST_F(MoveTest, MmadIntegersSaturate) {
  Product<std::int8_t> product(core, 16, 16, 32);
  std::fill_n(core.buffer<std::int8_t>(Space::kL0A), 65536, std::int8_t{100});
  std::fill_n(core.buffer<std::int8_t>(Space::kL0B), 65536, std::int8_t{100});
  product.c(0, 0) = INT32_MAX - 5;
  product.params.cmatrixInitVal = false;
  product.run();
  EXPECT_EQ(product.c(0, 0), INT32_MAX);
  std::fill_n(core.buffer<std::int8_t>(Space::kL0B), 65536, std::int8_t{-100});
  product.c(0, 0) = INT32_MIN + 5;
  product.run();
  EXPECT_EQ(product.c(0, 0), INT32_MIN);
}

TEST_F(MoveTest, MmadFloatRowsOfAMayBePaddedTo16) {
  Product<float> product(core, 32, 16, 36);  // 5 fractals of k, padded to 6
  product.lay_out(6);
  product.params.kDirectionAlign = true;
  product.run();
  product.expect([](int, int) { return 0.0; });
}

TEST_F(MoveTest, MmadHf32RoundsTheOperands) {
  // 1 + 2^-12 lies half-way between two HF32 numbers, 1 + 3 * 2^-12 as well.
  const float low = 1.0f + std::ldexp(1.0f, -12), high = 1.0f + 3 * std::ldexp(1.0f, -12);
  const float ulp = std::ldexp(1.0f, -11);
  auto run = [&](float value) {
    Product<float> product(core, 16, 16, 8);
    product.lay_out();
    for (int i = 0; i < 128; ++i) core.buffer<float>(Space::kL0A)[i] = i % 8 == 0 ? value : 0.0f;
    for (int i = 0; i < 128; ++i) core.buffer<float>(Space::kL0B)[i] = i % 8 == 0 ? 1.0f : 0.0f;
    product.run();
    return product.c(0, 0);
  };
  EXPECT_EQ(run(low), low);
  AscendC::SetHF32Mode(true);
  EXPECT_EQ(run(low), 1.0f);
  EXPECT_EQ(run(high), 1.0f + 2 * ulp);
  EXPECT_EQ(run(-high), -1.0f - 2 * ulp);
  AscendC::SetHF32TransMode(AscendC::HF32TransMode::NEAREST_ZERO);
  EXPECT_EQ(run(low), 1.0f + ulp);
  EXPECT_EQ(run(std::nextafter(low, 0.0f)), 1.0f);
  AscendC::SetHF32Mode(AscendC::HF32Mode::DISABLE);
  EXPECT_EQ(run(low), low);
}

TEST_F(MoveTest, MmadPlainLoopsAgreeWithTheKernel) {
  std::vector<float> a(37 * 21), b(21 * 16), fast(37 * 16, 1.5f), plain(37 * 16, 1.5f);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(noise(i, 30));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(noise(i + 99, 30));
  for (bool accumulate : {true, false}) {
    isa::multiply_panel(fast.data(), a.data(), b.data(), 37, 21, accumulate);
    isa::multiply_panel_plain(plain.data(), a.data(), b.data(), 37, 21, accumulate);
    EXPECT_EQ(fast, plain);
  }
}

TEST_F(MoveTest, MmadOfNothingEmitsNothing) {
  Product<half> product(core, 0, 16, 16);
  product.run();
  product.params = MmadParams(16, 0, 16, 0, false, true);
  product.run();
  EXPECT_TRUE(core.emitted.empty());
}

TEST_F(MoveTest, MmadTakesItsRegistersWithIt) {
  AscendC::SetHF32Mode(true);
  Product<float> floats(core, 16, 16, 8);
  floats.params.unitFlag = 3;
  floats.lay_out();
  floats.run();
  const auto& mmad = std::get<isa::MmadInstrParams>(last().params);
  EXPECT_TRUE(mmad.hf32);
  EXPECT_TRUE(mmad.init_zero);
  EXPECT_EQ(mmad.unit_flag, isa::UnitFlag::kToggle);
  Product<half> halves(core, 16, 16, 16);
  halves.lay_out();
  halves.run();
  EXPECT_FALSE(std::get<isa::MmadInstrParams>(last().params).hf32);
}

TEST_F(MoveTest, MmadRecordsHaveExtentsFrom1To4095) {
  Product<half> product(core, 1, 1, 1);
  product.lay_out();
  product.run();
  const isa::Instr good = last();
  const std::pair<const char*, std::uint16_t isa::MmadInstrParams::*> extents[] = {
      {"m", &isa::MmadInstrParams::m},
      {"n", &isa::MmadInstrParams::n},
      {"k", &isa::MmadInstrParams::k}};
  for (const auto& [name, extent] : extents) {
    for (const std::uint16_t value : {0, 1, 1024, 4095, 4096}) {
      isa::Instr instr = good;
      std::get<isa::MmadInstrParams>(instr.params).*extent = value;
      std::string message;
      try {
        isa::decode(instr, core.memory);
      } catch (const isa::Fault& fault) {
        message = fault.message;
      }
      const std::string limit =
          std::string(name) + " is " + std::to_string(value) + ", allowed are 1";
      EXPECT_EQ(message.find(limit) != std::string::npos, value == 0 || value == 4096) << message;
    }
  }
}

TEST_F(MoveTest, MmadRefuses) {
  auto c = local<float>(TPosition::CO1);
  auto a = local<half>(TPosition::A2), b = local<half>(TPosition::B2);
  MmadParams good(16, 16, 16, 0, false, true);
  MmadParams p = good;
  p.m = 4096;
  EXPECT_FAULT(kParameter, "m is 4096, allowed are 0 to 4095", Mmad(c, a, b, p));
  p = good;
  p.unitFlag = 1;
  EXPECT_FAULT(kParameter, "unitFlag is 1, allowed are 0, 2 and 3", Mmad(c, a, b, p));
  EXPECT_FAULT(kAlignment, "dst address is 0x200, which is no multiple of 1024 bytes",
               Mmad(local<float>(TPosition::CO1, 512), a, b, good));
  EXPECT_FAULT(kAlignment, "fm address is 0x100, which is no multiple of 512 bytes",
               Mmad(c, local<half>(TPosition::A2, 256), b, good));
  EXPECT_FAULT(kAlignment, "filter address is 0x20",
               Mmad(c, a, local<half>(TPosition::B2, 32), good));
  EXPECT_FAULT(kParameter, "fm lies in L1", Mmad(c, local<half>(TPosition::A1), b, good));
  EXPECT_FAULT(kAddress, "of L0A",
               Mmad(local<float>(TPosition::CO1), a, b, MmadParams(512, 16, 80, 0, false, true)));
  EXPECT_FAULT(
      kAddress, "of L0C",
      Mmad(local<float>(TPosition::CO1, 126 * 1024), a, b, MmadParams(48, 16, 16, 0, false, true)));
  EXPECT_FAULT(
      kAddress, "of BT",
      Mmad(c, a, b, local<float>(TPosition::C2, 960), MmadParams(16, 32, 16, 0, false, true)));
  EXPECT_FAULT(kAlignment, "bias address is 0x20, which is no multiple of 64 bytes",
               Mmad(c, a, b, local<float>(TPosition::C2, 32), good));
}

}  // namespace
}  // namespace davsim::test
