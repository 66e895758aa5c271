// SetAtomicAdd, SetAtomicMax, SetAtomicMin on moves into global memory.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::DataCopy;
using AscendC::TPosition;
using isa::Space;

template <class T>
class AtomicTypedTest : public MoveTest {
 protected:
  static constexpr int kCount = 64;
  void SetUp() override {
    there_.resize(kCount);
    T* ub = core.buffer<T>(Space::kUb);
    for (int i = 0; i < kCount; ++i) {
      there_[i] = static_cast<T>(static_cast<float>(noise(i, 40)));
      comes_[i] = static_cast<T>(static_cast<float>(noise(i + 1000, 40)));
      ub[i] = comes_[i];
    }
  }
  float a(int i) const { return static_cast<float>(there_[i]); }
  float b(int i) const { return static_cast<float>(comes_[i]); }
  std::vector<T> there_;
  T comes_[kCount];
};
using AtomicTypes =
    ::testing::Types<float, half, bfloat16_t, std::int32_t, std::int16_t, std::int8_t>;
TYPED_TEST_SUITE(AtomicTypedTest, AtomicTypes);

TYPED_TEST(AtomicTypedTest, AddMaxMinAndNone) {
  using T = TypeParam;
  std::vector<T> sum = this->there_, greatest = this->there_, least = this->there_,
                 plain = this->there_;
  auto ub = this->template local<T>(TPosition::VECOUT);
  AscendC::SetAtomicAdd<T>();
  DataCopy(this->gm(sum), ub, this->kCount);
  AscendC::SetAtomicMax<T>();
  DataCopy(this->gm(greatest), ub, AscendC::DataCopyParams{2, sizeof(T), 0, 0});
  AscendC::SetAtomicMin<T>();
  AscendC::DataCopyPad(this->gm(least), ub,
                       AscendC::DataCopyExtParams{1, this->kCount * sizeof(T), 0, 0, 0});
  AscendC::SetAtomicNone();
  DataCopy(this->gm(plain), ub, this->kCount);
  for (int i = 0; i < this->kCount; ++i) {
    const float a = this->a(i), b = this->b(i);
    EXPECT_EQ(static_cast<float>(sum[i]), a + b) << i;
    EXPECT_EQ(static_cast<float>(greatest[i]), a > b ? a : b) << i;
    EXPECT_EQ(static_cast<float>(least[i]), a < b ? a : b) << i;
    EXPECT_EQ(static_cast<float>(plain[i]), b) << i;
  }
}

TEST_F(MoveTest, AtomicIntegersSaturate) {
  std::vector<std::int8_t> bytes(32, 100);
  std::vector<std::int32_t> words(8, INT32_MIN + 1);
  auto* ub = core.buffer<std::int8_t>(Space::kUb);
  std::fill(ub, ub + 32, std::int8_t{100});
  auto* more = core.buffer<std::int32_t>(Space::kUb, 64);
  std::fill(more, more + 8, -5);
  AscendC::SetAtomicAdd<std::int8_t>();
  DataCopy(gm(bytes), local<std::int8_t>(TPosition::VECOUT), 32);
  AscendC::SetAtomicAdd<std::int32_t>();
  DataCopy(gm(words), local<std::int32_t>(TPosition::VECOUT, 64), 8);
  for (auto value : bytes) EXPECT_EQ(value, 127);
  for (auto value : words) EXPECT_EQ(value, INT32_MIN);
}

TEST_F(MoveTest, AtomicHalvesRoundOnceToEven) {
  std::vector<half> there(16, half(2048));
  half* ub = core.buffer<half>(Space::kUb);
  std::fill(ub, ub + 16, half(1));  // 2049 lies between 2048 and 2050
  AscendC::SetAtomicAdd<half>();
  DataCopy(gm(there), local<half>(TPosition::VECOUT), 16);
  for (half value : there) EXPECT_EQ(float(value), 2048.0f);
}

TEST_F(MoveTest, AtomicTypeIsTheRegistersNotTheTensors) {
  std::vector<std::int32_t> there(8, std::bit_cast<std::int32_t>(1.5f));
  auto* ub = core.buffer<float>(Space::kUb);
  std::fill(ub, ub + 8, 2.0f);
  AscendC::SetAtomicAdd<float>();
  DataCopy(gm(there), local<std::int32_t>(TPosition::VECOUT), 8);
  for (auto value : there) EXPECT_EQ(std::bit_cast<float>(value), 3.5f);
  EXPECT_EQ(std::get<isa::MoveParams>(last().params).atomic, isa::AtomicOp::kAdd);
}

TEST_F(MoveTest, AtomicsLeaveMovesIntoTheCoreAlone) {
  std::vector<float> in = counting<float>(8);
  auto* ub = core.buffer<float>(Space::kUb);
  std::fill(ub, ub + 8, 100.0f);
  AscendC::SetAtomicAdd<float>();
  DataCopy(local<float>(TPosition::VECIN), gm(in), 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(ub[i], in[i]);
}

TEST_F(MoveTest, AtomicsOfOtherTypesAreRefused) {
  isa::Instr instr;
  instr.op = isa::Opcode::kMoveUbToGm;
  std::vector<std::uint8_t> data(32);
  gm(data);
  instr.src0 = {Space::kUb, isa::DType::kU8, 0};
  instr.dst = {Space::kGm, isa::DType::kU8, reinterpret_cast<std::uint64_t>(data.data())};
  instr.params = isa::MoveParams{.bursts = 1, .burst_bytes = 32, .atomic = isa::AtomicOp::kAdd};
  EXPECT_THROW(isa::decode(instr, core.memory), isa::Fault);
}

}  // namespace
}  // namespace davsim::test
