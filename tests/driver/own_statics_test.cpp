// Static variables of functions of kernels: each core has its own.
#include "driver/own_statics.hpp"

#include "driver/tokens.hpp"
#include "tests/driver/compile_fixture.hpp"

namespace davsim::driver {
namespace {

/// The variables that are seen, one behind the other.
std::string seen(const std::string& source) {
  const TokenList tokens(source, "file.asc");
  std::string names;
  for (const Insertion& insertion : own_statics(tokens)) {
    const std::size_t at = insertion.text.find("sizeof(") + 7;
    names += insertion.text.substr(at, insertion.text.find(')', at) - at) + " ";
    EXPECT_TRUE(tokens.is(insertion.token - 1, ";")) << source;
  }
  return names;
}

TEST(OwnStatics, AreVariablesOfFunctions) {
  EXPECT_EQ(seen("void f() { static int x = 0; }"), "x ");
  EXPECT_EQ(seen("int f(int n) { if (n) { static unsigned long x; return x; } }"), "x ");
  EXPECT_EQ(seen("void f() { static std::map<int, float> x; static float y[2][3] = {}, z{1}; }"),
            "x y z ");
  EXPECT_EQ(seen("void f() const { [[maybe_unused]] static T* x = g<a, b>(); }"), "x ");
  EXPECT_EQ(seen("struct S { int f() { static T<2>::E x = T<1>::f(2, 3); return x; } };"), "x ");
  EXPECT_EQ(seen("void f() { switch (n) { case 1: static int x; } }"), "x ");
}

TEST(OwnStatics, AreNoMembersConstantsAndFunctions) {
  EXPECT_EQ(seen("static int x = 0; namespace n { static int y; }"), "");
  EXPECT_EQ(seen("struct S { static int x; static int f() { return 1; } };"), "");
  EXPECT_EQ(seen("template <class T> struct S final : B<T> { static int x; };"), "");
  EXPECT_EQ(seen("void f() { static const int x = 1; static constexpr int y[] = {1, 2}; }"), "");
  EXPECT_EQ(seen("void f() { static void (*x)() = g; static int& y = z; static T v(1); }"), "");
  EXPECT_EQ(seen("void f() { int x = static_cast<int>(y); if (x) static int z; }"), "");
  EXPECT_EQ(seen("void f() { static int x"), "");
}

using OwnStaticsTest = CompileTest;

TEST_F(OwnStaticsTest, CoresHaveValuesOfTheirOwn) {
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "kernel_operator.h"
#include "host.h"
template <int first>
__aicore__ inline int turn() {
  static int next = first;
  return next++;
}
struct Turns {
  __aicore__ inline int take() {
    static int taken[2] = {}, sum{100};
    ++taken[sum & 1];
    return ++sum + taken[0] + taken[1];
  }
};
__global__ __vector__ void turns(__gm__ float* y) {
  Turns turns;
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum = 10000 * turn<2>() + 1000 * turn<5>() + turns.take();
    AscendC::SyncAll();  // others take their turns
  }
  y[16 * AscendC::GetBlockIdx()] = sum;
  AscendC::GlobalTensor<float> line;
  line.SetGlobalBuffer(y + 16 * AscendC::GetBlockIdx());
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                    AscendC::DcciDst::CACHELINE_OUT>(line);
}
int main() {
  auto s = start();
  auto* y = words<float>(64);
  for (int launches = 0; launches < 2; ++launches) {
    static int shown = 0;
    turns<<<4, nullptr, s>>>(y);
    aclrtSynchronizeStream(s);
    if (++shown == 2) std::printf("twice: ");
  }
  for (int block = 0; block < 4; ++block) show(s, y + 16 * block, 1);
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "twice: 47106 \n47106 \n47106 \n47106 \n");
}

}  // namespace
}  // namespace davsim::driver
