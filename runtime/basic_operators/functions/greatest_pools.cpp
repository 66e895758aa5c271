// Pools of greatest elements and their places: functions/windows.txt.
#include <cmath>
#include <limits>
#include <optional>

#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/pools.hpp"
#include "runtime/basic_operators/resampling.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

namespace {

/// The places along one dimension that each window has.
using Places = std::vector<Numbers>;

Places places_of_slide(const Slide& slide) {
  Places all;
  for (int64_t i = 0; i < slide.places; ++i) {
    Numbers of;
    const int64_t first = slide.first(i);
    const int64_t inside = first >= 0 ? 0 : quotient_up(-first, slide.dilation);
    for (int64_t j = inside; j < slide.window && first + j * slide.dilation < slide.size; ++j) {
      of.push_back(first + j * slide.dilation);
    }
    all.push_back(of);
  }
  return all;
}

Places adaptive_places(int64_t from, int64_t to) {
  Places all;
  for (int64_t i = 0; i < to; ++i) {
    Numbers of;
    for (int64_t at = adaptive_begin(i, from, to); at < adaptive_end(i, from, to); ++at) {
      of.push_back(at);
    }
    all.push_back(of);
  }
  return all;
}

struct Best {
  double value = -std::numeric_limits<double>::infinity();
  int64_t place = -1;
};

/// The places in a plane, or in a volume, that each window has.
Places places_of_windows(const std::vector<Places>& along, const Numbers& sizes) {
  Places all{{0}};
  for (std::size_t d = 0; d < along.size(); ++d) {
    Places next;
    for (const Numbers& before : all) {
      for (const Numbers& line : along[d]) {
        Numbers& of = next.emplace_back();
        for (const int64_t first : before) {
          for (const int64_t place : line) of.push_back(first * sizes[d] + place);
        }
      }
    }
    all = std::move(next);
  }
  return all;
}

/// The greatest element of a window, the first of equal ones; a NaN is greater than all before it.
Best best_of(const BoundTensor& plane, uint64_t first, const Numbers& window) {
  Best best;
  for (const int64_t place : window) {
    const double value = number_at(plane, first + static_cast<uint64_t>(place));
    if (best.place < 0 || value > best.value || std::isnan(value)) best = {value, place};
  }
  return best;
}

/// The greatest elements of windows over the last dimensions, which have the places `along` each of
/// them, and their places, by the host. `out` may be null.
void add_best_places(WorkList& work, const aclTensor& self, const std::vector<Places>& along,
                     const aclTensor* out, const aclTensor& indices) {
  const Numbers sizes = last_sizes(self, along.size());
  const auto plane = static_cast<uint64_t>(product(sizes, 0, sizes.size()));
  Result places(work, indices, indices.GetDataType());
  std::optional<Result> values;
  std::vector<const aclTensor*> to{&places.tensor()};
  if (out != nullptr) to.push_back(&values.emplace(work, *out, out->GetDataType()).tensor());
  work.add_task(to, {as(work, self, self.GetDataType())},
                [plane, windows = places_of_windows(along, sizes)](auto made, auto from) {
                  uint64_t next = 0;
                  for (uint64_t first = 0; first < from[0].elements(); first += plane) {
                    for (const Numbers& window : windows) {
                      const Best best = best_of(from[0], first, window);
                      set_whole(made[0], next, best.place);
                      if (made.size() > 1) set_number(made[1], next, best.value);
                      ++next;
                    }
                  }
                });
  places.finish();
  if (values) values->finish();
}

/// gradInput = the gradients at the places in their planes, or volumes, that the indices name.
void add_gradient_at_places(WorkList& work, const aclTensor* gradient, const aclTensor* self,
                            const aclTensor* indices, std::size_t count, const aclTensor* out) {
  require_same_type(gradient, "gradOutput", out, "gradInput");
  require_pool_type(self, "self");
  required_index(indices, "indices");
  require_shape(*indices, "indices", gradient->GetViewShape());
  require_shape(*out, "gradInput", self->GetViewShape());
  const Numbers size = last_sizes(*gradient, count);
  require_shape(*gradient, "gradOutput", with_last(*self, size, "self"));
  if (out->IsEmpty()) return;
  Result result(work, *out, out->GetDataType());
  const Numbers sizes = last_sizes(*self, count);
  const int64_t plane = product(sizes, 0, count), places = product(size, 0, count);
  work.add_task(
      {&result.tensor()},
      {as(work, *gradient, gradient->GetDataType()), as(work, *indices, indices->GetDataType())},
      [function = work.type(), plane, places](auto to, auto from) {
        std::vector<double> sums(to[0].elements());
        for (uint64_t i = 0; i < from[0].elements(); ++i) {
          const int64_t place = whole_at(from[1], i);
          if (place < 0 || place >= plane) out_of_range(function, "indices", i, place, 0, plane);
          const uint64_t at = i / static_cast<uint64_t>(places) * static_cast<uint64_t>(plane);
          sums[at + static_cast<uint64_t>(place)] += number_at(from[0], i);
        }
        for (uint64_t i = 0; i < sums.size(); ++i) set_number(to[0], i, sums[i]);
      });
  result.finish();
}

Image greatest_image(const aclTensor& self, const Numbers& kernel, const Numbers& strides,
                     const Numbers& padding, const Numbers& dilation, bool up) {
  const Numbers window = two_of(kernel, {}, "kernelSize");
  const Numbers pads = two_of(padding, {0, 0}, "padding");
  for (std::size_t d = 0; d < 2; ++d) require_pad(pads[d], window[d]);
  return image_of(self, window, two_of(strides, window, "stride"),
                  {pads[0], pads[1], pads[0], pads[1]}, two_of(dilation, {1, 1}, "dilation"), up);
}

struct Volumes {
  std::vector<Slide> slides;
  Shape shape;  ///< of the result
};

Volumes greatest_volumes(const aclTensor& self, const Numbers& kernel, const Numbers& strides,
                         const Numbers& padding, const Numbers& dilation, bool up) {
  const Numbers window = three_of(kernel, {}, "kernelSize");
  const Numbers step = three_of(strides, window, "stride");
  const Numbers pads = three_of(padding, {0, 0, 0}, "padding");
  const Numbers apart = three_of(dilation, {1, 1, 1}, "dilation");
  with_last(self, window, "self");
  const Numbers sizes = last_sizes(self, 3);
  Volumes made;
  Numbers places;
  for (std::size_t d = 0; d < 3; ++d) {
    require_pad(pads[d], window[d]);
    Slide slide{sizes[d], window[d], step[d], pads[d], pads[d], apart[d]};
    slide.count(up);
    places.push_back(slide.places);
    made.slides.push_back(slide);
  }
  made.shape = with_last(self, places, "self");
  return made;
}

void add_adaptive_greatest(WorkList& work, const aclTensor* self, const Numbers& size,
                           std::size_t count, const aclTensor* out, const aclTensor* indices) {
  require_same_type(self, "self", out, "outputOut");
  required_index(indices, "indicesOut");
  bool fits = size.size() == count;
  for (const int64_t each : size) fits = fits && each > 0;
  if (!fits) {
    refuse_aclnn("outputSize has " + std::to_string(count) + " sizes of at least 1");
  }
  const Shape shape = with_last(*self, size, "self");
  require_shape(*out, "outputOut", shape);
  require_shape(*indices, "indicesOut", shape);
  if (self->IsEmpty() && !out->IsEmpty()) {
    refuse_aclnn("self has elements where outputOut has some");
  }
  if (out->IsEmpty()) return;
  const Numbers from = last_sizes(*self, count);
  std::vector<Places> along;
  for (std::size_t d = 0; d < count; ++d) along.push_back(adaptive_places(from[d], size[d]));
  add_best_places(work, *self, along, out, *indices);
}

}  // namespace

