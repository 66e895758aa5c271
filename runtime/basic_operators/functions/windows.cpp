// Windows over images: functions/windows.txt.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "lists/windows.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/pooling.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

/// Both numbers of an array that may have one for both; `none`: what an empty one means.
Numbers two_of(const Numbers& given, const Numbers& none, const char* name) {
  if (given.empty() && !none.empty()) return none;
  if (given.size() == 1) return {given[0], given[0]};
  if (given.size() == 2) return given;
  refuse_aclnn(std::string(name) + " has one or two numbers, not " + std::to_string(given.size()));
}

std::int64_t planes_of(const aclTensor& self) {
  const Numbers sizes = numbers_of(self.GetViewShape());
  if (sizes.size() != 3 && sizes.size() != 4) {
    refuse_aclnn("self has the shape [N,C,H,W] or [C,H,W], not " + text(self.GetViewShape()));
  }
  return product(sizes, 0, sizes.size() - 2);
}

/// The shape of the images with planes of other sizes.
Shape with_planes(const aclTensor& self, std::int64_t height, std::int64_t width) {
  Numbers sizes = numbers_of(self.GetViewShape());
  sizes[sizes.size() - 2] = height;
  sizes.back() = width;
  return shape_of(sizes);
}

Image image_of(const aclTensor& self, const Numbers& window, const Numbers& step,
               const Numbers& padding, const Numbers& dilation, bool up) {
  const std::int64_t planes = planes_of(self);
  const Numbers sizes = numbers_of(self.GetViewShape());
  Image image{planes,
              {sizes[sizes.size() - 2], window[0], step[0], padding[0], padding[2], dilation[0]},
              {sizes.back(), window[1], step[1], padding[1], padding[3], dilation[1]}};
  image.down.count(up);
  image.across.count(up);
  return image;
}

/// out = window(plane, row, column) for each place of the window, by the cores or else by the host.
template <class Window>
void add_windows(WorkList& work, const aclTensor& self, const Pooling& pooling,
                 const aclTensor& out, Window window) {
  const Image& image = pooling.image;
  require_shape(out, "out", with_planes(self, image.down.places, image.across.places));
  require_type(self, "self", {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  require_type(out, "out", {self.GetDataType()});
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  const aclTensor* const from = as(work, self, self.GetDataType());
  if (add_pooling(work, pooling, *from, result.tensor())) return result.finish();
  work.add_task({&result.tensor()}, {from}, [image, window](auto to, auto from) {
    std::uint64_t next = 0;
    for (std::int64_t plane = 0; plane < image.planes; ++plane) {
      for (std::int64_t row = 0; row < image.down.places; ++row) {
        for (std::int64_t column = 0; column < image.across.places; ++column) {
          set_number(to[0], next++, window(image, from[0], plane, row, column));
        }
      }
    }
  });
  result.finish();
}

/// Calls `visit` with the elements of a window that are inside the image.
template <class Visit>
void each_of_window(const Image& image, const BoundTensor& self, std::int64_t plane,
                    std::int64_t row, std::int64_t column, const Visit& visit) {
  for (std::int64_t i = 0; i < image.down.window; ++i) {
    const std::int64_t y = image.down.first(row) + i * image.down.dilation;
    if (y < 0 || y >= image.down.size) continue;
    for (std::int64_t j = 0; j < image.across.window; ++j) {
      const std::int64_t x = image.across.first(column) + j * image.across.dilation;
      if (x < 0 || x >= image.across.size) continue;
      visit(number_at(self, static_cast<std::uint64_t>(plane) * image.plane_elements() +
                                static_cast<std::uint64_t>(y * image.across.size + x)));
    }
  }
}

/// Elements of a window in the image and its padding, along one dimension.
std::int64_t padded_length(const Slide& slide, std::int64_t place) {
  const std::int64_t first = slide.first(place);
  return std::min(first + slide.window, slide.size + slide.behind) - first;
}

struct MeanOfWindow {
  bool counts_padding;
  std::int64_t divisor;

  double operator()(const Image& image, const BoundTensor& self, std::int64_t plane,
                    std::int64_t row, std::int64_t column) const {
    double sum = 0;
    std::int64_t inside = 0;
    each_of_window(image, self, plane, row, column, [&](double value) {
      sum += value;
      ++inside;
    });
    if (divisor != 0) return sum / static_cast<double>(divisor);
    const std::int64_t count =
        counts_padding ? padded_length(image.down, row) * padded_length(image.across, column)
                       : inside;
    return sum / static_cast<double>(count);
  }
};

void average(WorkList& work, const aclTensor& self, const Numbers& kernel, const Numbers& strides,
             const Numbers& paddings, bool up, const MeanOfWindow& mean, const aclTensor& out) {
  const Numbers window = two_of(kernel, {}, "kernelSize");
  const Numbers pads = two_of(paddings, {0, 0}, "paddings");
  for (std::size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] * 2 > window[i]) {
      refuse_aclnn("paddings is at most half of kernelSize, which is " + std::to_string(window[i]) +
                   ", not " + std::to_string(pads[i]));
    }
  }
  const Image image = image_of(self, window, two_of(strides, window, "strides"),
                               {pads[0], pads[1], pads[0], pads[1]}, {1, 1}, up);
  const Pooling pooling{image, false, mean.counts_padding, mean.divisor};
  add_windows(work, self, pooling, out, mean);
}

