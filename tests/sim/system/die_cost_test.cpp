// What a die of a system takes of the host's memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <vector>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

std::uint64_t resident_bytes() {
  std::uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(DieCost, ADieThatRunsAnEmptyKernelTakesFewMegabytes) {
  constexpr std::uint32_t kDies = 16;
  constexpr std::uint64_t kMost = std::uint64_t{9} << 20;
  // The heap keeps what it had, as it does in programs that have read a file before.
  { const std::vector<char> before(std::size_t{30} << 20, 1); }
  const std::uint64_t before = resident_bytes();
  sim::SystemConfig system = sim::SystemConfig::named("cloudmatrix384");
  system.use_dies(kDies);
  sim::Device device(without_code(system.soc()), system, {});
  const isa::KernelEntry entry{"empty", isa::KernelType::kAivOnly, nullptr, nullptr};
  std::vector<sim::DieLaunch> launches;
  for (std::uint32_t die = 0; die < kDies; ++die) {
    launches.push_back({die, &entry, 1, 0, {}, [] {}});
  }
  device.launch(std::move(launches));
  const std::uint64_t each = (resident_bytes() - before) / kDies;
  RecordProperty("bytes_per_die", std::to_string(each));
  EXPECT_LE(each, kMost);
}

}  // namespace
}  // namespace davsim::test
