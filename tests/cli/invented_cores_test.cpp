// Cores that exist in description files alone: operators that fit them run on them.
#include <string>

#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class InventedCores : public ProgramTest {
 protected:
  static std::string description(const std::string& name) {
    return std::string(DAVSIM_SOURCE) + "/tests/cli/invented/" + name + ".ini";
  }
  /// Runs a case, which checks the result against the reference.
  std::uint64_t cycles(const std::string& operator_name, const std::string& example,
                       const std::string& soc) const {
    return result({"run", operator_name, "--case", example, "--soc", soc})
        .at("cycles")
        .to_number<std::uint64_t>();
  }
};

TEST_F(InventedCores, OneVectorCoreAnAiCoreTakesUpToTwiceTheTime) {
  for (const auto& [operator_name, example] :
       {std::pair{"rope_quant_kvcache", "RQK-2"}, std::pair{"kv_rmsnorm_rope_cache", "KVR-5"}}) {
    SCOPED_TRACE(operator_name);
    const std::uint64_t two = cycles(operator_name, example, "Ascend910B3"),
                        one = cycles(operator_name, example, description("one_aiv"));
    EXPECT_GE(one, two);
    EXPECT_LE(one, two * 5 / 2);
  }
  // Only the cubes work: it takes as long as ever.
  EXPECT_EQ(cycles("matmul", "MM-4", description("one_aiv")),
            cycles("matmul", "MM-4", "Ascend910B3"));
}

TEST_F(InventedCores, KernelsForTwoVectorCoresAreRefusedWhereThereIsOne) {
  const json::object refused =
      error({"run", "paged_attention", "--case", "PA-1", "--soc", description("one_aiv")}, 2);
  EXPECT_TRUE(holds(refused.at("message").as_string().c_str(), "2 vector cores of an AI core"));
}

TEST_F(InventedCores, ACubeOfTwiceTheRateIsFaster) {
  const std::string soc = description("double_cube");
  for (const char* tails : {"MM-3", "MM-11", "MM-13", "MM-14"}) {
    EXPECT_GT(cycles("matmul", tails, soc), 0u) << tails;
  }
  const std::uint64_t usual = cycles("matmul", "MM-1024", "Ascend910B3"),
                      twice = cycles("matmul", "MM-1024", soc);
  EXPECT_LT(twice, usual * 8 / 10);
  EXPECT_GT(twice, usual / 2);
}

}  // namespace
}  // namespace davsim::cli
