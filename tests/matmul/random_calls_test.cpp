// Random sequences of calls of several objects: each product has the values of a plain one whatever
// came before it, and the checker finds nothing.
#include "tests/matmul/kernels/random_calls_call.h"
#include "tests/matmul/matmul_fixture.hpp"
#include "tests/op_host/matmul_wishes.hpp"

namespace davsim::test {
namespace {

class MatmulRandomCalls : public MatmulTest {
 protected:
  void run(unsigned seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Dice dice(seed);
    const auto m = static_cast<std::uint32_t>(16 * dice.up_to(3)),
               n = static_cast<std::uint32_t>(16 * dice.up_to(4)),
               k = static_cast<std::uint32_t>(16 * dice.up_to(6));
    RandomCalls calls;
    calls.tiling = tiling(DataType::DT_FLOAT16, m, n, k, [&](auto& api) {
      if (dice.one_in(2)) api.SetFixSplit(16, 16, -1);
      if (dice.one_in(2)) api.SetBufferSpace(65536 * dice.up_to(3), -1, -1);
    });
    for (auto& core : calls.call) {
      for (RandomCall& call : core) {
        call = static_cast<RandomCall>(dice.up_to(static_cast<int>(RandomCall::kCalls)) - 1);
      }
    }
    for (auto& core : calls.object) {
      for (std::uint8_t& object : core) object = static_cast<std::uint8_t>(dice.up_to(3) - 1);
    }
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    const std::size_t products = std::size_t{RandomCalls::kVectors} * RandomCalls::kSteps;
    float* out = global<float>(products * m * n, "c", [](std::size_t) { return -1.f; });
    float* room =
        global<float>(RandomCalls::kVectors * 16384, "room", [](std::size_t) { return 0.f; });
    device().launch("random_calls", RandomCalls::kVectors / 2,
                    bytes(stored<isa::half>(a, false, 0)), bytes(stored<isa::half>(b, false, 0)),
                    bytes(out), bytes(room), calls);
    for (std::size_t i = 0; i < products * m * n; ++i) {
      const auto at = static_cast<std::uint32_t>(i % (m * n));
      ASSERT_EQ(out[i], static_cast<float>(product(a, b, at / n, at % n)))
          << "product " << i / (m * n) << ", element " << at;
    }
    expect_clean();
  }
};

TEST_F(MatmulRandomCalls, GiveTheValuesOfAPlainProduct) {
  for (unsigned seed = 1; seed <= 12 && !HasFailure(); ++seed) run(seed);
}

}  // namespace
}  // namespace davsim::test
