// Names of the kernel, and macros of the host's headers, that meet those of the kernel API.
#include "tests/driver/kernel_forms.hpp"

namespace davsim::driver {
namespace {

class MacroForms : public KernelFormTest {};

TEST_F(MacroForms, MacrosOfOneLetterBeforeTheKernelApi) {
  write("host.h", kHostHeader);
  write("form.asc", R"(
#define M 16
#define S (M / 2)
#define V 3
#define PI 3
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "host.h"
extern "C" __global__ __vector__ void fill(__gm__ int32_t* to) {
  AscendC::GlobalTensor<int32_t> g;
  g.SetGlobalBuffer(to);
  g.SetValue(0, M + S + V + PI);
  AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(g);
}
int main() {
  auto s = start();
  auto* result = words<int32_t>(8);
  fill<<<1, nullptr, s>>>(result);
  show(s, result, 1);
})");
  compiles({"form.asc", "-o", "form"});
  prints("form", "30 \n");
}

TEST_F(MacroForms, AnAssertWithAMessageBehindTheHostsHeader) {
  write("host.h", kHostHeader);
  write("form.asc", R"(
#include "kernel_operator.h"
#include <cassert>
#include "host.h"
extern "C" __global__ __vector__ void check(int32_t n) {
  assert(n > 0);
  assert(n > 3, "n is %d", n);
}
int main() {
  assert(sizeof(int) == 4);
  auto s = start();
  check<<<1, nullptr, s>>>(7);
  check<<<1, nullptr, s>>>(2);
  return aclrtSynchronizeStream(s) == 0;
})");
  compiles({"form.asc", "-o", "form"});
  EXPECT_NE(program("form").err.find("Assertion `n > 3' failed: n is 2"), std::string::npos);
}

TEST_F(MacroForms, TypesThatAreNamedLikeSomethingOfTheApi) {
  prints_of(R"(
using namespace AscendC;
enum class PaddingMode { NONE, SAME = 3 };
namespace own { struct RmsNorm { static constexpr int kKind = 5; }; }
template <typename T>
class RmsNorm {
 public:
  __aicore__ inline RmsNorm() {}
  __aicore__ inline int kind(PaddingMode mode) const;
  int Shape = 100;
};
template <typename T>
__aicore__ inline int RmsNorm<T>::kind(PaddingMode mode) const {
  return static_cast<int>(mode) + this->Shape + own::RmsNorm::kKind;
}
struct Shape { int rows; };
extern "C" __global__ __vector__ void kinds(__gm__ int32_t* to) {
  RmsNorm<half> op;
  Shape shape{1000};
  GlobalTensor<int32_t> g;
  g.SetGlobalBuffer(to);
  g.SetValue(0, op.kind(PaddingMode::SAME) + op.Shape + shape.rows);
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(g);
})",
            "  auto* to = words<int32_t>(8);\n  kinds<<<1, nullptr, s>>>(to);\n  show(s, to, 1);",
            "1208 \n");
}

}  // namespace
}  // namespace davsim::driver
