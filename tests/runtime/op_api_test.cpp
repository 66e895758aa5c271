// Tensors of hand-written aclnn functions whose sizes are open.
#include "aclnn_kernels/reshape.h"
#include "opdev/op_executor.h"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

class OpenSizesTest : public RuntimeTest {
 protected:
  UniqueExecutor executor_{"test"};
  aclTensor* rows_ = executor_->AllocTensor(op::Shape{4, 6}, op::DataType::DT_FLOAT);
};

TEST_F(OpenSizesTest, TheHostHasNoTensorOfThem) {
  EXPECT_NE(executor_->AllocHostTensor(op::Shape{2, 3}, op::DataType::DT_FLOAT), nullptr);
  EXPECT_EQ(executor_->AllocHostTensor(op::Shape{-1, 3}, op::DataType::DT_FLOAT), nullptr);
  EXPECT_NE(error_text().find("a tensor of the host has sizes and a type"), std::string::npos);
  EXPECT_EQ(executor_->AllocHostTensor(op::Shape{-1, -1}, op::DataType::DT_FLOAT), nullptr);
}

TEST_F(OpenSizesTest, TheWorkspaceHasNoRoomForThem) {
  const std::uint64_t before = executor_->GetWorkspaceSize();
  EXPECT_GE(before, 4u * 6 * 4);
  executor_->AllocTensor(op::Shape{-1, 1024}, op::DataType::DT_FLOAT);
  executor_->AllocTensor(op::Shape{-1, -1024}, op::DataType::DT_FLOAT);
  EXPECT_EQ(executor_->GetWorkspaceSize(), before);
}

TEST_F(OpenSizesTest, AShapeHasOneOfThemThatFits) {
  const auto reshaped = [&](op::Shape shape) {
    const aclTensor* view = l0op::Reshape(rows_, shape, executor_.get());
    return view == nullptr ? op::Shape{} : view->GetViewShape();
  };
  EXPECT_EQ(reshaped({-1, 8}), (op::Shape{3, 8}));
  EXPECT_EQ(reshaped({24, -1}), (op::Shape{24, 1}));
  EXPECT_EQ(reshaped({-1, 7}), op::Shape{});
  EXPECT_EQ(reshaped({-1, -1}), op::Shape{});
  EXPECT_EQ(reshaped({-2, -12}), op::Shape{});
  EXPECT_NE(error_text().find("24 elements have no shape"), std::string::npos);
}

}  // namespace
}  // namespace davsim::test
