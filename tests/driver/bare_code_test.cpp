// Device code in the words and intrinsics of the vendor's compiler alone.
#include "tests/driver/compile_fixture.hpp"

namespace davsim::driver {
namespace {

using BareCode = CompileTest;

TEST_F(BareCode, NeedsNoHeader) {
  write("raw.cce", R"(
template <typename T> struct Tile {
  using Data = __ubuf__ T*;
  [aicore] Data data() { return at; }
  Data at;
};
template <typename Tile>
__tf__ [aicore] inline void twice(typename Tile::Data __out__ to, typename Tile::Data __in__ from) {
  set_mask_norm();
  set_vector_mask(0, 0xff);
  vadd((__ubuf__ float*)__cce_get_tile_ptr(to), __cce_get_tile_ptr(from),
       __cce_get_tile_ptr(from), 1, 1, 1, 1, 8, 8, 8);
}
[aicore] inline void others(__biasbuf__ float*, __fbuf__ uint64_t*, __ubuf__ __bf16*) {}
extern "C" __global__ [aicore] void raw(__gm__ float* x, __gm__ float* y) {
#ifdef __DAV_C220_VEC__
  Tile<float> a{(__ubuf__ float*)0x0}, b{(__ubuf__ float*)0x100};
  copy_gm_to_ubuf(a.data(), x + get_block_idx() * 8, 0, 1, 1, 0, 0);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  twice<Tile<float>>(b.data(), a.data());
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  copy_ubuf_to_gm(y + get_block_idx() * 8, b.data(), 0, 1, 1, 0, 0);
#endif
}
void launch_raw(float* x, float* y, void* stream) { raw<<<2, nullptr, stream>>>(x, y); })");
  write("host.h", kHostHeader);
  write("main.cpp", R"(#include "host.h"
void launch_raw(float* x, float* y, void* stream);
int inc = 0, dec = 0, mad = 0;  // names of intrinsics' are the program's
int main() {
  auto s = start();
  auto* x = words<float>(16);
  auto* y = words<float>(16);
  const float numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  aclrtMemcpy(x, 64, numbers, 64, ACL_MEMCPY_HOST_TO_DEVICE);
  launch_raw(x, y, s);
  show(s, y, 16);
})");
  compiles({"raw.cce", "main.cpp", "-o", "form"});
  prints("form", "2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 \n");
}

// Libraries of tiles undefine __tf__, a word of the vendor's compiler, and have enumerations of
// their own for the modes of instructions.
TEST_F(BareCode, TakesFunctionsOfTilesWithoutTheMacroThatMarksThem) {
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "host.h"
#ifdef __tf__
#undef __tf__
#endif
enum class Pattern : uint8_t { kOdd = 2 };
enum class Select : uint8_t { kByAddress = 2 };
template <Pattern pattern>
__tf__ [aicore] inline void odd(__ubuf__ uint32_t __out__* to, __ubuf__ uint32_t __in__* from) {
  vreducev2(to, from, from, 1, 1, pattern, 8, 8);
}
__tf__ [aicore] inline void merge(__ubuf__ float* to, __ubuf__ float* from, uint32_t bits) {
  __ubuf__ uint32_t* place = (__ubuf__ uint32_t*)0x2000;
  vector_dup(place, bits, 1, 1, 1, 8, 0);
  pipe_barrier(PIPE_V);
  set_cmpmask(place);
  pipe_barrier(PIPE_V);
  vsel(to, from, to, 1, 1, 1, 1, 8, 8, 8, Select::kByAddress);
}
extern "C" __global__ [aicore] void tiles(__gm__ float* x, __gm__ float* y) {
#ifdef __DAV_VEC__
  set_mask_norm();
  set_vector_mask(0, 0xff);
  auto* from = (__ubuf__ float*)0x0;
  auto* to = (__ubuf__ float*)0x1000;
  copy_gm_to_ubuf(from, x, 0, 1, 2, 0, 0);
  pipe_barrier(PIPE_ALL);
  odd<Pattern::kOdd>((__ubuf__ uint32_t*)to, (__ubuf__ uint32_t*)from);
  pipe_barrier(PIPE_ALL);
  *(__ubuf__ uint32_t*)0x3000 = 0x81;
  pipe_barrier(PIPE_ALL);
  merge(to, from, 0x3000);
  pipe_barrier(PIPE_ALL);
  copy_ubuf_to_gm(y, to, 0, 1, 1, 0, 0);
#endif
}
int main() {
  auto s = start();
  auto* x = words<float>(64);
  auto* y = words<float>(8);
  const float numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  aclrtMemcpy(x, 64, numbers, 64, ACL_MEMCPY_HOST_TO_DEVICE);
  tiles<<<1, nullptr, s>>>(x, y);
  show(s, y, 8);
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "1 4 6 8 10 12 14 8 \n");
}

TEST_F(BareCode, MovesPartsOfTheMaskByAssembly) {
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "host.h"
template <int index>
[aicore] inline void move(uint64_t mask) {
  if constexpr (index == 0) {
    asm volatile("MOVEMASK \tMASK[0],  %0\n" ::"l"(mask & ~(1ull << 2)));
  } else {
    __asm__ __volatile__("MOVEMASK MASK[1], %0\n" : "+l"(mask));
  }
}
extern "C" __global__ [aicore] void masked(__gm__ float* y) {
#ifdef __DAV_VEC__
  auto* at = (__ubuf__ float*)0x0;
  set_mask_norm();
  move<1>(0);
  move<0>(-1);
  vector_dup(at, 1.0f, 1, 1, 1, 8, 0);
  pipe_barrier(PIPE_V);
  move<0>(0x0f);
  vector_dup(at, 2.0f, 1, 1, 1, 8, 0);
  asm volatile("" ::: "memory");
  pipe_barrier(PIPE_ALL);
  copy_ubuf_to_gm(y, at, 0, 1, 1, 0, 0);
#endif
}
int main() {
  auto s = start();
  auto* y = words<float>(8);
  masked<<<1, nullptr, s>>>(y);
  show(s, y, 8);
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "2 2 0 2 1 1 1 1 \n");
}

TEST_F(BareCode, NamesTheNamespaceOfIntrinsicsAndTheAttributeOfBlockLocals) {
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "host.h"
using __cce_scalar::addr_cal_mode_t;
[[block_local]] static int32_t lane;
[[block_local]] int64_t steps = 7;
inline constexpr addr_cal_mode_t kMode = addr_cal_mode_t(0);
extern "C" __global__ [aicore] void own(__gm__ float* y) {
#ifdef __DAV_VEC__
  lane = __cce_scalar::get_block_idx();
  __cce_scalar::ffts_cross_core_sync(PIPE_MTE3, 0x1 | 11 << 8);  // others set theirs
  wait_flag_dev(11);
  y[lane * 16] = lane * 10 + steps++;
  dcci((__gm__ void*)(y + lane * 16), SINGLE_CACHE_LINE, CACHELINE_OUT);
#endif
}
int main() {
  auto s = start();
  auto* y = words<float>(64);
  own<<<4, nullptr, s>>>(y);
  for (int block = 0; block < 4; ++block) show(s, y + 16 * block, 1);
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "7 \n17 \n27 \n37 \n");
}

TEST_F(BareCode, RunsInAProgramWhoseHostCodeASanitizerChecks) {
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "host.h"
extern "C" __global__ [aicore] void twice(__gm__ float* x) {
  __ubuf__ float* at = (__ubuf__ float*)0x100;
  set_mask_norm();
  set_vector_mask(0, 0xff);
  copy_gm_to_ubuf(at, x, 0, 1, 1, 0, 0);
  pipe_barrier(PIPE_ALL);
  vadd(at, at, at, 1, 1, 1, 1, 8, 8, 8);
  pipe_barrier(PIPE_ALL);
  copy_ubuf_to_gm(x, at, 0, 1, 1, 0, 0);
}
int main(int argc, char** argv) {
  auto s = start();
  auto* x = words<float>(8);
  const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  aclrtMemcpy(x, 32, numbers, 32, ACL_MEMCPY_HOST_TO_DEVICE);
  twice<<<1, nullptr, s>>>(x);
  show(s, x, 8);
  int* numbers_of_the_host = new int[2];
  if (argc > 1) std::printf("%d", numbers_of_the_host[argc]);
  delete[] numbers_of_the_host;
  aclrtResetDevice(0);
})");
  compiles({"-fsanitize=address", "-g", "form.asc", "-o", "form"});
  prints("form", "2 4 6 8 10 12 14 16 \n");
  // Tests under a sanitizer have its reports in files.
  const char* const options = std::getenv("ASAN_OPTIONS");
  setenv("ASAN_OPTIONS",
         ((options == nullptr ? "" : options) + std::string(":log_path=stderr")).c_str(), 1);
  const Outcome wrong = run(folder_ / "form", {"behind the end"});
  EXPECT_NE(wrong.err.find("heap-buffer-overflow"), std::string::npos) << wrong.err;
}

// As g++ preprocesses them, they are \U00007b97 and so on.
TEST_F(BareCode, NamesOfKernelsMayHaveLettersBeyondAscii) {
  write("host.h", kHostHeader);
  write("form.asc", R"(#include "kernel_operator.h"
#include "host.h"
namespace größe {
template <class T>
__global__ __vector__ void 加(__gm__ T* to, T zahl) {
  AscendC::GlobalTensor<T> out;
  out.SetGlobalBuffer(to);
  out.SetValue(0, zahl + 1);
  AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(out);
}
}
int main() {
  auto strøm = start();
  auto* größen = words<float>(8);
  größe::加<float><<<1, nullptr, strøm>>>(größen, 2.5f);
  show(strøm, größen, 1);
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "3.5 \n");
}

}  // namespace
}  // namespace davsim::driver
