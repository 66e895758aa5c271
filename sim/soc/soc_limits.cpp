#include "sim/soc/soc_limits.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace davsim::sim {
namespace {

struct Range {
  std::string_view name;  ///< a unit, or section and key
  double low, high;
  bool whole;
};

/// By unit. The ranges are far beyond the real SoCs.
constexpr Range kOfUnits[] = {
    // 1e9 cycles times the instructions of the longest kernels stays below 2^63.
    {"cycles", 0, 1e9, false},
    {"ns", 0, 1e9, false},
    {"us", 0, 1e9, false},
    {"us/core", 0, 1e9, false},
    {"instructions", 0, 1e9, false},
    {"lines", 0, 65536, false},
    {"factor", 0, 1e9, false},
    {"ratio", 0, 1e6, false},
    {"sets", 0, 1e9, true},
    {"entries", 1, 65536, true},
    // Models hold bytes in 32 bits and add two of them.
    {"bytes", 0, 1 << 30, true},
    // 1 TiB at the lowest rate of a clock of 1 THz take less than 2^63 cycles.
    {"bytes/s", 1e6, 1e18, false},
    {"bytes/cycle", 1e-3, 1e12, false},
    {"elements/cycle", 1e-3, 1e12, false},
    {"macs/cycle", 1e-3, 1e12, false},
};

/// Constants with a range of their own.
constexpr Range kOfKeys[] = {
    // A move of 4 GiB stays below 2^27 chunks.
    {"Timing.Dma.chunk", 32, 1 << 30, true},
    // Models divide by these.
    {"Timing.Dma.granule", 1, 1 << 30, true},
    {"Timing.Dma.write_request", 1, 1 << 30, true},
    {"Timing.Dma.read_requests", 1, 1 << 30, true},
    {"Timing.Dma.uncached_requests", 1, 1 << 30, true},
    {"Timing.Dma.write_requests", 1, 1 << 30, true},
    {"Timing.L2.line", 64, 1 << 30, true},
    {"Timing.Scalar.icache_line", 1, 1 << 30, true},
};

const Range* range_of(std::string_view section, std::string_view key, std::string_view unit) {
  for (const Range& range : kOfKeys) {
    if (range.name.size() == section.size() + 1 + key.size() && range.name.starts_with(section) &&
        range.name.ends_with(key)) {
      return &range;
    }
  }
  for (const Range& range : kOfUnits) {
    if (range.name == unit) return &range;
  }
  return nullptr;  // a foreign unit is refused where the constant is read
}

}  // namespace

std::string shortest(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

bool must_be_whole(std::string_view section, std::string_view key, const Constant& constant) {
  const Range* range = range_of(section, key, constant.unit);
  return range != nullptr && range->whole;
}

void require_in_range(std::string_view section, std::string_view key, const Constant& constant) {
  const Range* range = range_of(section, key, constant.unit);
  if (range == nullptr) return;
  const double value = constant.value;
  if (value >= range->low && value <= range->high &&
      (!range->whole || value == std::floor(value))) {
    return;
  }
  throw std::invalid_argument("allowed are " +
                              std::string(range->whole ? "whole numbers from " : "") +
                              shortest(range->low) + " to " + shortest(range->high) + " " +
                              constant.unit + ", not " + shortest(value));
}

}  // namespace davsim::sim
