// Exact cycles of the plain vector instructions, one by one: fixed + repeats x beats of a repeat,
// where nothing conflicts. The other vector instructions have tests of their own beside this one.
#include "tests/sim/unit/vector_places.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::Opcode;

struct Row {
  Opcode op;
  unsigned bits;   ///< of an element of the widest operand
  unsigned beats;  ///< a repeat
  std::function<void()> kernel;
};

class VectorRowsTiming : public TimingTest {
 protected:
  void expect(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      on_vector(1, row.kernel);
      const auto events = recorder.of(row.op);
      ASSERT_EQ(events.size(), 1u) << isa::info(row.op).mnemonic;
      EXPECT_EQ(events[0].end - events[0].start,
                vector_cycles(row.op, row.bits, kRepeats * row.beats))
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
      {Opcode::kSub, 32, 1, [=] { Sub(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kSub, 16, 1, [=] { Sub(to<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      {Opcode::kMul, 32, 1, [=] { Mul(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kMul, 16, 1, [=] { Mul(to<I>(), a<I>(), b<I>(), kHalves, r, s); }},
      {Opcode::kDiv, 32, 1, [=] { Div(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kDiv, 16, 1, [=] { Div(to<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      {Opcode::kMax, 32, 1, [=] { Max(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kMin, 16, 1, [=] { Min(to<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      {Opcode::kAnd, 16, 1, [=] { And(to<I>(), a<I>(), b<I>(), kHalves, r, s); }},
      {Opcode::kOr, 16, 1, [=] { Or(to<I>(), a<I>(), b<I>(), kHalves, r, s); }},
      {Opcode::kMulAddDst, 32, 1, [=] { MulAddDst(a<F>(), a<F>(), b<F>(), kWords, r, s); }},
      {Opcode::kMulAddDst, 16, 1,
       [=] { MulAddDst(a<half>(), a<half>(), b<half>(), kHalves, r, s); }},
      // Three tensors at three addresses take two beats to read.
      {Opcode::kMulAddDst, 32, 2, [=] { MulAddDst(to<F>(), a<F>(), b<F>(), kWords, r, s); }},
  });
}

TEST_F(VectorRowsTiming, ATensorAndAScalar) {
  const UnaryRepeatParams s;
  const std::uint8_t r = kRepeats;
  using F = float;
  const half one(1.0f);
  expect({
      {Opcode::kAdds, 16, 1, [=] { Adds(to<half>(), a<half>(), one, kHalves, r, s); }},
      {Opcode::kMuls, 32, 1, [=] { Muls(to<F>(), a<F>(), 2.0f, kWords, r, s); }},
      {Opcode::kMuls, 16, 1, [=] { Muls(to<half>(), a<half>(), one, kHalves, r, s); }},
      {Opcode::kMaxs, 32, 1, [=] { Maxs(to<F>(), a<F>(), 2.0f, kWords, r, s); }},
      {Opcode::kMins, 16, 1, [=] { Mins(to<half>(), a<half>(), one, kHalves, r, s); }},
      {Opcode::kAxpy, 32, 1, [=] { Axpy(to<F>(), a<F>(), 2.0f, kWords, r, s); }},
      {Opcode::kAxpy, 16, 1, [=] { Axpy(to<half>(), a<half>(), one, kHalves, r, s); }},
  });
}

TEST_F(VectorRowsTiming, OneTensor) {
  const UnaryRepeatParams s;
  const std::uint8_t r = kRepeats;
  using F = float;
  expect({
      {Opcode::kExp, 16, 1, [=] { Exp(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kLn, 32, 1, [=] { Ln(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kLn, 16, 1, [=] { Ln(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kAbs, 32, 1, [=] { Abs(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kSqrt, 32, 1, [=] { Sqrt(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kSqrt, 16, 1, [=] { Sqrt(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kRsqrt, 32, 1, [=] { Rsqrt(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kReciprocal, 16, 1, [=] { Reciprocal(to<half>(), a<half>(), kHalves, r, s); }},
      {Opcode::kRelu, 32, 1, [=] { Relu(to<F>(), a<F>(), kWords, r, s); }},
      {Opcode::kNot, 16, 1, [=] { Not(to<std::int16_t>(), a<std::int16_t>(), kHalves, r, s); }},
  });
}

TEST_F(VectorRowsTiming, CastsCountTheWiderType) {
  const std::uint8_t r = kRepeats;
  expect({
      {Opcode::kCast, 32, 1,
       [=] {
         Cast(to<half>(), a<float>(), RoundMode::CAST_RINT, kWords, r, {1, 1, 4, 8});
       }},
      {Opcode::kCast, 16, 1,
       [=] {
         Cast(to<std::int8_t>(), a<half>(), RoundMode::CAST_RINT, kHalves, r, {1, 1, 4, 8});
       }},
      {Opcode::kCast, 64, 1,
       [=] {
         Cast(to<std::int64_t>(), a<float>(), RoundMode::CAST_RINT, std::uint64_t{32}, r,
              {1, 1, 8, 4});
       }},
  });
}

TEST_F(VectorRowsTiming, FillsAndCopies) {
  const std::uint8_t r = kRepeats;
  expect({
      {Opcode::kDuplicate, 32, 1, [=] { Duplicate(to<float>(), 1.0f, kWords, r, 1, 8); }},
      {Opcode::kDuplicate, 16, 1, [=] { Duplicate(to<half>(), half(1.0f), kHalves, r, 1, 8); }},
      {Opcode::kCopyUbToUb, 32, 1,
       [=] {
         Copy(to<float>(), a<float>(), kWords, r, {1, 1, 8, 8});
       }},
      {Opcode::kCopyUbToUb, 16, 1,
       [=] {
         Copy(to<half>(), a<half>(), kHalves, r, {1, 1, 8, 8});
       }},
  });
}

}  // namespace
}  // namespace davsim::test
