#include "bench/silicon/factors.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "sim/soc/soc_limits.hpp"
#include "sim/soc/soc_parameters.hpp"

namespace davsim::silicon {
namespace {

/// `value` times `factor` as the nearest whole number, at least one away from `value`.
double whole_product(double value, double factor) {
  const double product = std::round(value * factor);
  if (product != value || factor == 1) return product;
  return factor < 1 ? value - 1 : value + 1;
}

}  // namespace

Factors read_factors(const std::vector<std::string>& words) {
  Factors factors;
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos) throw std::invalid_argument("--scale " + word + " has no =");
    double factor = 0;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data() + equals + 1, end, factor);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(factor)) {
      throw std::invalid_argument("--scale " + word + ": '" + word.substr(equals + 1) +
                                  "' is no factor");
    }
    factors[word.substr(0, equals)] = factor;
  }
  return factors;
}

double scale(sim::SocConfig& soc, const std::string& constant, double factor) {
  const auto constants = soc.constants();
  const auto at = constants.find(constant);
  // The parameter knows where the name of the section ends: keys hold dots themselves.
  const auto parameter = sim::find_parameter(soc, constant);
  if (at == constants.end() || !parameter) {
    throw std::invalid_argument("there is no constant " + constant);
  }
  const double value = at->second.value;
  if (value == 0 && factor != 1) {
    throw std::invalid_argument(constant + " is 0, which no factor changes");
  }
  const bool whole = sim::must_be_whole(parameter->section, parameter->key, at->second);
  const double product = whole ? whole_product(value, factor) : value * factor;
  soc.set(parameter->section, parameter->key,
          sim::shortest(product) + ' ' + at->second.unit + " | " + at->second.source);
  return value == 0 ? 1 : product / value;
}

}  // namespace davsim::silicon
