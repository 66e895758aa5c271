#include "tests/scalar/kernels/matmul_kernels.hpp"

#include "lib/matmul_intf.h"

namespace davsim::test {

using namespace AscendC;

namespace {

constexpr int kBase = 16;

template <class T>
using Plain = MatmulType<TPosition::GM, CubeFormat::ND, T>;

template <class T>
GlobalTensor<T> whole(void* start, std::uint64_t elements) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(static_cast<T*>(start), elements);
  return tensor;
}

template <const auto& config>
void product(std::uint16_t* a, std::uint16_t* b, float* c, std::uint32_t steps) {
  TCubeTiling t;
  t.M = t.N = t.singleCoreM = t.singleCoreN = t.baseM = t.baseN = t.baseK = kBase;
  t.Ka = t.Kb = t.singleCoreK = static_cast<int>(steps) * kBase;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = 4;
  t.depthA1 = t.depthB1 = 8;
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = 1;
  TPipe pipe;
  MatmulImpl<Plain<half>, Plain<half>, Plain<float>, Plain<float>, config> object;
  object.Init(&t, &pipe);
  object.SetTensorA(whole<half>(a, std::uint64_t{steps} * kBase * kBase));
  object.SetTensorB(whole<half>(b, std::uint64_t{steps} * kBase * kBase));
  object.IterateAll(whole<float>(c, kBase * kBase));
  object.End();
}

}  // namespace

void product_by_norm(std::uint16_t* a, std::uint16_t* b, float* c, std::uint32_t steps) {
  product<CFG_NORM>(a, b, c, steps);
}
void product_by_mdl(std::uint16_t* a, std::uint16_t* b, float* c, std::uint32_t steps) {
  product<CFG_MDL>(a, b, c, steps);
}

}  // namespace davsim::test
