// The values of a SoC's description that change what is simulated, under short names and with
// units: "l2.size=96MiB", "hbm.bandwidth=0.8TB/s", "clock=1.5GHz".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.hpp"

namespace davsim::sim {

struct SocParameter {
  std::string name;          ///< "l2.size"
  std::string section, key;  ///< where it stands in the description: SoCInfo, l2_size
  std::string unit;  ///< of its value there: "bytes", "bytes/s", "cycles", ...; "name": it is one
  std::string doc;
  /// Keys that change in the same proportion, as the vector cores do with the AI cores.
  std::vector<std::pair<std::string, std::string>> scaled;
  /// The models that a device must have for the value to be read, "hbm" and "banks"; else empty.
  std::pair<std::string, std::string> read_by = {};

  std::string long_name() const { return section + "." + key; }
  bool is_name() const { return unit == "name"; }
};

/// The parameters that have a name of their own, and after them one for each timing constant.
std::vector<SocParameter> soc_parameters(const SocConfig& soc);
/// By short name, or by the name in the description ("SoCInfo.l2_size"), which changes that value
/// alone; upper and lower case are the same.
std::optional<SocParameter> find_parameter(const SocConfig& soc, std::string_view name);

/// Value of a parameter that is no name, in its own unit.
double parameter_value(const SocConfig& soc, const SocParameter& parameter);
/// The same for people: "192 MiB", "1.6 TB/s", "280 ns".
std::string parameter_text(const SocConfig& soc, const SocParameter& parameter);

/// Reads "96MiB", "0.8 TB/s", "500", "50%" as a value in `unit`: without a unit it is in that unit,
/// percent is a share of `present`. Times, and bytes a time, go over into cycles at `mhz`.
/// Throws std::invalid_argument saying what is wrong and which units there are.
double read_quantity(std::string_view text, const std::string& unit, double present, double mhz);

/// One of the parameters and its new value as text.
struct SocSetting {
  SocParameter parameter;
  std::string value;
};

/// Replaces values; the clock and the names of models first, because others depend on them. A value
/// that the chosen model does not read is refused. All or nothing.
/// Throws std::invalid_argument "name=value: what is wrong".
void apply_settings(SocConfig& soc, const std::vector<SocSetting>& settings);

}  // namespace davsim::sim
