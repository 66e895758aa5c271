// Random sequences of calls of several objects: each product has the values of a plain one whatever
// came before it, and the checker finds nothing.
#include "tests/matmul/kernels/random_calls_call.h"
#include "tests/matmul/matmul_fixture.hpp"
#include "tests/op_host/matmul_wishes.hpp"

namespace davsim::test {
namespace {

using Objects = std::vector<RandomObject>;

class MatmulRandomCalls : public MatmulTest {
 protected:
  /// Calls of some of the objects. One product of both vector cores has one tensor of results, that
  /// of the first one.
  void run(unsigned seed, const Objects& objects) {
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
    // Shared operands stay in L1 where all of them fits.
    if (dice.one_in(2)) calls.tiling.depthA1 = calls.tiling.depthB1 = 24;
    draw(dice, objects, calls);
    const TestMatrix a[] = {test_matrix(m, k, 1), test_matrix(m, k, 3)},
                     b[] = {test_matrix(k, n, 2), test_matrix(k, n, 4)};
    const std::size_t products = std::size_t{RandomCalls::kVectors} * RandomCalls::kSteps;
    float* out = global<float>(products * m * n, "c", [](std::size_t) { return -1.f; });
    float* room =
        global<float>(RandomCalls::kVectors * 16384, "room", [](std::size_t) { return 0.f; });
    device().launch("random_calls", RandomCalls::kVectors / 2, bytes(both(a)), bytes(both(b)),
                    bytes(out), bytes(room), calls);
    for (std::size_t i = 0; i < products * m * n; ++i) {
      const std::size_t number = i / (m * n), core = number / RandomCalls::kSteps,
                        step = number % RandomCalls::kSteps;
      const auto at = static_cast<std::uint32_t>(i % (m * n));
      const std::uint8_t matrices = calls.matrices[core][step];
      const bool of_other = calls.object[core][step] == RandomObject::kSharesBoth && core % 2 == 1;
      const int sum = product(a[matrices & 1], b[matrices >> 1], at / n, at % n);
      ASSERT_EQ(out[i], of_other ? -1.f : static_cast<float>(sum))
          << "core " << core << ", step " << step << ", element " << at << ", object "
          << static_cast<int>(calls.object[core][step]) << ", call "
          << static_cast<int>(calls.call[core][step]) << ", matrices " << static_cast<int>(matrices)
          << ", " << m << " x " << n << " x " << k << " in " << calls.tiling.baseM << " x "
          << calls.tiling.baseN << " x " << calls.tiling.baseK << ", depth "
          << calls.tiling.depthA1;
    }
    expect_clean();
  }

 private:
  static void draw(Dice& dice, const Objects& objects, RandomCalls& calls) {
    for (int core = 0; core < RandomCalls::kVectors; ++core) {
      for (int step = 0; step < RandomCalls::kSteps; ++step) {
        RandomObject& object = calls.object[core][step];
        object =
            objects[static_cast<std::size_t>(dice.up_to(static_cast<int>(objects.size()))) - 1];
        calls.call[core][step] =
            static_cast<RandomCall>(dice.up_to(static_cast<int>(RandomCall::kCalls)) - 1);
        auto& matrices = calls.matrices[core][step];
        // UB has the first A only.
        matrices = static_cast<std::uint8_t>((dice.one_in(4) ? 1 : 0) | (dice.one_in(4) ? 2 : 0));
        if (object == RandomObject::kFromUb) matrices &= 2;
      }
    }
    for (int core = 1; core < RandomCalls::kVectors; core += 2) {
      for (int step = 0; step < RandomCalls::kSteps; ++step) {
        const bool first = calls.object[core - 1][step] == RandomObject::kSharesBoth;
        const bool second = calls.object[core][step] == RandomObject::kSharesBoth;
        if (!first && !second) continue;
        calls.object[core - 1][step] = calls.object[core][step] = RandomObject::kSharesBoth;
        calls.matrices[core][step] = calls.matrices[core - 1][step];
      }
    }
  }
  isa::half* both(const TestMatrix (&matrices)[2]) {
    TestMatrix all = matrices[0];
    all.rows *= 2;
    all.values.insert(all.values.end(), matrices[1].values.begin(), matrices[1].values.end());
    return stored<isa::half>(all, false, 0);
  }
};

TEST_F(MatmulRandomCalls, GiveTheValuesOfAPlainProduct) {
  const Objects objects = {RandomObject::kPlain, RandomObject::kLoadsMore, RandomObject::kFromUb};
  for (unsigned seed = 1; seed <= 12 && !HasFailure(); ++seed) run(seed, objects);
}
TEST_F(MatmulRandomCalls, GiveThemWhereVectorCoresShareOperandsInL1) {
  for (unsigned seed = 101; seed <= 112 && !HasFailure(); ++seed) {
    run(seed, {RandomObject::kSharesA});
    run(seed + 100, {RandomObject::kSharesB});
    run(seed + 200, {RandomObject::kSharesA, RandomObject::kSharesB, RandomObject::kSharesBoth});
    run(seed + 300, {RandomObject::kPlain, RandomObject::kLoadsMore, RandomObject::kFromUb,
                     RandomObject::kSharesA, RandomObject::kSharesB, RandomObject::kSharesBoth});
  }
}

}  // namespace
}  // namespace davsim::test
