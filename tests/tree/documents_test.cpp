// The documents of the tree: links lead to files and headings that exist, and so do the paths that
// the text names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tree/root.hpp"

namespace davsim::tree {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// README.md, CONTRIBUTING.md and all pages below docs/ and examples/.
std::vector<fs::path> documents() {
  std::vector<fs::path> files = {kRoot / "README.md", kRoot / "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The page without its fenced blocks, whose brackets are no links.
std::string prose_of(const fs::path& file) {
  std::istringstream in(read(file));
  std::string text, line;
  bool fenced = false;
  while (std::getline(in, line)) {
    if (line.starts_with("```")) {
      fenced = !fenced;
    } else if (!fenced) {
      text += line + "\n";
    }
  }
  return text;
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

/// The anchors of a page's headings, as GitHub makes them: "## Two passes" is "two-passes".
std::set<std::string> anchors_of(const fs::path& file) {
  std::set<std::string> anchors;
  for (const std::string& heading : matches("\n" + prose_of(file), std::regex("\n#+ ([^\n]+)"))) {
    std::string anchor;
    for (const char c : heading) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(byte));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Documents, EveryLinkLeadsToAFileAndAHeading) {
  std::size_t links = 0;
  for (const fs::path& file : documents()) {
    SCOPED_TRACE(file.lexically_relative(kRoot).string());
    for (const std::string& link : matches(prose_of(file), std::regex(R"(\]\(([^)\s]+)\))"))) {
      if (link.starts_with("http")) continue;
      ++links;
      const std::size_t hash = link.find('#');
      const std::string path = link.substr(0, hash);
      const fs::path target = path.empty() ? file : file.parent_path() / path;
      EXPECT_TRUE(fs::exists(target)) << link;
      if (hash == std::string::npos || !fs::exists(target)) continue;
      EXPECT_EQ(anchors_of(target).count(link.substr(hash + 1)), 1u) << link;
    }
  }
  EXPECT_GT(links, 100u);
}

TEST(Documents, EveryFileOfTheTreeThatTheTextNamesExists) {
  // The walk-throughs name the files of invented extensions.
  const fs::path invented = kRoot / "docs/extending";
  const std::regex path(
      R"(`((?:bench|checker|cli|cmake|docs|examples|io|isa|kernels|memory|observe|reference|sim|tests|traces)/[\w./-]+)`)");
  std::size_t paths = 0;
  for (const fs::path& file : documents()) {
    if (file.parent_path() == invented) continue;
    SCOPED_TRACE(file.lexically_relative(kRoot).string());
    for (const std::string& name : matches(prose_of(file), path)) {
      ++paths;
      // `isa/core` is a folder, `memory/` too; a kernel names its headers from the root.
      EXPECT_TRUE(fs::exists(kRoot / name)) << name;
    }
  }
  EXPECT_GT(paths, 100u);
}

}  // namespace
}  // namespace davsim::tree
