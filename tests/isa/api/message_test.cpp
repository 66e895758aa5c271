// The text that messages make of their pieces.
#include "isa/api/message_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace davsim::test {
namespace {

using api::message_text;

TEST(Message, TextAndNumbersInTheirOrder) {
  const std::string name = "Add";
  EXPECT_EQ(message_text({name, ": ", std::string_view("count"), " is ", 300, ", not ", 7u}),
            "Add: count is 300, not 7");
}

TEST(Message, NumbersOfEveryWidthAndSign) {
  EXPECT_EQ(message_text({std::int8_t{-128}, " ", std::uint8_t{255}}), "-128 255");
  EXPECT_EQ(message_text({INT64_MIN, " ", INT64_MAX, " ", UINT64_MAX}),
            "-9223372036854775808 9223372036854775807 18446744073709551615");
}

TEST(Message, OfNoPiecesIsEmpty) {
  EXPECT_EQ(message_text({}), "");
}

}  // namespace
}  // namespace davsim::test
