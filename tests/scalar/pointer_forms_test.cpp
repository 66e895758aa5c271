// Whatever a kernel does through pointers, values are those of the same code without the plugin: in
// global memory through the data cache, and elsewhere.
#include <algorithm>
#include <vector>

#include "tests/scalar/kernels/pointer_forms.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

/// 64 more, of which the first multiple of 64 is the start.
class HostBytes {
 public:
  std::byte* start() {
    const auto first = reinterpret_cast<std::uint64_t>(bytes_.data());
    return bytes_.data() + ((first + 63) / 64 * 64 - first);
  }
  std::vector<std::byte> all() { return {start(), start() + kFormsBytes}; }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kFormsBytes + 64);
};

class PointerForms : public DeviceTest {
 protected:
  void expect_values(std::uint32_t line, std::uint32_t ways) {
    sim::SocConfig soc = without_code("Ascend910B3");
    soc.set("Timing.Scalar", "dcache_line", std::to_string(line));
    soc.set("Timing.Scalar", "dcache_ways", std::to_string(ways));
    soc.set("Timing.Scalar", "dcache_bytes", std::to_string(line * ways * 2));
    std::byte* const global = device(soc).memory().allocate(kFormsBytes, "bytes");
    for (const std::uint32_t seed : {1u, 10u, 12345u, 4000000001u}) {
      HostBytes expected, other;
      const std::uint64_t sum = native::change_by_pointers(expected.start(), seed);
      std::uint64_t in_global = 0, elsewhere = 0;
      on_vector(1, [&] { in_global = counted::change_by_pointers(global, seed); });
      EXPECT_GT(recorder.of(isa::Opcode::kScalarLoad).size(), 20u);
      on_vector(1, [&] { elsewhere = counted::change_by_pointers(other.start(), seed); });
      EXPECT_EQ(in_global, sum) << seed;
      EXPECT_EQ(elsewhere, sum) << seed;
      EXPECT_EQ(std::vector<std::byte>(global, global + kFormsBytes), expected.all()) << seed;
      EXPECT_EQ(other.all(), expected.all()) << seed;
    }
  }
};

TEST_F(PointerForms, HaveTheSameValuesAsWithoutThePlugin) {
  expect_values(64, 4);
}
TEST_F(PointerForms, HaveTheSameValuesWhereLinesLeaveTheCacheSoon) {
  expect_values(64, 1);
}
TEST_F(PointerForms, HaveTheSameValuesInShortLines) {
  expect_values(32, 2);
}

}  // namespace
}  // namespace davsim::test