DAVSIM_FIRST_PHASE(MaxPool2dWithIndices,
                   (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
                    aclTensor* out, aclTensor* indices),
                   {
                     require_same_type(self, "self", out, "out");
                     required_index(indices, "indices");
                     const Image image = greatest_image(*self, numbers_of(kernelSize, "kernelSize"),
                                                        numbers_of(stride, "stride"),
                                                        numbers_of(padding, "padding"),
                                                        numbers_of(dilation, "dilation"), ceilMode);
                     const Shape shape = with_planes(*self, image.down.places, image.across.places);
                     require_shape(*indices, "indices", shape);
                     add_greatest(work, *self, image, *out);
                     if (out->IsEmpty()) return;
                     add_best_places(work, *self,
                                     {places_of_slide(image.down), places_of_slide(image.across)},
                                     nullptr, *indices);
                   })

DAVSIM_FIRST_PHASE(MaxPool2dWithIndicesBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                    const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
                    aclTensor* gradInput),
                   {
                     required(self, "self");
                     const Image image = greatest_image(*self, numbers_of(kernelSize, "kernelSize"),
                                                        numbers_of(stride, "stride"),
                                                        numbers_of(padding, "padding"),
                                                        numbers_of(dilation, "dilation"), ceilMode);
                     require_shape(required(gradOutput, "gradOutput"), "gradOutput",
                                   with_planes(*self, image.down.places, image.across.places));
                     add_gradient_at_places(work, gradOutput, self, indices, 2, gradInput);
                   })

