// Calls of what davsim does not have: none compiles, each error names its function. Compiled by
// unsupported_test.cmake with and without MISSING.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace AscendC {
DAVSIM_UNSUPPORTED(MissingTypes, "types as template arguments")
DAVSIM_UNSUPPORTED(MissingValues, "values as template arguments")
DAVSIM_UNSUPPORTED(MissingMixed, "types and values as template arguments")
DAVSIM_UNSUPPORTED(MissingResult, "its result is used")
DAVSIM_NOT_ON_2201(MissingElsewhere, "another architecture has it")
struct Holder {
  DAVSIM_UNSUPPORTED(MissingMember, "a member function")
};

template <typename T>
void partly(T) {
  static_assert(davsim::api::kSupported<T>, "davsim does not support MissingOverload yet");
}

// A kernel's own function of a missing one's name is called, not refused.
DAVSIM_UNSUPPORTED(OwnName, "never called")
inline int OwnName(const LocalTensor<half>&, int value) {
  return value;
}
}  // namespace AscendC

using namespace AscendC;

void kernel(LocalTensor<half> x) {
  OwnName(x, 3);
#ifdef MISSING
  MissingTypes<half, float>(x, x, {1, 2, 3});
  MissingValues<HardEvent::MTE2_V, true>(x);
  MissingMixed<half, true>(x, 3u);
  const std::int32_t value = MissingResult(x, nullptr);
  static_cast<void>(value);
  Holder().MissingMember<half>(x[3], 1.0f);
  partly(x);
  MissingElsewhere<half>(x);
  CubeResGroupHandle<half> group;
  static_cast<void>(group);
  TPipe().InitSpmBuffer(x, 64);
  PhiloxRandom<10>(x, x, x, 64);
  Scatter(x, x, LocalTensor<std::uint32_t>(), 0u, 64u);
  Ands(x, x, half(1.0f), 8);
  RpSort16<half>(x, x, 1);
  CheckLocalMemoryIA<half, half>(x, x, {1, 2});
  LocalTensor<float> norm;
  CreateCubeResGroup<float>(norm, norm, norm, 1e-5f, 3);
#endif
}
