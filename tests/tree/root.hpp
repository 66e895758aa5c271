// Where the tree is that these tests read.
#pragma once

#include <filesystem>

namespace davsim::tree {

inline const std::filesystem::path kRoot = DAVSIM_SOURCE_DIR;

}  // namespace davsim::tree