DAVSIM_FIRST_PHASE(AdaptiveMaxPool2d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
                    aclTensor* indicesOut),
                   {
                     add_adaptive_greatest(work, self, numbers_of(outputSize, "outputSize"), 2,
                                           outputOut, indicesOut);
                   })

DAVSIM_FIRST_PHASE(AdaptiveMaxPool3d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
                    aclTensor* indicesOut),
                   {
                     add_adaptive_greatest(work, self, numbers_of(outputSize, "outputSize"), 3,
                                           outputOut, indicesOut);
                   })

DAVSIM_FIRST_PHASE(MaxPool3dWithArgmax,
                   (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
                    aclTensor* out, aclTensor* indices),
                   {
                     require_same_type(self, "self", out, "out");
                     required_index(indices, "indices");
                     const Volumes volumes = greatest_volumes(
                         *self, numbers_of(kernelSize, "kernelSize"), numbers_of(stride, "stride"),
                         numbers_of(padding, "padding"), numbers_of(dilation, "dilation"),
                         ceilMode);
                     require_shape(*out, "out", volumes.shape);
                     require_shape(*indices, "indices", volumes.shape);
                     if (out->IsEmpty()) return;
                     std::vector<Places> along;
                     for (const Slide& slide : volumes.slides) {
                       along.push_back(places_of_slide(slide));
                     }
                     add_best_places(work, *self, along, out, *indices);
                   })

DAVSIM_FIRST_PHASE(MaxPool3dWithArgmaxBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                    const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
                    aclTensor* gradInput),
                   {
                     const Volumes volumes = greatest_volumes(
                         required(self, "self"), numbers_of(kernelSize, "kernelSize"),
                         numbers_of(stride, "stride"), numbers_of(padding, "padding"),
                         numbers_of(dilation, "dilation"), ceilMode);
                     require_shape(required(gradOutput, "gradOutput"), "gradOutput", volumes.shape);
                     add_gradient_at_places(work, gradOutput, self, indices, 3, gradInput);
                   })

DAVSIM_FIRST_PHASE(AdaptiveMaxPool2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                    aclTensor* gradInput),
                   { add_gradient_at_places(work, gradOutput, self, indices, 2, gradInput); })

DAVSIM_FIRST_PHASE(AdaptiveMaxPool3dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                    aclTensor* gradInput),
                   { add_gradient_at_places(work, gradOutput, self, indices, 3, gradInput); })
