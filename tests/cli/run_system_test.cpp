// Systems of several dies by the command.
#include <fstream>

#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class RunSystemTest : public ProgramTest {};

TEST_F(RunSystemTest, APictureShowsTheClassesOfLinksAndIsText) {
  std::ofstream(work_ / "a&b.ini") << "include = atlas_a3_server.ini\n[System]\ndies = 4\n";
  const Outcome outcome = davsim({"run-system", "a&b.ini", "--picture", "a.svg"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string picture = read_file(work_ / "a.svg");
  for (const char* part : {"a&amp;b", ": 4 dies of ", ">die 0<", ">die 3<", "sio: ", "switches"}) {
    EXPECT_TRUE(holds(picture, part)) << part;
  }
  EXPECT_FALSE(holds(picture, "a&b"));
}

}  // namespace
}  // namespace davsim::cli
