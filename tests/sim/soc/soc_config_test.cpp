#include "sim/soc/soc_config.hpp"

#include <gtest/gtest.h>
#include <algorithm>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "isa/instr/opcode.hpp"
#include "sim/soc/soc_description.hpp"
#include "sim/soc/system_config.hpp"
#include "sim/soc/timing_table.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::sim {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Row {
  const char *soc, *short_version, *product;
  std::uint32_t aic, aiv;
  double mhz;
  std::uint64_t hbm, l2;
};

// The vendor's platform configuration; the HBM size of Ascend910B2C is blank there.
constexpr Row kTable[] = {
    {"Ascend310P3", "Ascend310P", "310P", 8, 16, 1080, 24 * kGiB, 16 * kMiB},
    {"Ascend910B1", "Ascend910B", "A2", 24, 48, 1850, 64 * kGiB, 192 * kMiB},
    {"Ascend910B2", "Ascend910B", "A2", 24, 48, 1800, 64 * kGiB, 192 * kMiB},
    {"Ascend910B2C", "Ascend910B", "A2", 24, 48, 1800, 64 * kGiB, 192 * kMiB},
    {"Ascend910B3", "Ascend910B", "A2", 20, 40, 1800, 64 * kGiB, 192 * kMiB},
    {"Ascend910B4", "Ascend910B", "A2", 20, 40, 1500, 32 * kGiB, 96 * kMiB},
    {"Ascend910B4-1", "Ascend910B", "A2", 20, 40, 1500, 32 * kGiB, 168 * kMiB},
    {"Ascend910_9362", "Ascend910_93", "A3", 20, 40, 1500, 32 * kGiB, 168 * kMiB},
    {"Ascend910_9372", "Ascend910_93", "A3", 20, 40, 1800, 64 * kGiB, 192 * kMiB},
    {"Ascend910_9381", "Ascend910_93", "A3", 24, 48, 1800, 64 * kGiB, 192 * kMiB},
    {"Ascend910_9382", "Ascend910_93", "A3", 24, 48, 1800, 64 * kGiB, 192 * kMiB},
    {"Ascend910_9391", "Ascend910_93", "A3", 24, 48, 1850, 64 * kGiB, 192 * kMiB},
    {"Ascend910_9392", "Ascend910_93", "A3", 24, 48, 1850, 64 * kGiB, 192 * kMiB},
};

/// What `action` throws as std::invalid_argument; empty if it does not.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// Description files of a test, in memory.
std::string parse_error(const std::map<std::string, std::string>& files) {
  return error_of([&] {
    read_description({"a.ini", files.at("a.ini")}, [&](const std::string& name) {
      const auto at = files.find(name);
      if (at == files.end()) throw std::invalid_argument("there is no file " + name);
      return DescriptionFile{name, at->second};
    });
  });
}

/// Writes a description file and returns its path.
std::string user_file(const ScratchFolder& folder, const std::string& name,
                      const std::string& text) {
  std::ofstream(folder / name) << text;
  return (folder / name).string();
}

TEST(SocConfig, HoldsTheVendorsTable) {
  std::vector<std::string> names;
  for (const Row& row : kTable) {
    SCOPED_TRACE(row.soc);
    names.emplace_back(row.soc);
    const SocConfig soc = SocConfig::named(row.soc);
    EXPECT_EQ(soc.name(), row.soc);
    EXPECT_EQ(soc.text("version", "SoC_version"), row.soc);
    EXPECT_EQ(soc.short_version(), row.short_version);
    EXPECT_EQ(soc.product(), row.product);
    EXPECT_EQ(soc.aic_count(), row.aic);
    EXPECT_EQ(soc.aiv_count(), row.aiv);
    EXPECT_EQ(soc.frequency_mhz(), row.mhz);
    EXPECT_EQ(soc.hbm_bytes(), row.hbm);
    EXPECT_EQ(soc.l2_bytes(), row.l2);
  }
  EXPECT_EQ(SocConfig::names(), names);
}

TEST(SocConfig, BuffersAreThoseOfDavC220) {
  for (const std::string& name : SocConfig::names()) {
    SCOPED_TRACE(name);
    const SocConfig soc = SocConfig::named(name);
    if (soc.product() == "310P") continue;
    const std::pair<const char*, std::uint64_t> sizes[] = {
        {"ub_size", 192 * 1024},  {"l1_size", 512 * 1024},   {"l0_a_size", 64 * 1024},
        {"l0_b_size", 64 * 1024}, {"l0_c_size", 128 * 1024}, {"bt_size", 1024},
        {"ubbank_size", 4096},    {"ubbank_group_num", 16}};
    for (const auto& [key, bytes] : sizes) EXPECT_EQ(soc.integer("AICoreSpec", key), bytes) << key;
  }
}

