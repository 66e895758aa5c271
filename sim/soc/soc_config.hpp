// A SoC as its description file defines it: sizes and rates under the vendor's key names, and the
// timing constants of the models, each with unit and source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davsim::sim {

/// One constant of the description: "20.6 cycles | measured: ...".
struct Constant {
  double value = 0;
  std::string unit;
  std::string source;
  std::string file_line;  ///< "timing_dav_c220.ini:41"
};

struct DescriptionValue;
/// Values of a description file by section and key; see sim/soc_description.hpp.
using Description = std::map<std::string, std::map<std::string, DescriptionValue>>;

class SocConfig {
 public:
  /// Reads the description of a SoC by the vendor's name ("Ascend910B3", exact case) from the files
  /// built into the program. Throws std::invalid_argument naming the SoCs that exist.
  static SocConfig named(std::string_view soc);
  /// Reads a description file of the user's own, which may `include` built-in ones.
  /// Throws std::invalid_argument naming file, line and what is wrong.
  static SocConfig from_file(const std::string& path);
  static std::vector<std::string> names();  ///< built-in SoCs, in the order of docs/socs.md

  const std::string& name() const { return name_; }
  /// "Ascend910B" (A2) or "Ascend910_93" (A3): the vendor's Short_SoC_version.
  std::string short_version() const { return text("version", "Short_SoC_version"); }
  /// "A2" or "A3".
  std::string product() const { return text("version", "product"); }

  /// The value of a key, as text. Throws std::invalid_argument naming section, key and SoC if the
  /// key is missing.
  std::string text(std::string_view section, std::string_view key) const;
  std::uint64_t integer(std::string_view section, std::string_view key) const;
  /// A timing constant. Throws std::invalid_argument if it is missing or has another unit than
  /// `unit`.
  double constant(std::string_view section, std::string_view key, std::string_view unit) const;
  bool has(std::string_view section, std::string_view key) const;

  using Values =
      std::map<std::pair<std::string, std::string>, std::string>;  ///< by section and key
  /// Replaces values, for sweeps and tests. The keys must exist. A timing constant without unit
  /// keeps its unit. Throws std::invalid_argument if one of the values is refused; none is changed
  /// then.
  void set(const Values& values);
  void set(std::string_view section, std::string_view key, const std::string& value) {
    set({{{std::string(section), std::string(key)}, value}});
  }

  /// All entries, for `davsim describe` and the docs.
  const std::map<std::string, std::map<std::string, std::string>>& sections() const {
    return sections_;
  }
  /// Every timing constant with unit and source, by "section.key".
  std::map<std::string, Constant> constants() const;

  // --- values that many parts use ----------------------------------------------------------
  std::uint32_t aic_count() const;  ///< [SoCInfo] ai_core_cnt
  std::uint32_t aiv_count() const;  ///< [SoCInfo] vector_core_cnt
  double frequency_mhz() const;     ///< [AICoreSpec] cube_freq
  std::uint64_t hbm_bytes() const;  ///< [SoCInfo] memory_size
  std::uint64_t l2_bytes() const;   ///< [SoCInfo] l2_size

 private:
  std::string name_;
  struct Value;

  SocConfig(std::string name, const Description& description);
  Value find(std::string_view section, std::string_view key) const;
  void replace(const std::string& section, const std::string& key, std::string value);
  void validate() const;
  void validate_hbm_banks() const;

  std::map<std::string, std::map<std::string, std::string>> sections_;
  std::map<std::string, std::string> origin_;  ///< "section.key" -> "file:line" of its value
};

}  // namespace davsim::sim
