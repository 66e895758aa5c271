// What is left of a kernel's source when the functions that launch it launch nothing.
#include "runtime/opbuild/launch_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace davsim::opbuild {
namespace {

/// Without the spaces that stand for what was there.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : without_launches(text)) {
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  }
  return result;
}

TEST(LaunchCalls, LaunchesOfEveryFormBecomeNothing) {
  EXPECT_EQ(squeezed("void f() { add<<<8, nullptr, stream>>>(x, (y), z); }"),
            "void f() { (void)0 ; }");
  EXPECT_EQ(squeezed("ns::add<T, 3> <<< n(1), l2, s >>> (x);"), "(void)0 ;");
  EXPECT_EQ(squeezed("if (a) k<A<B>><<<1,0,s>>>(x); else k<<<2,0,s>>>(y);"),
            "if (a) (void)0 ; else (void)0 ;");
  EXPECT_EQ(squeezed("#define RUN(k) \\\n  k<<<1, 0, s>>>(a, \\\n  b)"),
            "#define RUN(k) \\\n (void)0 \\\n ");
}

TEST(LaunchCalls, LinesStayAndOtherTextIsLeftAlone) {
  const std::string text = "f(a,\n  k<<<1,\n 0, s>>>(x,\n ')', \")\"),\n b);";
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  const std::string result = without_launches(text);
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), 4);
  EXPECT_EQ(squeezed(text).substr(squeezed(text).rfind(',')), ",\n b);");
  for (const char* other : {"x = a << 3 << b;", "// k<<<1, 0, s>>>(x)", "\"k<<<1, 0, s>>>(x)\"",
                            "k<<<1, 0, s>>>", "<<<", "1'000 <<< 2"}) {
    EXPECT_EQ(without_launches(other), other);
  }
}

}  // namespace
}  // namespace davsim::opbuild
