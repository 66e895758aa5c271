// Forms of device code that the vendor's compiler takes and g++ does not, or not alike.
#include "tests/driver/kernel_forms.hpp"

namespace davsim::driver {
namespace {

class KernelForms : public KernelFormTest {};

TEST_F(KernelForms, AVoidPointerFitsEveryPointerOfALaunch) {
  prints_of(R"(
extern "C" __global__ __vector__ void put(GM_ADDR to, __gm__ int32_t* from, int32_t more) {
  AscendC::GlobalTensor<int32_t> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(to));
  out.SetValue(0, from == nullptr ? more : *from + more);
  AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(out);
}
template <typename T>
__global__ __vector__ void put_more(__gm__ T* to, __gm__ T* from, T more) {
  put(reinterpret_cast<GM_ADDR>(to), from, more);
}
struct Limits { static const int32_t kMore = 5; };
struct Memory { void* at; void* data_ptr() const { return at; } };
namespace library {
void put_impl(void* stream, void* to, void* from, int32_t more) {
  const Memory memory{to};
  put<<<1, nullptr, stream>>>(memory.data_ptr(), from, more + Limits::kMore);
  put_more<int32_t><<<1, nullptr, stream>>>((int32_t*)to + 8, nullptr, Limits::kMore);
}
}
)",
            std::string(kNumbers) + R"(
  library::put_impl(s, result, in + 3, 7);
  show(s, result, 1);
  show(s, result + 8, 1);)",
            "15 \n5 \n");
}

TEST_F(KernelForms, NamesOfTheCLibrary) {
  prints_of(R"(
extern "C" __global__ __vector__ void sqrt(__gm__ int32_t* to, int32_t more) {
  to[0] = static_cast<int32_t>(sqrt(16.0f)) + more;
  dcci(to, SINGLE_CACHE_LINE);
}
extern "C" {
__global__ __vector__ void div(GM_ADDR to, __gm__ int32_t* from) {
  *reinterpret_cast<__gm__ int32_t*>(to) = *from / 2;
  dcci(to, SINGLE_CACHE_LINE);
}
}
)",
            std::string(kNumbers) + R"(
  sqrt<<<1, nullptr, s>>>(result, 3);
  div<<<1, nullptr, s>>>(reinterpret_cast<uint8_t*>(result + 8), in + 6);
  show(s, result, 1);
  show(s, result + 8, 1);)",
            "7 \n3 \n");
}

TEST_F(KernelForms, TemplatesOfRestrictedPointersAndShiftedNumbers) {
  prints_of(R"(
template <typename T, int kMore>
__global__ __vector__ void add(__gm__ T* __restrict__ to, __gm__ const T* const __restrict from) {
  to[0] = from[0] + T(kMore);
  dcci(static_cast<__gm__ volatile T*>(to), SINGLE_CACHE_LINE);
}
extern "C" __global__ __vector__ void f(__gm__ int32_t* to) { add<int32_t, 1>(to, to + 1); }
)",
            std::string(kNumbers) + R"(
  constexpr int kOne = 1;
  add<int32_t, kOne << 2><<<1, nullptr, s>>>(result, in + 3);
  show(s, result, 1);)",
            "7 \n");
}

TEST_F(KernelForms, IntrinsicsCompareSelectAndGather) {
  prints_of(R"(
extern "C" __global__ __aicore__ void choose(__gm__ float* in, __gm__ float* to) {
  auto* a = (__ubuf__ float*)get_imm(0);
  auto* b = (__ubuf__ float*)get_imm(256);
  auto* c = (__ubuf__ float*)get_imm(512);
  auto* bits = (__ubuf__ uint8_t*)get_imm(1024);
  auto* at = (__ubuf__ uint32_t*)get_imm(2048);
  set_mask_norm();
  set_vector_mask(0, 0xff);
  copy_gm_to_ubuf(a, in, 0, 1, 1, 0, 0);
  copy_gm_to_ubuf(b, in + 8, 0, 1, 1, 0, 0);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  vcmp_lt(a, b, 1, 1, 1, 1, 8, 8, 8);
  pipe_barrier(PIPE_V);
  vsel(c, a, b, 1, 1, 1, 1, 8, 8, 8, 0);
  vcmpvs_ge(bits, a, 3.0f, 1, 1, 1, 8, 8);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  for (int i = 0; i < 8; ++i) at[i] = 4 * (7 - i);
  set_flag(PIPE_S, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
  vgather((__ubuf__ uint32_t*)a, at, (uint64_t)c, 8, 1);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  b[0] = *bits;
  b[1] = bcnt1(0xf0f) + 100 * sff1(8);
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  copy_ubuf_to_gm(to, a, 0, 1, 1, 0, 0);
  copy_ubuf_to_gm(to + 8, b, 0, 1, 1, 0, 0);
})",
            R"(
  const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0};
  auto* in = words<float>(16);
  auto* result = words<float>(16);
  aclrtMemcpy(in, 64, numbers, 64, ACL_MEMCPY_HOST_TO_DEVICE);
  choose<<<1, nullptr, s>>>(in, result);
  show(s, result, 10);)",
            "0 1 2 3 3 2 1 0 248 308 \n");
}