TEST(SocConfig, WholeNumbersAreWholeTexts) {
  const ScratchFolder folder;
  const auto number = [&](const std::string& text) {
    const std::string file = user_file(
        folder, "own.ini", "include = Ascend910B3.ini\n[AICoreSpec]\nub_size = " + text + "\n");
    return SocConfig::from_file(file).integer("AICoreSpec", "ub_size");
  };
  EXPECT_EQ(number("4096"), 4096u);
  for (const char* text : {"4096x", "4096 1", "x", "-1", "1.5", "1e3", "99999999999999999999"}) {
    EXPECT_NE(error_of([&] { number(text); }), "") << text;
  }
}

TEST(SystemConfig, UsesOneOfItsDiesToAllOfThem) {
  const std::uint32_t all = SystemConfig::named("atlas_a2_server").dies();
  for (const std::uint32_t dies : {1u, all}) {
    SystemConfig system = SystemConfig::named("atlas_a2_server");
    system.use_dies(dies);
    EXPECT_EQ(system.dies(), dies);
  }
  for (const std::uint32_t dies : {0u, all + 1}) {
    SystemConfig system = SystemConfig::named("atlas_a2_server");
    EXPECT_NE(error_of([&] { system.use_dies(dies); }), "") << dies;
  }
}

TEST(SocConfig, EveryConstantHasUnitAndSource) {
  const std::set<std::string> units = {
      "cycles", "entries", "bytes",          "MHz",        "bytes/cycle", "elements",
      "us",     "us/core", "elements/cycle", "macs/cycle", "bytes/s",     "ns",
      "ratio",  "sets",    "factor",         "lines",      "instructions"};
  const std::array<std::string, 4> marks = {
      "documented: ", "measured: ", "vendor model: ", "inferred: "};
  for (const std::string& name : SocConfig::names()) {
    const auto constants = SocConfig::named(name).constants();
    EXPECT_GT(constants.size(), 100u);
    for (const auto& [key, constant] : constants) {
      SCOPED_TRACE(name + " " + key + " at " + constant.file_line);
      EXPECT_TRUE(units.contains(constant.unit)) << constant.unit;
      EXPECT_TRUE(std::any_of(marks.begin(), marks.end(), [&](const std::string& mark) {
        return constant.source.size() > mark.size() && constant.source.starts_with(mark);
      })) << constant.source;
    }
  }
}

TEST(SocConfig, VectorRowsAndVectorInstructionsAreTheSame) {
  const SocConfig soc = SocConfig::named("Ascend910B1");
  std::set<std::string> mnemonics;
  for (const isa::OpcodeInfo& opcode : isa::kOpcodeInfo) {
    if (opcode.unit != isa::Unit::Vector) continue;
    const std::string mnemonic(opcode.mnemonic);
    SCOPED_TRACE(mnemonic);
    mnemonics.insert(mnemonic);
    EXPECT_GT(soc.constant("Timing.Vector", mnemonic + ".fixed", "cycles"), 0);
    int widths = 0;
    for (const char* width : {".b8", ".b16", ".b32", ".b64"}) {
      if (!soc.has("Timing.Vector", mnemonic + width)) continue;
      ++widths;
      EXPECT_GT(soc.constant("Timing.Vector", mnemonic + width, "elements/cycle"), 0);
    }
    // Moves of the comparison register have no elements, all others have.
    const bool of_register = mnemonic == "SET_CMPMASK" || mnemonic == "GET_CMPMASK";
    EXPECT_EQ(widths > 0, !of_register);
  }
  for (const auto& [key, value] : soc.sections().at("Timing.Vector")) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) continue;
    EXPECT_TRUE(mnemonics.contains(key.substr(0, dot))) << key;
  }
}

TEST(SocConfig, SocsDifferWhereTheyShould) {
  const auto hbm = [](const char* soc) {
    return SocConfig::named(soc).constant("Timing.Hbm", "peak", "bytes/s");
  };
  EXPECT_DOUBLE_EQ(hbm("Ascend910_9392"), hbm("Ascend910B1"));
  EXPECT_LT(hbm("Ascend910B4"), hbm("Ascend910B1"));
  for (const std::string& name : SocConfig::names()) {
    const SocConfig soc = SocConfig::named(name);
    EXPECT_LT(soc.constant("Timing.Hbm", "read_bandwidth", "bytes/s"), hbm(name.c_str())) << name;
    const auto set_bytes = static_cast<std::uint64_t>(soc.constant("Timing.L2", "line", "bytes") *
                                                      soc.constant("Timing.L2", "ways", "entries"));
    EXPECT_EQ(soc.l2_bytes() % set_bytes, 0u) << name;
  }
}

