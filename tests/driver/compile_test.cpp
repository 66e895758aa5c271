// Programs from davsim-cc: compiled, linked and run.
#include "tests/driver/compile_fixture.hpp"

namespace davsim::driver {
namespace {

/// Kernels of every form in one file, each of which writes what it was given.
constexpr const char* kForms = R"(#include "host.h"
#include "kernel_operator.h"
struct Tiling { uint32_t first; uint8_t second; float third; };
template <typename T>
__aicore__ inline void put(__gm__ T* at, int index, T value) {
  AscendC::GlobalTensor<T> out;
  out.SetGlobalBuffer(at);
  out.SetValue(index, value);
  AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(out);
}
template <typename T, int N>
__global__ __aicore__ void scaled(__gm__ T* out, T value, uint32_t) { put(out, 0, T(value * N)); }
namespace math { namespace {
__global__ __aicore__ void hidden(__gm__ float* out) { put(out, 0, 5.0f); }
}
static __global__ __vector__ void still(__gm__ float* out) { put(out, 0, 6.0f); }
__global__ __vector__ void loud(__gm__ float* out) { put(out, 0, 7.0f); }
__global__ __vector__ void loud(__gm__ float* out, float value) { put(out, 0, value); }
}
extern "C" __global__ [aicore] void tiled(GM_ADDR out, Tiling t) {
  put(reinterpret_cast<__gm__ float*>(out), 0, t.first + t.second + t.third);
}
extern "C" __global__ __cube__ void cube(__gm__ float* out) {
  put(out, 0, g_coreType == AscendC::AIC ? 9.0f : -1.0f);
}
__global__ __mix__(1, 2) void both(__gm__ float* out) {
  if ASCEND_IS_AIC put(out, 16 * 2, 1.0f);
  if ASCEND_IS_AIV put(out, 16 * static_cast<int>(AscendC::GetSubBlockIdx()), 2.0f);
}
#define KERNEL(name, value) \
  extern "C" __global__ __aicore__ void name(GM_ADDR out) { put((__gm__ float*)out, 0, value); }
KERNEL(made_by_macro, 11.0f)
template <typename T>
void launch(aclrtStream stream, T* out) { scaled<T, 2><<<1, nullptr, stream>>>(out, T(21), 0); }
int main() {
  aclrtStream stream = start();
  auto* f = words<float>(48);
  auto* h = words<int32_t>(8);
  scaled<float, 3><<<1, nullptr, stream>>>(f, 1, 0); show(stream, f, 1);
  launch<int32_t>(stream, h); show(stream, h, 1);
  math::hidden<<<1, 0, stream>>>(f); show(stream, f, 1);
  math::still<<<1, NULL, stream>>>(f); show(stream, f, 1);
  math::loud<<<1, nullptr, stream>>>(f); show(stream, f, 1);
  math::loud<<<1, nullptr, stream>>>(f, 8); show(stream, f, 1);
  tiled<<<
      1, nullptr,
      stream>>>(reinterpret_cast<GM_ADDR>(f),
                Tiling{1, 2, 0.5f}); show(stream, f, 1);
  cube<<<1, nullptr, stream>>>(f); show(stream, f, 1);
  both<<<1, nullptr, stream>>>(f); aclrtSynchronizeStream(stream);
  show(stream, f, 1); show(stream, f + 16, 1); show(stream, f + 32, 1);
  if (f) made_by_macro<<<1, nullptr, stream>>>((uint8_t*)f); show(stream, f, 1);
})";
constexpr const char* kFormsPrint = "3 \n42 \n5 \n6 \n7 \n8 \n3.5 \n9 \n2 \n2 \n1 \n11 \n";

TEST_F(CompileTest, KernelsOfEveryFormRun) {
  write("host.h", kHostHeader);
  write("forms.asc", kForms);
  compiles({"forms.asc", "-o", "forms"});
  prints("forms", kFormsPrint);
}

TEST_F(CompileTest, ObjectsHoldHostCodeAndKernelsAndLinkWithOthers) {
  write("host.h", kHostHeader);
  write("scale.h", R"(#include "host.h"
#include "kernel_operator.h"
template <typename T>
__global__ __vector__ void scale(__gm__ T* out, T value) {
  AscendC::GlobalTensor<T> gm; gm.SetGlobalBuffer(out); gm.SetValue(0, value);
  AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(gm);
}
static __global__ __vector__ void same_name(__gm__ float* out) {
  AscendC::GlobalTensor<float> gm; gm.SetGlobalBuffer(out); gm.SetValue(0, VALUE);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(gm);
}
)");
  // The same instance of a template, and static kernels of one name, in two files.
  for (const char* name : {"one", "two"}) {
    write(std::string(name) + ".cpp", std::string("#define VALUE ") + (name[0] == 'o' ? "1" : "2") +
                                          R"(
#include "scale.h"
extern "C" void run_)" + name + R"((aclrtStream s, float* out) {
  scale<<<1, nullptr, s>>>(out, 10.0f); show(s, out, 1);
  same_name<<<1, nullptr, s>>>(out); show(s, out, 1);
})");
    compiles({"-c", "-O1", "-g", std::string(name) + ".cpp"});
  }
  write("main.cpp", R"(#include "host.h"
extern "C" void run_one(aclrtStream, float*); extern "C" void run_two(aclrtStream, float*);
int main() { auto s = start(); auto* f = words<float>(8); run_one(s, f); run_two(s, f); })");
  compiles({"main.cpp", "one.o", "two.o", "-o", "program", "-lascendcl"});
  prints("program", "10 \n1 \n10 \n2 \n");
}

TEST_F(CompileTest, ASharedLibraryOfKernelsIsLoadedAtRunTime) {
  write("host.h", kHostHeader);
  write("kernel.cpp", R"(#include "kernel_operator.h"
extern "C" __global__ __aicore__ void seven(GM_ADDR out) {
  AscendC::GlobalTensor<float> gm; gm.SetGlobalBuffer((__gm__ float*)out); gm.SetValue(0, 7.0f);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(gm);
}
extern "C" void call(uint32_t blocks, void* stream, uint8_t* out) {
  seven<<<blocks, nullptr, stream>>>(out);
})");
  write("main.cpp", R"(#include <dlfcn.h>
#include "host.h"
int main() {
  auto s = start(); auto* f = words<float>(8);
  for (int round = 0; round < 2; ++round) {
    void* library = dlopen("./libkernel.so", RTLD_NOW);
    auto call = reinterpret_cast<void (*)(unsigned, void*, void*)>(dlsym(library, "call"));
    call(1, s, f); show(s, f, 1);
    dlclose(library);
  }
})");
  compiles({"-O2", "-fPIC", "--shared", "-xcce", "--cce-aicore-arch=dav-c220-vec", "kernel.cpp",
            "-o", "libkernel.so"});
  compiles({"main.cpp", "-o", "program", "-ldl"});
  prints("program", "7 \n7 \n");
}

TEST_F(CompileTest, ErrorsPointIntoTheSourceAndAreShownOnce) {
  write("wrong.asc", R"(#include "kernel_operator.h"
int helper() { return missing_in_host; }
__global__ __vector__ void k(GM_ADDR x) {
  x = missing_in_kernel;
}
)");
  const Outcome outcome = davsim_cc({"-c", "wrong.asc"});
  EXPECT_EQ(outcome.status, 1);
  for (const char* expected : {"wrong.asc:2:23: error: ‘missing_in_host’ was not declared",
                               "wrong.asc:4:7: error: ‘missing_in_kernel’ was not declared"}) {
    const std::size_t found = outcome.err.find(expected);
    EXPECT_NE(found, std::string::npos) << expected << " in " << outcome.err;
    EXPECT_EQ(outcome.err.find(expected, found + 1), std::string::npos) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "wrong.o"));
}

