#include "runtime/basic_operators/windows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

using runtime::BoundTensor;
using runtime::refuse_aclnn;

namespace {

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

struct HostMean {
  MeanOfWindow how;

  double operator()(const Image& image, const BoundTensor& self, std::int64_t plane,
                    std::int64_t row, std::int64_t column) const {
    double sum = 0;
    std::int64_t inside = 0;
    each_of_window(image, self, plane, row, column, [&](double value) {
      sum += value;
      ++inside;
    });
    if (how.divisor != 0) return sum / static_cast<double>(how.divisor);
    const std::int64_t count =
        how.counts_padding ? padded_length(image.down, row) * padded_length(image.across, column)
                           : inside;
    return sum / static_cast<double>(count);
  }
};

}  // namespace

Numbers two_of(const Numbers& given, const Numbers& none, const char* name) {
  if (given.empty() && !none.empty()) return none;
  if (given.size() == 1) return {given[0], given[0]};
  if (given.size() == 2) return given;
  refuse_aclnn(std::string(name) + " has one or two numbers, not " + std::to_string(given.size()));
}

std::int64_t planes_of_images(const aclTensor& self) {
  const Numbers sizes = numbers_of(self.GetViewShape());
  if (sizes.size() != 3 && sizes.size() != 4) {
    refuse_aclnn("self has the shape [N,C,H,W] or [C,H,W], not " + text(self.GetViewShape()));
  }
  return product(sizes, 0, sizes.size() - 2);
}

Shape with_planes(const aclTensor& self, std::int64_t height, std::int64_t width) {
  Numbers sizes = numbers_of(self.GetViewShape());
  sizes[sizes.size() - 2] = height;
  sizes.back() = width;
  return shape_of(sizes);
}

Image image_of(const aclTensor& self, const Numbers& window, const Numbers& step,
               const Numbers& padding, const Numbers& dilation, bool up) {
  const std::int64_t planes = planes_of_images(self);
  const Numbers sizes = numbers_of(self.GetViewShape());
  Image image{planes,
              {sizes[sizes.size() - 2], window[0], step[0], padding[0], padding[2], dilation[0]},
              {sizes.back(), window[1], step[1], padding[1], padding[3], dilation[1]}};
  image.down.count(up);
  image.across.count(up);
  return image;
}

Image image_of_means(const aclTensor& self, const Numbers& kernel, const Numbers& strides,
                     const Numbers& paddings, bool up) {
  const Numbers window = two_of(kernel, {}, "kernelSize");
  const Numbers pads = two_of(paddings, {0, 0}, "paddings");
  for (std::size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] * 2 > window[i]) {
      refuse_aclnn("paddings is at most half of kernelSize, which is " + std::to_string(window[i]) +
                   ", not " + std::to_string(pads[i]));
    }
  }
  return image_of(self, window, two_of(strides, window, "strides"),
                  {pads[0], pads[1], pads[0], pads[1]}, {1, 1}, up);
}

void add_means(WorkList& work, const aclTensor& self, const Image& image, const MeanOfWindow& mean,
               const aclTensor& out) {
  add_windows(work, self, {image, false, mean.counts_padding, mean.divisor}, out, HostMean{mean});
}

void add_greatest(WorkList& work, const aclTensor& self, const Image& image, const aclTensor& out) {
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

}  // namespace davsim::basic
