// Pointers into on-chip buffers that device code dereferences.
#include "tests/driver/kernel_forms.hpp"

namespace davsim::driver {
namespace {

class LocalPointers : public KernelFormTest {};

TEST_F(LocalPointers, PointersIntoUbAreDereferencedByTheScalarUnit) {
  prints_of(std::string(kSquares) + R"(
struct Pair { int32_t first; int16_t second[2]; };
template <typename T>
__aicore__ inline T sum(__ubuf__ T* values, int count) {
  T all = 0;
  for (int i = 0; i < count; ++i) all += values[i];
  return all;
}
extern "C" __global__ __aicore__ void pointers(__gm__ int32_t* in, __gm__ int32_t* to) {
  auto* a = (__ubuf__ int32_t*)get_imm(0);
  auto* b = (__ubuf__ int32_t*)get_imm(a + 16);
  squares(in, a);
  b[0] = sum(a, 16);
  b[1] = *(a + 3);
  *(b + 2) = a[2]++;
  b[3] = a[2];
  auto* bytes = reinterpret_cast<__ubuf__ uint8_t*>(b + 4);
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(i);
  auto* pair = (__ubuf__ Pair*)(b + 5);
  pair->first = -7;
  pair->second[0] = 3;
  pair->second[1] = -1;
  const Pair copy = *pair;
  b[7] = copy.first + copy.second[0] + copy.second[1];
  auto* number = (__ubuf__ float*)(b + 8);
  *number = 0.5f;
  *number += static_cast<float>(a[4]);
  b[9] = static_cast<int32_t>(*number * 2);
  auto* wide = (__ubuf__ uint64_t*)(b + 10);
  *wide = 0x100000002ull;
  b[12] = 0;
  b[12] |= 5;
  b[13] = 0; b[14] = 0; b[15] = a[15];
  out(to, b, 2);
})",
            std::string(kNumbers) + R"(
  pointers<<<1, nullptr, s>>>(in, result);
  show(s, result, 16);)",
            "1240 9 4 5 5.0463e+07 -7 -65533 -5 1.09917e+09 33 2 1 5 0 0 225 \n");
}

TEST_F(LocalPointers, AnAccessToUbByAPointerHasItsTimeAndItsOrder) {
  // The access comes when the vector unit has not ended yet, as GetValue without a flag would.
  prints_of(std::string(kSquares) + R"(
extern "C" __global__ __aicore__ void early(__gm__ int32_t* in, __gm__ int32_t* to) {
  AscendC::TPipe pipe;
  AscendC::TBuf<> buffer;
  pipe.InitBuffer(buffer, 1024);
  AscendC::LocalTensor<int32_t> t = buffer.Get<int32_t>();
  auto* p = (__ubuf__ int32_t*)t.GetPhyAddr();
  squares(in, p);
  const int64_t before = AscendC::GetSystemCycle();
  int32_t all = 0;
  for (int i = 0; i < 16; ++i) all += p[i];
  for (int i = 0; i < 16; ++i) all -= t.GetValue(i);
  p[0] = all;
  p[1] = t.GetValue(0) + 1;
  p[2] = AscendC::GetSystemCycle() >= before ? 1 : 0;
  out(to, p, 1);
})",
            std::string(kNumbers) + R"(
  early<<<1, nullptr, s>>>(in, result);
  show(s, result, 3);)",
            "0 1 1 \n");
}

TEST_F(LocalPointers, APointerBehindTheEndOfUbIsAFault) {
  write("host.h", kHostHeader);
  write("beyond.asc", R"(#include "kernel_operator.h"
#include "host.h"
extern "C" __global__ __aicore__ void beyond(__gm__ int32_t* to) {
  AscendC::TPipe pipe;
  auto* p = (__ubuf__ int32_t*)get_imm(192 * 1024);
  *p = 1;
}
int main() { auto s = start(); beyond<<<1, nullptr, s>>>(words<int32_t>(8));
  return aclrtSynchronizeStream(s) == 0; })");
  compiles({"beyond.asc", "-o", "beyond"});
  const Outcome outcome = program("beyond");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("UB"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("196608"), std::string::npos) << outcome.err;
}

/// A cube core has no UB, and pointers that GetPhyAddr gives into L1 are offsets as well.
TEST_F(LocalPointers, ACubeCoreRefusesToDereferencePointersIntoBuffers) {
  write("host.h", kHostHeader);
  write("cube.asc", R"(#include "kernel_operator.h"
#include "host.h"
extern "C" __global__ __cube__ void into_ub(__gm__ int32_t* to) {
  auto* p = (__ubuf__ int32_t*)get_imm(64);
  AscendC::PipeBarrier<PIPE_ALL>();
  *p = 1;
}
extern "C" __global__ __cube__ void into_l1(__gm__ int32_t* to) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::A1> buffer;
  pipe.InitBuffer(buffer, 64);
  auto* p = (__cbuf__ int32_t*)buffer.Get<int32_t>().GetPhyAddr();
  *to = *p;
}
int main() { auto s = start(); auto* to = words<int32_t>(8);
  into_ub<<<1, nullptr, s>>>(to);
  int failed = aclrtSynchronizeStream(s) != 0;
  into_l1<<<1, nullptr, s>>>(to);
  failed += aclrtSynchronizeStream(s) != 0;
  return failed == 2 ? 0 : 1; })");
  compiles({"cube.asc", "-o", "cube"});
  const Outcome outcome = program("cube");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string reason =
      "a pointer into a buffer of a cube core is dereferenced, which has no UB";
  const std::size_t first = outcome.err.find(reason);
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(reason, first + 1), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("cube.asc:"), std::string::npos) << outcome.err;
}

TEST_F(LocalPointers, ASourceThatPointsIntoL1AloneGetsTheReasonToo) {
  write("host.h", kHostHeader);
  write("l1.asc", R"(#include "kernel_operator.h"
#include "host.h"
extern "C" __global__ __cube__ void into_l1(__gm__ int32_t* to) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::A1> buffer;
  pipe.InitBuffer(buffer, 64);
  *to = *((__cbuf__ int32_t*)buffer.Get<int32_t>().GetPhyAddr());
}
int main() { auto s = start(); into_l1<<<1, nullptr, s>>>(words<int32_t>(8));
  return aclrtSynchronizeStream(s) != 0 ? 0 : 1; })");
  compiles({"l1.asc", "-o", "l1"});
  const Outcome outcome = program("l1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("a pointer into a buffer of a cube core is dereferenced"),
            std::string::npos)
      << outcome.err;
}

TEST_F(LocalPointers, ANullPointerToGlobalMemoryStaysACrashWhereNothingPointsIntoUb) {
  write("host.h", kHostHeader);
  write("null.asc", R"(#include "kernel_operator.h"
#include "host.h"
extern "C" __global__ __aicore__ void null(__gm__ volatile int32_t* to) { *to = 1; }
int main() { auto s = start(); null<<<1, nullptr, s>>>(nullptr); aclrtSynchronizeStream(s); })");
  compiles({"null.asc", "-o", "null"});
  const Outcome outcome = program("null");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.err.find("invalid memory access"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("kernel: null"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace davsim::driver
