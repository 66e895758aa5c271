// Executors that serve several times, with other addresses for their tensors.
#include "aclnnop/aclnn_add.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::repeated {
namespace {

class RepeatedTest : public BasicTest {
 protected:
  static aclTensor* nowhere(const Sizes& sizes, const Sizes& strides) {
    return aclCreateTensor(sizes.data(), sizes.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND,
                           sizes.data(), sizes.size(), nullptr);
  }
};

TEST_F(RepeatedTest, AddressesComeLaterAndChange) {
  // One operand has strides and is copied first; the other one is repeated.
  aclTensor* const self = nowhere({2, 3}, {1, 2});
  aclTensor* const other = nowhere({3}, {1});
  aclTensor* const out = nowhere({2, 3}, {3, 1});
  const Scalar one(1);
  std::uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnAddGetWorkspaceSize(self, other, one, out, &bytes, &executor), ACL_SUCCESS)
      << last_error();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), ACL_SUCCESS);
  void* workspace = nullptr;
  ASSERT_EQ(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_NE(aclnnAdd(workspace, bytes, executor, stream_), ACL_SUCCESS);  // no addresses yet
  for (const double step : {10.0, 100.0}) {
    const DeviceTensor x({6}, {1, 2, 3, 4, 5, 6}), y({3}, {step, 2 * step, 3 * step}),
        z({6}, Numbers(6));
    ASSERT_EQ(aclSetInputTensorAddr(executor, 0, self, x.address()), ACL_SUCCESS);
    ASSERT_EQ(aclSetInputTensorAddr(executor, 1, other, y.address()), ACL_SUCCESS);
    ASSERT_EQ(aclSetOutputTensorAddr(executor, 0, out, z.address()), ACL_SUCCESS);
    ASSERT_EQ(aclnnAdd(workspace, bytes, executor, stream_), ACL_SUCCESS) << last_error();
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(z.values(), (Numbers{1 + step, 3 + 2 * step, 5 + 3 * step, 2 + step, 4 + 2 * step,
                                   6 + 3 * step}));
  }
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), ACL_SUCCESS);
  for (aclTensor* const tensor : {self, other, out})
    EXPECT_EQ(aclDestroyTensor(tensor), ACL_SUCCESS);
}

TEST_F(RepeatedTest, ServesOnceUnlessItIsRepeatable) {
  const DeviceTensor x({2}, {1, 2}), out({2}, Numbers(2));
  const Scalar one(1);
  std::uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnAddGetWorkspaceSize(x, x, one, out, &bytes, &executor), ACL_SUCCESS);
  ASSERT_EQ(aclnnAdd(nullptr, bytes, executor, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclnnAdd(nullptr, bytes, executor, stream_), 561101);
}

TEST_F(RepeatedTest, AddressesComeByTheEarlierNamesToo) {
  aclTensor* const self = nowhere({3}, {1});
  aclTensor* const out = nowhere({3}, {1});
  const Scalar one(1);
  std::uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnAddGetWorkspaceSize(self, self, one, out, &bytes, &executor), ACL_SUCCESS);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), ACL_SUCCESS);
  const DeviceTensor x({3}, {1, 2, 3}), y({3}, Numbers(3)), z({3}, Numbers(3));
  ASSERT_EQ(AclSetTensorAddr(executor, 0, self, x.address()), ACL_SUCCESS);
  ASSERT_EQ(AclSetTensorAddr(executor, 2, out, y.address()), ACL_SUCCESS);
  ASSERT_EQ(aclnnAdd(nullptr, bytes, executor, stream_), ACL_SUCCESS) << last_error();
  ASSERT_EQ(AclSetInputTensorAddr(executor, 0, self, y.address()), ACL_SUCCESS);
  ASSERT_EQ(AclSetOutputTensorAddr(executor, 0, out, z.address()), ACL_SUCCESS);
  ASSERT_EQ(aclnnAdd(nullptr, bytes, executor, stream_), ACL_SUCCESS) << last_error();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(z.values(), (Numbers{4, 8, 12}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), ACL_SUCCESS);
  for (aclTensor* const tensor : {self, out}) EXPECT_EQ(aclDestroyTensor(tensor), ACL_SUCCESS);
}

}  // namespace
}  // namespace davsim::test::repeated
