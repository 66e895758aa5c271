// The scripts that a change has to pass are there and do what their comments say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace davsim::tree {
namespace {

const std::string kTree = DAVSIM_SOURCE_DIR;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Scripts, ContinuousIntegrationChecksTheFormatAndRunsTheTests) {
  const std::string script = text_of(kTree + "/.ci/run");
  EXPECT_EQ(script.rfind("#!/usr/bin/env bash\n", 0), 0u);
  EXPECT_NE(script.find("./dev format --check"), std::string::npos);
  EXPECT_NE(script.find("./dev test"), std::string::npos);
  EXPECT_NE(script.find("passed, "), std::string::npos) << "the last line counts the tests";
}

TEST(Scripts, ACommandBuildsOnlyWhatItRuns) {
  const std::string script = text_of(kTree + "/dev");
  for (const char* start : {"demo() {\n  build release davsim\n", "build release davsim_bench\n",
                            "build release davsim_silicon\n"}) {
    EXPECT_NE(script.find(start), std::string::npos) << start;
  }
}

TEST(Scripts, InstallBuildsWhatIsInstalled) {
  const std::string script = text_of(kTree + "/dev");
  const std::size_t begin = script.find("installed_targets=(");
  ASSERT_NE(begin, script.npos);
  const std::string built = script.substr(begin, script.find(')', begin) - begin) + " ";
  std::istringstream lines(text_of(kTree + "/cmake/Install.cmake"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    // What a condition asks for is built along with what uses it.
    if (!line.starts_with("install(TARGETS ")) continue;
    std::istringstream words(line.substr(16));
    for (std::string word; words >> word && word != "RUNTIME" && word != "LIBRARY"; ++count) {
      EXPECT_TRUE(built.find("(" + word + " ") != built.npos ||
                  built.find(" " + word + " ") != built.npos)
          << "./dev install does not build " << word;
    }
  }
  EXPECT_GT(count, 3u);
}

TEST(Scripts, AreShellScriptsWithoutSyntaxErrors) {
  for (const char* script : {"/.ci/run", "/dev", "/cmake/package/make.sh",
                             "/docs/operators/pictures.sh", "/tests/fuzz/fuzz.sh"}) {
    EXPECT_EQ(std::system(("bash -n '" + kTree + script + "'").c_str()), 0) << script;
  }
}

}  // namespace
}  // namespace davsim::tree
