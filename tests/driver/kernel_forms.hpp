// Runs device code of some form, and compares what the program prints.
#pragma once

#include "tests/driver/compile_fixture.hpp"

namespace davsim::driver {

class KernelFormTest : public CompileTest {
 protected:
  /// Compiles kernels and the body of main(), in which s is a stream, and runs it in both modes.
  void prints_of(const std::string& kernels, const std::string& main, const std::string& expected) {
    write("host.h", kHostHeader);
    write("form.asc", "#include \"kernel_operator.h\"\n#include \"host.h\"\n" + kernels +
                          "\nint main() {\n  auto s = start();\n" + main + "\n}\n");
    compiles({"form.asc", "-o", "form"});
    prints("form", expected);
    setenv("DAVSIM_FUNCTIONAL", "1", 1);
    prints("form", expected);
    unsetenv("DAVSIM_FUNCTIONAL");
  }
};

/// UB[i] = i * i for 16 integers, by the vector unit and MTE2, before a scalar unit's turn.
inline constexpr const char* kSquares = R"(
__aicore__ inline void squares(__gm__ int32_t* in, __ubuf__ int32_t* at) {
  TRACE_START(0x1);
  copy_gm_to_ubuf(at, in, 0, 1, 2, 0, 0);
  TRACE_STOP(0x1);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  set_mask_norm();
  set_vector_mask(0, 0xffff);
  vmul(at, at, at, 1, 1, 1, 1, 8, 8, 8);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
}
__aicore__ inline void out(__gm__ int32_t* to, __ubuf__ int32_t* from, int blocks) {
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  copy_ubuf_to_gm(to, from, 0, 1, blocks, 0, 0);
}
)";
inline constexpr const char* kNumbers = R"(
  int32_t numbers[16];
  for (int i = 0; i < 16; ++i) numbers[i] = i;
  auto* in = words<int32_t>(16);
  auto* result = words<int32_t>(64);
  aclrtMemcpy(in, 64, numbers, 64, ACL_MEMCPY_HOST_TO_DEVICE);
)";

}  // namespace davsim::driver
