// What the device's language has beyond C++20 of g++: half as a number of the language, and names
// that are words of C++20.
#include "tests/driver/kernel_forms.hpp"

namespace davsim::driver {
namespace {

class LanguageForms : public KernelFormTest {};

TEST_F(LanguageForms, ChoicesBetweenHalfAndOtherNumbers) {
  prints_of(R"(
template <typename T>
__aicore__ inline float larger(T a, float b) {
  return a > (T)b ? a : b;
}
#define PICK(c, a, b) ((c) ? (a) : (b))
extern "C" __global__ __vector__ void choose(__gm__ float* to, bool yes) {
  half h = 1.5;
  bfloat16_t b = 2.5;
  float f = 0.1f;
	to[0] = yes ? h : f;  // a tab before it
  to[1] = !yes ? h : f;
  to[2] = larger<half>(h, 1.0f) + larger<float>(7.0f, 1.0f);
  to[3] = yes ? (!yes ? f : h) : 3;
  to[4] = yes ? 2 : h;
  to[5] = PICK(yes, b, 1.0f) + PICK(yes, 0.25f, b);
  auto third = [&](float x) { return yes ? h / 3 : x; };
  to[6] = third(1) == h / 3;
  to[7] = static_cast<float>(yes ? h
                                 : f);
  float many[] = {yes ? h : f, yes ? f : h};
  to[8] = many[0] + many[1] + sizeof(yes ? h : 1) + 10 * sizeof(yes ? h : f);
  dcci(to, SINGLE_CACHE_LINE);
}
)",
            R"(
  auto* result = words<float>(16);
  choose<<<1, nullptr, s>>>(result, true);
  show(s, result, 9);)",
            "1.5 0.1 8.5 1.5 2 2.75 1 1.5 43.6 \n");
}

TEST_F(LanguageForms, OtherChoicesStayRefused) {
  write("form.asc", R"(
#include "kernel_operator.h"
struct Own {};
extern "C" __global__ __vector__ void choose(__gm__ float* to, half h) {
  to[0] = h > half(1) ? h : 1.0f;
  Own own;
  to[1] = h > half(1) ? own : 1.0f;
}
int main() {}
)");
  const std::string error = davsim_cc({"form.asc", "-o", "form"}).err;
  EXPECT_NE(error.find("form.asc:7:"), std::string::npos) << error;
  EXPECT_EQ(error.find("form.asc:5:"), std::string::npos) << error;
}

TEST_F(LanguageForms, NamesThatAreWordsOfYoungerStandards) {
  prints_of(R"(
struct Need {
  int requires;
  int concept = 4;
};
__aicore__ inline int sum(int requires, int concept) { return requires + concept; }
extern "C" __global__ __vector__ void need(__gm__ int32_t* to) {
  Need need{3};
  int concept = need.concept * 2;
  to[0] = sum(need.requires, concept);
  dcci(to, SINGLE_CACHE_LINE);
}
)",
            R"(
  auto* result = words<int32_t>(16);
  need<<<1, nullptr, s>>>(result);
  show(s, result, 1);)",
            "11 \n");
}

TEST_F(LanguageForms, MembersThatHaveTheNameOfTheirType) {
  prints_of(R"(
struct Tiling { int rows = 3; };
struct Holder { Tiling Tiling; half h = 2; };
extern "C" __global__ __vector__ void rows(__gm__ float* to, bool yes) {
  Holder holder;
  to[0] = holder.Tiling.rows + (yes ? holder.h : 0.5f);
  dcci(to, SINGLE_CACHE_LINE);
}
)",
            R"(
  auto* result = words<float>(16);
  rows<<<1, nullptr, s>>>(result, true);
  show(s, result, 1);)",
            "5 \n");
  write("wrong.asc", R"(
#include "kernel_operator.h"
struct Tiling { int rows = 3; };
struct Holder { Tiling Tiling; };
extern "C" __global__ __vector__ void rows(__gm__ float* to) { __gm__ int* p = to; }
int main() {}
)");
  EXPECT_NE(davsim_cc({"wrong.asc", "-o", "wrong"}).err.find("cannot convert"), std::string::npos);
}

TEST_F(LanguageForms, InitialisersInAnyOrder) {
  prints_of(R"(
struct Params { uint32_t a; uint32_t b = 2; float c = 3; };
typedef struct { int rows, cols; int tile[2]; } Shape2;
namespace own { template <int K> struct Part { int first; int second = K; }; }
extern "C" __global__ __vector__ void order(__gm__ float* to) {
  Params p{.c = 4, .b = (1 + 1, 7), .a = 1};
  Shape2 shape = {.tile = {3,
                           4},
                  .rows = 5};
  to[0] = p.a + 10 * p.b + 100 * p.c;
  to[1] = shape.rows + 10 * shape.tile[1];
  own::Part<6> part{.second = 2, .first = 1}; to[2] = part.first + 10 * part.second;
  dcci(to, SINGLE_CACHE_LINE);
}
)",
            R"(
  auto* result = words<float>(16);
  order<<<1, nullptr, s>>>(result);
  show(s, result, 3);)",
            "471 45 21 \n");
}

TEST_F(LanguageForms, WordsOfYoungerStandardsStay) {
  prints_of(R"(
template <class T>
concept Small = sizeof(T) < 4;
template <class T>
requires Small<T>
__aicore__ inline int size() { return sizeof(T); }
template <class T>
__aicore__ inline int size() requires (!Small<T>) { return 10 * sizeof(T); }
extern "C" __global__ __vector__ void sizes(__gm__ int32_t* to) {
  constexpr const char8_t* kText = u8"a";
  to[0] = size<half>() + size<float>() + (*kText == u8'a' ? 100 : 0);
  dcci(to, SINGLE_CACHE_LINE);
}
)",
            R"(
  auto* result = words<int32_t>(16);
  sizes<<<1, nullptr, s>>>(result);
  show(s, result, 1);)",
            "142 \n");
}

TEST_F(LanguageForms, IntrinsicsOnIntegers) {
  prints_of(R"(
extern "C" __global__ __vector__ void sums(__gm__ int32_t* in, __gm__ half* to) {
  auto* a = (__ubuf__ int32_t*)get_imm(0);
  auto* c = (__ubuf__ half*)get_imm(512);
  set_mask_norm();
  set_vector_mask(0, 0xffff);
  copy_gm_to_ubuf(a, in, 0, 1, 2, 0, 0);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  set_deqscale(half(0.5));
  vadddeqrelu(c, a, a, 1, 1, 1, 1, 4, 8, 8);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  c[0] = (half)(int32_t)sflbits((int64_t)-2);
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  copy_ubuf_to_gm(to, c, 0, 1, 1, 0, 0);
}
__global__ __vector__ void widen(__gm__ half* in, __gm__ float* to) {
  for (int i = 0; i < 16; ++i) to[i] = in[i];
  dcci(to, SINGLE_CACHE_LINE);
}
)",
            R"(
  int32_t numbers[16];
  for (int i = 0; i < 16; ++i) numbers[i] = i % 2 ? i : -i;
  auto* in = words<int32_t>(16);
  auto* sum = words<uint16_t>(16);
  auto* result = words<float>(16);
  aclrtMemcpy(in, 64, numbers, 64, ACL_MEMCPY_HOST_TO_DEVICE);
  sums<<<1, nullptr, s>>>(in, (__gm__ half*)sum);
  widen<<<1, nullptr, s>>>((__gm__ half*)sum, result);
  show(s, result, 6);)",
            "62 1 0 3 0 5 \n");
}

}  // namespace
}  // namespace davsim::driver
