// What is said of the operators of a project while its kernels are listed.
#include "runtime/opbuild/kernel_list.hpp"

#include <gtest/gtest.h>

#include "register/op_def_registry.h"
#include "tests/scratch_folder.hpp"

namespace ops {

class OnCpus : public OpDef {
 public:
  explicit OnCpus(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_FLOAT16});
    this->AICPU().Engine("DNN_VM_AICPU");
  }
};
OP_ADD(OnCpus);

}  // namespace ops

namespace davsim::opbuild {
namespace {

TEST(KernelList, AnOperatorWithoutAnAiCorePartIsTold) {
  const ScratchFolder folder;
  BuildOptions options;
  options.out = folder.path();
  testing::internal::CaptureStderr();
  write_kernels(options);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "operator OnCpus has no AI core kernel: the definition of OnCpus has no "
            "AICore().AddConfig, only AICPU()\n");
}

TEST(KernelList, OptionsForAnUnknownOperatorAreTold) {
  const ScratchFolder folder;
  BuildOptions options;
  options.out = folder.path();
  options.options = {{"OnCpus", {"-DX"}}, {"on_cpus", {"-DY"}}, {"Absent", {"-DZ"}}};
  testing::internal::CaptureStderr();
  write_kernels(options);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr().find("the options for the kernel of Absent have no "
                                                  "effect: there is no such operator\n"),
      0u);
}

}  // namespace
}  // namespace davsim::opbuild
