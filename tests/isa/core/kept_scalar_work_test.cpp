#include "isa/core/kept_scalar_work.hpp"

#include <gtest/gtest.h>

namespace davsim::isa {
namespace {

TEST(KeptScalarWork, IsNotTakenByAnotherCoreAndIsThereAgainBehindIt) {
  take_scalar_work();
  davsim_scalar_work[0] = 77;
  davsim_scalar_work[1] = 5;
  note_scalar_call(ScalarCall::kEnQue, 2);
  const KeptScalarWork kept = put_away_scalar_work();
  EXPECT_TRUE(take_scalar_work().empty());

  // What the core in between leaves behind is not that of the first.
  davsim_scalar_work[2] = 9;
  note_scalar_call(ScalarCall::kDeQue);
  resume_scalar_work(kept);
  const ScalarWork work = take_scalar_work();
  EXPECT_EQ(work.place, 77u);
  EXPECT_EQ(work.own[0], 5u);
  EXPECT_EQ(work.own[1], 0u);
  EXPECT_EQ(work.calls[static_cast<std::size_t>(ScalarCall::kEnQue)], 2u);
  EXPECT_EQ(work.calls[static_cast<std::size_t>(ScalarCall::kDeQue)], 0u);
  EXPECT_TRUE(take_scalar_work().empty());
}

}  // namespace
}  // namespace davsim::isa
