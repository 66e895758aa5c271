// docs/aclnn.md names every function of libopapi.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/tree/root.hpp"

namespace davsim::test::aclnn_functions {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AclnnFunctions, AreAllOnTheirPage) {
  const std::string page = content_of(tree::kRoot / "docs/aclnn.md");
  std::size_t count = 0;
  for (const auto& list :
       fs::directory_iterator(tree::kRoot / "runtime/basic_operators/functions")) {
    if (list.path().extension() != ".txt") continue;
    std::ifstream lines(list.path());
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  aclnn")) continue;
      ++count;
      std::string name = line.substr(2, line.find('(') - 2);
      const bool found = page.find("`" + name + "`") != page.npos;
      // The page says of the forms in place that they are there.
      const std::size_t in_place = name.find("Inplace");
      if (in_place != name.npos) name.erase(in_place, 7);
      EXPECT_TRUE(found || page.find("`" + name + "`") != page.npos)
          << list.path().filename() << ": " << name;
    }
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace davsim::test::aclnn_functions
