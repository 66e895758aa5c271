// Exact cycles of the plain vector instructions, one by one: fixed + repeats x cycles of a repeat,
// where nothing conflicts. The other vector instructions have tests of their own beside this one.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::Opcode;

constexpr std::uint8_t kRepeats = 50;
// Three places in three banks, whose blocks of one repeat lie in different groups.
constexpr std::uint32_t kA = 0, kB = 65536 + 256, kC = 131072;

struct Row {
  Opcode op;
  observe::Cycle fixed, per_repeat;
  std::function<void()> kernel;
};

class VectorRowsTiming : public DeviceTest {
 protected:
  void expect(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      on_vector(1, row.kernel);
      const auto events = recorder.of(row.op);
      ASSERT_EQ(events.size(), 1u) << isa::info(row.op).mnemonic;
      EXPECT_EQ(events[0].end - events[0].start, row.fixed + kRepeats * row.per_repeat)
          << isa::info(row.op).mnemonic;
    }
  }

  template <class T>
  static LocalTensor<T> to() {
    return ub<T>(kC, 64);
  }
  template <class T>
  static LocalTensor<T> a() {
    return ub<T>(kA, 64);
  }
  template <class T>
  static LocalTensor<T> b() {
    return ub<T>(kB, 64);
  }
  static constexpr std::uint64_t kWords = 64, kHalves = 128;
};

TEST_F(VectorRowsTiming, TwoTensors) {
  const BinaryRepeatParams s;
  const std::uint8_t r = kRepeats;
  using F = float;
  using I = std::int16_t;
  expect({
      {Opcode::kSub, 24, 1, [=] { Sub(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kSub, 24, 1, [=] { Sub(to<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      {Opcode::kMul, 25, 1, [=] { Mul(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kMul, 25, 1, [=] { Mul(to<I>(), a<I>(), b<I>(), kHalves, r, s); }},
      {Opcode::kDiv, 31, 2, [=] { Div(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kDiv, 31, 4, [=] { Div(to<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      {Opcode::kMax, 23, 1, [=] { Max(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kMin, 23, 1, [=] { Min(to<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      {Opcode::kAnd, 20, 1, [=] { And(to<I>(), a<I>(), b<I>(), kHalves, r, s); }},
      {Opcode::kOr, 20, 1, [=] { Or(to<I>(), a<I>(), b<I>(), kHalves, r, s); }},
      {Opcode::kMulAddDst, 25, 2, [=] { MulAddDst(a<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kMulAddDst, 25, 2,
       [=] { MulAddDst(a<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      // Three tensors at three addresses take two beats to read.
      {Opcode::kMulAddDst, 25, 4, [=] { MulAddDst(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
  });
}

TEST_F(VectorRowsTiming, ATensorAndAScalar) {
  const UnaryRepeatParams s;
  const std::uint8_t r = kRepeats;
  using F = float;
  const half one(1.0f);
  expect({
      {Opcode::kAdds, 25, 1, [=] { Adds(to<half>(), a<half>(), one, kHalves, r, s); }},
      {Opcode::kMuls, 26, 1, [=] { Muls(to<F>(), a<F>(), 2.0f, kWords, r, s); }},
      {Opcode::kMuls, 26, 1, [=] { Muls(to<half>(), a<half>(), one, kHalves, r, s); }},
      {Opcode::kMaxs, 23, 1, [=] { Maxs(to<F>(), a<F>(), 2.0f, kWords, r, s); }},
      {Opcode::kMins, 23, 1, [=] { Mins(to<half>(), a<half>(), one, kHalves, r, s); }},
      {Opcode::kAxpy, 26, 1, [=] { Axpy(to<F>(), a<F>(), 2.0f, kWords, r, s); }},
      {Opcode::kAxpy, 26, 1, [=] { Axpy(to<half>(), a<half>(), one, kHalves, r, s); }},
  });
}

TEST_F(VectorRowsTiming, OneTensor) {
  const UnaryRepeatParams s;
  const std::uint8_t r = kRepeats;
  using F = float;
  expect({
      {Opcode::kExp, 31, 4, [=] { Exp(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kLn, 33, 2, [=] { Ln(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kLn, 33, 4, [=] { Ln(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kAbs, 29, 1, [=] { Abs(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kSqrt, 39, 2, [=] { Sqrt(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kSqrt, 39, 4, [=] { Sqrt(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kRsqrt, 24, 1, [=] { Rsqrt(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kReciprocal, 24, 1, [=] { Reciprocal(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kRelu, 23, 1, [=] { Relu(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kNot, 20, 1, [=] { Not(to<std::int16_t>(), a<std::int16_t>(), kHalves, r, s); }},
  });
}

TEST_F(VectorRowsTiming, CastsCountTheWiderType) {
  const std::uint8_t r = kRepeats;
  expect({
      {Opcode::kCast, 32, 1,
       [=] {
         Cast(to<half>(), a<float>(), RoundMode::CAST_RINT, kWords, r, {1, 1, 4, 8});
       }},
      {Opcode::kCast, 32, 1,
       [=] {
         Cast(to<std::int8_t>(), a<half>(), RoundMode::CAST_RINT, kHalves, r, {1, 1, 4, 8});
       }},
      {Opcode::kCast, 32, 1,
       [=] {
         Cast(to<std::int64_t>(), a<float>(), RoundMode::CAST_RINT, std::uint64_t{32}, r,
              {1, 1, 8, 4});
       }},
  });
}

TEST_F(VectorRowsTiming, FillsAndCopies) {
  const std::uint8_t r = kRepeats;
  expect({
      {Opcode::kDuplicate, 24, 1, [=] { Duplicate(to<float>(), 1.0f, kWords, r, 1, 8); }},
      {Opcode::kDuplicate, 24, 1, [=] { Duplicate(to<half>(), half(1.0f), kHalves, r, 1, 8); }},
      {Opcode::kCopyUbToUb, 24, 1,
       [=] {
         Copy(to<float>(), a<float>(), kWords, r, {1, 1, 8, 8});
       }},
      {Opcode::kCopyUbToUb, 24, 1,
       [=] {
         Copy(to<half>(), a<half>(), kHalves, r, {1, 1, 8, 8});
       }},
  });
}

}  // namespace
}  // namespace davsim::test
