// Reads numbers with units, such as "96MiB" and "1.5GHz".
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "sim/soc/soc_description.hpp"
#include "sim/soc/soc_parameters.hpp"

namespace davsim::sim {
namespace {

struct Scale {
  std::string_view name;
  double factor;
};

constexpr std::array<Scale, 11> kBytes = {{{"B", 1},
                                           {"byte", 1},
                                           {"bytes", 1},
                                           {"kB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"KiB", 1024.0},
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"TiB", 1099511627776.0}}};
constexpr std::array<Scale, 5> kSeconds = {
    {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<Scale, 4> kHertz = {{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};

constexpr const char* kByteUnits = "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
constexpr const char* kTimeUnits = "cycles, ns, us, ms, s";

template <std::size_t N>
std::optional<double> factor_in(const std::array<Scale, N>& scales, std::string_view unit) {
  for (const Scale& scale : scales) {
    if (scale.name == unit) return scale.factor;
  }
  return std::nullopt;
}

/// Seconds in one `unit` of time; cycles are those of the clock.
std::optional<double> seconds_in(std::string_view unit, double mhz) {
  if (unit == "cycle" || unit == "cycles") return 1e-6 / mhz;
  return factor_in(kSeconds, unit);
}

/// How much of its base unit one `unit` is, where both are of one kind.
class Kind {
 public:
  Kind(const std::string& unit, double mhz) : unit_(unit), mhz_(mhz) {}

  std::optional<double> in_base(std::string_view unit) const {
    if (unit_ == "bytes") return factor_in(kBytes, unit);
    if (unit_ == "MHz") return factor_in(kHertz, unit);
    if (is_time()) return seconds_in(unit, mhz_);
    if (is_rate()) return rate(unit);
    if (unit_ == "us/core") return a_core(unit);
    return unit == unit_ ? std::optional<double>(1) : std::nullopt;
  }

  std::string known() const {
    if (unit_ == "bytes") return kByteUnits;
    if (unit_ == "MHz") return "Hz, kHz, MHz, GHz";
    if (is_time()) return kTimeUnits;
    if (is_rate()) return std::string(kByteUnits) + ", each a second or a cycle: TB/s, B/cycle";
    if (unit_ == "us/core") return "ns/core, us/core, ms/core, s/core";
    return unit_;
  }

 private:
  bool is_time() const { return unit_ == "cycles" || unit_ == "ns" || unit_ == "us"; }
  bool is_rate() const { return unit_ == "bytes/s" || unit_ == "bytes/cycle"; }

  std::optional<double> rate(std::string_view unit) const {
    const std::size_t slash = unit.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto bytes = factor_in(kBytes, unit.substr(0, slash));
    const auto time = seconds_in(unit.substr(slash + 1), mhz_);
    return bytes && time ? std::optional<double>(*bytes / *time) : std::nullopt;
  }

  std::optional<double> a_core(std::string_view unit) const {
    if (!unit.ends_with("/core")) return std::nullopt;
    return factor_in(kSeconds, unit.substr(0, unit.size() - 5));
  }

  const std::string& unit_;
  double mhz_;
};

}  // namespace

double read_quantity(std::string_view text, const std::string& unit, double present, double mhz) {
  text = trim(text);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || !std::isfinite(number)) {
    throw std::invalid_argument("'" + std::string(text) + "' is no number with a unit");
  }
  const std::string_view given =
      trim(std::string_view(after, static_cast<std::size_t>(end - after)));
  if (given.empty()) return number;
  if (given == "%") return number / 100 * present;
  const Kind kind(unit, mhz);
  const auto from = kind.in_base(given);
  if (!from) {
    throw std::invalid_argument("unknown unit '" + std::string(given) + "'; it takes " +
                                kind.known() + ", % of what it is, or no unit for " + unit);
  }
  return number * *from / *kind.in_base(unit);
}

}  // namespace davsim::sim
