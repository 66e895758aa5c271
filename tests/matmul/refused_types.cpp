// Matmul objects of types that architecture 2201 does not have. Compiled by
// refused_types_test.cmake: each line with a comment is one error that says the rule.
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

constexpr auto kGm = TPosition::GM;
template <typename T, CubeFormat format = CubeFormat::ND, bool trans = false>
using Of = MatmulType<kGm, format, T, trans>;

template <class A, class B, class C, class Bias = C>
void multiply(bool with_bias = false) {
  Matmul<A, B, C, Bias> mm;
  mm.IterateAll(GlobalTensor<typename C::T>());
  if constexpr (!std::is_same_v<Bias, C>) {
    if (with_bias) mm.SetBias(GlobalTensor<typename Bias::T>());
  }
}

constexpr MatmulConfig with(bool MatmulConfig::*member) {
  MatmulConfig config = GetNormalConfig();
  config.*member = true;
  return config;
}
constexpr MatmulConfig kPartSum = with(&MatmulConfig::intraBlockPartSum);
constexpr MatmulConfig kPartialOutput = with(&MatmulConfig::isPartialOutput);
constexpr MatmulConfig kSplit = with(&MatmulConfig::isEnableChannelSplit);

}  // namespace

void kernel() {
  // The bias has the type of C if nothing is said of it; these have none.
  multiply<Of<half>, Of<half>, Of<bfloat16_t>>();
  multiply<Of<bfloat16_t>, Of<bfloat16_t>, Of<bfloat16_t>>();
  multiply<Of<int8_t>, Of<int8_t>, Of<half>>();
  multiply<Of<half>, Of<half>, Of<int8_t>>();
#ifdef REFUSED
  multiply<Of<half, CubeFormat::ZN>, Of<half>, Of<float>>();                // CubeFormat of A
  multiply<Of<half>, Of<half, CubeFormat::VECTOR>, Of<float>>();            // CubeFormat of A
  multiply<Of<half>, Of<half>, Of<float, CubeFormat::ZN>>();                // CubeFormat of C
  multiply<Of<half>, Of<half>, Of<int32_t>>();                              // C is float
  multiply<Of<int4b_t>, Of<int4b_t>, Of<int8_t>>();                         // C is float
  multiply<Of<int4b_t, CubeFormat::ND, true>, Of<int4b_t>, Of<int32_t>>();  // transposed A
  multiply<Of<half>, Of<half>, Of<float>, Of<int32_t>>(true);               // the bias is float
  Matmul<Of<half>, Of<half>, Of<float>, Of<float>, kPartSum> sums;          // change results
  sums.Iterate();
  Matmul<Of<half>, Of<half>, Of<float>, Of<float>, kPartialOutput> parts;  // MDL
  parts.Iterate();
  Matmul<Of<half>, Of<half>, Of<float>, Of<float>, kSplit> split;  // float in NZ
  split.Iterate();
  multiply<Of<half>, Of<float>, Of<float>>();  // A and B are both
  Matmul<Of<bfloat16_t>, Of<bfloat16_t>, Of<float>> one;
  one.SetTensorA(bfloat16_t(1.f));  // one number is half or float
#endif
}
