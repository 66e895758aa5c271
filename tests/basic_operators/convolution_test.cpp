// Convolutions against sums of the host.
#include "aclnnop/aclnn_convolution.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::convolution {
namespace {

/// A plane of each channel and batch.
struct Planes {
  std::int64_t batches, channels, height, width;
  Numbers values;
  double& at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) {
    return values[static_cast<std::size_t>(((n * channels + c) * height + y) * width + x)];
  }
  Sizes sizes() const { return {batches, channels, height, width}; }
};

Planes planes(std::int64_t batches, std::int64_t channels, std::int64_t height,
              std::int64_t width) {
  Planes made{batches, channels, height, width,
              spread(static_cast<std::size_t>(batches * channels * height * width), -1, 1)};
  for (double& value : made.values) value = as_type(value, ACL_FLOAT16);
  return made;
}

struct Form {
  std::int64_t stride, padding, dilation, groups = 1, output_padding = 0;
};

Planes plain(Planes in, Planes weight, const Form& form) {
  const auto size = [&](std::int64_t of, std::int64_t kernel) {
    return (of + 2 * form.padding - form.dilation * (kernel - 1) - 1) / form.stride + 1;
  };
  Planes out{
      in.batches, weight.batches, size(in.height, weight.height), size(in.width, weight.width), {}};
  out.values.resize(static_cast<std::size_t>(out.batches * out.channels * out.height * out.width));
  const std::int64_t made = out.channels / form.groups;
  for (std::int64_t n = 0; n < out.batches; ++n) {
    for (std::int64_t o = 0; o < out.channels; ++o) {
      for (std::int64_t y = 0; y < out.height; ++y) {
        for (std::int64_t x = 0; x < out.width; ++x) {
          for (std::int64_t c = 0; c < weight.channels; ++c) {
            for (std::int64_t i = 0; i < weight.height; ++i) {
              for (std::int64_t j = 0; j < weight.width; ++j) {
                const std::int64_t row = y * form.stride - form.padding + i * form.dilation;
                const std::int64_t column = x * form.stride - form.padding + j * form.dilation;
                if (row < 0 || row >= in.height || column < 0 || column >= in.width) continue;
                out.at(n, o, y, x) +=
                    in.at(n, o / made * weight.channels + c, row, column) * weight.at(o, c, i, j);
              }
            }
          }
        }
      }
    }
  }
  return out;
}

/// Each element of the input spreads over the output. The weight is [in, out / groups, kernel].
Planes spreading(Planes in, Planes weight, const Form& form) {
  const auto size = [&](std::int64_t of, std::int64_t kernel) {
    return (of - 1) * form.stride - 2 * form.padding + form.dilation * (kernel - 1) +
           form.output_padding + 1;
  };
  Planes out{in.batches,
             weight.channels * form.groups,
             size(in.height, weight.height),
             size(in.width, weight.width),
             {}};
  out.values.resize(static_cast<std::size_t>(out.batches * out.channels * out.height * out.width));
  const std::int64_t group = in.channels / form.groups;
  for (std::int64_t n = 0; n < in.batches; ++n) {
    for (std::int64_t c = 0; c < in.channels; ++c) {
      for (std::int64_t y = 0; y < in.height; ++y) {
        for (std::int64_t x = 0; x < in.width; ++x) {
          for (std::int64_t o = 0; o < weight.channels; ++o) {
            for (std::int64_t i = 0; i < weight.height; ++i) {
              for (std::int64_t j = 0; j < weight.width; ++j) {
                const std::int64_t row = y * form.stride - form.padding + i * form.dilation;
                const std::int64_t column = x * form.stride - form.padding + j * form.dilation;
                if (row < 0 || row >= out.height || column < 0 || column >= out.width) continue;
                out.at(n, c / group * weight.channels + o, row, column) +=
                    in.at(n, c, y, x) * weight.at(c, o, i, j);
              }
            }
          }
        }
      }
    }
  }
  return out;
}

