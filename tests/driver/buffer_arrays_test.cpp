// Arrays in buffers of sources with the SIMD C API, and what the API's calls do.
#include "driver/buffer_arrays.hpp"

#include "tests/driver/kernel_forms.hpp"

namespace davsim::driver {
namespace {

TEST(BufferArrays, ADeclarationBecomesAReference) {
  EXPECT_EQ(with_buffer_arrays("__davsim_ubuf__ float a[N], b[2][N];"),
            "davsim::api::UbArrays davsim_arrays_0; float (&a)[N] = davsim_arrays_0, "
            "(&b)[2][N] = davsim_arrays_0;");
  EXPECT_EQ(with_buffer_arrays("{ static __davsim_ubuf__ A::B<int, 3> a [f(1, 2)] ; }"),
            "{  davsim::api::UbArrays davsim_arrays_0; A::B<int, 3> (&a) [f(1, 2)]  = "
            "davsim_arrays_0; }");
  EXPECT_EQ(
      with_buffer_arrays("__davsim_other__ __davsim_cbuf__ half a[4]; __davsim_cc__ float* p; "
                         "__davsim_ca__ half b[4];"),
      "__davsim_other__ davsim::api::L1Arrays davsim_arrays_0; half (&a)[4] = "
      "davsim_arrays_0;  float* p; davsim::api::L0aArrays davsim_arrays_1; half (&b)[4] = "
      "davsim_arrays_1;");
}

TEST(BufferArrays, TheLinesOfThePreprocessorStay) {
  EXPECT_EQ(
      with_buffer_arrays("\n# 3 \"k.asc\" 3 4\n__davsim_ubuf__\n# 3 \"k.asc\"\n half a[8];\n"),
      "\n# 3 \"k.asc\" 3 4\ndavsim::api::UbArrays davsim_arrays_0;\n# 3 \"k.asc\"\n "
      "half (&a)[8] = davsim_arrays_0;\n");
}

TEST(BufferArrays, OtherUsesOfTheWordAreLeftOut) {
  const std::string before =
      "__davsim_ubuf__ float* p[4]; f((__davsim_ubuf__ half*)q[1]); "
      "void g(__davsim_ubuf__ float x[8], __davsim_ubuf__ float y[8]);";
  EXPECT_EQ(with_buffer_arrays(before),
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

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

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

TEST_F(CApi, AProductOfFloatsIsMovedFromBufferToBuffer) {
  prints_of(R"(
__cube__ __global__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  asc_set_fp32_mode();
  __cbuf__ float rows[16 * 8], same[16 * 8];
  __ca__ float a[16 * 8];
  __cb__ float b[16 * 8];
  __cc__ float c[16 * 16];
  asc_copy_gm2l1_nd2nz(rows, x, 1, 16, 8, 0, 8, 16, 1, 0);
  asc_copy_gm2l1_sync(same, x, 512);                        // 8 columns are one fractal
  asc_copy_l12l0a(a, rows, 0, 1, 1, 0);
  asc_copy_l12l0b_sync(b, same, 0, 1, 1, 0);                // the rows of x are columns here
  asc_mmad_sync(c, a, b, 16, 8, 16, asc_unit_flag_mode::DISABLE, false, false, true);
  asc_set_l0c2gm_nz2nd(1, 0, 0);
  asc_copy_l0c2gm_sync(y, c, 16, 8, 16, 16, 0, static_cast<uint64_t>(QuantMode_t::NoQuant), 0,
                       false, true);
})",
            18,
            "140 364 588 812 1036 1260 1484 1708 1932 2156 2380 2604 2828 3052 3276 3500 "
            "364 1100 \n");
}

TEST_F(CApi, AProductOfHalvesTransposesAndRounds) {
  write("host.h", kHostHeader);
  write("form.asc", std::string(kWithCApi) + R"(
constexpr int kM = 32, kK = 48, kN = 64;
__cube__ __global__ void kernel(__gm__ half* a, __gm__ half* b, __gm__ half* c) {
  asc_init();
  __cbuf__ half a_l1[kM * kK], b_l1[kK * kN];
  __ca__ half a_l0[kM * kK];
  __cb__ half b_l0[kK * kN];
  __cc__ float sums[kM * kN];
  asc_copy_gm2l1_nd2nz(a_l1, a, 1, kM, kK, 0, kK, kM, 1, 0);
  asc_copy_gm2l1_nd2nz_sync(b_l1, b, 1, kK, kN, 0, kN, kK, 1, 0);
  for (int i = 0; i < kM / 16; ++i) {
    asc_copy_l12l0a(a_l0 + i * 16 * kK, a_l1 + i * 256, 0, kK / 16, kM / 16, 0);
  }
  for (int i = 0; i < kK / 16; ++i) {
    asc_copy_l12l0b_trans(b_l0 + i * 16 * kN, b_l1 + i * 256, 0, kN / 16, kK / 16, 0, false, 0);
  }
  asc_sync();
  asc_mmad_sync(sums, a_l0, b_l0, kM, kK, kN, 0, false, false, true);
  asc_set_l0c2gm_nz2nd(1, 0, 0);
  asc_copy_l0c2gm_sync(c, sums, kN, kM, kN, kM, asc_unit_flag_mode::DISABLE,
                       asc_quant_mode::F322F16, asc_relu_pre_mode::NORMAL, false, true);
}
float of_a(int i) { return i * 7 % 11 - 5; }
float of_b(int i) { return i * 5 % 13 - 6; }
int main() {
  auto s = start();
  auto* a = words<aclFloat16>(kM * kK);
  auto* b = words<aclFloat16>(kK * kN);
  auto* c = words<aclFloat16>(kM * kN);
  static aclFloat16 in[kK * kN], out[kM * kN];
  for (int i = 0; i < kM * kK; ++i) in[i] = aclFloatToFloat16(of_a(i));
  aclrtMemcpy(a, kM * kK * 2, in, kM * kK * 2, ACL_MEMCPY_HOST_TO_DEVICE);
  for (int i = 0; i < kK * kN; ++i) in[i] = aclFloatToFloat16(of_b(i));
  aclrtMemcpy(b, kK * kN * 2, in, kK * kN * 2, ACL_MEMCPY_HOST_TO_DEVICE);
  kernel<<<1, 0, s>>>((half*)a, (half*)b, (half*)c);
  aclrtSynchronizeStream(s);
  aclrtMemcpy(out, kM * kN * 2, c, kM * kN * 2, ACL_MEMCPY_DEVICE_TO_HOST);
  int wrong = 0;
  for (int i = 0; i < kM * kN; ++i) {
    float sum = 0;
    for (int k = 0; k < kK; ++k) sum += of_a(i / kN * kK + k) * of_b(k * kN + i % kN);
    wrong += aclFloat16ToFloat(out[i]) != (sum > 0 ? sum : 0);
  }
  std::printf("%d wrong\n", wrong);
})");
  compiles({"form.asc", "-o", "form"});
  setenv("DAVSIM_CHECK", "1", 1);
  prints("form", "0 wrong\n");
  unsetenv("DAVSIM_CHECK");
}

TEST_F(CApi, FilledBuffersAreOperands) {
  prints_of(R"(
__cube__ __global__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  __cbuf__ half ones[16 * 16];
  __ca__ half a[32 * 16];
  __cb__ half b[16 * 16];
  __cc__ float c[32 * 16];
  asc_fill_value_config runs;
  runs.repeat = 8;
  runs.blk_num = 1;
  runs.dst_gap = 1;
  asc_fill_l1(ones, static_cast<uint32_t>(0x40003c00), runs);       // 1 2 1 2 ..., each other row
  asc_fill_l1(ones + 16, static_cast<half>(0.5f), runs);
  runs.repeat = 1;
  runs.blk_num = 2;
  asc_fill_l0a_sync(a, static_cast<half>(3.0f), runs);
  asc_copy_l12l0b_sync(b, ones, 0, 1, 1, 0);
  asc_mmad_sync(c, a, b, 8, 16, 16, 0, false, false, true);
  asc_set_l0c2gm_nz2nd(1, 0, 0);
  asc_copy_l0c2gm_sync(y, c, 16, 8, 16, 16, 0, static_cast<uint64_t>(QuantMode_t::NoQuant), 0,
                       false, true);
})",
            17, "72 24 72 24 72 24 72 24 72 24 72 24 72 24 72 24 72 \n");
}

