// Every parameter at the edges of its range: refused with the range, or taken as it was given.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/soc/soc_parameters.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::test {
namespace {

using sim::SocConfig;
using sim::SocParameter;

std::string text_of(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// The SoC of which a parameter is read.
SocConfig soc_of(const SocParameter& parameter) {
  static const SocConfig kSoc = SocConfig::named("Ascend910B3");
  SocConfig soc = kSoc;
  if (!parameter.read_by.first.empty()) {
    soc.set("Models", parameter.read_by.first, parameter.read_by.second);
  }
  return soc;
}

/// Why a value is refused; empty if it is taken. A value that is taken is what was given, and the
/// models' table can be made of it.
std::string refusal(const SocParameter& parameter, const std::string& value, SocConfig soc) {
  try {
    sim::apply_settings(soc, {{parameter, value}});
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()), "") << parameter.name;
    return error.what();
  }
  double given = 0;
  std::from_chars(value.data(), value.data() + value.size(), given);
  EXPECT_DOUBLE_EQ(sim::parameter_value(soc, parameter), given) << parameter.name;
  // Rows of vector instructions are read alike.
  const bool row = parameter.section == "Timing.Vector" && !parameter.key.starts_with("VADD.");
  if (!row) {
    EXPECT_NO_THROW(sim::TimingTable{soc}) << parameter.name << "=" << value;
  }
  return "";
}
std::string refusal(const SocParameter& parameter, const std::string& value) {
  return refusal(parameter, value, soc_of(parameter));
}

/// Each path between memories has the rate of its port; within UB there is none.
TEST(SocLimits, EveryPathHasTheRateOfItsPort) {
  const sim::TimingTable timing(sim::SocConfig::named("Ascend910B3"));
  const auto rates = timing.path_bytes_per_cycle();
  const std::pair<observe::Path, double> expected[] = {
      {observe::Path::kGmToUb, timing.dma.aiv_read_port},
      {observe::Path::kUbToGm, timing.dma.aiv_write_port},
      {observe::Path::kGmToL1, timing.dma.aic_read_port},
      {observe::Path::kGmToL0A, timing.dma.aic_read_port},
      {observe::Path::kGmToL0B, timing.dma.aic_read_port},
      {observe::Path::kL1ToGm, timing.dma.aic_write_port},
      {observe::Path::kL0CToGm, timing.dma.fix_write_port},
      {observe::Path::kL0CToL1, timing.fixpipe.l0c_bandwidth},
      {observe::Path::kL1ToL0A, timing.mte1.l0a_bandwidth},
      {observe::Path::kL1ToL0B, timing.mte1.l0b_bandwidth},
      {observe::Path::kL1ToBt, timing.mte1.bt_bandwidth},
      {observe::Path::kL1ToFb, timing.mte1.bt_bandwidth},
      {observe::Path::kUbToUb, 0}};
  EXPECT_EQ(std::size(expected), observe::kPathCount);
  for (const auto& [path, rate] : expected) {
    EXPECT_EQ(rates[static_cast<std::size_t>(path)], rate) << observe::path_name(path);
  }
}

TEST(SocLimits, EveryParameterAtTheEdgesOfItsRange) {
  const SocConfig soc = SocConfig::named("Ascend910B3");
  for (const SocParameter& parameter : sim::soc_parameters(soc)) {
    if (parameter.is_name()) continue;
    SCOPED_TRACE(parameter.name);
    for (const char* value : {"0", "1", "0.5", "2.5", "4294967295", "4294967296", "4294967297",
                              "4294967360", "9223372036854775808", "18446744073709551616"}) {
      refusal(parameter, value);
    }
    for (const char* value : {"-1", "-0.5", "1e300", "1e309", "nan", "inf", "-inf", "", "1e30x"}) {
      EXPECT_NE(refusal(parameter, value), "") << value;
    }
    EXPECT_NE(refusal(parameter, "1e20"), "");
  }
}

/// "allowed are whole numbers from 32 to 1073741824 bytes, not 5": the limits of a message.
bool limits_in(const std::string& message, double& low, double& high) {
  const std::size_t at = message.find("allowed are ");
  if (at == std::string::npos) return false;
  const std::size_t number = message.find_first_of("0123456789", at);
  const char* end = message.data() + message.size();
  const auto first = std::from_chars(message.data() + number, end, low);
  const std::string_view between(first.ptr, 4);
  return between == " to " && std::from_chars(first.ptr + 4, end, high).ec == std::errc();
}

TEST(SocLimits, TheLimitsOfAMessageAreThoseThatHold) {
  const SocConfig soc = SocConfig::named("Ascend910B3");
  int tried = 0;
  for (const SocParameter& parameter : sim::soc_parameters(soc)) {
    if (parameter.is_name()) continue;
    double low = 0, high = 0;
    // Beyond every range of a constant, and finite.
    if (!limits_in(refusal(parameter, "9e18"), low, high)) continue;
    SCOPED_TRACE(parameter.name);
    ++tried;
    const bool whole = parameter.unit == "bytes" || parameter.unit == "entries";
    const double step = whole ? 1 : 0;
    EXPECT_NE(refusal(parameter, text_of(high + std::max(1.0, high * 1e-9))), "");
    if (low > 0) {
      EXPECT_NE(refusal(parameter, text_of(whole ? low - step : low * 0.999)), "");
    }
    if (whole) {
      EXPECT_NE(refusal(parameter, text_of(low + 0.5)), "");
    }
    // Other rules, such as whole lines, may refuse a limit. They do not name limits. What changes
    // other values as well has their limits, too.
    if (!parameter.scaled.empty()) continue;
    for (const double limit : {low, high}) {
      double a = 0, b = 0;
      EXPECT_FALSE(limits_in(refusal(parameter, text_of(limit)), a, b) && limit >= a && limit <= b);
    }
  }
  EXPECT_GT(tried, 150);
}

}  // namespace
}  // namespace davsim::test
