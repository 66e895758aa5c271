// Each operand of an instruction of the cube side or of a move lies in the space that its unit
// reaches. Records that name another space are refused, whoever makes them.
#include <algorithm>

#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::Space;

class Spaces : public MoveTest {
 protected:
  static constexpr Space kAll[] = {Space::kGm,          Space::kL1, Space::kL0A, Space::kL0B,
                                   Space::kL0C,         Space::kBt, Space::kFb,  Space::kUb,
                                   Space::kSparseIndex, Space::kSpr};

  /// The last record that was made, and the same with an operand in each other space. `others`: a
  /// second space that the result may lie in.
  void expect_only(std::vector<Space> others = {}) {
    const isa::Instr good = core.emitted.back();
    SCOPED_TRACE(isa::info(good.op).mnemonic);
    EXPECT_NO_THROW(isa::decode(good, core.memory));
    for (isa::Operand isa::Instr::*operand :
         {&isa::Instr::dst, &isa::Instr::src0, &isa::Instr::src1}) {
      const Space right = (good.*operand).space;
      if (right == Space::kNone) continue;
      for (const Space space : kAll) {
        const bool is_dst = operand == &isa::Instr::dst;
        const bool legal =
            space == right || (is_dst && std::count(others.begin(), others.end(), space) > 0);
        if (legal) continue;
        isa::Instr wrong = good;
        (wrong.*operand).space = space;
        // An address that is in every space, so that nothing but the space is wrong.
        if (space == Space::kGm)
          (wrong.*operand).addr = reinterpret_cast<std::uint64_t>(halves_.data());
        if (right == Space::kGm) (wrong.*operand).addr = 0;
        EXPECT_THROW(isa::decode(wrong, core.memory), isa::Fault)
            << isa::space_name(space) << " for " << isa::space_name(right);
      }
    }
  }

  GmVector<half> halves_ = GmVector<half>(8192);
  GmVector<float> floats_ = GmVector<float>(8192);
};

TEST_F(Spaces, OfMoves) {
  const auto data = gm(halves_);
  DataCopy(local<half>(TPosition::VECIN), data, 64);
  expect_only();
  DataCopy(data, local<half>(TPosition::VECOUT), 64);
  expect_only();
  DataCopy(local<half>(TPosition::A1), data, 64);
  expect_only();
  DataCopy(data, local<half>(TPosition::A1), 64);
  expect_only();
  DataCopy(local<half>(TPosition::VECOUT), local<half>(TPosition::VECCALC), 64);
  expect_only();
  DataCopyPad(local<half>(TPosition::VECIN), data, DataCopyExtParams{1, 20, 0, 0, 0}, {});
  expect_only();
  DataCopyPad(data, local<half>(TPosition::VECOUT), DataCopyExtParams{1, 20, 0, 0, 0});
  expect_only();
  DataCopy(local<half>(TPosition::A1), data, Nd2NzParams{1, 16, 16, 0, 16, 16, 1, 0});
  expect_only();
}

TEST_F(Spaces, OfTheCubeSide) {
  const auto l1 = local<half>(TPosition::A1);
  const auto a = local<half>(TPosition::A2), b = local<half>(TPosition::B2);
  const auto c = local<float>(TPosition::CO1);
  LoadData(a, l1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  expect_only({Space::kL0B});
  LoadData(a, gm(halves_), LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  expect_only({Space::kL0B});
  LoadDataWithTranspose(b, local<half>(TPosition::B1), {0, 1, 1, 0, 0});
  expect_only({Space::kL0A});
  Mmad(c, a, b, {16, 16, 16, false, 0, false, false, false});
  expect_only();
  Fixpipe<float, float>(gm(floats_), c, FixpipeParamsV220(16, 16, 16, 16, false));
  expect_only();
  FixpipeParamsV220 to_l1(16, 16, 16, 16, false);
  to_l1.quantPre = F322F16;
  Fixpipe<half, float>(l1, c, to_l1);
  expect_only();
  InitConstValue(l1, {1, std::uint16_t{32}, 0, half(0)});
  expect_only();
  InitConstValue(a, {1, std::uint16_t{1}, 0, half(0)});
  expect_only({Space::kL0B});
}

}  // namespace
}  // namespace davsim::test
