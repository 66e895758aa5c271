// What the compiler gets of a source.
#include "driver/rewrite.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "driver/launch_functions.hpp"
#include "driver/process.hpp"
#include "driver/symbols.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::driver {
namespace {

std::string host(const std::string& source) {
  const TokenList tokens(source, "file.asc");
  return host_source(tokens, scan(tokens));
}
std::string half(const std::string& source, Half half) {
  const TokenList tokens(source, "file.asc");
  return half_source(tokens, scan(tokens), half);
}

TEST(Rewrite, ALaunchBecomesACallBehindItsConfiguration) {
  EXPECT_EQ(host("void f() { ns::k<T><<<8, nullptr, s>>>(1, {2, 3}); }"),
            "void f() { (::davsim::launch::configure(8, nullptr, s), ns::k<T>(1, {2, 3})); }");
  EXPECT_EQ(half("void f() { ns::k<T><<<8, nullptr, s>>>(1, {2, 3}); }", Half::kVector),
            "void f() { ns::k<T>(1, {2, 3}); }");
}

TEST(Rewrite, ShiftsMayStandAmongTheArgumentsOfAKernel) {
  EXPECT_EQ(half("void f() { ns::k<1, Q << 2><<<8, nullptr, s>>>(1); }", Half::kVector),
            "void f() { ns::k<1, Q << 2>(1); }");
  EXPECT_EQ(host("void f() { k<T<1 << Q>::n><<<1 << 3, nullptr, s>>>(1); }"),
            "void f() { (::davsim::launch::configure(1 << 3, nullptr, s), k<T<1 << Q>::n>(1)); }");
  EXPECT_NE(host("template <> __global__ void k<Q << 2>() {}").find("(&k<Q<<2>)>()"),
            std::string::npos);
}

TEST(Rewrite, WhatMayBeAVoidPointerIsMarkedInALaunch) {
  const std::string marked =
      "k(::davsim::launch::argument<decltype((x))>(x), ::davsim::launch::argument<decltype((g(y, "
      "z)[0]))>(g(y, z)[0]))";
  EXPECT_EQ(half("void f() { k<<<8, 0, s>>>(x, g(y, z)[0]); }", Half::kCube),
            "void f() { " + marked + "; }");
  EXPECT_NE(host("void f() { k<<<8, 0, s>>>(x, g(y, z)[0]); }").find(", " + marked + ")"),
            std::string::npos);
  // Null pointers, packs, and parts of arguments.
  for (const std::string arguments :
       {"nullptr, 0, NULL", "x...", "f<a, b, c>(x)", "a < b, c", "T{1}.x, S{2}"}) {
    const bool some = arguments[0] == 'T';
    EXPECT_EQ(half("void f() { k<<<8, 0, s>>>(" + arguments + "); }", Half::kCube)
                      .find("davsim::launch") != std::string::npos,
              some)
        << arguments;
  }
}

TEST(Rewrite, AKernelNamedLikeAFunctionOfTheCLibraryIsOneOfCpp) {
  EXPECT_EQ(half("extern \"C\" __global__ __vector__ void asinh(int* x);", Half::kVector),
            "extern \"C++\" __attribute__((used))  void asinh(int* x);");
  EXPECT_EQ(half("extern \"C\" { __global__ void div(int* x); }", Half::kVector),
            "extern \"C\" { extern \"C++\" __attribute__((used)) void div(int* x); }");
  EXPECT_EQ(half("extern \"C\" __attribute__((used)) void fmax(int* x);", Half::kVector),
            "extern \"C++\" __attribute__((used)) void fmax(int* x);")
      << "as language.h writes __global__";
  for (const std::string same : {"extern \"C\" void exp(int* x);", "void f() { x; pow(y); }",
                                 "extern \"C\" __attribute__((used)) void exp_custom(int* x);",
                                 "template <class T> __attribute__((used)) void exp(T x);",
                                 "static __attribute__((used)) void exp(int* x);"}) {
    EXPECT_EQ(half(same, Half::kVector), same);
  }
}

TEST(Rewrite, AKernelOnTheHostLaunchesItselfByItsAddress) {
  EXPECT_EQ(
      host("__global__ void k(int* x, float) { f(); }"),
      "__attribute__((used)) void k(int* x, float davsim_argument_1 ) { "
      "::davsim::launch::start<static_cast<void (*)(::davsim::launch::Parameter<decltype(x)>, "
      "::davsim::launch::Parameter<decltype(davsim_argument_1)>)>(&k)>(x, "
      "davsim_argument_1); }");
  EXPECT_NE(host("template <class T, int> __global__ void k(T x) {}")
                .find("static_cast<void (*)(::davsim::launch::Parameter<decltype(x)>)>(&k<T, "
                      "davsim_type_1>)>(x)"),
            std::string::npos);
  EXPECT_NE(
      host("template <> __global__ void k<half>() {}").find("static_cast<void (*)()>(&k<half>)>()"),
      std::string::npos);
}

TEST(Rewrite, ZeroByZeroHasNoSignInKernels) {
  EXPECT_EQ(half("float f() { return -(0.0 / 0.0) + 0.0f/0.0f; }", Half::kVector),
            "float f() { return -(__builtin_nan(\"\")) + __builtin_nanf(\"\"); }");
  for (const std::string same : {"x * 0.0 / 0.0", "0.0 / 0.0f", "0.0 / 1.0", "1 / 0.0 / 0.0"}) {
    EXPECT_EQ(half("float f() { return " + same + "; }", Half::kVector),
              "float f() { return " + same + "; }");
  }
}

TEST(Rewrite, AKernelKeepsItsBodyInTheHalvesThatItNeeds) {
  const std::string source =
      "__global__ __vector__ void k() {\n f(); }\n__global__ __mix__(1, 2) "
      "void m() { g(); } __cube__ __global__ [aicore] void c() { h(); }";
  const std::string vector = half(source, Half::kVector), cube = half(source, Half::kCube);
  EXPECT_NE(vector.find("f();"), std::string::npos);
  EXPECT_EQ(cube.find("f();"), std::string::npos);
  EXPECT_NE(vector.find("g();"), std::string::npos);
  EXPECT_NE(cube.find("g();"), std::string::npos);
  EXPECT_EQ(vector.find("h();"), std::string::npos);
  EXPECT_NE(cube.find("h();"), std::string::npos);
  for (const std::string& text : {vector, cube, host(source)}) {
    for (const char* word : {"__global__", "__vector__", "__cube__", "__mix__", "aicore"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << text;
    }
  }
}

TEST(Rewrite, ATypeMarkMayLackItsSemicolon) {
  EXPECT_EQ(half("__global__ void k() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY) f(); }",
                 Half::kVector),
            "__attribute__((used)) void k() { ((void)0); f(); }");
  EXPECT_EQ(
      half("__global__ void k() { if (a) KERNEL_TASK_TYPE(3, KERNEL_TYPE_AIV_ONLY); else f(); }",
           Half::kVector),
      "__attribute__((used)) void k() { if (a) ((void)0); else f(); }");
}

TEST(Rewrite, ADestructorDoesNotNameTheArgumentsOfItsTemplate) {
  const auto both = [](const std::string& source) {
    EXPECT_EQ(host(source), half(source, Half::kVector));
    return host(source);
  };
  EXPECT_EQ(both("template <class T> struct A { A<T>() {} ~A<T>() {} };"),
            "template <class T> struct A { A<T>() {} ~A() {} };");
  EXPECT_EQ(both("template <class T> struct A { public: ~A<T>(); };"),
            "template <class T> struct A { public: ~A(); };");
  EXPECT_EQ(both("template <class T> inline A<T>::~A<T>() = default;"),
            "template <class T> inline A<T>::~A() = default;");
  for (const std::string same :
       {"void f() { a.~A<T>(); }", "int f() { return ~g<1>(); }", "int x[] = {~g<1>()};",
        "void f() { x = y ? 0 : ~g<1>(); }", "int a = ~b < c;"}) {
    EXPECT_EQ(both(same), same);
  }
}

TEST(Rewrite, LinesStayWhereTheyAre) {
  const std::string source =
      "# 1 \"a.asc\"\n__global__ __vector__\nvoid k(int* x) {\n f();\n# 9 \"b.h\" 1\n g();\n"
      "# 6 \"a.asc\" 2\n}\nvoid h() {\n k<<<1,\n 0,\n s>>>(x);\n}\nint last;\n";
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const std::string& text :
       {host(source), half(source, Half::kVector), half(source, Half::kCube)}) {
    const TokenList tokens(text, "x");
    EXPECT_EQ(tokens.place(tokens.size() - 1).line, 12u) << text;
    EXPECT_EQ(tokens.place(tokens.size() - 1).file, "a.asc");
  }
  EXPECT_EQ(lines(half(source, Half::kCube)), lines(source));
}

TEST(Rewrite, ALaunchFunctionTakesPointersAsVoid) {
  const std::string source =
      "namespace n { __global__ void add(GM_ADDR x, __gm__ half* y, uint32_t count, "
      "const Tiling t = {}) {} } template <class T> __global__ void no(T* x) {}";
  const TokenList tokens(source, "file.asc");
  const std::string text = launch_functions(tokens, scan(tokens));
  EXPECT_NE(text.find("extern \"C\" unsigned int aclrtlaunch_add(unsigned int blocks, void* "
                      "stream, void* argument_0, void* argument_1, uint32_t argument_2, const "
                      "Tiling argument_3) { return ::davsim::launch::queue(&::n::add, blocks, "
                      "stream, argument_0, argument_1, argument_2, argument_3); }"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("_no("), std::string::npos);
}

TEST(Rewrite, ALaunchHeaderNeedsNoOtherForTheClassesThatItNames) {
  const std::string source =
      "struct Plain { int a; }; struct __attribute__((packed)) Outer { struct Inner {}; };\n"
      "template <class T> struct No {}; enum class Kind { kOne }; class Later;\n"
      "namespace a { struct Plain { int b; }; namespace b { inline int f() { return 1; } class "
      "Deep "
      "final {}; __global__ void k(const Deep d, Plain p, ::Outer o, Kind e, a::b::Deep f) {} } }\n"
      "__global__ void other(GM_ADDR x, Plain p) {}";
  const ScratchFolder folder;
  const TokenList tokens(source, "file.asc");
  write_launch_headers(tokens, scan(tokens), folder.path());
  const std::string k = read_file(folder / "aclrtlaunch_k.h");
  for (const char* line : {"\nnamespace a { namespace b { class Deep; } }\n",
                           "\nnamespace a { struct Plain; }\n", "\nstruct Outer;\n",
                           "void* stream, const ::a::b::Deep argument_0, ::a::Plain argument_1, "
                           "::Outer argument_2, Kind argument_3, ::a::b::Deep argument_4)"}) {
    EXPECT_NE(k.find(line), std::string::npos) << line << " in " << k;
  }
  EXPECT_EQ(k.find("class Kind"), std::string::npos);
  EXPECT_NE(read_file(folder / "aclrtlaunch_other.h").find("\nstruct Plain;\nextern"),
            std::string::npos);
}

TEST(Rewrite, ALaunchHeaderTakesTypesThatNothingDeclaresAsTheyAre) {
  const ScratchFolder folder;
  const std::string types = folder / "types.h";
  std::ofstream(types) << "#ifndef TYPES_H\n#define TYPES_H\n#endif\n";
  const std::string source =
      "# 1 \"" + types + "\" 1\n" +
      "typedef struct { int n; } Tiling; typedef struct Tag { int n; } Named;\n"
      "# 9 \"file.asc\" 2\nenum Mode { kOne };\n"
      "__global__ void k(GM_ADDR x, Tiling t, Named n) {}\n"
      "__global__ void m(const Tiling t, Mode mode) {}";
  const TokenList tokens(source, "file.asc");
  const Scan seen = scan(tokens);
  write_launch_headers(tokens, seen, folder.path());
  const std::string k = read_file(folder / "aclrtlaunch_k.h");
  for (const char* part :
       {"\nstruct Tag; typedef struct Tag Named;\n",
        "#if !defined(__cplusplus) || defined(TYPES_H)",
        "void* argument_0, Tiling argument_1, ::Named argument_2);", "template <class Type_1>",
        "void* argument_0, const Type_1& argument_1, ::Named argument_2) {",
        "davsim_launch_k(blocks, stream, argument_0, &argument_1, argument_2)"}) {
    EXPECT_NE(k.find(part), std::string::npos) << part << " in " << k;
  }
  EXPECT_NE(read_file(folder / "aclrtlaunch_m.h").find("#if !defined(__cplusplus)\n"),
            std::string::npos)
      << "file.asc has no guard: " << read_file(folder / "aclrtlaunch_m.h");
  EXPECT_NE(launch_functions(tokens, seen)
                .find("davsim_launch_m(unsigned int blocks, void* stream, const void* argument_0, "
                      "const void* argument_1) { return aclrtlaunch_m(blocks, stream, "
                      "*static_cast<const Tiling*>(argument_0), "
                      "*static_cast<const Mode*>(argument_1)); }"),
            std::string::npos)
      << launch_functions(tokens, seen);
}

TEST(Symbols, NamesAreReadWithoutTypes) {
  EXPECT_EQ(plain_name("plain"), "plain");
  EXPECT_EQ(plain_name("_Z5scaleIfLi3EEvPT_S1_j"), "scale");
  EXPECT_EQ(plain_name("_ZN2my12_GLOBAL__N_16hiddenEPh"), "my::(anonymous namespace)::hidden");
  EXPECT_EQ(plain_name("_ZN2myL5stillEPh"), "my::still");
  EXPECT_EQ(readable_name("_Z5scaleIfLi3EEvPT_S1_j", false), "scale<float, 3>");
  EXPECT_EQ(readable_name("_ZN2myL5stillEPh", true), "my::still(unsigned char*)");
  EXPECT_EQ(readable_name("f", true), "f") << "and not float";
  EXPECT_EQ(readable_name("Pi", false), "Pi");
}

}  // namespace
}  // namespace davsim::driver
