// Kernels that a program compiles, or links, while it runs.
#include "tests/driver/compile_fixture.hpp"

namespace davsim::driver {
namespace {

using CompileAtRunTime = CompileTest;

constexpr const char* kKernel = R"(
#include "kernel_operator.h"
namespace n {
__forceinline__ [host, aicore] float sum(float a, float b) { return a + b; }
template <typename T>
__global__ __vector__ void put(__gm__ T* to, T value, T more) {
  AscendC::GlobalTensor<T> out;
  out.SetGlobalBuffer(to);
  out.SetValue(0, sum(value, more));
  AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(out);
}
}
extern "C" __global__ __vector__ void plain(__gm__ float* to) { n::put<float>(to, 20, 1); }
)";

/// The only kernel of its binary: the sum of its tiling's numbers, one more with tiling key 7.
constexpr const char* kKeyed = R"(
#include "kernel_operator.h"
extern "C" __global__ __vector__ void keyed(GM_ADDR to, GM_ADDR numbers) {
  AscendC::GlobalTensor<float> out, in;
  out.SetGlobalBuffer((__gm__ float*)to);
  in.SetGlobalBuffer((__gm__ float*)numbers);
  out.SetValue(0, in.GetValue(0) + in.GetValue(1));
  if (TILING_KEY_IS(7)) out.SetValue(0, out.GetValue(0) + 1);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(out);
}
)";

constexpr const char* kLaunch = R"(
  if (aclrtBinaryGetFunction(binary, name, &function) != 0) std::printf("no kernel ");
  if (aclrtLaunchKernelWithArgsArray(function, 1, s, nullptr, args) != 0) std::printf("no launch ");
  show(s, x, 1);
)";

/// What a compiled program is made of.
constexpr const char* kData = R"(
  size_t bytes = 0;
  aclrtcGetBinDataSize(program, &bytes);
  std::string data(bytes, ' ');
  aclrtcGetBinData(program, data.data());
)";

/// The beginning of a program that has the kernels as `source`.
std::string kernel_as_text(const char* kernels = kKernel) {
  return std::string(R"(#include "host.h"
#include <string>
#include "acl/acl_rt_compile.h"
const char* source = R"()") +
         kernels + ")\";\n";
}

TEST_F(CompileAtRunTime, NamedInstancesAndPlainKernels) {
  write("host.h", kHostHeader);
  write("main.cpp", kernel_as_text() + R"(
int main() {
  auto s = start();
  auto* x = words<float>(8);
  aclrtFuncHandle function = nullptr;
  aclrtcProg program = nullptr;
  aclrtcCreateProg(&program, source, "put", 0, nullptr, nullptr);
  aclrtcAddNameExpr(program, "n::put<float>");
  const char* wrong[] = {"--npu-arch=dav-9999"};
  std::printf("%d ", aclrtcCompileProg(program, 1, wrong));
  const char* options[] = {"--npu-arch=dav-2201"};
  std::printf("%d ", aclrtcCompileProg(program, 1, options));
)" + kData + R"(
  aclrtBinHandle binary = nullptr;
  aclrtBinaryLoadFromData(data.data(), bytes, nullptr, &binary);
  const char* name = nullptr;
  aclrtcGetLoweredName(program, "n::put<float>", &name);
  float value = 40, more = 2;
  void* args[] = {&x, &value, &more};
)" + kLaunch + R"(
  name = "plain";
)" + kLaunch + R"(
  aclrtcDestroyProg(&program);
  aclrtcCreateProg(&program, "no kernel", "", 0, nullptr, nullptr);
  std::printf("%d ", aclrtcCompileProg(program, 1, options));
  aclrtcGetCompileLogSize(program, &bytes);
  std::string log(bytes, ' ');
  aclrtcGetCompileLog(program, log.data());
  std::printf("%d %d\n", log.find("error") != log.npos, aclrtcGetBinDataSize(&s, &bytes));
})");
  compiles({"main.cpp", "-o", "form"});
  prints("form", "176002 0 42 \n21 \n176003 1 176000\n");
}

