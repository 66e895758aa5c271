// Many launches in one process.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

using SlowEndurance = RuntimeTest;

std::uint64_t resident_bytes() {
  std::uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Memory, streams and events come and go with the launches. The checker would listen with
/// DAVSIM_CHECK=1.
TEST_F(SlowEndurance, TenThousandLaunchesTakeNoMoreMemory) {
  constexpr int kLaunches = 10'000, kSettled = 1'000;
  std::uint64_t settled = 0;
  for (int i = 0; i < kLaunches; ++i) {
    if (i == kSettled) settled = resident_bytes();
    const aclrtStream on = stream();
    const aclrtEvent end = event();
    void* out = device_memory(std::size_t{4096} << (i % 4));
    spin(out, 1 + i % 3, on, 1 + static_cast<std::uint32_t>(i % 8));
    record(end, on);
    ASSERT_EQ(aclrtSynchronizeStream(on), ACL_SUCCESS) << error_text();
    ASSERT_EQ(aclrtFree(out), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyEvent(end), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyStream(on), ACL_SUCCESS);
  }
  const std::uint64_t grown = resident_bytes() - std::min(settled, resident_bytes());
  RecordProperty("resident_bytes", std::to_string(settled));
  RecordProperty("grown_bytes", std::to_string(grown));
  std::printf("%.1f MB after %d launches, %.2f MB more after %d\n",
              static_cast<double>(settled) * 1e-6, kSettled, static_cast<double>(grown) * 1e-6,
              kLaunches);
  EXPECT_LT(grown, std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace davsim::test
