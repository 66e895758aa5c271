// Products with a collective operation: documented cases.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "reference/system_reference.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {
namespace {

struct FusedCase {
  std::string name, id;
};
void PrintTo(const FusedCase& shown, std::ostream* out) {
  *out << shown.id;
}
class MatmulCollectiveCase : public ::testing::TestWithParam<FusedCase> {};

TEST_P(MatmulCollectiveCase, MatchesTheReferenceOrIsRefused) {
  const auto* op = operators::find_system_operator(GetParam().name);
  for (const operators::SystemCase& each : op->cases()) {
    if (each.example.id != GetParam().id) continue;
    sim::SystemConfig system = sim::SystemConfig::named(each.system);
    system.use_dies(each.ranks);
    sim::Device on(sim::SocConfig::named(system.soc()), system,
                   sim::DeviceOptions{.max_cycles = 20'000'000});
    std::vector<memory::GlobalMemory*> memories;
    for (std::uint32_t die = 0; die < each.ranks; ++die) memories.push_back(&on.memory(die));
    const operators::SystemCall call = op->make_case(each.example.id, memories);
    if (each.example.refused) {
      try {
        operators::run(*op, call, on);
        FAIL() << "the call was accepted";
      } catch (const operators::Refusal& refusal) {
        EXPECT_EQ(refusal.cls, *each.example.refused) << refusal.what();
      }
      return;
    }
    const operators::SystemRunResult result = operators::run(*op, call, on);
    const auto* judge = reference::find_system_reference(op->info().name);
    const operators::SystemCall good = operators::validated(*op, call, on.soc());
    for (const auto& comparison :
         judge->compare_results(good, result.outputs, on.soc().product())) {
      EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
    }
    return;
  }
  FAIL() << "there is no such case";
}
INSTANTIATE_TEST_SUITE_P(AllReduce, MatmulCollectiveCase,
                         testing::Values(FusedCase{"npu_mm_all_reduce_base", "MAR-2"},
                                         FusedCase{"npu_mm_all_reduce_base", "MAR-3"},
                                         FusedCase{"npu_mm_all_reduce_base", "MAR-N3"}));
INSTANTIATE_TEST_SUITE_P(AllGather, MatmulCollectiveCase,
                         testing::Values(FusedCase{"npu_all_gather_base_mm", "AGM-2"},
                                         FusedCase{"npu_all_gather_base_mm", "AGM-N2"}));
INSTANTIATE_TEST_SUITE_P(ReduceScatter, MatmulCollectiveCase,
                         testing::Values(FusedCase{"npu_mm_reduce_scatter_base", "MRS-1"},
                                         FusedCase{"npu_mm_reduce_scatter_base", "MRS-3"},
                                         FusedCase{"npu_mm_reduce_scatter_base", "MRS-N1"}));

}  // namespace
}  // namespace davsim::test
