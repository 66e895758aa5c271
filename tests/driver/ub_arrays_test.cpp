// Arrays in UB of sources with the SIMD C API, and what the API's calls do.
#include "driver/ub_arrays.hpp"

#include "tests/driver/kernel_forms.hpp"

namespace davsim::driver {
namespace {

TEST(UbArrays, ADeclarationBecomesAReference) {
  EXPECT_EQ(with_ub_arrays("__davsim_ubuf__ float a[N], b[2][N];"),
            "davsim::api::UbArrays davsim_ub_arrays_0; float (&a)[N] = davsim_ub_arrays_0, "
            "(&b)[2][N] = davsim_ub_arrays_0;");
  EXPECT_EQ(with_ub_arrays("{ static __davsim_ubuf__ A::B<int, 3> a [f(1, 2)] ; }"),
            "{  davsim::api::UbArrays davsim_ub_arrays_0; A::B<int, 3> (&a) [f(1, 2)]  = "
            "davsim_ub_arrays_0; }");
}

TEST(UbArrays, TheLinesOfThePreprocessorStay) {
  EXPECT_EQ(with_ub_arrays("\n# 3 \"k.asc\" 3 4\n__davsim_ubuf__\n# 3 \"k.asc\"\n half a[8];\n"),
            "\n# 3 \"k.asc\" 3 4\ndavsim::api::UbArrays davsim_ub_arrays_0;\n# 3 \"k.asc\"\n "
            "half (&a)[8] = davsim_ub_arrays_0;\n");
}

TEST(UbArrays, OtherUsesOfTheWordAreLeftOut) {
  const std::string before =
      "__davsim_ubuf__ float* p[4]; f((__davsim_ubuf__ half*)q[1]); "
      "void g(__davsim_ubuf__ float x[8], __davsim_ubuf__ float y[8]);";
  EXPECT_EQ(with_ub_arrays(before),
            " float* p[4]; f(( half*)q[1]); void g( float x[8],  float y[8]);");
}

constexpr const char* kWithCApi = R"(
#include "c_api/asc_simd.h"
#include "host.h"
)";

class CApi : public CompileTest {
 protected:
  /// Runs `kernel(__gm__ float* x, __gm__ float* y)` on x = 0, 1, ... 127 and compares y's first
  /// numbers, which are printed.
  void prints_of(const std::string& kernel, int count, const std::string& expected) {
    write("host.h", kHostHeader);
    write("form.asc", kWithCApi + kernel + R"(
int main() {
  auto s = start();
  float numbers[128];
  for (int i = 0; i < 128; ++i) numbers[i] = i;
  auto* x = words<float>(128);
  auto* y = words<float>(128);
  aclrtMemcpy(x, 512, numbers, 512, ACL_MEMCPY_HOST_TO_DEVICE);
  kernel<<<1, 0, s>>>(x, y);
  show(s, y, )" + std::to_string(count) +
                          ");\n}\n");
    compiles({"form.asc", "-o", "form"});
    setenv("DAVSIM_CHECK", "1", 1);
    prints("form", expected);
    unsetenv("DAVSIM_CHECK");
  }
};

TEST_F(CApi, ArraysOfScopesAndFunctionsAndFlags) {
  prints_of(R"(
__aicore__ inline void twice(__ubuf__ float* to, __ubuf__ float* from, uint32_t count) {
  __ubuf__ float half_of_it[64];
  asc_mul_scalar(half_of_it, from, 0.5f, count);
  asc_sync_vec();
  asc_mul_scalar(to, half_of_it, 4.0f, count);
}
__vector__ __global__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  __ubuf__ float a[64], b[64];
  static_assert(sizeof(a) == 256);
  for (uint32_t i = 0; i < 2; ++i) {
    __ubuf__ float sum[64];
    if (i != 0) asc_sync_wait(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    asc_copy_gm2ub(a, x + 64 * i, 1, 8, 0, 0);
    asc_sync_notify(PIPE_MTE2, PIPE_V, EVENT_ID0);
    asc_sync_wait(PIPE_MTE2, PIPE_V, EVENT_ID0);
    twice(b, a, 64);
    asc_sync_vec();
    asc_add(sum, a, b, 1, 1, 1, 1, 8, 8, 8);
    asc_sync_notify(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_copy_ub2gm(y + 4 * i, sum + 8, 32);
    if (i == 0) asc_sync_notify(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
  }
})",
            8, "24 27 30 33 216 219 222 225 \n");
}

TEST_F(CApi, ConversionsReductionsAndScalars) {
  prints_of(R"(
__vector__ __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  __ubuf__ float a[128];
  __ubuf__ half h[128];
  __ubuf__ int32_t n[128];
  __ubuf__ float r[4][8];
  asc_copy_gm2ub_align_sync(a, x, 512);
  asc_duplicate_sync(r[0], 0.0f, 32);
  asc_repeat_reduce_sum_sync(r[0], a, 128);           // 2016 6112
  asc_repeat_reduce_max_value_index(r[1], a, 100);    // 63 with its index, 99 with its own
  asc_sync();
  asc_sub_scalar_sync(a, a, 0.5f, 128);
  asc_float2int32_rn_sync(n, a, 128);                 // 1.5 to 2, 2.5 to 2
  asc_int322float_sync(a, n, 128);
  asc_float2half_sync(h, a, 128);
  asc_half2float_sync(a, h, 128);
  asc_copy_ub2ub(r[2], a, 32);
  asc_sync();
  r[3][0] = r[0][1];
  asc_sync();
  asc_copy_ub2gm_align_sync(y, r[0], 128);
})",
            25,
            "2016 6112 0 0 0 0 0 0 63 8.82818e-44 99 4.90454e-44 0 0 0 0 0 0 2 2 4 4 6 6 6112 \n");
}

TEST_F(CApi, ComparisonsSelectionsGatheringAndShifts) {
  prints_of(R"(
__vector__ __global__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  __ubuf__ float a[128], b[128], c[3][64];
  __ubuf__ uint8_t bits[32];
  __ubuf__ uint32_t offset[64];
  asc_copy_gm2ub_sync(a, x, 512);
  asc_duplicate_sync(b, 2.0f, 128);
  asc_lt_sync(bits, b, a, 2, 1, 1, 1, 8, 8, 8);
  asc_set_cmp_mask(bits);
  asc_sync_vec();
  asc_select_sync(c[0], a, b, 64);                       // the larger one
  asc_gt(b, a, 1, 1, 1, 1, 8, 8, 8);
  asc_sync_vec();
  asc_select(c[1], b, a, 1, 1, 1, 1, 8, 8, 8);           // likewise
  for (int i = 0; i < 64; ++i) offset[i] = i;
  asc_sync();
  asc_shiftleft_sync(offset, offset, 3, 64);
  asc_gather_sync(c[2], a, offset, 64);                  // every other one
  asc_mul_add_sync(c[2], a, b, 64);                      // times itself and 2
  for (int i = 0; i < 3; ++i) asc_copy_ub2gm(y + 8 * i, c[i], 32);
})",
            24, "2 2 2 3 4 5 6 7 2 2 2 3 4 5 6 7 2 4 10 20 34 52 74 100 \n");
}

TEST_F(CApi, MoreArraysThanThereIsRoomForAreRefused) {
  write("host.h", kHostHeader);
  write("form.asc", std::string(kWithCApi) + R"(
__vector__ __global__ void kernel(__gm__ float* x) {
  __ubuf__ float a[40000], b[10000];
  asc_copy_gm2ub(b, x, 32);
}
int main() {
  auto s = start();
  kernel<<<1, 0, s>>>(words<float>(8));
  return aclrtSynchronizeStream(s) == 0;
})");
  compiles({"form.asc", "-o", "form"});
  EXPECT_NE(program("form").err.find(
                "the end of the arrays in UB is 200000, allowed are up to 196608 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace davsim::driver
