// Pointwise functions against the mathematics of the host, on each type.
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_silu.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::pointwise {
namespace {

/// How far results may be from those in double.
double tolerance_of(aclDataType type) {
  return type == ACL_FLOAT ? 2e-6 : type == ACL_FLOAT16 ? 1e-3 : 8e-3;
}

Numbers of_type(Numbers values, aclDataType type) {
  for (double& value : values) value = as_type(value, type);
  return values;
}

class PointwiseTest : public BasicTest {};

TEST_F(PointwiseTest, AddsTensorsOfManyTiles) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32}) {
    constexpr std::int64_t kRows = 130, kColumns = 1003;
    const Numbers x = of_type(spread(kRows * kColumns, -50, 50), type);
    const Numbers y = of_type(spread(kRows * kColumns, -9, 90), type);
    const DeviceTensor self({kRows, kColumns}, x, type), other({kRows, kColumns}, y, type);
    const DeviceTensor out({kRows, kColumns}, Numbers(x.size()), type);
    const Scalar alpha(2);
    ASSERT_EQ(DAVSIM_CALL(Add, self, other, alpha, out), ACL_SUCCESS) << last_error();
    Numbers expected;
    for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(x[i] + 2 * y[i]);
    expect_near(out.values(), expected, tolerance_of(type));
  }
}

}  // namespace
}  // namespace davsim::test::pointwise
