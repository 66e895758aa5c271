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

void add_widened_halves_in_ub(std::uint32_t count) {
  auto x = in_ub<half>(0, count), y = in_ub<half>(8192, count), z = in_ub<half>(16384, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    z.SetValue(i, static_cast<half>(static_cast<float>(x.GetValue(i)) +
                                    static_cast<float>(y.GetValue(i))));
  }
}

void abs_behind_products(std::uint32_t products) {
  std::uint32_t value = products | 1;
  for (std::uint32_t i = 0; i < products; ++i) value *= value + i;
  auto x = in_ub<half>((value & 1) * 32, kElements);
  Abs(x, x, kElements);
}

void quotients_behind_abs(std::uint32_t divisor, std::uint32_t* result) {
  auto x = in_ub<half>(0, kElements);
  Abs(x, x, kElements);
  const auto next = [divisor](std::uint32_t value) { return 0xffffffffu / (value + divisor); };
  *result = next(next(next(next(next(next(next(next(divisor))))))));
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

namespace {

/// What a kernel gets from the host.
struct AddTiling {
  std::uint32_t tiles, elements;
};

class AddKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling* tiling) {
    tiling_ = *tiling;
    const std::uint32_t all = tiling_.tiles * tiling_.elements;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), all);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), all);
    z_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), all);
    pipe_.InitBuffer(x_queue_, 2, tiling_.elements * sizeof(half));
    pipe_.InitBuffer(y_queue_, 2, tiling_.elements * sizeof(half));
    pipe_.InitBuffer(z_queue_, 2, tiling_.elements * sizeof(half));
  }
  __aicore__ inline void Process() {
    for (std::uint32_t tile = 0; tile < tiling_.tiles; ++tile) {
      CopyIn(tile);
      Compute();
      CopyOut(tile);
    }
  }

 private:
  __aicore__ inline void CopyIn(std::uint32_t tile) {
    LocalTensor<half> x = x_queue_.AllocTensor<half>();
    LocalTensor<half> y = y_queue_.AllocTensor<half>();
    DataCopy(x, x_[tile * tiling_.elements], tiling_.elements);
    DataCopy(y, y_[tile * tiling_.elements], tiling_.elements);
    x_queue_.EnQue(x);
    y_queue_.EnQue(y);
  }
  __aicore__ inline void Compute() {
    LocalTensor<half> x = x_queue_.DeQue<half>();
    LocalTensor<half> y = y_queue_.DeQue<half>();
    LocalTensor<half> z = z_queue_.AllocTensor<half>();
    Add(z, x, y, tiling_.elements);
    z_queue_.EnQue(z);
    x_queue_.FreeTensor(x);
    y_queue_.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(std::uint32_t tile) {
    LocalTensor<half> z = z_queue_.DeQue<half>();
    DataCopy(z_[tile * tiling_.elements], z, tiling_.elements);
    z_queue_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> x_queue_, y_queue_;
  TQue<TPosition::VECOUT, 1> z_queue_;
  GlobalTensor<half> x_, y_, z_;
  AddTiling tiling_;
};

}  // namespace

void add_in_class(std::uint16_t* x, std::uint16_t* y, std::uint16_t* z, std::uint32_t tiles,
                  std::uint32_t elements) {
  const AddTiling tiling = {tiles, elements};
  AddKernel kernel;
  kernel.Init(reinterpret_cast<GM_ADDR>(x), reinterpret_cast<GM_ADDR>(y),
              reinterpret_cast<GM_ADDR>(z), &tiling);
  kernel.Process();
}

void add_in_function(std::uint16_t* x, std::uint16_t* y, std::uint16_t* z, std::uint32_t tiles,
                     std::uint32_t elements) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> x_queue, y_queue;
  TQue<TPosition::VECOUT, 1> z_queue;
  pipe.InitBuffer(x_queue, 2, elements * sizeof(half));
  pipe.InitBuffer(y_queue, 2, elements * sizeof(half));
  pipe.InitBuffer(z_queue, 2, elements * sizeof(half));
  GlobalTensor<half> from_x, from_y, to;
  from_x.SetGlobalBuffer(reinterpret_cast<half*>(x));
  from_y.SetGlobalBuffer(reinterpret_cast<half*>(y));
  to.SetGlobalBuffer(reinterpret_cast<half*>(z));
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    auto in_x = x_queue.AllocTensor<half>();
    auto in_y = y_queue.AllocTensor<half>();
    DataCopy(in_x, from_x[tile * elements], elements);
    DataCopy(in_y, from_y[tile * elements], elements);
    x_queue.EnQue(in_x);
    y_queue.EnQue(in_y);
    auto a = x_queue.DeQue<half>();
    auto b = y_queue.DeQue<half>();
    auto sum = z_queue.AllocTensor<half>();
    Add(sum, a, b, elements);
    z_queue.EnQue(sum);
    x_queue.FreeTensor(a);
    y_queue.FreeTensor(b);
    auto out = z_queue.DeQue<half>();
    DataCopy(to[tile * elements], out, elements);
    z_queue.FreeTensor(out);
  }
}

}  // namespace davsim::test
