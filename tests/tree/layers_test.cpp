// The layers of docs/architecture.md hold: the table there is what is checked here.
#include "tests/tree/layers.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/tree/root.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace davsim::tree {
namespace {

namespace fs = std::filesystem;

std::string lines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  return text;
}

std::vector<LayerRow> table_of_the_tree() {
  std::ifstream in(kRoot / "docs/architecture.md");
  std::ostringstream text;
  text << in.rdbuf();
  return read_table(text.str());
}

TEST(Layers, EveryIncludeOfTheTreeIsAllowedByTheTable) {
  const Includes includes = read_includes(kRoot);
  ASSERT_GT(includes.size(), 500u);
  const auto found = breaches(table_of_the_tree(), includes);
  EXPECT_TRUE(found.empty()) << "docs/architecture.md, 'Folders':\n" << lines(found);
}

TEST(Layers, OnlyTestsAndProgramsAreAllowedEverything) {
  for (const LayerRow& row : table_of_the_tree()) {
    if (!row.everything) continue;
    EXPECT_TRUE(row.folder.starts_with("tests") || row.folder.starts_with("bench")) << row.folder;
  }
}

TEST(Layers, TheProductLinksNothingFromTestsAndNoSystemCBelowTheModels) {
  const Targets targets = read_targets(DAVSIM_TARGET_LIST);
  ASSERT_TRUE(targets.contains("davsim_sim"));
  const auto found = link_breaches(targets, {"davsim_isa", "davsim_observe", "davsim_soc",
                                             "davsim_global_memory", "davsim_io", "davsim_traces"});
  EXPECT_TRUE(found.empty()) << lines(found);
}

// --- the checks themselves, on trees with one fault each
// --------------------------------------------

class LayersOfAPlantedTree : public ::testing::Test {
 protected:
  void SetUp() override {
    write("low/a.hpp", "#pragma once\n");
    write("low/b.hpp", "#pragma once\n#include \"low/a.hpp\"\n#include <vector>\n");
    write("operators/add/k.cpp", "#include \"b.hpp\"\n#include \"low/b.hpp\"\n");
    write("operators/add/b.hpp", "// #include \"high/c.hpp\"\n");
    write("operators/mul/m.hpp", "#pragma once\n");
    write("high/c.hpp", "#include <systemc>\n#include \"low/a.hpp\"\n");
    write("high/d.cpp", "#include \"high/c.hpp\"\n#include \"operators/mul/m.hpp\"\n");
  }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::vector<std::string> found() const {
    return breaches(read_table(kTable), read_includes(root_));
  }

  static constexpr std::string_view kTable =
      "| other | table |\n|---|---|\n| x | y |\n\n"
      "| folder | what is in it | may include |\n"
      "|---|---|---|\n"
      "| `low` | x | nothing |\n"
      "| `operators/*` | x | `low/b.hpp` |\n"
      "| `high` | x | `low`, `operators`, `<systemc>` |\n";
  const ScratchFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(LayersOfAPlantedTree, PassWhereEachIncludeIsAllowed) {
  EXPECT_EQ(found(), std::vector<std::string>{});
}

TEST_F(LayersOfAPlantedTree, FailForAnIncludeFromAboveByPathOrBesideTheFile) {
  write("low/a.hpp", "#  include \"operators/mul/m.hpp\"\n");
  write("low/b.hpp", "#include \"../operators/mul/m.hpp\"\n");
  EXPECT_EQ(found(),
            (std::vector<std::string>{
                "low/a.hpp includes operators/mul/m.hpp, which the row of low does not allow",
                "low/b.hpp includes operators/mul/m.hpp, which the row of low does not allow"}));
}

TEST_F(LayersOfAPlantedTree, FailForAFileOfAFolderOfWhichAnotherFileIsAllowed) {
  write("operators/add/k.cpp", "#include \"low/a.hpp\"\n");
  EXPECT_EQ(
      found(),
      std::vector<std::string>{
          "operators/add/k.cpp includes low/a.hpp, which the row of operators/* does not allow"});
}

TEST_F(LayersOfAPlantedTree, FailForOneOperatorThatIncludesAnother) {
  write("operators/add/k.cpp", "#include \"operators/mul/m.hpp\"\n");
  EXPECT_EQ(found(), std::vector<std::string>{"operators/add/k.cpp includes operators/mul/m.hpp, "
                                              "which the row of operators/* does not allow"});
}

TEST_F(LayersOfAPlantedTree, FailForSystemCWhereNoRowNamesItEvenThroughOthers) {
  write("low/a.hpp", "#include <tlm.h>\n");
  EXPECT_EQ(
      found(),
      (std::vector<std::string>{
          "low/a.hpp includes <systemc>, which the row of low does not allow",
          "low/b.hpp reaches SystemC, which the row of low does not name: low/a.hpp, <systemc>",
          "operators/add/k.cpp reaches SystemC, which the row of operators/* does not name: "
          "low/b.hpp, low/a.hpp, <systemc>"}));
}

TEST_F(LayersOfAPlantedTree, FailForAFolderWithoutARowAndForARowWithoutAFolder) {
  fs::remove_all(root_ / "high");
  write("higher/e.cpp", "\n");
  EXPECT_EQ(found(),
            (std::vector<std::string>{"higher has no row in the table",
                                      "no source of the tree belongs to the row of high"}));
}

TEST(Links, FailForATargetThatLinksOrCompilesTestsAndForHiddenSystemC) {
  const fs::path file = fs::path(::testing::TempDir()) / "davsim_planted_targets.txt";
  std::ofstream(file) << "product|sim|helper;low|sim/a.cpp;tests/b.cpp\n"
                         "helper|tests/unit||tests/unit/c.cpp\n"
                         "low|memory|PkgConfig::SYSTEMC|memory/d.cpp\n"
                         "plain|observe|product|observe/e.cpp\n";
  const Targets targets = read_targets(file);
  EXPECT_EQ(link_breaches(targets, {"plain", "gone"}),
            (std::vector<std::string>{"product links helper of tests/unit",
                                      "product compiles tests/b.cpp", "there is no target gone",
                                      "plain links SystemC"}));
  fs::remove(file);
}

TEST(LayerTable, RefusesATextWithoutATableAndARowThatNamesNothing) {
  EXPECT_THROW(read_table("no table"), std::runtime_error);
  EXPECT_THROW(read_table("| folder | may include |\n|---|---|\n| `a` | b |\n"),
               std::runtime_error);
  EXPECT_THROW(read_table("| folder | may include |\n|---|---|\n| a | nothing |\n"),
               std::runtime_error);
}

}  // namespace
}  // namespace davsim::tree