TEST_F(KernelForms, ARefusedLaunchIsToldOnce) {
  write("host.h", kHostHeader);
  write("none.asc", R"(#include "kernel_operator.h"
#include "host.h"
extern "C" __global__ __aicore__ void none(__gm__ float* to) { *to = 1; }
int main() { auto s = start(); none<<<0, nullptr, s>>>(words<float>(8));
  return aclrtSynchronizeStream(s) == 107000 ? 0 : 1; })");
  compiles({"none.asc", "-o", "none"});
  const Outcome outcome = program("none");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string told = "kernel none is not launched: ";
  const std::size_t first = outcome.err.find(told);
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("blocks is 0", first), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(told, first + 1), std::string::npos) << outcome.err;
}

TEST_F(KernelForms, AnAccessThatNothingOrdersIsToldWithoutAChecker) {
  write("host.h", kHostHeader);
  write("loose.asc", R"(#include "kernel_operator.h"
#include "host.h"
extern "C" __global__ __aicore__ void loose(GM_ADDR in) {
  AscendC::TPipe pipe;
  AscendC::TBuf<> buffer;
  pipe.InitBuffer(buffer, 1024);
  auto t = buffer.Get<float>();
  AscendC::GlobalTensor<float> g;
  g.SetGlobalBuffer((__gm__ float*)in);
  AscendC::DataCopy(t, g, 64);
  AscendC::Adds(t, t, 1.0f, 64);
}
int main() { auto s = start(); auto* f = words<float>(64); loose<<<1, nullptr, s>>>((GM_ADDR)f);
  loose<<<1, nullptr, s>>>((GM_ADDR)f); return aclrtSynchronizeStream(s); })");
  compiles({"loose.asc", "-o", "loose"});
  const Outcome outcome = program("loose");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string told = "kernel loose: core0.veccore0 accesses UB byte 0 by V at loose.asc:11";
  const std::size_t first = outcome.err.find(told);
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(told, first + 1), std::string::npos) << outcome.err;
}

TEST_F(KernelForms, KernelsThatOneHalfAloneShowsAreLaunched) {
  write("host.h", kHostHeader);
  write("halves.cpp", R"(#include "kernel_operator.h"
#ifdef __DAV_C220_VEC__
struct Value { float of[2]; };
__aicore__ inline void put(__gm__ float* to, float value) {
  AscendC::GlobalTensor<float> g; g.SetGlobalBuffer(to); g.SetValue(0, value);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(g);
}
extern "C" __global__ __aicore__ void vectors(__gm__ float* __restrict__ to, Value v) {
  put(to, v.of[1]);
}
#endif
#if defined(__DAV_C220_CUBE__)
extern "C" __global__ __aicore__ void cubes(__gm__ float* to) {
  AscendC::GlobalTensor<float> g; g.SetGlobalBuffer(to); g.SetValue(0, 4.0f);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(g);
}
#endif
)");
  write("main.cpp", R"(#include "host.h"
struct Value { float of[2]; };
extern "C" unsigned aclrtlaunch_vectors(unsigned, void*, void*, Value);
extern "C" unsigned aclrtlaunch_cubes(unsigned, void*, void*);
int main() {
  auto s = start();
  auto* f = words<float>(8);
  aclrtlaunch_vectors(1, s, f, {{2, 3}}); show(s, f, 1);
  aclrtlaunch_cubes(1, s, f); show(s, f, 1);
})");
  compiles({"--davsim-launch-functions", "halves.cpp", "main.cpp", "-o", "halves"});
  prints("halves", "3 \n4 \n");
}

TEST_F(KernelForms, AKernelRunsOnTheCoresThatItsHalvesUse) {
  // Behind the preprocessor, the host sees an empty body.
  prints_of(R"(
extern "C" __global__ __aicore__ void both(__gm__ float* to) {
  AscendC::GlobalTensor<float> g;
#if defined(__DAV_C220_CUBE__)
  AscendC::MmadParams product;
  product.m = 16;
  g.SetGlobalBuffer(to); g.SetValue(0, product.m == 16 ? 1.0f : 2.0f);
#elif defined(__DAV_C220_VEC__)
  AscendC::TBuf<AscendC::TPosition::VECCALC> unused;
  if (get_subblockid() != 1) return;
  g.SetGlobalBuffer(to + 16); g.SetValue(0, 5.0f);
#endif
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(g);
})",
            R"(
  auto* f = words<float>(32);
  both<<<1, nullptr, s>>>(f); show(s, f, 1); show(s, f + 16, 1);)",
            "1 \n5 \n");
}

