// Triangles of matrices.
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::triangles {
namespace {

class TrianglesTest : public BasicTest {};

Numbers kept(const Numbers& x, std::int64_t rows, std::int64_t columns, std::int64_t diagonal,
             bool upper) {
  Numbers values = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const std::int64_t beside = place % columns - place / columns % rows - diagonal;
    if (upper ? beside < 0 : beside > 0) values[i] = 0;
  }
  return values;
}

TEST_F(TrianglesTest, KeepsOneSideOfADiagonal) {
  for (const aclDataType type : {ACL_BOOL, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
    for (const Sizes& sizes : {Sizes{3, 50, 70}, Sizes{300, 200}, Sizes{2, 20000}, Sizes{1, 1}}) {
      const std::int64_t rows = sizes[sizes.size() - 2], columns = sizes.back();
      std::int64_t count = 1;
      for (const std::int64_t size : sizes) count *= size;
      const Numbers x(static_cast<std::size_t>(count), 1);
      for (const std::int64_t diagonal : {0, 5, -7, 1000000, -1000000}) {
        const DeviceTensor self(sizes, x, type), out(sizes, Numbers(x.size(), 1), type);
        ASSERT_EQ(DAVSIM_CALL(Tril, self, diagonal, out), ACL_SUCCESS) << last_error();
        EXPECT_EQ(out.values(), kept(x, rows, columns, diagonal, false)) << "type " << type;
        ASSERT_EQ(DAVSIM_CALL(Triu, self, diagonal, out), ACL_SUCCESS) << last_error();
        EXPECT_EQ(out.values(), kept(x, rows, columns, diagonal, true)) << "type " << type;
      }
    }
  }
}

TEST_F(TrianglesTest, WorksInPlaceAndOnViews) {
  const Numbers x = spread(20 * 30, 1, 2);
  const DeviceTensor self({20, 30}, x), transposed({20, 30}, {1, 20}, 0, x);
  const Numbers x_of_type = self.values();
  ASSERT_EQ(DAVSIM_CALL(InplaceTril, self, -1), ACL_SUCCESS) << last_error();
  EXPECT_EQ(self.values(), kept(x_of_type, 20, 30, -1, false));
  const Numbers before = transposed.values();
  ASSERT_EQ(DAVSIM_CALL(InplaceTriu, transposed, 2), ACL_SUCCESS) << last_error();
  EXPECT_EQ(transposed.values(), kept(before, 20, 30, 2, true));
  const DeviceTensor row({30}, Numbers(30)), other({30, 20}, Numbers(600));
  EXPECT_EQ(DAVSIM_CALL(InplaceTril, row, 0), 161002);
  EXPECT_EQ(DAVSIM_CALL(Tril, self, 0, other), 161002);
  EXPECT_EQ(DAVSIM_CALL(Tril, self, 0, nullptr), 161001);
}

}  // namespace
}  // namespace davsim::test::triangles
