// Fields that hold what separates fields come back as they were.
#include "traces/output/csv.hpp"

#include <gtest/gtest.h>

namespace davsim::traces {
namespace {

using Fields = std::vector<std::string>;

TEST(Csv, FieldsOfALine) {
  EXPECT_EQ(csv_fields("a,,b c"), (Fields{"a", "", "b c"}));
  EXPECT_EQ(csv_fields(""), (Fields{""}));
  EXPECT_EQ(csv_fields("1,\"x, y\",\"say \"\"so\"\"\""), (Fields{"1", "x, y", "say \"so\""}));
}

TEST(Csv, WhatIsWrittenIsRead) {
  const Fields fields = {"plain", "with, comma", "with \"quotes\"", ""};
  std::string line;
  for (const std::string& field : fields) line += csv_field(field) + ",";
  line.pop_back();
  EXPECT_EQ(csv_fields(line), fields);
}

}  // namespace
}  // namespace davsim::traces
