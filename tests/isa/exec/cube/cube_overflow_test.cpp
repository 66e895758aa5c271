// Infinities and NaN out of Mmad and Fixpipe, with and without CTRL[48].
#include <cfloat>
#include <cmath>
#include <limits>

#include "ascendc/control_register.h"
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::Fixpipe;
using AscendC::FixpipeParamsV220;
using AscendC::Mmad;
using AscendC::MmadParams;
using AscendC::TPosition;
using isa::Space;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class CubeOverflow : public MoveTest {
 protected:
  /// A product whose first row is inf, -inf, nan, 5 and zeros.
  void multiply() {
    half* a = core.buffer<half>(Space::kL0A);
    half* b = core.buffer<half>(Space::kL0B);
    a[0] = half::from_bits(0x7c00), a[1] = half(1.0f);  // inf, 1
    b[0 * 16] = half(2.0f), b[1 * 16] = half(-1.0f);    // column, row 0
    b[2 * 16] = half(0.0f), b[3 * 16] = half(0.0f);
    Mmad(local<float>(TPosition::CO1), local<half>(TPosition::A2), local<half>(TPosition::B2),
         MmadParams(16, 16, 16, 0, false, true));
  }
  float c(int col) { return core.buffer<float>(Space::kL0C)[col]; }
};

TEST_F(CubeOverflow, MmadKeepsInfinitiesAndNan) {
  multiply();
  EXPECT_EQ(c(0), kInf);
  EXPECT_EQ(c(1), -kInf);
  EXPECT_TRUE(std::isnan(c(2)));
}

TEST_F(CubeOverflow, MmadSaturatesWithoutBit48) {
  AscendC::SetCtrlSpr<48, 48>(0);
  multiply();
  EXPECT_EQ(c(0), FLT_MAX);
  EXPECT_EQ(c(1), -FLT_MAX);
  EXPECT_EQ(c(2), 0.0f);
  AscendC::SetCtrlSpr<48, 48>(1);
  multiply();
  EXPECT_EQ(c(0), kInf);
}

TEST_F(CubeOverflow, FixpipeSaturatesWhatItNarrows) {
  const float in[] = {1e30f, -kInf, kNan, 65504.0f, 3.5f};
  std::copy(std::begin(in), std::end(in), core.buffer<float>(Space::kL0C));
  GmVector<half> halves(16);
  GmVector<bfloat16_t> bfloats(16);
  FixpipeParamsV220 params(16, 1, 16, 16, false);
  for (const bool saturates : {false, true}) {
    AscendC::SetCtrlSpr<48, 48>(saturates ? 0 : 1);
    params.quantPre = F322F16;
    Fixpipe(gm(halves), local<float>(TPosition::CO1), params);
    params.quantPre = F322BF16;
    Fixpipe(gm(bfloats), local<float>(TPosition::CO1), params);
    EXPECT_EQ(float(halves[0]), saturates ? 65504.0f : kInf);
    EXPECT_EQ(float(halves[1]), saturates ? -65504.0f : -kInf);
    EXPECT_EQ(float(halves[3]), 65504.0f);
    EXPECT_EQ(float(halves[4]), 3.5f);
    EXPECT_EQ(float(bfloats[1]), saturates ? -0x1.fep127f : -kInf);
    EXPECT_EQ(std::isnan(float(halves[2])), !saturates);
    EXPECT_EQ(std::isnan(float(bfloats[2])), !saturates);
    if (saturates) {
      EXPECT_EQ(float(halves[2]), 0.0f);
      EXPECT_EQ(float(bfloats[2]), 0.0f);
    }
  }
}

TEST_F(CubeOverflow, FixpipeSaturatesWhatItDequantises) {
  core.buffer<std::int32_t>(Space::kL0C)[0] = 1 << 30;
  GmVector<half> halves(16);
  FixpipeParamsV220 params(16, 1, 16, 16, false);
  params.quantPre = DEQF16;
  params.deqScalar = std::bit_cast<std::uint32_t>(1.0f);
  Fixpipe(gm(halves), local<std::int32_t>(TPosition::CO1), params);
  EXPECT_EQ(float(halves[0]), kInf);
  AscendC::SetCtrlSpr<48, 48>(0);
  Fixpipe(gm(halves), local<std::int32_t>(TPosition::CO1), params);
  EXPECT_EQ(float(halves[0]), 65504.0f);
}

}  // namespace
}  // namespace davsim::test
