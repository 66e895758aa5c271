// Who may include whom, and who links what: read from the table in docs/architecture.md, from every
// source of the tree and from the list of targets that CMake writes.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::tree {

/// One row of the table: a folder and what it may include beside its own files.
struct LayerRow {
  std::string folder;  ///< "isa/core"; in "kernels/*" the star stands for the name of one folder
  bool everything = false;
  std::vector<std::string> may_include;  ///< folders with all below them, files, "<systemc>"
};

/// Reads the table whose first column is "folder" and whose last is "may include". Throws
/// std::runtime_error for a text without such a table and for a cell that does not follow its
/// rules.
std::vector<LayerRow> read_table(std::string_view markdown);

/// What each source file of the tree includes: paths from the root, and "<systemc>" for a header of
/// SystemC or TLM. Headers of other libraries are left out. Only folders of sources are read: not
/// hidden ones, and not build folders.
using Includes = std::map<std::string, std::set<std::string>>;
Includes read_includes(const std::filesystem::path& root);

/// A sentence for each breach: an include that the row of its folder does not allow, a folder
/// without a row, a row without a folder, a file that reaches SystemC through what it includes
/// although its row does not name <systemc>.
std::vector<std::string> breaches(const std::vector<LayerRow>& table, const Includes& includes);

/// A target of the build: where it is defined, what it links and what it is made of.
struct Target {
  std::string folder;  ///< from the root
  std::vector<std::string> links, sources;
};
using Targets = std::map<std::string, Target>;

/// Reads what cmake/TargetList.cmake writes: a line a target, "name|folder|links|sources", the last
/// two as CMake's lists.
Targets read_targets(const std::filesystem::path& file);

/// A sentence for each target outside tests/ that links a target of tests/ or compiles a file from
/// there, and for each of `without_systemc` that links SystemC, directly or not.
std::vector<std::string> link_breaches(const Targets& targets,
                                       const std::set<std::string>& without_systemc);

}  // namespace davsim::tree