/// What a program learns about the kernels of a binary, and about those of its own.
TEST_F(CompileAtRunTime, KernelsHaveAttributes) {
  constexpr const char* kernels = R"(
#include "kernel_operator.h"
extern "C" __global__ __vector__ void lanes(__gm__ float* to) {}
extern "C" __global__ __cube__ void cubes(__gm__ float* to) {}
extern "C" __global__ __mix__(1, 1) void pair(__gm__ float* to) {}
extern "C" __global__ __mix__(1, 2) void three(__gm__ float* to) {}
)";
  write("host.h", kHostHeader);
  write("main.cpp", kernel_as_text(kernels) + kernels + R"(
int main() {
  start();
  aclrtcProg program = nullptr;
  aclrtcCreateProg(&program, source, "kernels", 0, nullptr, nullptr);
  const char* options[] = {"--npu-arch=dav-2201"};
  aclrtcCompileProg(program, 1, options);
)" + kData + R"(
  aclrtBinHandle binary = nullptr, of = nullptr;
  aclrtBinaryLoadFromData(data.data(), bytes, nullptr, &binary);
  uint32_t count = 0;
  std::printf("%d ", aclrtBinaryGetFunctionCount(binary, &count));
  std::printf("%u ", count);
  aclrtFuncHandle function = nullptr;
  int64_t value = 0;
  for (const char* name : {"lanes", "cubes", "pair", "three"}) {
    aclrtBinaryGetFunction(binary, name, &function);
    aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_TYPE, &value);
    std::printf("%d ", int(value));
    aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_RATIO, &value);
    std::printf("%d:%d ", int(value >> 16), int(value & 0xffff));
  }
  std::printf("%d ", aclrtFunctionGetBinary(function, &of));
  std::printf("%d ", of == binary);
  aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_SCHED_MODE, &value);
  std::printf("%d ", int(value));
  std::printf("%d ", aclrtGetFunctionAttribute(function, aclrtFuncAttribute(4), &value));
  std::printf("%d ", aclrtGetFunctionAttribute(&value, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
  aclrtGetFuncBySymbol((const void*)cubes, &function);
  std::printf("%d ", aclrtFunctionGetBinary(function, &of));
  std::printf("%d\n", aclrtBinaryGetFunctionCount(&value, &count));
})");
  compiles({"main.cpp", "-o", "form"});
  prints("form", "0 4 2 0:1 1 1:0 3 1:1 3 1:2 0 1 1 107000 107017 207000 107017\n");
}

/// The same binary by the layer below: a stub stands for a kernel.
TEST_F(CompileAtRunTime, StubsStandForKernelsOfABinary) {
  write("host.h", kHostHeader);
  write("main.cpp", "#include \"runtime/runtime/rt.h\"\n" + kernel_as_text() + R"(
int main() {
  auto s = start();
  auto* x = words<float>(8);
  aclrtcProg program = nullptr;
  aclrtcCreateProg(&program, source, "put", 0, nullptr, nullptr);
  const char* options[] = {"--npu-arch=dav-2201"};
  aclrtcCompileProg(program, 1, options);
)" + kData + R"(
  const rtDevBinary_t binary = {RT_DEV_BINARY_MAGIC_ELF_AIVEC, 0, data.data(), bytes};
  void* handle = nullptr;
  static const char stub = 0;
  std::printf("%d ", rtDevBinaryRegister(&binary, &handle));
  std::printf("%d ", rtFunctionRegister(handle, &stub, "plain", "none", 0));
  std::printf("%d ", rtFunctionRegister(handle, &stub, "plain", nullptr, 0));
  struct { void* to; } args = {x};
  std::printf("%d ", rtKernelLaunch(&stub, 1, &args, sizeof args, nullptr, s));
  show(s, x, 1);
  float zero = 0;
  rtMemcpy(x, sizeof zero, &zero, sizeof zero, RT_MEMCPY_HOST_TO_DEVICE);
  rtArgsEx_t more = {};
  more.args = &args;
  more.argsSize = sizeof args;
  std::printf("%d ", rtKernelLaunchWithFlagV2(&stub, 1, &more, nullptr, s, 0, nullptr));
  show(s, x, 1);
  std::printf("%d ", rtDevBinaryUnRegister(handle));
  std::printf("%d ", rtKernelLaunch(&stub, 1, &args, sizeof args, nullptr, s));
  char name[32], shorter[4];
  std::printf("%d %s ", rtGetSocVersion(name, sizeof name), name);
  std::printf("%d\n", rtGetSocVersion(shorter, sizeof shorter));
})");
  compiles({"main.cpp", "-o", "form"});
  prints("form", "0 507027 0 0 21 \n0 21 \n0 507027 0 Ascend910B3 107000\n");
}