TEST_F(KernelForms, DeviceCodeIsNotCompiledForTheHost) {
  prints_of(R"(
#ifdef __NPU_DEVICE__
__aicore__ inline float device_only() { return 2.0f; }
#endif
class Op {
 public:
  __aicore__ inline Op() : value_(0) { value_ = device_only(); }
  __aicore__ inline float value() const { ASSERT(value_ == 2.0f && "value"); return value_ + own(); }
  static __forceinline__ [host, aicore] constexpr float own() { return sum(1.0f, 0.0f); }
  [aicore, host] static constexpr float sum(float a, float b) { return a + b; }
 private:
  float value_;
};
extern "C" __global__ __aicore__ void op(__gm__ float* to) {
  AscendC::GlobalTensor<float> g; g.SetGlobalBuffer(to); Op o; g.SetValue(0, o.value());
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(g);
})",
            "  auto* f = words<float>(8);\n  op<<<1, nullptr, s>>>(f); show(s, f, 1);\n"
            "  std::printf(\"%g\\n\", Op::own());",
            "3 \n1\n");
}

TEST_F(KernelForms, LibrariesInFoldersOfTheSystemAreReadAsWell) {
  fs::create_directory(folder_ / "library");
  write("library/pick.h", R"(#pragma once
struct Pick {
  template <int N> __aicore__ inline float of() { int unused_but_no_warning; return N; }
  template <> __aicore__ inline float of<3>() { return 33; }
};)");
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "kernel_operator.h"
#include <pick.h>
#include "host.h"
extern "C" __global__ __vector__ void pick(__gm__ float* to) {
  AscendC::GlobalTensor<float> g; g.SetGlobalBuffer(to); g.SetValue(0, Pick().of<3>());
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(g);
}
int main() { auto s = start(); auto* f = words<float>(8); pick<<<1, nullptr, s>>>(f); show(s, f, 1); })");
  compiles({"-Wall", "-Werror", "-isystem", "library", "form.asc", "-o", "form"});
  prints("form", "33 \n");
}

TEST_F(KernelForms, ExplicitSpecialisationsWithinAClass) {
  prints_of(R"(
template <typename T>
class Op {
 public:
  template <typename U> struct Acc { static constexpr float kind = 1; };
  template <> struct Acc<half> { static constexpr float kind = 2; };
  template <> struct Acc<float> { static constexpr float kind = 3; };
  template <typename U> __aicore__ inline float twice(U v) { return 2 * v; }
  template <> __aicore__ inline float twice<int32_t>(int32_t value) { return 100 + value; }
  template <int N, typename U> __aicore__ inline float pick(U) { return N; }
  template <> __aicore__ inline float pick<3, float>(float) { return 33; }
  template <typename U> __aicore__ inline float of(const U& u) { return u; }
  template <> __aicore__ inline float of(const half& h) { return 50 + static_cast<float>(h); }
  template <int Core = g_coreType> __aicore__ inline float operator()(float const& value);
  template <> __aicore__ inline float operator()<AscendC::AIC>(float const& value) { return -value; }
  __aicore__ inline void operator()() { assert(sizeof(T) == 2); ASSERT(sizeof(T) == 2 && "half"); }
  template <> __aicore__ inline float operator()<AscendC::AIV>(float const& value) { return value; }
  __aicore__ inline void run(__gm__ float* to) {
    (*this)();
    AscendC::GlobalTensor<float> g; g.SetGlobalBuffer(to);
    const float values[] = {Acc<T>::kind, Acc<int8_t>::kind, Acc<float>::kind, twice(1.5f),
                            twice(7), this->template twice<int32_t>(8), pick<2>(1.0f),
                            pick<3>(1.0f), pick<3>(1), of(1.0f), of(half(2.0f)), (*this)(4.0f)};
    for (int i = 0; i < 12; ++i) g.SetValue(i, values[i]);
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                      AscendC::DcciDst::CACHELINE_OUT>(g);
  }
};
extern "C" __global__ __vector__ void special(__gm__ float* to) { Op<half> op; op.run(to); })",
            "  auto* f = words<float>(16);\n  special<<<1, nullptr, s>>>(f); show(s, f, 12);",
            "2 1 3 3 107 108 2 33 3 1 52 4 \n");
}

}  // namespace
}  // namespace davsim::driver
