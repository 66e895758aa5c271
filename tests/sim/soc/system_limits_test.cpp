// Descriptions of systems with values that no link has: refused with place, key and range.
#include <gtest/gtest.h>

#include <fstream>

#include "sim/soc/system_config.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

class SystemLimits : public ::testing::Test {
 protected:
  /// What is wrong about a server with these lines instead of its own; empty: nothing.
  std::string wrong(const std::string& lines) {
    const auto path = folder_ / "own.ini";
    std::ofstream(path) << "include = atlas_a2_server.ini\n" << lines;
    try {
      sim::SystemConfig::from_file(path.string());
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }
  ScratchFolder folder_;
};

TEST_F(SystemLimits, ValuesAreInTheirUnitsAndRanges) {
  EXPECT_EQ(wrong("[Link.hccs]\nbandwidth = 100 GB/s | s\nwrite_latency = 1 us | s\n"), "");
  const auto refused = [&](const std::string& section, const std::string& line,
                           const std::string& what) {
    const std::string text = wrong("[" + section + "]\n" + line + " | s\n");
    EXPECT_NE(text.find("own.ini:3"), std::string::npos) << line << ": " << text;
    EXPECT_NE(text.find(what), std::string::npos) << line << ": " << text;
  };
  refused("Link.hccs", "bandwidth = 5 ns", "bandwidth is in GB/s, not in ns");
  refused("Link.hccs", "bandwidth = 1e300 GB/s", "it is from 0.001 to 1000000 GB/s");
  refused("Link.hccs", "bandwidth = 1e-300 GB/s", "it is from 0.001");
  refused("Link.hccs", "write_bandwidth = 5 ns", "write_bandwidth is in GB/s, not in ns");
  refused("Link.hccs", "within = 1e300 dies", "a whole number from 2 to 1048576 dies");
  refused("Link.hccs", "within = 2.5 dies", "a whole number");
  refused("Link.hccs", "within = 1 dies", "a whole number from 2");
  refused("Link.hccs", "write_latency = -1 ns", "a number of at least 0");
  refused("Link.hccs", "read_latency = 1e300 us", "it is from 0 to 1000000 us");
  refused("Link.hccs", "message = nan ns", "a number of at least 0");
  refused("Link.hccs", "outstanding = 0 bytes", "outstanding is 0 bytes");
  refused("Link.hccs", "outstanding = 1e30 MiB", "outstanding is");
  refused("Collectives", "link_share = 1.5 share", "to 1 share");
  refused("Collectives", "link_share = 0 share", "link_share is 0");
  refused("Collectives", "piece = 100 bytes", "from 512");
  refused("Collectives", "window = 1e20 MiB", "window is");
  // Bytes alone may be given in a unit of many, of which a part is whole.
  refused("Link.hccs", "outstanding = 4.0001 KiB", ", of whole bytes");
  for (const char* line :
       {"[Link.hccs]\nwithin = 2.5 dies", "[Link.hccs]\noutstanding = 2.5 bytes"}) {
    EXPECT_EQ(wrong(std::string(line) + " | s\n").find("of whole bytes"), std::string::npos)
        << line;
  }
}

TEST_F(SystemLimits, AnUnknownNameListsThoseThatAreKnown) {
  std::string known;
  for (const std::string& name : sim::SystemConfig::names()) {
    known += (known.empty() ? "known are " : ", ") + name;
  }
  try {
    sim::SystemConfig::named("nowhere");
    FAIL() << "there is no such system";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "unknown system nowhere; " + known);
  }
}

TEST_F(SystemLimits, WhatIsNoDescriptionIsRefused) {
  EXPECT_NE(wrong("[System]\ndies = 0\n").find("from 1 to 1024"), std::string::npos);
  EXPECT_NE(wrong("[System]\ndies = 1025\n").find("from 1 to 1024"), std::string::npos);
  EXPECT_NE(wrong("[Other]\nx = 1\n").find("unknown section"), std::string::npos);
  for (const std::string& path : {folder_.path().string(), std::string("/dev/zero"),
                                  std::string(5000, 'x'), std::string("/no/such/file.ini")}) {
    EXPECT_THROW(sim::SystemConfig::from_file(path), std::invalid_argument) << path;
  }
}

}  // namespace
}  // namespace davsim::test
