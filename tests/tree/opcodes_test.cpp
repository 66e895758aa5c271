// A plain vector instruction stands in few files of the product: what more than one part needs of
// it is in its row of opcodes.def.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/tree/root.hpp"

namespace davsim::tree {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 6;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Mnemonic by enumerator of all vector instructions.
std::map<std::string, std::string> vector_rows() {
  const std::string rows = text_of(kRoot / "isa/instr/opcodes.def");
  const std::regex row(R"re(DAVSIM_OPCODE\((k\w+), "(\w+)", Vector)re");
  std::map<std::string, std::string> found;
  for (std::sregex_iterator it(rows.begin(), rows.end(), row), end; it != end; ++it) {
    found[(*it)[1]] = (*it)[2];
  }
  return found;
}

/// The enumerators and mnemonics that a file names.
std::set<std::string> names_in(const fs::path& file) {
  static const std::regex name(
      R"re(Opcode::(k\w+)|DAVSIM_OPCODE\((k\w+)|"([A-Z]\w+)"|(?:^|\n)([A-Z]\w+)\.)re");
  const std::string text = text_of(file);
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
    for (std::size_t group = 1; group < it->size(); ++group) {
      if ((*it)[group].matched) names.insert((*it)[group]);
    }
  }
  return names;
}

TEST(Opcodes, PlainVectorInstructionsStandInFewFiles) {
  const auto rows = vector_rows();
  ASSERT_GT(rows.size(), 50u);
  std::map<std::string, std::vector<std::string>> files;
  for (const char* folder : {"isa", "sim", "memory", "checker", "traces", "observe", "io", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::set<std::string> names = names_in(entry.path());
      for (const auto& [id, mnemonic] : rows) {
        if (names.contains(id) || names.contains(mnemonic)) {
          files[id].push_back(fs::relative(entry.path(), kRoot).string());
        }
      }
    }
  }
  for (const auto& [id, mnemonic] : rows) {
    // Conversions have rounding modes, which calls, lanes and traces name.
    if (id == "kCast") continue;
    std::string list;
    for (const std::string& file : files[id]) list += "\n  " + file;
    EXPECT_LE(files[id].size(), kMostFiles) << id << list;
    EXPECT_GE(files[id].size(), 3u) << id << list;  // its row, its timing, its meaning
  }
}

}  // namespace
}  // namespace davsim::tree