TEST_F(CApi, Img2colLoadsPadAFeatureMap) {
  prints_of(R"(
__cube__ __global__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  asc_set_fp32_mode();
  __cbuf__ float map[16 * 8];
  __ca__ float a[16 * 24];
  __cb__ float b[16 * 24];
  __cc__ float c[16 * 16];
  asc_copy_gm2l1_sync(map, x, 512);     // 16 points in a row, 8 channels each
  asc_fill_value_config all;
  all.repeat = 1;
  all.blk_num = 3;
  asc_fill_l0b_sync(b, static_cast<uint32_t>(0x3f800000), all);
  asc_l13d_fmatrix_config shape;
  shape.l1_height = 16;                 // the width, see there
  shape.l1_width = 1;
  shape.padding_left_size = 1;
  shape.padding_right_size = 1;
  asc_set_l13d_fmatrix(shape);
  asc_set_l13d_size(0);
  asc_set_l13d_rpt(asc_load3d_v2_config{});
  asc_set_l13d_padding(1000.0f);
  asc_copy_l12l0a_sync(a, map, 24, 16, 0, 0, 1, 1, 3, 1, 1, 1, false, false, false, false, 8);
  asc_mmad_sync(c, a, b, 16, 24, 16, 0, false, false, true);
  asc_set_l0c2gm_nz2nd(1, 0, 0);
  asc_copy_l0c2gm_sync(y, c, 16, 4, 16, 16, 0, static_cast<uint64_t>(QuantMode_t::NoQuant), 0,
                       false, true);
})",
            49, repeated("8120 ", 16) + repeated("276 ", 16) + repeated("468 ", 16) + "660 \n");
}

