// Gradients of convolutions against sums over all elements that a kernel covers.
#include <cmath>
#include <functional>

#include "lists/products.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::convolution_gradients {
namespace {

/// One dimension of images and of the kernel, square ones otherwise.
struct Case {
  std::int64_t batches, in, made, groups, size, kernel, step, padding, dilation;
  bool transposed = false;
  std::int64_t output_padding = 0;

  std::int64_t places() const {
    const std::int64_t reach = dilation * (kernel - 1) + 1;
    if (transposed) return (size - 1) * step - 2 * padding + reach + output_padding;
    return (size + 2 * padding - reach) / step + 1;
  }
  Sizes weight_sizes() const {
    return transposed ? Sizes{in, made / groups, kernel, kernel}
                      : Sizes{made, in / groups, kernel, kernel};
  }
};

/// Calls `visit` with an element of the input, one of the weight and the one of the output that
/// both are multiplied for.
void each_product(const Case& at,
                  const std::function<void(std::size_t, std::size_t, std::size_t)>& visit) {
  const std::int64_t ins = at.in / at.groups, outs = at.made / at.groups, places = at.places();
  // The side that steps go over, and the one that the kernel makes a place of.
  const std::int64_t stepped = at.transposed ? at.size : places;
  const std::int64_t covered = at.transposed ? places : at.size;
  for (std::int64_t n = 0; n < at.batches; ++n)
    for (std::int64_t i = 0; i < at.in; ++i)
      for (std::int64_t o = 0; o < outs; ++o)
        for (std::int64_t y = 0; y < stepped; ++y)
          for (std::int64_t x = 0; x < stepped; ++x)
            for (std::int64_t p = 0; p < at.kernel; ++p)
              for (std::int64_t q = 0; q < at.kernel; ++q) {
                const std::int64_t row = y * at.step - at.padding + p * at.dilation;
                const std::int64_t column = x * at.step - at.padding + q * at.dilation;
                if (row < 0 || row >= covered || column < 0 || column >= covered) continue;
                const std::int64_t channel = i / ins * outs + o;
                const std::int64_t first = at.transposed ? i : channel;
                const std::int64_t second = at.transposed ? o : i % ins;
                const std::int64_t taken = at.transposed ? outs : ins;
                const std::int64_t in_y = at.transposed ? y : row,
                                   in_x = at.transposed ? x : column;
                const std::int64_t out_y = at.transposed ? row : y,
                                   out_x = at.transposed ? column : x;
                visit(static_cast<std::size_t>(((n * at.in + i) * at.size + in_y) * at.size + in_x),
                      static_cast<std::size_t>(
                          ((first * taken + second) * at.kernel + p) * at.kernel + q),
                      static_cast<std::size_t>(((n * at.made + channel) * places + out_y) * places +
                                               out_x));
              }
}

std::size_t count_of(const Sizes& sizes) {
  std::size_t count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
  return count;
}

class ConvolutionGradientsTest : public BasicTest {
 protected:
  class Mask {
   public:
    Mask(bool first, bool second, bool third) {
      const bool values[] = {first, second, third};
      array_ = aclCreateBoolArray(values, 3);
    }
    ~Mask() { aclDestroyBoolArray(array_); }
    operator aclBoolArray*() const { return array_; }

   private:
    aclBoolArray* array_;
  };

