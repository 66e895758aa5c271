// How findings are told, and silenced.
#include <boost/json.hpp>

#include "checker/finding_json.hpp"
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedFinding : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, 64);
  LocalTensor<float> z = ub<float>(4096, 64);
};

TEST_F(CheckedFinding, ALineAllowsItsClass) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);  // davsim: allow race the second result is thrown away
  });
  EXPECT_EQ(checker_.findings().open(), 0u);
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings().front().allowed, "the second result is thrown away");
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings, 1 more allowed by source lines\n");
}

TEST_F(CheckedFinding, TheLineAboveAllowsToo) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    // davsim: allow race it is meant to be
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);
  });
  EXPECT_EQ(checker_.findings().open(), 0u);
}

TEST_F(CheckedFinding, OnlyItsClassAndWithAReason) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);  // davsim: allow overrun another class
  });
  EXPECT_EQ(checker_.findings().open(), 1u);
  checker_.forget_findings();
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);  // davsim: allow race
  });
  EXPECT_EQ(checker_.findings().open(), 1u);
}

TEST_F(CheckedFinding, Json) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);
  });
  const boost::json::array list = checker::json_of(checker_.findings());
  ASSERT_EQ(list.size(), 1u);
  const boost::json::object& race = list.front().as_object();
  EXPECT_EQ(race.at("class").as_string(), "race");
  EXPECT_EQ(race.at("space").as_string(), "UB");
  EXPECT_EQ(race.at("bytes").to_number<int>(), 256);
  EXPECT_TRUE(race.at("allowed").is_null());
  EXPECT_EQ(race.at("first").as_object().at("instruction").as_string(), "VECTOR_DUP");
  EXPECT_EQ(race.at("second").as_object().at("access").as_string(), "reads");
  EXPECT_EQ(race.at("kernel").as_string(), "test_kernel");
}

TEST_F(CheckedFinding, FaultKeepsTheFindingsBeforeIt) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    Adds(z[3], x, 1.0f, 64);
  });
  ASSERT_EQ(findings().size(), 2u);
  EXPECT_EQ(findings()[0].cls, Class::kRace);
  EXPECT_EQ(findings()[1].cls, Class::kFault);
}

TEST_F(CheckedFinding, NobodyHearsADetachedChecker) {
  device().check(nullptr);
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, 64);
    Adds(z, x, 1.0f, 64);
  });
  EXPECT_TRUE(findings().empty());
}

}  // namespace
}  // namespace davsim::test