/// A binary and a tiling key stand for its only kernel. What a placeholder points to, tiling or
/// another input, goes to the device with the arguments.
TEST_F(CompileAtRunTime, ABinaryAndATilingKeyStandForAKernel) {
  write("host.h", kHostHeader);
  write("main.cpp", "#include \"runtime/rt.h\"\n" + kernel_as_text(kKeyed) + R"(
int main() {
  auto s = start();
  auto* x = words<float>(8);
  aclrtcProg program = nullptr;
  aclrtcCreateProg(&program, source, "keyed", 0, nullptr, nullptr);
  const char* options[] = {"--npu-arch=dav-2201"};
  aclrtcCompileProg(program, 1, options);
)" + kData + R"(
  const rtDevBinary_t binary = {RT_DEV_BINARY_MAGIC_ELF, 0, data.data(), bytes};
  void* handle = nullptr;
  std::printf("%d ", rtRegisterAllKernel(&binary, &handle));
  struct { void *to, *numbers; float one, other; } args = {x, nullptr, 20, 1};
  rtArgsEx_t info = {};
  info.args = &args;
  info.argsSize = sizeof args;
  info.hasTiling = 1;
  info.tilingAddrOffset = 8;
  info.tilingDataOffset = 16;
  rtTaskCfgInfo_t config = {};
  config.schemMode = RT_SCHEM_MODE_BATCH;
  std::printf("%d ", rtKernelLaunchWithHandleV2(handle, 0, 1, &info, nullptr, s, &config));
  show(s, x, 1);
  args.one = 30;
  rtHostInputInfo_t input = {8, 16};
  info.hasTiling = 0;
  info.hostInputInfoPtr = &input;
  info.hostInputInfoNum = 1;
  std::printf("%d ", rtKernelLaunchWithHandleV2(handle, 7, 1, &info, nullptr, s, &config));
  show(s, x, 1);
  input.addrOffset = 96;
  std::printf("%d ", rtKernelLaunchWithHandleV2(handle, 7, 1, &info, nullptr, s, &config));
  std::printf("%d ", rtKernelLaunchWithHandleV2(x, 7, 1, &info, nullptr, s, &config));
  std::printf("%d ", rtKernelLaunchWithHandleV2(handle, 7, 1, nullptr, nullptr, s, &config));
  void *kernel = nullptr, *cube = s, *vector = nullptr;
  aclrtBinaryGetFunctionByEntry(handle, 7, &kernel);
  aclrtGetFunctionAddr(kernel, &cube, &vector);
  std::printf("%d %d\n", cube == nullptr, vector != nullptr);
})");
  compiles({"main.cpp", "-o", "form"});
  prints("form", "0 0 21 \n0 32 \n107000 107017 100000 1 1\n");
}

/// Contexts, events and streams of the layer below are those of AscendCL.
TEST_F(CompileAtRunTime, TheLayerBelowHasContextsAndEvents) {
  write("main.c", R"(
#include <stdio.h>
#include "runtime/rt.h"
int main(void) {
  rtContext_t context = NULL, current = NULL;
  rtStream_t stream = NULL, other = NULL;
  rtEvent_t first = NULL, second = NULL;
  int32_t device = -1, number = -1;
  float ms = -1;
  size_t left = 0, total = 0;
  printf("%d ", rtCtxCreateEx(&context, 0, 0) + rtCtxGetCurrent(&current) + rtCtxGetDevice(&device));
  printf("%d %d ", current == context, device);
  printf("%d ", rtStreamCreateWithFlags(&stream, 0, 0) + rtStreamCreate(&other, 0) +
                    rtGetStreamId(stream, &number));
  printf("%d ", rtEventCreate(&first) + rtEventCreateWithFlag(&second, ACL_EVENT_TIME_LINE));
  printf("%d ", rtEventRecord(first, stream) + rtStreamWaitEvent(other, first) +
                    rtEventRecord(second, other) + rtEventSynchronize(second));
  printf("%d %d ", rtEventQuery(second), rtStreamQuery(other));
  printf("%d ", rtEventElapsedTime(&ms, first, second));
  printf("%g ", ms);
  printf("%d ", rtStreamSynchronizeWithTimeout(stream, -1) + rtCtxSynchronize());
  printf("%d ", rtMemGetInfo(&left, &total));
  printf("%d ", left > 0 && left <= total);
  printf("%d ", rtEventReset(first, stream) + rtEventDestroy(first) + rtEventDestroy(second));
  printf("%d ", rtCtxDestroyEx(context));
  printf("%d\n", rtCtxSetCurrent(context));
  return 0;
})");
  compiles({"main.c", "-o", "form"});
  prints("form", "0 1 0 0 0 0 0 0 0 0 0 0 1 0 0 107017\n");
}