  void expect(const Case& at, aclDataType type) {
    const Sizes from{at.batches, at.in, at.size, at.size}, kernel = at.weight_sizes();
    const Sizes to{at.batches, at.made, at.places(), at.places()};
    const Numbers x = of_type(spread(count_of(from), -1, 1), type);
    Numbers w = of_type(spread(count_of(kernel), -1, 1), type);
    std::reverse(w.begin(), w.end());
    const Numbers dy = of_type(spread(count_of(to), -0.5, 0.5), type);
    Numbers dx(x.size()), dw(w.size()), db(static_cast<std::size_t>(at.made));
    each_product(at, [&](std::size_t i, std::size_t weight, std::size_t o) {
      dx[i] += dy[o] * w[weight];
      dw[weight] += dy[o] * x[i];
    });
    const auto plane = static_cast<std::size_t>(at.places() * at.places());
    for (std::size_t i = 0; i < dy.size(); ++i) db[i / plane % db.size()] += dy[i];
    const DeviceTensor input(from, x, type), weight(kernel, w, type), gradient(to, dy, type);
    const DeviceTensor of_input(from, Numbers(dx.size()), type);
    const DeviceTensor of_weight(kernel, Numbers(dw.size()), type);
    const DeviceTensor of_bias({at.made}, Numbers(db.size()), type);
    ASSERT_EQ(DAVSIM_CALL(ConvolutionBackward, gradient, input, weight, Ints{at.made},
                          Ints({at.step, at.step}), Ints({at.padding, at.padding}),
                          Ints({at.dilation, at.dilation}), at.transposed,
                          Ints({at.output_padding, at.output_padding}), int(at.groups),
                          Mask(true, true, true), std::int8_t{0}, of_input, of_weight, of_bias),
              ACL_SUCCESS)
        << last_error();
    const double near = type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(type);
    expect_near(of_input.values(), dx, near);
    expect_near(of_weight.values(), dw, near);
    expect_near(of_bias.values(), db, near);
  }
};

TEST_F(ConvolutionGradientsTest, OfPlainOnes) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    expect({2, 3, 4, 1, 6, 3, 1, 1, 1}, type);
    // The last column and row are not covered.
    expect({1, 4, 6, 2, 8, 2, 3, 1, 2}, type);
    expect({2, 4, 4, 4, 5, 1, 2, 0, 1}, type);
  }
}

TEST_F(ConvolutionGradientsTest, OfTransposedOnes) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    expect({2, 3, 4, 1, 4, 3, 2, 1, 1, true, 1}, type);
    expect({1, 4, 6, 2, 3, 2, 1, 0, 3, true, 2}, type);
  }
}

TEST_F(ConvolutionGradientsTest, AsTheMaskWantsThem) {
  const DeviceTensor x({1, 1, 3}, {1, 2, 3}), w({1, 1, 2}, {1, -1}), dy({1, 1, 2}, {5, 7});
  const DeviceTensor dx({1, 1, 3}, Numbers(3, 9)), dw({1, 1, 2}, Numbers(2, 9));
  const Ints one{1}, none{0};
  ASSERT_EQ(DAVSIM_CALL(ConvolutionBackward, dy, x, w, nullptr, one, none, one, false, none, 1,
                        Mask(false, true, false), std::int8_t{0}, nullptr, dw, nullptr),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(dw.values(), Numbers({19, 31}));
  ASSERT_EQ(DAVSIM_CALL(ConvolutionBackward, dy, x, w, nullptr, one, none, one, false, none, 1,
                        Mask(true, false, false), std::int8_t{0}, dx, dw, nullptr),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(dx.values(), Numbers({5, 2, -7}));
  const auto call = [&](const aclTensor* gradient, const aclBoolArray* mask,
                        const aclTensor* of_input) {
    return DAVSIM_CALL(ConvolutionBackward, gradient, x, w, nullptr, one, none, one, false, none, 1,
                       mask, std::int8_t{0}, const_cast<aclTensor*>(of_input), dw, nullptr);
  };
  EXPECT_EQ(call(x, Mask(true, true, false), dx), 161002);
  EXPECT_EQ(call(nullptr, Mask(true, true, false), dx), 161001);
  EXPECT_EQ(call(dy, nullptr, dx), 161001);
  EXPECT_EQ(call(dy, Mask(true, false, false), nullptr), 161001);
  EXPECT_EQ(call(dy, Mask(true, false, false), dw), 161002);
  EXPECT_EQ(call(dy, Mask(false, false, true), dx), 161001);
}

}  // namespace
}  // namespace davsim::test::convolution_gradients