/// Padding in front of both dimensions, then behind them.
Numbers four_of(const Numbers& pads) {
  if (pads.size() == 4) return pads;
  const Numbers two = two_of(pads, {0, 0}, "pads");
  return {two[0], two[1], two[0], two[1]};
}

void greatest(WorkList& work, const aclTensor& self, const Numbers& kernel, const Numbers& strides,
              std::int64_t auto_pad, const Numbers& pads, const Numbers& dilations,
              std::int64_t ceil_mode, const aclTensor& out) {
  if (auto_pad != 0) refuse_aclnn("autoPad is 0, not " + std::to_string(auto_pad));
  const Numbers window = two_of(kernel, {}, "kernelShape");
  const Image image = image_of(self, window, two_of(strides, {1, 1}, "strides"), four_of(pads),
                               two_of(dilations, {1, 1}, "dilations"), ceil_mode != 0);
  add_windows(work, self, {.image = image, .greatest = true}, out,
              [](const Image& of, const BoundTensor& from, std::int64_t plane, std::int64_t row,
                 std::int64_t column) {
                double most = -std::numeric_limits<double>::infinity();
                each_of_window(of, from, plane, row, column, [&](double value) {
                  if (std::isnan(value) || value > most) most = value;
                });
                return most;
              });
}

void columns(WorkList& work, const aclTensor& self, const Numbers& kernel, const Numbers& dilation,
             const Numbers& padding, const Numbers& stride, const aclTensor& out) {
  const Numbers window = two_of(kernel, {}, "kernelSize"), pads = two_of(padding, {}, "padding");
  const Image image =
      image_of(self, window, two_of(stride, {}, "stride"), {pads[0], pads[1], pads[0], pads[1]},
               two_of(dilation, {}, "dilation"), false);
  Numbers sizes = numbers_of(self.GetViewShape());
  sizes.resize(sizes.size() - 2);
  sizes.back() *= window[0] * window[1];
  sizes.push_back(image.down.places * image.across.places);
  require_shape(out, "out", shape_of(sizes));
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  work.add_task(
      {&result.tensor()}, {as(work, self, self.GetDataType())}, [image](auto to, auto from) {
        const std::int64_t places = image.down.places * image.across.places;
        const std::int64_t inside = image.down.window * image.across.window;
        const std::size_t bytes = op::TypeSize(to[0].type);
        for (std::uint64_t i = 0; i < to[0].elements(); ++i) {
          const auto at = static_cast<std::int64_t>(i);
          const std::int64_t place = at % places, element = at / places % inside;
          const std::int64_t y = image.down.first(place / image.across.places) +
                                 element / image.across.window * image.down.dilation;
          const std::int64_t x = image.across.first(place % image.across.places) +
                                 element % image.across.window * image.across.dilation;
          std::memset(element_at(to[0], i), 0, bytes);
          if (y < 0 || y >= image.down.size || x < 0 || x >= image.across.size) continue;
          const auto plane = static_cast<std::uint64_t>(at / places / inside);
          std::memcpy(
              element_at(to[0], i),
              element_at(from[0], plane * image.plane_elements() +
                                      static_cast<std::uint64_t>(y * image.across.size + x)),
              bytes);
        }
      });
  result.finish();
}

