// Windows over images by the cores or else by the host.
#pragma once

#include "runtime/basic_operators/pooling.hpp"
#include "runtime/basic_operators/views.hpp"

namespace davsim::basic {

/// Both numbers of an array that may have one for both; `none`: what an empty one means. Throws
/// ApiError(161002).
Numbers two_of(const Numbers& given, const Numbers& none, const char* name);
/// Of images [N,C,H,W] or [C,H,W]. Throws ApiError(161002).
std::int64_t planes_of_images(const aclTensor& self);
/// The shape of the images with planes of other sizes.
Shape with_planes(const aclTensor& self, std::int64_t height, std::int64_t width);
/// `padding` is in front of both dimensions, then behind them. `up`: see Slide::count().
Image image_of(const aclTensor& self, const Numbers& window, const Numbers& step,
               const Numbers& padding, const Numbers& dilation, bool up);

/// How means are made of windows.
struct MeanOfWindow {
  bool counts_padding;
  std::int64_t divisor;  ///< 0: how many elements count
};

/// Checks the documented rules and adds the means of all windows.
void add_means(WorkList& work, const aclTensor& self, const Image& image, const MeanOfWindow& mean,
               const aclTensor& out);
/// The same of their greatest elements; NaN is one.
void add_greatest(WorkList& work, const aclTensor& self, const Image& image, const aclTensor& out);
/// The image of a mean whose arrays have one or two numbers.
Image image_of_means(const aclTensor& self, const Numbers& kernel, const Numbers& strides,
                     const Numbers& paddings, bool up);

}  // namespace davsim::basic