TEST_F(CompileTest, WordsOfTheLanguageNeedNoHeader) {
  write("bare.cce", R"(
extern "C" __global__ __aicore__ void k(__gm__ unsigned char*) {}
[aicore] inline int helper() { return 3; }
int main() { return helper() - 3; })");
  compiles({"bare.cce", "-o", "bare"});
  prints("bare", "");
}

TEST_F(CompileTest, DependenciesAndSeparateCompilationForMake) {
  write("host.h", kHostHeader);
  write("forms.cpp", kForms);
  write("Makefile",
        "CXXFLAGS = -O1 -MMD -MP\nprogram: forms.o\n\t$(CC) forms.o -o $@ -lascendcl -lm\n"
        "forms.o: forms.cpp\n\t$(CC) $(CXXFLAGS) -c $< -o $@\n-include forms.d\n");
  const Outcome made = run("/usr/bin/make", {std::string("CC=") + DAVSIM_CC_PROGRAM});
  ASSERT_EQ(made.status, 0) << made.err;
  prints("program", kFormsPrint);
  const std::string dependencies = file_text(folder_ / "forms.d");
  EXPECT_NE(dependencies.find("forms.o:"), std::string::npos) << dependencies;
  EXPECT_NE(dependencies.find("host.h"), std::string::npos) << dependencies;
  const Outcome again = run("/usr/bin/make", {std::string("CC=") + DAVSIM_CC_PROGRAM});
  EXPECT_NE(again.out.find("up to date"), std::string::npos) << again.out;
}