TEST(SocConfig, NamesTheKnownSocs) {
  const std::string error = error_of([] { SocConfig::named("ascend910b1"); });
  EXPECT_NE(error.find("unknown SoC 'ascend910b1'"), std::string::npos) << error;
  EXPECT_NE(error.find("Ascend910B4-1"), std::string::npos) << error;
  EXPECT_NE(error_of([] { SocConfig::named("dav_c220"); }), "");
}

TEST(SocConfig, LaunchesOfEachTypeHaveAnOverheadOfTheirOwn) {
  const LaunchTiming timing{.base_us = 1,
                            .aiv_per_core_us = 0.5,
                            .aic_per_core_us = 0.25,
                            .mix_per_core_us = 2,
                            .block_dispatch = 0};
  EXPECT_EQ(timing.overhead_us(isa::KernelType::kAivOnly, 4), 3);
  EXPECT_EQ(timing.overhead_us(isa::KernelType::kAicOnly, 4), 2);
  EXPECT_EQ(timing.overhead_us(isa::KernelType::kMix11, 4), 9);
  EXPECT_EQ(timing.overhead_us(isa::KernelType::kMix12, 4), 9);
}

TEST(SocConfig, MissingKeysAndWrongUnitsAreNamed) {
  const SocConfig soc = SocConfig::named("Ascend910B3");
  EXPECT_EQ(error_of([&] { soc.integer("AICoreSpec", "ub_siz"); }),
            "the description of Ascend910B3 has no [AICoreSpec] ub_siz");
  EXPECT_NE(error_of([&] { soc.text("Nowhere", "x"); }), "");
  const std::string number = error_of([&] { soc.integer("version", "SoC_version"); });
  EXPECT_NE(number.find("Ascend910B3.ini:"), std::string::npos) << number;
  EXPECT_NE(number.find("whole number"), std::string::npos) << number;
  const std::string unit = error_of([&] { soc.constant("Timing.Cube", "latency", "us"); });
  EXPECT_NE(unit.find("timing_dav_c220.ini:"), std::string::npos) << unit;
  EXPECT_NE(unit.find("the unit must be us"), std::string::npos) << unit;
}

TEST(SocConfig, SetReplacesOneValue) {
  SocConfig soc = SocConfig::named("Ascend910B3");
  soc.set("SoCInfo", "l2_size", "100663296");
  EXPECT_EQ(soc.l2_bytes(), 96 * kMiB);
  soc.set("Timing.Cube", "latency", "33");
  EXPECT_EQ(soc.constant("Timing.Cube", "latency", "cycles"), 33);
  soc.set("Timing.Cube", "latency", "34 cycles");
  EXPECT_EQ(soc.constant("Timing.Cube", "latency", "cycles"), 34);
  soc.set("Timing.Cube", "latency", "35 cycles | a guess");
  EXPECT_EQ(soc.constants().at("Timing.Cube.latency").source, "a guess");
  EXPECT_EQ(soc.constants().at("Timing.Cube.latency").file_line, "set by the caller");
}

TEST(SocConfig, SetRefusesWhatCannotBe) {
  SocConfig soc = SocConfig::named("Ascend910B3");
  struct Wrong {
    const char *section, *key, *value;
  };
  constexpr Wrong kWrong[] = {
      {"SoCInfo", "l2_siz", "1"},          {"SoCInfo", "l2_size", "1000000"},
      {"SoCInfo", "ai_core_cnt", "0"},     {"SoCInfo", "vector_core_cnt", "41"},
      {"AICoreSpec", "cube_freq", "fast"}, {"AICoreSpec", "cube_freq", "-1"},
      {"Timing.Cube", "latency", "-1"},    {"Timing.Cube", "latency", ""},
      {"Timing.L2", "bandwidth", "0"}};
  const auto before = soc.sections();
  for (const Wrong& w : kWrong) {
    EXPECT_NE(error_of([&] { soc.set(w.section, w.key, w.value); }), "") << w.key << w.value;
  }
  EXPECT_EQ(soc.sections(), before);
}

