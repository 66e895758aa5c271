// Objects with kernels and the library have to agree on what they call each other with.
#include "runtime/kernel_module.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davsim::runtime {
namespace {

TEST(KernelModule, KernelsOfAnotherVersionAreRefusedInOneLine) {
  const DavsimKernel kernel{"of_another_version", nullptr, nullptr, nullptr, 0, nullptr, 0, 0};
  testing::internal::CaptureStderr();
  davsim_add_module(DAVSIM_KERNEL_VERSION + 1, &kernel, 1);
  davsim_remove_kernels(&kernel, 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("compiled by a newer davsim-cc"),
            std::string::npos);
  testing::internal::CaptureStderr();
  davsim_add_kernels(&kernel, 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("compiled by an older davsim-cc"),
            std::string::npos);
}

}  // namespace
}  // namespace davsim::runtime
