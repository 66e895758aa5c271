#include "bench/silicon/params.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace davsim::silicon {
namespace {

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Params, ReadsNumbersTextsAndWhatIsLeftOut) {
  const Params params = Params::parse("m=12 type=half");
  EXPECT_EQ(params.number("m"), 12u);
  EXPECT_EQ(params.size("m"), 12u);
  EXPECT_EQ(params.number("n", 3), 3u);
  EXPECT_EQ(params.text("type", "float"), "half");
  EXPECT_EQ(params.text("out", "float"), "float");
}

TEST(Params, RefuseWhatIsMissingOrNoNumber) {
  const Params params = Params::parse("m=x n=4294967296");
  EXPECT_EQ(error_of([&] { params.number("k"); }), "parameter k is missing");
  EXPECT_EQ(error_of([&] { params.number("m"); }), "parameter m=x is no number");
  EXPECT_EQ(error_of([&] { params.number("n"); }), "parameter n=4294967296 is no number");
  EXPECT_EQ(error_of([] { Params::parse("m"); }), "'m' is no key=value");
}

TEST(Params, RefuseSizesThatAreNone) {
  const Params params = Params::parse("m=0 n=1073741825 k=1073741824");
  EXPECT_EQ(error_of([&] { params.size("m"); }), "parameter m is 0, allowed are 1 to 1073741824");
  EXPECT_EQ(error_of([&] { params.size("n"); }),
            "parameter n is 1073741825, allowed are 1 to 1073741824");
  EXPECT_EQ(params.size("k"), 1073741824u);
}

TEST(Params, RefuseSizesThatDivideAnotherWithARest) {
  const Params params = Params::parse("nq=16 nkv=5 groups=4");
  EXPECT_EQ(error_of([&] { params.divisor("nkv", "nq"); }),
            "parameter nkv is 5, allowed are divisors of nq, which is 16");
  EXPECT_EQ(params.divisor("groups", "nq"), 4u);
  EXPECT_EQ(params.divisor("none", "nq"), 16u);
}

TEST(Params, RefuseSizesThatAreNoneWhereTheyMayBeMissing) {
  const Params params = Params::parse("base_m=0 base_n=48");
  EXPECT_EQ(error_of([&] { params.size("base_m", 128); }),
            "parameter base_m is 0, allowed are 1 to 1073741824");
  EXPECT_EQ(params.size("base_n", 256), 48u);
  EXPECT_EQ(params.size("base_k", 64), 64u);
}

TEST(Params, RefuseNumbersAboveTheLargest) {
  const Params params = Params::parse("skips=3 drop_pad=3");
  EXPECT_EQ(error_of([&] { params.up_to("skips", 2, 2); }),
            "parameter skips is 3, allowed are 0 to 2");
  EXPECT_EQ(params.up_to("drop_pad", 3), 3u);
  EXPECT_EQ(params.up_to("scaled", 1, 1), 1u);
}

TEST(Params, RefuseWordsThatAreNoChoice) {
  const Params params = Params::parse("in=int4 out=float");
  EXPECT_EQ(error_of([&] {
              params.choice("in", {"half", "int8"});
            }),
            "parameter in is int4, allowed are half, int8");
  EXPECT_EQ(params.choice("out", {"half", "float"}), "float");
  EXPECT_EQ(params.choice("order", {"m", "n"}), "m");
}

TEST(Params, RefuseKeysThatNoKernelReads) {
  const Params params = Params::parse("rows=2 widht=3");
  const Params kept = params;  // as a kernel keeps them until it is launched
  kept.number("rows");
  EXPECT_EQ(error_of([&] { params.require_all_read(); }), "the kernel has no parameter widht");
  kept.text("widht", "");
  EXPECT_EQ(error_of([&] { params.require_all_read(); }), "");
}

}  // namespace
}  // namespace davsim::silicon
