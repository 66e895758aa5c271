#include "tests/scalar/kernels/scalar_kernels.hpp"

#include "kernel_operator.h"

namespace davsim::test {

using namespace AscendC;

namespace {

constexpr std::uint32_t kElements = 128;

template <class T>
LocalTensor<T> in_ub(std::uint32_t byte, std::uint32_t count) {
  return LocalTensor<T>(TPosition::VECCALC, byte, count);
}

}  // namespace

void add_halves_in_ub(std::uint32_t count) {
  auto x = in_ub<half>(0, count), y = in_ub<half>(8192, count), z = in_ub<half>(16384, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    z.SetValue(i, x.GetValue(i) + y.GetValue(i));
  }
}

void abs_behind_products(std::uint32_t products) {
  std::uint32_t value = products | 1;
  for (std::uint32_t i = 0; i < products; ++i) value *= value + i;
  auto x = in_ub<half>((value & 1) * 32, kElements);
  Abs(x, x, kElements);
}

void abs_in_loop(std::uint32_t calls, bool queues) {
  if (!queues) {
    auto x = in_ub<half>(0, kElements);
    for (std::uint32_t i = 0; i < calls; ++i) Abs(x, x, kElements);
    return;
  }
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, kElements * sizeof(half));
  for (std::uint32_t i = 0; i < calls; ++i) {
    auto x = queue.AllocTensor<half>();
    Abs(x, x, kElements);
    queue.EnQue(x);
    auto done = queue.DeQue<half>();
    queue.FreeTensor(done);
  }
}

}  // namespace davsim::test
