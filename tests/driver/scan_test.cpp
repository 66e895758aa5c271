// Kernels and launches of a source.
#include "driver/scan.hpp"

#include <gtest/gtest.h>

namespace davsim::driver {
namespace {

struct Scanned {
  explicit Scanned(std::string source)
      : text(std::move(source)), tokens(text, "file.asc"), scan(driver::scan(tokens)) {}

  const Kernel& kernel(const std::string& name) const {
    for (const Kernel& kernel : scan.kernels) {
      if (kernel.name == name) return kernel;
    }
    throw std::logic_error("no kernel " + name);
  }
  std::string text_of(std::size_t begin, std::size_t end) const {
    return text.substr(tokens[begin].begin, tokens[end - 1].end - tokens[begin].begin);
  }
  std::string callee(std::size_t launch) const {
    return text_of(scan.launches[launch].callee, scan.launches[launch].open);
  }
  std::string configuration(std::size_t launch) const {
    const TokenRange range = scan.launches[launch].configuration;
    return range.empty() ? "" : text_of(range.begin, range.end);
  }

  std::string text;
  TokenList tokens;
  Scan scan;
};

std::string error_of(const std::string& source) {
  try {
    const Scanned scanned(source);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

using Names_ = std::vector<std::string>;

TEST(Scan, QualifiersComeInAnyOrder) {
  for (const char* head :
       {"extern \"C\" __global__ void k", "__global__ extern \"C\" void k",
        "static __global__ inline void k", "__vector__ __global__ void k", "void __global__ k",
        "extern \"C\" [aicore] __global__ void k", "__global__ [aicore] void k",
        "[[maybe_unused]] __global__ __attribute__((noinline)) void k",
        "extern \"C\" [[bisheng::core_ratio(0, 1)]] __global__ [aicore] void k",
        "extern \"C\" __attribute__((aligned(8))) __global__ __mix__(1, 2) void k"}) {
    const Scanned scanned(std::string("int a; ") + head + "(int* x) { f(); }");
    ASSERT_EQ(scanned.scan.kernels.size(), 1u) << head;
    const Kernel& kernel = scanned.scan.kernels[0];
    EXPECT_EQ(kernel.name, "k") << head;
    EXPECT_TRUE(kernel.defined);
    EXPECT_EQ(scanned.text_of(kernel.body.begin, kernel.body.end), "f();");
    EXPECT_EQ(names_of(kernel.parameters), Names_{"x"});
    EXPECT_EQ(kernel.c_linkage, std::string_view(head).find("\"C\"") != std::string::npos) << head;
  }
}

TEST(Scan, NamespacesAndLinkageBlocksSurroundKernels) {
  const Scanned scanned(R"(
    namespace a::b { inline namespace c { namespace { __global__ void k() {} } } }
    extern "C" { namespace d { __global__ void m() {} } __global__ void n(); }
    namespace e = a::b;
    namespace __attribute__((visibility("default"))) f { __global__ void o() {} })");
  EXPECT_TRUE(scanned.kernel("a::b::c::(anonymous namespace)::k").defined);
  EXPECT_FALSE(scanned.kernel("a::b::c::(anonymous namespace)::k").c_linkage);
  EXPECT_TRUE(scanned.kernel("d::m").c_linkage);
  EXPECT_FALSE(scanned.kernel("n").defined);
  EXPECT_TRUE(scanned.kernel("f::o").defined);
  EXPECT_EQ(scanned.scan.kernels.size(), 4u);
}

TEST(Scan, CodeAroundKernelsDoesNotHideThem) {
  const Scanned scanned(R"(
    struct S { int a = 3; void f() { if (x) {} } enum class E { k, l } e{}; };
    constexpr int table[] = {1, 2}; auto lambda = [](int i) { return i; };
    template <class T> struct U : S, V<T> { U() : S{}, a{1} {} int a; };
    U<int>::U() : S{}, a{1} { g(); }
    int operator+(S, S) { return 1; } S::operator bool() { return a < 3; }
    auto f() -> decltype(g()) { return "__global__ void no() {"; }
    __global__ void k() {} ;
    int main() { return 0; })");
  ASSERT_EQ(scanned.scan.kernels.size(), 1u);
  EXPECT_EQ(scanned.scan.kernels[0].name, "k");
}

TEST(Scan, ParametersKnowTheirNames) {
  const Scanned scanned(R"(__global__ void k(GM_ADDR, __gm__ half* y, const ns::Tiling t,
      unsigned int, uint32_t n = f<1, 2>(3), std::array<int, 4>, ns::T, float*, const float,
      int a[3], std::array<std::pair<int, int>, 2> p) {} __global__ void m(void) {})");
  EXPECT_EQ(names_of(scanned.kernel("k").parameters),
            (Names_{"", "y", "t", "", "n", "", "", "", "", "a", "p"}));
  EXPECT_TRUE(scanned.kernel("m").parameters.empty());
}

TEST(Scan, TemplatesKnowTheirParameters) {
  const Scanned scanned(R"(
    template <typename T, int N = 3, class = void, template <class> class C = Q, class... Ts>
    __global__ void k(T* x, Ts... xs) {}
    template <> __global__ void k<float, 2>(float* x) {}
    template __global__ void k<half>(half* x);)");
  ASSERT_EQ(scanned.scan.kernels.size(), 3u);
  const Kernel& kernel = scanned.scan.kernels[0];
  EXPECT_TRUE(kernel.is_template);
  EXPECT_EQ(names_of(kernel.template_parameters), (Names_{"T", "N", "", "C", "Ts"}));
  EXPECT_TRUE(kernel.template_parameters[4].pack);
  EXPECT_TRUE(kernel.parameters[1].pack);
  EXPECT_EQ(scanned.scan.kernels[1].own_name, "k<float,2>");
  EXPECT_FALSE(scanned.scan.kernels[1].is_template);
  EXPECT_TRUE(scanned.scan.kernels[2].is_instantiation);
  EXPECT_FALSE(scanned.scan.kernels[2].defined);
}

TEST(Scan, LaunchesKnowWhatIsLaunchedAndWith) {
  const Scanned scanned(R"(void f() {
    k<<<8, nullptr, stream>>>(x);
    ns::k<half, (3 > 2), g<1>()><<<blocks(a, b), l2ctrl, s>>>(x, y);
    if (n > 1) ::k<<<n << 1, 0, get<A<B<int>>>()>>>();
    for (auto s : all) return table[i].at(3)<<<(a >> 2), 0, s>>>(x);
    (*pointer)<<<1, nullptr>>>(y);
    this->template k<T><<<a < b, 0, s>>>(z);
    std::cout << k << 3;
  })");
  ASSERT_EQ(scanned.scan.launches.size(), 6u);
  const char* callees[] = {"k",          "ns::k<half, (3 > 2), g<1>()>", "::k", "table[i].at(3)",
                           "(*pointer)", "this->template k<T>"};
  const char* configurations[] = {"8, nullptr, stream",
                                  "blocks(a, b), l2ctrl, s",
                                  "n << 1, 0, get<A<B<int>>>()",
                                  "(a >> 2), 0, s",
                                  "1, nullptr",
                                  "a < b, 0, s"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(scanned.callee(i), callees[i]);
    EXPECT_EQ(scanned.configuration(i), configurations[i]);
    EXPECT_TRUE(scanned.tokens.is(scanned.scan.launches[i].arguments_end, ")"));
  }
}

TEST(Scan, AStreamOperatorOfATemplateIsNoLaunch) {
  EXPECT_TRUE(Scanned("void f() { std::operator<<<char>(out, x); }").scan.launches.empty());
}

TEST(Scan, AKernelThatLeavesItsWorkToAParameterRunsWhereTheClassesOfTheSourceDo) {
  const Scanned cube(R"(
    struct Product { void operator()() { Mmad(c, a, b); } };
    template <class Op> __global__ __aicore__ void k(typename Op::Params p) { Op op; op(p); }
    template <class T> __global__ __aicore__ void s(T* x, T y) { *x = y; })");
  EXPECT_EQ(cube.kernel("k").cores.type, CoreType::kAicOnly);
  EXPECT_EQ(cube.kernel("s").cores.type, CoreType::kAivOnly);
  const Scanned both(R"(
    struct Op { template <int Core> void run(); template <> void run<AIC>() {}
                template <> void run<AIV>() {} };
    template <class Op> __global__ __aicore__ void k() { Op op{}; op(); })");
  EXPECT_EQ(both.kernel("k").cores.type, CoreType::kMix12);
}

TEST(Scan, TheTypeComesFromAttributes) {
  const Scanned scanned(R"(
    extern "C" [[bisheng::core_ratio(0, 1)]] __global__ void v(int aiv) { Mmad(c, a, b); }
    [[bisheng::core_ratio(1, 2)]] __global__ void m() {}
    template <class T> __attribute__((aiv)) __global__ void w(T* x) { Mmad(c, a, b); }
    __global__ __attribute__((aic)) void c() {})");
  EXPECT_EQ(scanned.kernel("v").cores.type, CoreType::kAivOnly);
  EXPECT_EQ(scanned.kernel("m").cores.type, CoreType::kMix12);
  EXPECT_EQ(scanned.kernel("w").cores.type, CoreType::kAivOnly);
  EXPECT_EQ(scanned.kernel("c").cores.type, CoreType::kAicOnly);
  EXPECT_THROW(Scanned("[[bisheng::core_ratio(3, 1)]] __global__ void k() {}"),
               std::invalid_argument);
}

TEST(Scan, TheTypeComesFromTheQualifierAndTheBodyWins) {
  const Scanned scanned(R"(
    __global__ __vector__ void v() {} __cube__ __global__ void c() {}
    __global__ __mix__(1, 2) void m() {} __global__ __mix__(0, 1) void w() {}
    __global__ __cube__ void b() { KERNEL_TASK_TYPE_DEFAULT(davsim::isa::KernelType::kMix11);
                                   KERNEL_TASK_TYPE(3UL, KERNEL_TYPE_AIV_ONLY); })");
  EXPECT_EQ(scanned.kernel("v").cores.type, CoreType::kAivOnly);
  EXPECT_EQ(scanned.kernel("c").cores.type, CoreType::kAicOnly);
  EXPECT_EQ(scanned.kernel("m").cores.type, CoreType::kMix12);
  EXPECT_EQ(scanned.kernel("w").cores.type, CoreType::kAivOnly);
  EXPECT_EQ(scanned.kernel("b").cores.type, CoreType::kMix11);
  ASSERT_EQ(scanned.kernel("b").cores.keyed.size(), 1u);
  EXPECT_EQ(scanned.kernel("b").cores.keyed[0].key, "3UL");
  EXPECT_EQ(scanned.kernel("b").cores.keyed[0].type, CoreType::kAivOnly);
}

TEST(Scan, WithoutATypeTheNamesThatAKernelUsesSayIt) {
  const Scanned scanned(R"(
    struct Adder { TBuf<TPosition::VECCALC> buffer; void run(); };
    struct Base { void load() { LoadData(a, b, p); } };
    struct Product : Base { void run() { Mmad(c, a, b, p); } };
    template <class T> void epilogue() { TQue<QuePosition::VECOUT, 1> out; }
    constexpr int A1 = 3;
    __global__ void vector() { Adder op; op.run(); }
    __global__ void cube() { Product op; op.run(); }
    __global__ void mixed() { Product op; op.run(); epilogue<int>(); }
    __global__ void library() { Matmul<A, B, C> mm; }
    __global__ void none() { int i = A1; })");
  EXPECT_EQ(scanned.kernel("vector").cores.type, CoreType::kAivOnly);
  EXPECT_EQ(scanned.kernel("cube").cores.type, CoreType::kAicOnly);
  EXPECT_EQ(scanned.kernel("mixed").cores.type, CoreType::kMix12);
  EXPECT_EQ(scanned.kernel("library").cores.type, CoreType::kMix12);
  EXPECT_EQ(scanned.kernel("none").cores.type, CoreType::kAivOnly);
  const Scanned own("class Matmul {}; __global__ void k() { Matmul mm; Mmad(c, a, b, p); }");
  EXPECT_EQ(own.kernel("k").cores.type, CoreType::kAicOnly) << "a class of the source's own";
}

TEST(Scan, ErrorsNameRuleValueAndPlace) {
  EXPECT_EQ(error_of("void f() {\n<<<1>>>(x); }"),
            "file.asc:2: error: a launch needs a kernel before <<<");
  EXPECT_NE(error_of("void f() { k<<<1, 2, 3); }").find("there is no >>>("), std::string::npos);
  EXPECT_NE(error_of("__global__ __mix__(2, 1) void k() {}").find("not __mix__(2,1)"),
            std::string::npos);
  EXPECT_NE(error_of("__global__ void k() { KERNEL_TASK_TYPE_DEFAULT(3); }")
                .find("'3' is no kernel type"),
            std::string::npos);
  EXPECT_NE(error_of("__global__ int x;").find("__global__ stands before a function"),
            std::string::npos);
}

TEST(Scan, AnythingAtAllIsReadWithoutHarm) {
  const std::string source = R"(template <class T> __global__ __mix__(1, 2) void k(T* x = f<3>()) {
      KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); } void g() { k<int><<<a, b, c>>>(x); })";
  EXPECT_EQ(error_of(source), "");
  std::size_t refused = 0;
  for (std::size_t begin = 0; begin < source.size(); ++begin) {
    for (std::size_t end = begin; end <= source.size(); end += 3) {
      const std::string error = error_of(source.substr(begin, end - begin));
      if (error.empty()) continue;
      ++refused;
      EXPECT_EQ(error.find("file.asc:"), 0u) << error;
    }
  }
  EXPECT_GT(refused, 0u) << "some pieces are no launches";
}

}  // namespace
}  // namespace davsim::driver