TEST_F(CApi, SumsThatAreCutOffAndBitsOfNumbers) {
  prints_of(R"(
__vector__ __global__ void kernel(__gm__ float* x, __gm__ float* y) {
  asc_init();
  __ubuf__ float a[64], b[64], c[6][8];
  asc_copy_gm2ub_sync(a, x, 256);
  asc_duplicate_sync(b, -3.0f, 64);
  asc_add_relu_sync(c[0], a, b, 8);
  asc_sub_relu_sync(c[1], b, a, 8);
  asc_duplicate_sync(c[2], 10.0f, 8);
  asc_fma_sync(c[2], a, b, 8);            // 10 - 3 a
  asc_duplicate_sync(c[3], 2.0f, 8);
  asc_mul_add_relu_sync(c[3], a, b, 8);   // 2 a - 3
  const uint64_t bits = asc_clear_nthbit(asc_set_nthbit(0x68, 1), 3);  // 0x62
  c[4][0] = bits;
  c[4][1] = asc_popc(bits);
  c[4][2] = asc_zero_bits_cnt(bits);
  c[4][3] = asc_clz(bits);
  c[4][4] = asc_ffs(bits);
  c[4][5] = asc_ffs(0);
  c[4][6] = asc_ffz(7);
  c[4][7] = asc_sflbits(-256);
  asc_sync();
  asc_copy_ub2gm_sync(y, c[0], 160);
})",
            40,
            "0 0 0 0 1 2 3 4 0 0 0 0 0 0 0 0 10 7 4 1 -2 -5 -8 -11 0 0 1 3 5 7 9 11 "
            "98 3 61 57 1 -1 3 55 \n");
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