TEST_F(CompileTest, AnUnchangedSourceIsNotCompiledAgain) {
  cache_ = folder_ / "cache";
  write("host.h", kHostHeader);
  write("value.h", "#define VALUE 3\n");
  write("cached.asc", R"(#include "host.h"
#include "value.h"
#include "kernel_operator.h"
extern "C" __global__ __vector__ void k(GM_ADDR) {}
int main() { start(); std::printf("%d\n", VALUE); })");
  const auto compilations = [this](const std::string& option = "--cce-auto-sync=on") {
    const Outcome outcome = davsim_cc({"-v", option, "cached.asc", "-o", "cached"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::size_t count = 0;
    for (std::size_t at = outcome.err.find(" -fpreprocessed"); at != std::string::npos;
         at = outcome.err.find(" -fpreprocessed", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(compilations(), 2u) << "the host's code and the vector cores'";
  prints("cached", "3\n");
  // Until the kernel API is compiled in the background, and the texts change by that; then not even
  // the preprocessor and the linker run.
  const auto compiled_headers = [this] {
    const fs::recursive_directory_iterator all(folder_ / "cache" / "headers");
    return std::count_if(begin(all), end(all), [](const fs::directory_entry& entry) {
      return entry.path().filename() == "files";
    });
  };
  for (int tries = 0; compiled_headers() < 2 && tries < 5000; ++tries) usleep(50000);
  // What was compiled without them may be known by its files already, on a host under load.
  write("value.h", "#define VALUE 9\n");
  compilations();
  write("value.h", "#define VALUE 3\n");
  compilations();
  for (int tries = 0; compilations() != 0 && tries < 100; ++tries) usleep(200000);
  prints("cached", "3\n");
  usleep(20000);  // what was written just before a compilation may not be what it has read
  compilations();
  EXPECT_EQ(davsim_cc({"-v", "--cce-auto-sync=on", "cached.asc", "-o", "cached"}).err, "");
  EXPECT_EQ(compilations("--cce-auto-sync=off"), 2u) << "the list of kernels says it";
  // Another content of the same length, and the old content with another time.
  write("value.h", "#define VALUE 5\n");
  EXPECT_EQ(compilations(), 2u);
  prints("cached", "5\n");
  write("value.h", "#define VALUE 3\n");
  EXPECT_EQ(davsim_cc({"-v", "--cce-auto-sync=on", "cached.asc", "-o", "cached"})
                .err.find(" -fpreprocessed"),
            std::string::npos);
  prints("cached", "3\n");
  write("value.h", "#define VALUE 4\n");
  EXPECT_EQ(compilations(), 2u);
  prints("cached", "4\n");
  const Outcome wrong = davsim_cc({"-DVALUE=x", "-Werror", "cached.asc", "-o", "cached"});
  EXPECT_NE(wrong.status, 0);
}

TEST_F(CompileTest, ATestMayIncludeTheSourceOfAKernel) {
  // Its own text names neither kernels nor launches, and words of the device's language are macros
  // of the command.
  fs::create_directory(folder_ / "op");
  write("op/kernel.cpp", R"(#include "kernel_operator.h"
template <uint32_t kAdd> __global__ __aicore__ void fill(GM_ADDR out, GM_ADDR tiling) {
  AscendC::TPipe pipe; AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 32);
  AscendC::GlobalTensor<int32_t> gm; gm.SetGlobalBuffer((__gm__ int32_t*)out);
  auto local = buffer.Get<int32_t>();
  AscendC::Duplicate(local, *(__gm__ int32_t*)tiling + int32_t(kAdd), 8);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::DataCopy(gm, local, 8);
})");
  write("test.cpp", R"(#include "kernel.cpp"
#include "tikicpulib.h"
int main() {
  auto* out = (uint8_t*)AscendC::GmAlloc(32); auto* tiling = (uint8_t*)AscendC::GmAlloc(32);
  *(int32_t*)tiling = 40;
  ICPU_RUN_KF((fill<2>), 1, out, tiling);
  std::printf("%d\n", *(int32_t*)out);
  AscendC::GmFree(out); AscendC::GmFree(tiling);
})");
  compiles({"--run-mode=cpu", "-D__aicore__=", "-I", "op", "test.cpp", "-o", "test"});
  prints("test", "42\n");
}

TEST_F(CompileTest, AKernelThatIsCalledAsAFunctionIsRefused) {
  write("host.h", kHostHeader);
  write("call.asc", R"(#include "host.h"
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __vector__ void k(GM_ADDR) {}
int main() { start(); printf("host %s %zu %*d\n", "prints", size_t(3), 4, 5); k(nullptr); })");
  compiles({"call.asc", "-o", "call"});
  EXPECT_EQ(program("call").out, "host prints 3    5\n") << "printf of AscendC is chosen there";
  EXPECT_NE(program("call").err.find("kernel k is not launched: it was called as a function"),
            std::string::npos);
}

TEST_F(CompileTest, ProfilesCountTheHostsCode) {
  write("host.h", kHostHeader);
  write("counted.asc",
        "#include \"host.h\"\n#include \"kernel_operator.h\"\n"
        "__global__ __vector__ void k(__gm__ float* out) {\n"
        "  AscendC::GlobalTensor<float> gm; gm.SetGlobalBuffer(out); gm.SetValue(0, 3.0f);\n"
        "  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,\n"
        "                                    AscendC::DcciDst::CACHELINE_OUT>(gm);\n}\n"
        "int main() {\n  auto stream = start(); auto* out = words<float>(8);\n"
        "  k<<<1, nullptr, stream>>>(out);\n  show(stream, out, 1);\n}\n");
  fs::create_directory(folder_ / "objects");
  compiles({"-fprofile-generate", "-ftest-coverage", "-c", "counted.asc", "-o", "objects/k.o"});
  compiles({"-fprofile-generate", "objects/k.o", "-o", "counted"});
  prints("counted", "3 \n");
  write("plain.cpp", "int main() {}\n");
  compiles({"--coverage", "plain.cpp", "-o", "plain"});
  prints("plain", "");
  for (const char* name : {"objects/k.gcno", "objects/k.gcda", "plain.gcno", "plain.gcda"}) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
}

TEST_F(CompileTest, HelpVersionAndWrongUse) {
  EXPECT_EQ(davsim_cc({"--help"}).status, 0);
  EXPECT_NE(davsim_cc({"--help"}).out.find("usage: davsim-cc"), std::string::npos);
  EXPECT_EQ(davsim_cc({"--version"}).out.find("davsim-cc "), 0u);
  EXPECT_EQ(davsim_cc({"--nonsense"}).status, 2);
  EXPECT_EQ(davsim_cc({}).err, "davsim-cc: error: no input files\n");
}

/// The compiled headers of the cache, once all that were begun are there.
std::vector<fs::path> compiled_headers(const fs::path& cache) {
  for (int tries = 0; tries < 600; ++tries) {
    std::vector<fs::path> headers;
    bool complete = true;
    for (const auto& folder : fs::directory_iterator(cache / "headers")) {
      complete = complete && fs::exists(folder.path() / "files");
      headers.push_back(folder.path() / "header.h.gch");
    }
    if (complete && !headers.empty()) return headers;
    usleep(100'000);
  }
  return {};
}

TEST_F(CompileTest, SlowABrokenCompiledHeaderIsDoneWithout) {
  cache_ = folder_ / "cache";
  const auto source = [](int value) {
    return "#include \"kernel_operator.h\"\n"
           "__global__ __vector__ void nothing(GM_ADDR) {}\n"
           "int value() { return " +
           std::to_string(value) + "; }\n";
  };
  write("k.asc", source(0));
  compiles({"-c", "k.asc", "-o", "k.o"});
  const std::vector<fs::path> headers = compiled_headers(cache_);
  ASSERT_EQ(headers.size(), 2u);  // of the host and of the vector cores
  // Known by its size and time, so that g++ is not given it.
  for (const fs::path& header : headers) fs::resize_file(header, 100'000);
  write("k.asc", source(1));
  compiles({"-c", "k.asc", "-o", "k.o"});
  // Found by g++ alone.
  for (const fs::path& header : compiled_headers(cache_)) {
    const auto time = fs::last_write_time(header);
    std::fstream file(header, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(fs::file_size(header) / 2));
    file << std::string(1'000'000, '\x5a');
    file.close();
    fs::last_write_time(header, time);
  }
  write("k.asc", source(2));
  compiles({"-c", "k.asc", "-o", "k.o"});
}

}  // namespace
}  // namespace davsim::driver
