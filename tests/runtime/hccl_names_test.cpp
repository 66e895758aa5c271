// A source with a kernel and a host program: the names that both APIs of collectives have.
#include <gtest/gtest.h>

#include <type_traits>

#include "hccl/hccl.h"
#include "kernel_operator.h"
#include "lib/hccl/hccl.h"

namespace davsim::test {
namespace {

TEST(HcclNames, AreOneThingInKernelsAndHostPrograms) {
  using namespace AscendC;  // NOLINT(google-build-using-namespace): as such sources do
  const HcclDataType type = HCCL_DATA_TYPE_FP16;
  const HcclReduceOp reduction = HCCL_REDUCE_MAX;
  const HcclResult result = HCCL_SUCCESS;
  EXPECT_EQ(type, ::HCCL_DATA_TYPE_FP16);
  EXPECT_EQ(reduction, AscendC::HCCL_REDUCE_MAX);
  EXPECT_EQ(result, AscendC::HCCL_SUCCESS);
  EXPECT_TRUE((std::is_same_v<::HcclDataType, AscendC::HcclDataType>));
  EXPECT_TRUE((std::is_same_v<::HcclReduceOp, AscendC::HcclReduceOp>));
  const std::int32_t status = result == HCCL_SUCCESS ? HCCL_SUCCESS : HCCL_FAILED;
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace davsim::test