TEST_F(CompileAtRunTime, KernelsOfTheProgramItselfHaveHandles) {
  write("host.h", kHostHeader);
  write("form.asc", std::string("#include \"host.h\"\n") + kKernel + R"(
int main() {
  auto s = start();
  auto* x = words<float>(8);
  aclrtFuncHandle function = nullptr;
  if (aclrtGetFuncBySymbol(reinterpret_cast<const void*>(&n::put<float>), &function) != 0)
    std::printf("no kernel ");
  float value = 40, more = 3;
  void* args[] = {&x, &value, &more};
  std::printf("%d ", aclrtLaunchKernelWithArgsArray(function, 1, s, nullptr, args));
  show(s, x, 1);
  std::printf("%d\n", aclrtGetFuncBySymbol(x, &function));
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "0 43 \n507027\n");
}

TEST_F(CompileAtRunTime, AnObjectOfDeviceCodeAlone) {
  write("host.h", kHostHeader);
  write("kernel.cce", kKernel);
  compiles({"-c", "--cce-aicore-only", "kernel.cce", "-o", "kernel.o"});
  write("main.cpp", std::string(R"(#include "host.h"
int main() {
  auto s = start();
  auto* x = words<float>(8);
  aclrtFuncHandle function = nullptr;
  aclrtBinHandle binary = nullptr;
  aclrtBinaryLoadFromFile("kernel.o", nullptr, &binary);
  const char* name = "plain";
  void* args[] = {&x};
)") + kLaunch + "}");
  compiles({"main.cpp", "-o", "form"});
  prints("form", "21 \n");
}

/// What is written at the end of a program names files of kernels that were unloaded before, and a
/// binary of the same name that came later is the later one.
TEST_F(CompileAtRunTime, ReportsNameTheFilesOfUnloadedKernels) {
  write("host.h", kHostHeader);
  write("first.cce", kKernel);
  std::string other = kKernel;
  other.replace(other.find("(to, 20, 1)"), 11, "(to, 50, 1)");
  write("second.cce", other);
  for (const char* name : {"first", "second"}) {
    compiles({"-shared", "-fPIC", name + std::string(".cce"), "-o", name + std::string(".so")});
  }
  write("main.cpp", std::string(R"(#include "host.h"
#include <cstdlib>
#include <filesystem>
int main() {
  setenv("DAVSIM_REPORT", "report.json", 1);
  setenv("DAVSIM_HTML", "page.html", 1);
  auto s = start();
  auto* x = words<float>(8);
  for (const char* file : {"first.so", "second.so"}) {
    std::filesystem::remove("kernels.so");
    std::filesystem::copy_file(file, "kernels.so");
    aclrtFuncHandle function = nullptr;
    aclrtBinHandle binary = nullptr;
    aclrtBinaryLoadFromFile("kernels.so", nullptr, &binary);
    const char* name = "plain";
    void* args[] = {&x};
)") + kLaunch + R"(
    if (aclrtBinaryUnLoad(binary) != 0) std::printf("not unloaded ");
  }
})");
  compiles({"main.cpp", "-o", "form"});
  prints("form", "21 \n51 \n");
  const std::string report = file_text(folder_ / "report.json");
  EXPECT_NE(report.find("second.cce"), std::string::npos) << report;
  EXPECT_EQ(report.find("plain (2)"), std::string::npos) << "the first one is gone";
}

/// The same of a library that the program closes, and of what the checker has found in it.
TEST_F(CompileAtRunTime, ReportsNameTheFilesOfClosedLibraries) {
  write("host.h", kHostHeader);
  write("library.asc", R"(
#include "kernel_operator.h"
#include "acl/acl.h"
__global__ __vector__ void unordered(GM_ADDR x) {
  AscendC::GlobalTensor<float> all;
  all.SetGlobalBuffer((__gm__ float*)x);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 32);
  AscendC::DataCopy(buffer.Get<float>(), all, 8);
  AscendC::DataCopy(all, buffer.Get<float>(), 8);  // while the first one is under way
}
extern "C" void run(void* x, void* stream) { unordered<<<1, nullptr, stream>>>((uint8_t*)x); }
)");
  compiles({"-shared", "-fPIC", "library.asc", "-o", "library.so"});
  write("main.cpp", R"(#include "host.h"
#include <cstdlib>
#include <dlfcn.h>
int main() {
  setenv("DAVSIM_REPORT", "report.json", 1);
  setenv("DAVSIM_TRACE", "trace.json", 1);
  setenv("DAVSIM_CHECK", "1", 1);
  auto s = start();
  auto* x = words<float>(8);
  void* library = dlopen("./library.so", RTLD_NOW);
  reinterpret_cast<void (*)(void*, void*)>(dlsym(library, "run"))(x, s);
  aclrtSynchronizeStream(s);
  std::printf("%d\n", dlclose(library));
})");
  compiles({"main.cpp", "-o", "form"});
  const Outcome outcome = program("form");
  EXPECT_GT(outcome.status, 0) << "a finding, and no signal";
  EXPECT_EQ(outcome.out, "0\n");
  EXPECT_NE(outcome.err.find("library.asc:11"), std::string::npos) << outcome.err;
  for (const char* file : {"report.json", "trace.json"}) {
    EXPECT_NE(file_text(folder_ / file).find("library.asc"), std::string::npos) << file;
  }
}

}  // namespace
}  // namespace davsim::driver
