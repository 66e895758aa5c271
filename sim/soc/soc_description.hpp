// The format of SoC description files; docs/socs.md describes it for users.
//
//   # comment
//   include = file        before the first section; this file's values win over the included ones
//   [Section]
//   key = value           the vendor's keys
//   key = number unit | source    in sections called "Timing...."
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sim/soc/soc_config.hpp"

namespace davsim::sim {

/// The value of a key, and where it was written: "Ascend910B3.ini:12".
struct DescriptionValue {
  std::string text;
  std::string file_line;
};

struct DescriptionFile {
  std::string name;  ///< as errors print it; two files of one name are the same file
  std::string text;
};

/// Finds the file that is included as `name`; throws std::invalid_argument if there is none.
using IncludeFinder = std::function<DescriptionFile(const std::string& name)>;

/// A regular file of at most 1 MiB. Throws std::invalid_argument; `of` is what it describes.
DescriptionFile description_file(const std::filesystem::path& path, std::string_view of);

/// Reads a file and what it includes. Throws std::invalid_argument "file:line: what is wrong" for a
/// line that is none of the above, a key given twice in one file, a constant without number, unit
/// or source, an include that is unknown or leads back to itself.
Description read_description(const DescriptionFile& file, const IncludeFinder& find);

/// Reads "20.6 cycles | measured: ...". Throws std::invalid_argument as above.
Constant read_constant(std::string_view text, const std::string& file_line);

/// True for the sections whose values are constants with unit and source.
inline bool is_timing_section(std::string_view section) {
  return section.starts_with("Timing.");
}

std::string_view trim(std::string_view text);

}  // namespace davsim::sim
