// Parameters of a SoC: names, units, and what is refused.
#include "sim/soc/soc_parameters.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace davsim::sim {
namespace {

constexpr std::uint64_t kMebibyte = 1u << 20;

SocConfig with(const std::vector<std::pair<std::string, std::string>>& values,
               SocConfig soc = SocConfig::named("Ascend910B3")) {
  std::vector<SocSetting> settings;
  for (const auto& [parameter, value] : values) {
    settings.push_back({find_parameter(soc, parameter).value(), value});
  }
  apply_settings(soc, settings);
  return soc;
}

std::string error_of(const std::string& name, const std::string& value) {
  try {
    with({{name, value}});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(SocParameters, EveryNameIsThereOnceAndFindsItsValue) {
  for (const std::string& name : SocConfig::names()) {
    const SocConfig soc = SocConfig::named(name);
    std::set<std::string> names;
    std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::string, std::string>>>
        settings;
    for (const SocParameter& parameter : soc_parameters(soc)) {
      EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
      EXPECT_TRUE(soc.has(parameter.section, parameter.key)) << parameter.name;
      EXPECT_EQ(find_parameter(soc, parameter.name)->key, parameter.key);
      EXPECT_EQ(find_parameter(soc, parameter.long_name())->key, parameter.key);
      const std::string same = parameter.is_name() ? parameter_text(soc, parameter) : "100%";
      settings[parameter.read_by].emplace_back(parameter.name, same);
    }
    // All that the models of a choice read, in one call: it names the setting that it refuses.
    for (auto& [read_by, values] : settings) {
      if (!read_by.first.empty()) values.emplace_back(read_by.first + ".model", read_by.second);
      EXPECT_NO_THROW(with(values, soc)) << read_by.second;
    }
  }
}

TEST(SocParameters, UnitsOfSizesRatesAndTimes) {
  EXPECT_EQ(with({{"l2.size", "96MiB"}}).l2_bytes(), 96 * kMebibyte);
  EXPECT_EQ(with({{"l2.size", "96 MiB"}}).l2_bytes(), 96 * kMebibyte);
  EXPECT_EQ(with({{"l2.size", "50%"}}).l2_bytes(), 96 * kMebibyte);
  EXPECT_EQ(with({{"SoCInfo.l2_size", "0.09375GiB"}}).l2_bytes(), 96 * kMebibyte);
  EXPECT_EQ(with({{"hbm.size", "1GB"}}).hbm_bytes(), 1'000'000'000u);
  EXPECT_EQ(with({{"clock", "1.5GHz"}}).frequency_mhz(), 1500);
  // Ascend910B3 has 1800 MHz: 1.8 TB/s are 1000 bytes a cycle, 100 ns are 180 cycles.
  EXPECT_DOUBLE_EQ(
      with({{"l2.bandwidth", "1.8TB/s"}}).constant("Timing.L2", "bandwidth", "bytes/cycle"), 1000);
  EXPECT_DOUBLE_EQ(
      with({{"L2.Bandwidth", "2kB/cycle"}}).constant("Timing.L2", "bandwidth", "bytes/cycle"),
      2000);
  EXPECT_DOUBLE_EQ(with({{"crosscore.flag_latency", "100ns"}})
                       .constant("Timing.CrossCore", "flag_latency", "cycles"),
                   180);
  EXPECT_DOUBLE_EQ(
      with({{"hbm.read_latency", "450 cycles"}}).constant("Timing.Hbm", "read_latency", "ns"), 250);
  EXPECT_DOUBLE_EQ(with({{"launch.aiv_per_core", "20ns/core"}})
                       .constant("Timing.Launch", "aiv_per_core", "us/core"),
                   0.02);
  EXPECT_DOUBLE_EQ(
      with({{"vector.VEXP.b16", "64"}}).constant("Timing.Vector", "VEXP.b16", "elements/cycle"),
      64);
}

TEST(SocParameters, SecondsAreThoseOfTheNewClock) {
  for (const auto& order : {std::vector<std::pair<std::string, std::string>>{
                                {"clock", "1GHz"}, {"l2.bandwidth", "1TB/s"}},
                            {{"l2.bandwidth", "1TB/s"}, {"clock", "1GHz"}}}) {
    EXPECT_DOUBLE_EQ(with(order).constant("Timing.L2", "bandwidth", "bytes/cycle"), 1000);
  }
}

TEST(SocParameters, WhatBelongsTogetherKeepsItsProportion) {
  const SocConfig before = with({});
  const double peak = before.constant("Timing.Hbm", "peak", "bytes/s");
  const double read = before.constant("Timing.Hbm", "read_bandwidth", "bytes/s");
  const SocConfig other = with({{"hbm.bandwidth", "0.5TB/s"}});
  EXPECT_DOUBLE_EQ(other.constant("Timing.Hbm", "peak", "bytes/s"), 0.5e12);
  EXPECT_DOUBLE_EQ(other.constant("Timing.Hbm", "read_bandwidth", "bytes/s"), read * 0.5e12 / peak);
  const SocConfig alone = with({{"Timing.Hbm.peak", "0.5TB/s"}});
  EXPECT_DOUBLE_EQ(alone.constant("Timing.Hbm", "read_bandwidth", "bytes/s"), read);
  const SocConfig more = with({{"cores", "30"}});
  EXPECT_EQ(more.aic_count(), 30u);
  EXPECT_EQ(more.aiv_count(), 60u);
}

/// Times and counts of work may be 0; sizes, rates and what divides others may not.
TEST(SocParameters, TheUnitSaysWhetherZeroIsAValue) {
  const std::set<std::string> may_be_zero = {"cycles", "ns",           "us",    "us/core",
                                             "sets",   "instructions", "lines", "factor"};
  std::set<std::string> seen;
  const SocConfig soc = SocConfig::named("Ascend910B3");
  for (const SocParameter& parameter : soc_parameters(soc)) {
    if (parameter.is_name() || !parameter.read_by.first.empty()) continue;
    seen.insert(parameter.unit);
    const std::string error = error_of(parameter.name, "0 " + parameter.unit);
    EXPECT_EQ(error.find("it must be more than 0") != std::string::npos,
              !may_be_zero.contains(parameter.unit))
        << parameter.name << ": " << error;
  }
  for (const char* unit : {"cycles", "ns", "us", "us/core", "bytes", "bytes/s", "entries"}) {
    EXPECT_TRUE(seen.contains(unit)) << unit;
  }
}

TEST(SocParameters, HbmOfBanksHasCountsWithinTheirLimits) {
  const std::tuple<const char*, int> most[] = {{"hbmbanks.stacks", 64},
                                               {"hbmbanks.channels", 64},
                                               {"hbmbanks.pseudo_channels", 8},
                                               {"hbmbanks.bank_groups", 8},
                                               {"hbmbanks.banks", 64}};
  for (const auto& [name, limit] : most) {
    for (const int value : {1, limit, limit + 1, 2 * limit}) {
      std::string error;
      try {
        with({{"hbm.model", "banks"}, {name, std::to_string(value)}});
      } catch (const std::invalid_argument& refused) {
        error = refused.what();
      }
      const std::string range = "allowed are whole numbers from 1 to " + std::to_string(limit);
      EXPECT_EQ(error.find(range) != std::string::npos, value > limit)
          << name << "=" << value << ": " << error;
    }
  }
}

TEST(SocParameters, RefusesWhatCannotBe) {
  const auto expect = [](const std::string& name, const std::string& value,
                         const std::string& part) {
    EXPECT_NE(error_of(name, value).find(part), std::string::npos)
        << name << "=" << value << ": " << error_of(name, value);
  };
  expect("l2.size", "96Mib", "unknown unit 'Mib'; it takes B, kB,");
  expect("l2.size", "96 ns", "unknown unit 'ns'");
  expect("l2.size", "much", "no number");
  expect("l2.size", "", "no number");
  expect("l2.size", "nan", "no number");
  expect("l2.size", "1e999", "no number");
  expect("l2.size", "-96MiB", "negative");
  expect("l2.size", "0", "more than 0");
  expect("l2.size", "100MB", "multiple of line x ways");
  expect("l2.size", "12288.5", "whole number");
  expect("l2.size", "1000TiB", "allowed are");
  expect("cores", "2.5", "whole number");
  expect("cores", "0%", "more than 0");
  expect("hbm.bandwidth", "0.8TB", "each a second or a cycle");
  expect("hbm.bandwidth", "0", "more than 0");
  expect("clock", "2 bytes", "GHz");
  expect("cube.latency", "2s", "at most 1e+09 cycles");
  EXPECT_FALSE(find_parameter(SocConfig::named("Ascend910B3"), "l2.sizes"));
  EXPECT_FALSE(find_parameter(SocConfig::named("Ascend910B3"), "AICoreMemoryRates.l2_rate"));
}

TEST(SocParameters, SectionAndKeyAreSeparatedByADot) {
  const SocConfig soc = SocConfig::named("Ascend910B3");
  ASSERT_TRUE(find_parameter(soc, "ub.size"));
  for (const char* name : {"ubxsize", "hbm/read_latency", "ub.sizes", "ub.siz", "size", "b.size"}) {
    EXPECT_FALSE(find_parameter(soc, name)) << name;
  }
  for (const SocParameter& parameter : soc_parameters(soc)) {
    std::string name = parameter.section + "." + parameter.key;
    EXPECT_TRUE(find_parameter(soc, name)) << name;
    name[parameter.section.size()] = '/';
    EXPECT_FALSE(find_parameter(soc, name)) << name;
  }
}

TEST(SocParameters, AModelIsChosenByItsName) {
  EXPECT_EQ(with({{"hbm.model", "banks"}}).text("Models", "hbm"), "banks");
  EXPECT_EQ(with({{"l2.model", "none"}}).text("Models", "l2"), "none");
  const std::string error = error_of("hbm.model", "fast");
  EXPECT_NE(error.find("there is no hbm model named 'fast'; known are bandwidth, banks"),
            std::string::npos)
      << error;
  const SocConfig soc = SocConfig::named("Ascend910B3");
  EXPECT_EQ(parameter_text(soc, *find_parameter(soc, "hbm.model")), "bandwidth");
}

TEST(SocParameters, AValueThatTheModelDoesNotReadIsRefused) {
  EXPECT_NE(error_of("hbmbanks.rp", "20").find("only hbm.model=banks reads it"), std::string::npos);
  // The model's name counts wherever it stands.
  EXPECT_NO_THROW(with({{"hbmbanks.rp", "20"}, {"hbm.model", "banks"}}));
  EXPECT_THROW(with({{"hbm.model", "banks"}, {"hbm.write_back", "2"}}), std::invalid_argument);
  EXPECT_THROW(with({{"l2.model", "none"}, {"l2.size", "96MiB"}}), std::invalid_argument);
}

TEST(SocParameters, BanksThatCannotBeAreRefused) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"hbmbanks.set_groups", "3"},
                                                        {"hbmbanks.interleave", "500"},
                                                        {"hbmbanks.bank_groups", "16"},
                                                        {"hbmbanks.stacks", "1000"}}) {
    EXPECT_THROW(with({{"hbm.model", "banks"}, {name, value}}), std::invalid_argument) << name;
  }
  EXPECT_THROW(with({{"ub.bank_groups", "65"}}), std::invalid_argument);
}

TEST(SocParameters, AllOrNothing) {
  SocConfig soc = SocConfig::named("Ascend910B3");
  const std::vector<SocSetting> settings = {{*find_parameter(soc, "clock"), "1GHz"},
                                            {*find_parameter(soc, "l2.size"), "bad"}};
  EXPECT_THROW(apply_settings(soc, settings), std::invalid_argument);
  EXPECT_EQ(soc.frequency_mhz(), 1800);
}

TEST(SocParameters, Text) {
  const SocConfig soc = with({{"hbm.bandwidth", "1.6TB/s"}, {"hbm.read_latency", "280ns"}});
  const auto text = [&](const char* name) {
    return parameter_text(soc, *find_parameter(soc, name));
  };
  EXPECT_EQ(text("l2.size"), "192 MiB");
  EXPECT_EQ(text("bt.size"), "1 KiB");
  EXPECT_EQ(text("hbm.bandwidth"), "1.6 TB/s");
  EXPECT_EQ(text("clock"), "1800 MHz");
  EXPECT_EQ(text("hbm.read_latency"), "280 ns");
}

}  // namespace
}  // namespace davsim::sim