class ConvolutionTest : public BasicTest {
 protected:
  void expect(const Planes& in, const Planes& weight, const Form& form, bool transposed) {
    const Planes expected = transposed ? spreading(in, weight, form) : plain(in, weight, form);
    const DeviceTensor input(in.sizes(), in.values, ACL_FLOAT16);
    const DeviceTensor kernel(weight.sizes(), weight.values, ACL_FLOAT16);
    const DeviceTensor out(expected.sizes(), Numbers(expected.values.size()), ACL_FLOAT16);
    const Ints stride({form.stride, form.stride}), padding({form.padding, form.padding});
    const Ints dilation({form.dilation, form.dilation}),
        more({form.output_padding, form.output_padding});
    ASSERT_EQ(DAVSIM_CALL(Convolution, input, kernel, nullptr, stride, padding, dilation,
                          transposed, more, form.groups, out, 0),
              ACL_SUCCESS)
        << last_error();
    expect_near(out.values(), expected.values, 3e-3);
  }
};

TEST_F(ConvolutionTest, PlainOfAllForms) {
  const Form forms[] = {{1, 0, 1}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 0, 2}};
  for (const Form& form : forms) expect(planes(2, 6, 11, 9), planes(8, 6, 3, 3), form, false);
}

TEST_F(ConvolutionTest, OfGroups) {
  expect(planes(2, 6, 7, 7), planes(9, 2, 3, 3), {1, 1, 1, 3}, false);
  expect(planes(1, 4, 7, 7), planes(4, 1, 3, 3), {1, 1, 1, 4}, false);  // by channel
}

TEST_F(ConvolutionTest, Transposed) {
  const Form forms[] = {{1, 0, 1}, {2, 1, 1}, {2, 1, 1, 1, 1}, {3, 0, 2}};
  for (const Form& form : forms) expect(planes(2, 6, 5, 4), planes(6, 4, 3, 3), form, true);
  expect(planes(1, 6, 5, 4), planes(6, 2, 3, 3), {2, 1, 1, 3}, true);
}

TEST_F(ConvolutionTest, OfRowsWithABias) {
  const Numbers x = spread(2 * 3 * 10, -1, 1), w = spread(4 * 3 * 3, -1, 1), b = {1, -2, 3, 0.5};
  const DeviceTensor input({2, 3, 10}, x), weight({4, 3, 3}, w), bias({4}, b),
      out({2, 4, 8}, Numbers(64));
  const Ints one({1}), zero({0});
  ASSERT_EQ(DAVSIM_CALL(Convolution, input, weight, bias, one, zero, one, false, zero, 1, out, 0),
            ACL_SUCCESS)
      << last_error();
  Numbers expected;
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t o = 0; o < 4; ++o) {
      for (std::size_t p = 0; p < 8; ++p) {
        double sum = b[o];
        for (std::size_t c = 0; c < 3; ++c) {
          for (std::size_t k = 0; k < 3; ++k)
            sum += x[(n * 3 + c) * 10 + p + k] * w[(o * 3 + c) * 3 + k];
        }
        expected.push_back(sum);
      }
    }
  }
  expect_near(out.values(), expected, 1e-5);
}

TEST_F(ConvolutionTest, RefusesWhatBreaksARule) {
  const DeviceTensor input({1, 4, 5, 5}, Numbers(100)), weight({2, 4, 3, 3}, Numbers(72));
  const DeviceTensor out({1, 2, 3, 3}, Numbers(18)), wrong({1, 2, 4, 4}, Numbers(32));
  const Ints ones({1, 1}), zeros({0, 0}), none({0, 1}), single({1});
  const auto call = [&](const aclTensor* kernel, const aclIntArray* stride, std::int64_t groups,
                        aclTensor* result) {
    return DAVSIM_CALL(Convolution, input, kernel, nullptr, stride, zeros, ones, false, zeros,
                       groups, result, 0);
  };
  EXPECT_EQ(call(weight, ones, 1, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(call(nullptr, ones, 1, out), 161001);
  EXPECT_EQ(call(weight, nullptr, 1, out), 161001);
  EXPECT_EQ(call(weight, none, 1, out), 161002);
  EXPECT_EQ(call(weight, single, 1, out), 161002);
  EXPECT_EQ(call(weight, ones, 3, out), 161002);
  EXPECT_EQ(call(weight, ones, 1, wrong), 161002);
}

}  // namespace
}  // namespace davsim::test::convolution