TEST(SocDescription, ErrorsNameFileAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"[S]\nkey value\n", "a.ini:2: expected `key = value`"},
      {"[S]\n= 3\n", "a.ini:2: the key before `=` is missing"},
      {"[S]\nx = 1\n\nx = 2\n", "a.ini:4: [S] x is given twice, first at a.ini:2"},
      {"[S]\nx = 1\n[T]\n[S]\nx = 1\n", "a.ini:5: [S] x is given twice"},
      {"x = 1\n", "a.ini:1: `x` stands before the first section"},
      {"[S\n", "a.ini:1: a section is written `[Name]`"},
      {"[ ]\n", "a.ini:1: a section is written `[Name]`"},
      {"# c\ninclude = none.ini\n", "a.ini:2: there is no file none.ini"},
      {"include = a.ini\n", "a.ini:1: include of a.ini, which leads back"},
      {"[Timing.X]\nx = fast cycles | s: t\n", "a.ini:2: expected `number unit | source`"},
      {"[Timing.X]\nx = nan cycles | s: t\n", "a.ini:2: expected `number unit | source`"},
      {"[Timing.X]\nx = -1 cycles | s: t\n", "a.ini:2: expected `number unit | source`"},
      {"[Timing.X]\nx = 1 | s: t\n", "a.ini:2: a constant needs one unit"},
      {"[Timing.X]\nx = 1.5.2 cycles | s: t\n", "a.ini:2: a constant needs one unit"},
      {"[Timing.X]\nx = 1 core cycles | s: t\n", "a.ini:2: a constant needs one unit"},
      {"[Timing.X]\nx = 1 cycles\n", "a.ini:2: a constant needs its source"},
      {"[Timing.X]\nx = 1 cycles |  \n", "a.ini:2: a constant needs its source"},
      {"[Timing.X]\nx = 0 bytes/cycle | s: t\n", "a.ini:2: a rate in bytes/cycle must be above 0"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = parse_error({{"a.ini", text}});
    EXPECT_TRUE(error.starts_with(expected)) << text << "gave: " << error;
  }
}

TEST(SocDescription, IncludeCyclesAreFound) {
  const std::string error =
      parse_error({{"a.ini", "include = b.ini\n"}, {"b.ini", "\ninclude = a.ini\n"}});
  EXPECT_TRUE(error.starts_with("b.ini:2: include of a.ini")) << error;
  // A file may be reached on two ways as long as none leads back.
  EXPECT_EQ(parse_error({{"a.ini", "include = b.ini\ninclude = c.ini\n"},
                         {"b.ini", "include = c.ini\n"},
                         {"c.ini", "[S]\nx = 1\n"}}),
            "");
}

TEST(SocDescription, TheIncludingFileWins) {
  const Description description =
      read_description({"a.ini", "include = b.ini\r\n; c\n[S]\n x  =  mine = yours \n"},
                       [](const std::string& name) {
                         return DescriptionFile{name, "[S]\nx = theirs\ny = theirs"};
                       });
  EXPECT_EQ(description.at("S").at("x").text, "mine = yours");
  EXPECT_EQ(description.at("S").at("x").file_line, "a.ini:4");
  EXPECT_EQ(description.at("S").at("y").file_line, "b.ini:3");
}

TEST(SocFile, VariantOfABuiltInSoc) {
  const ScratchFolder folder;
  const SocConfig soc =
      SocConfig::from_file(user_file(folder, "wide_ub.ini",
                                     "include = Ascend910B3.ini\n[AICoreSpec]\nub_size = 262144\n"
                                     "[Timing.Hbm]\npeak = 3.2e12 bytes/s | what if\n"));
  EXPECT_EQ(soc.name(), "wide_ub");
  EXPECT_EQ(soc.aic_count(), 20u);
  EXPECT_EQ(soc.integer("AICoreSpec", "ub_size"), 262144u);
  EXPECT_EQ(soc.constant("Timing.Hbm", "peak", "bytes/s"), 3.2e12);
}

TEST(SocFile, MayNameItselfAndIncludeItsNeighbours) {
  const ScratchFolder folder;
  user_file(folder, "common_part.ini",
            "include = Ascend910B3.ini\n[AICoreSpec]\ncube_freq = 900\n");
  const SocConfig soc = SocConfig::from_file(user_file(
      folder, "variant.ini", "include = common_part.ini\n[version]\nSoC_version = Mine\n"));
  EXPECT_EQ(soc.name(), "Mine");
  EXPECT_EQ(soc.frequency_mhz(), 900);
}

TEST(SocFile, SlipsAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"include = Ascend910B3.ini\n[AICoreSpec]\nub_siz = 1\n", ":3: unknown key ub_siz"},
      {"include = Ascend910B3.ini\n[Timing.Dam]\nx = 1 us | y\n",
       ":3: unknown section [Timing.Dam]"},
      {"include = Ascend910B9.ini\n", ":1: there is no description file Ascend910B9.ini"},
      {"include = Ascend910B3.ini\n[SoCInfo]\nai_core_cnt = 0\n", ":3: [SoCInfo] ai_core_cnt = 0"},
      {"include = dav_c220.ini\n", "has no [SoCInfo] ai_core_cnt"},
  };
  const ScratchFolder folder;
  for (const auto& [text, expected] : cases) {
    const std::string file = user_file(folder, "slip.ini", text);
    const std::string error = error_of([&] { SocConfig::from_file(file); });
    EXPECT_NE(error.find(expected), std::string::npos) << error;
  }
  EXPECT_NE(error_of([] { SocConfig::from_file("/nowhere/at_all.ini"); }), "");
  EXPECT_NE(error_of([&] { SocConfig::from_file(folder.path().string()); }), "");
}

}  // namespace
}  // namespace davsim::sim