/// The place in a size of `from` that is nearest to `at` of `to`, as PyTorch has it.
std::int64_t nearest(std::int64_t at, std::int64_t from, std::int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  return std::min(static_cast<std::int64_t>(std::floor(static_cast<float>(at) * scale)), from - 1);
}

void resize(WorkList& work, const aclTensor& self, const Numbers& size, const aclTensor& out) {
  const Numbers from_sizes = numbers_of(self.GetViewShape());
  if (from_sizes.size() != 4 || size.size() != 2 || size[0] < 1 || size[1] < 1) {
    refuse_aclnn("self has four dimensions and outputSize two sizes, not the shape " +
                 text(self.GetViewShape()) + " and " + std::to_string(size.size()));
  }
  const std::int64_t height = from_sizes[2], width = from_sizes[3];
  require_shape(out, "out", with_planes(self, size[0], size[1]));
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  work.add_task({&result.tensor()}, {as(work, self, self.GetDataType())}, [=](auto to, auto from) {
    for (std::uint64_t i = 0; i < to[0].elements(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t y = nearest(at / size[1] % size[0], height, size[0]);
      const std::int64_t x = nearest(at % size[1], width, size[1]);
      const std::int64_t plane = at / size[1] / size[0];
      std::memcpy(element_at(to[0], i),
                  element_at(from[0], static_cast<std::uint64_t>((plane * height + y) * width + x)),
                  op::TypeSize(to[0].type));
    }
  });
  result.finish();
}

}  // namespace

DAVSIM_FIRST_PHASE(UpsampleNearest2d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), {
                     required(self, "self");
                     resize(work, *self, numbers_of(outputSize, "outputSize"),
                            required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(Im2col,
                   (const aclTensor* self, const aclIntArray* kernelSize,
                    const aclIntArray* dilation, const aclIntArray* padding,
                    const aclIntArray* stride, const aclTensor* out),
                   {
                     required(self, "self");
                     columns(work, *self, numbers_of(kernelSize, "kernelSize"),
                             numbers_of(dilation, "dilation"), numbers_of(padding, "padding"),
                             numbers_of(stride, "stride"), required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(AvgPool2d,
                   (const aclTensor* self, const aclIntArray* kernelSize,
                    const aclIntArray* strides, const aclIntArray* paddings, const bool ceilMode,
                    const bool countIncludePad, const int64_t divisorOverride,
                    const int8_t cubeMathType, aclTensor* out),
                   {
                     static_cast<void>(cubeMathType);  // No cube computes it here.
                     required(self, "self");
                     average(work, *self, numbers_of(kernelSize, "kernelSize"),
                             numbers_of(strides, "strides"), numbers_of(paddings, "paddings"),
                             ceilMode, {countIncludePad, divisorOverride}, required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(MaxPool,
                   (const aclTensor* self, const aclIntArray* kernelShape,
                    const aclIntArray* strides, const int64_t autoPad, const aclIntArray* pads,
                    const aclIntArray* dilations, const int64_t ceilMode, aclTensor* out),
                   {
                     required(self, "self");
                     greatest(work, *self, numbers_of(kernelShape, "kernelShape"),
                              numbers_of(strides, "strides"), autoPad, numbers_of(pads, "pads"),
                              numbers_of(dilations, "dilations"), ceilMode, required(out, "out"));
                   })
