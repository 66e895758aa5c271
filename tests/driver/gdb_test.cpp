// Kernels in gdb, with the printers that an installation has. Skipped where gdb is not installed.
#include "tests/child_process.hpp"
#include "tests/driver/compile_fixture.hpp"

namespace davsim::driver {
namespace {

constexpr const char* kSource = R"(#include "host.h"
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale(__gm__ float* z) {
  GlobalTensor<float> out;
  out.SetGlobalBuffer(z + 8 * GetBlockIdx(), 8);
  TPipe pipe;
  TQue<QuePosition::VECOUT, 2> queue;
  pipe.InitBuffer(queue, 2, 32);
  LocalTensor<float> x = queue.AllocTensor<float>();
  Duplicate(x, 1.5f * GetBlockIdx(), 8);
  queue.EnQue(x);
  LocalTensor<float> y = queue.DeQue<float>();
  DataCopy(out, y, 8);
  queue.FreeTensor(y);
}
int main() {
  aclrtStream stream = start();
  float* z = words<float>(24);
  scale<<<3, nullptr, stream>>>(z);
  show(stream, z + 16, 1);
}
)";

class GdbTest : public CompileTest {};

TEST_F(GdbTest, StopsOnAChosenCoreAndPrintsTensors) {
  if (access("/usr/bin/gdb", X_OK) != 0) GTEST_SKIP() << "gdb is not installed";
  setenv("DAVSIM_FUNCTIONAL", "1", 1);
  test::look_for_no_leaks();
  write("host.h", kHostHeader);
  write("scale.asc", kSource);
  compiles({"-g", "-O0", "scale.asc", "-o", "scale"});
  const Outcome outcome =
      run("/usr/bin/timeout", {"60",     "gdb",
                               "-batch", "-nx",
                               "-ex",    "set debuginfod enabled off",
                               "-ex",    "source " DAVSIM_SOURCE_DIR "/runtime/gdb/davsim_gdb.py",
                               "-ex",    "set breakpoint pending on",
                               "-ex",    "break scale.asc:13 if $davsim_block() == 2",
                               "-ex",    "run",
                               "-ex",    "print $davsim_is_cube()",
                               "-ex",    "print x",
                               "-ex",    "print queue",
                               "-ex",    "print out",
                               "-ex",    "next",
                               "-ex",    "next",
                               "-ex",    "print out",
                               "-ex",    "delete",
                               "-ex",    "continue",
                               "scale"});
  unsetenv("DAVSIM_FUNCTIONAL");
  const auto shows = [&outcome](const std::string& text) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n"
                                                         << outcome.out << outcome.err;
  };
  shows("scale.asc:13");
  shows("$1 = 0\n");
  shows("LocalTensor<float> of 8 in VECOUT at byte 0 = {3, 3, 3, 3, 3, 3, 3, 3}");
  shows("enqueued: 32 bytes at 0");
  shows("= {0, 0, 0, 0, 0, 0, 0, 0}");
  shows("= {3, 3, 3, 3, 3, 3, 3, 3}\n");
  shows("exited normally");
}

}  // namespace
}  // namespace davsim::driver
