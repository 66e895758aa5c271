// Pools with places or gradients, and adaptive ones: functions/windows.txt.
#include <cmath>
#include <limits>
#include <optional>

#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_avgpool3d.h"
#include "aclnnop/aclnn_avgpool3d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/resampling.hpp"
#include "runtime/basic_operators/windows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

namespace {

void require_pool_type(const aclTensor* tensor, const char* name) {
  require_type(required(tensor, name), name,
               {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
}

/// Both have floating numbers of one type.
void require_same_type(const aclTensor* self, const char* self_name, const aclTensor* out,
                       const char* out_name) {
  require_pool_type(self, self_name);
  require_pool_type(out, out_name);
  require_type(*out, out_name, {self->GetDataType()});
}

/// Three numbers of an array that may have one for all; `none`: what an empty one means.
Numbers three_of(const Numbers& given, const Numbers& none, const char* name) {
  if (given.empty() && !none.empty()) return none;
  if (given.size() == 1) return {given[0], given[0], given[0]};
  if (given.size() == 3) return given;
  refuse_aclnn(std::string(name) + " has one or three numbers, not " +
               std::to_string(given.size()));
}

/// The shape of `self`, [N,C,...] or [C,...], with `last` as its last sizes.
Shape with_last(const aclTensor& self, const Numbers& last, const char* name) {
  Numbers sizes = numbers_of(self.GetViewShape());
  if (sizes.size() != last.size() + 1 && sizes.size() != last.size() + 2) {
    refuse_aclnn(std::string(name) + " has " + std::to_string(last.size() + 1) + " or " +
                 std::to_string(last.size() + 2) + " dimensions, not the shape " +
                 text(self.GetViewShape()));
  }
  std::copy(last.begin(), last.end(), sizes.end() - std::ssize(last));
  return shape_of(sizes);
}

/// The sizes of the last dimensions.
Numbers last_sizes(const aclTensor& self, std::size_t count) {
  const Numbers sizes = numbers_of(self.GetViewShape());
  return {sizes.end() - static_cast<std::ptrdiff_t>(std::min(count, sizes.size())), sizes.end()};
}

struct MeansOfVolumes {
  std::vector<Slide> slides;
  std::vector<Taps> taps;
  Shape shape;  ///< of the result
};

MeansOfVolumes means_of_volumes(const aclTensor& self, const Numbers& kernel,
                                const Numbers& strides, const Numbers& padding, bool up,
                                const MeanOfWindow& how) {
  const Numbers window = three_of(kernel, {}, "kernelSize");
  const Numbers step = three_of(strides, window, "stride");
  const Numbers pads = three_of(padding, {0, 0, 0}, "padding");
  with_last(self, window, "self");
  const Numbers sizes = last_sizes(self, 3);
  MeansOfVolumes made;
  Numbers places;
  for (std::size_t d = 0; d < 3; ++d) {
    if (pads[d] * 2 > window[d]) {
      refuse_aclnn("padding is at most half of kernelSize, which is " + std::to_string(window[d]) +
                   ", not " + std::to_string(pads[d]));
    }
    Slide slide{sizes[d], window[d], step[d], pads[d], pads[d], 1};
    slide.count(up);
    places.push_back(slide.places);
    const int64_t divisor = how.divisor == 0 ? 0 : d == 0 ? how.divisor : 1;
    made.taps.push_back(mean_taps(slide, how.counts_padding, divisor));
    made.slides.push_back(slide);
  }
  made.shape = with_last(self, places, "self");
  return made;
}

std::vector<Taps> means_of_image(const Image& image, const MeanOfWindow& how) {
  return {mean_taps(image.down, how.counts_padding, how.divisor),
          mean_taps(image.across, how.counts_padding, how.divisor == 0 ? 0 : 1)};
}

void add_adaptive_means(WorkList& work, const aclTensor* self, const Numbers& size,
                        std::size_t count, const aclTensor* out) {
  require_same_type(self, "self", out, "out");
  for (const int64_t each : size) {
    if (each < 1) refuse_aclnn("outputSize has sizes of at least 1, not " + std::to_string(each));
  }
  if (size.size() != count) {
    refuse_aclnn("outputSize has " + std::to_string(count) + " sizes, not " +
                 std::to_string(size.size()));
  }
  require_shape(*out, "out", with_last(*self, size, "self"));
  if (self->IsEmpty() && !out->IsEmpty()) refuse_aclnn("self has elements where out has some");
  if (out->IsEmpty()) return;
  const Numbers from = last_sizes(*self, count);
  if (count == 2 && from[0] % size[0] == 0 && from[1] % size[1] == 0) {
    // Windows of one size, one behind the other.
    const Numbers window{from[0] / size[0], from[1] / size[1]};
    return add_means(work, *self, image_of(*self, window, window, {0, 0, 0, 0}, {1, 1}, false),
                     {false, 0}, *out);
  }
  std::vector<Taps> taps;
  for (std::size_t d = 0; d < count; ++d) taps.push_back(adaptive_taps(from[d], size[d]));
  add_resampling(work, *self, taps, false, *out);
}

void add_adaptive_gradient(WorkList& work, const aclTensor* gradient, const aclTensor* self,
                           std::size_t count, const aclTensor* out, const char* out_name) {
  require_same_type(gradient, "gradOutput", out, out_name);
  require_pool_type(self, "self");
  require_shape(*out, out_name, self->GetViewShape());
  const Numbers size = last_sizes(*gradient, count);
  require_shape(*gradient, "gradOutput", with_last(*self, size, "self"));
  if (out->IsEmpty()) return;
  if (gradient->IsEmpty()) refuse_aclnn("gradOutput has elements where self has some");
  const Numbers from = last_sizes(*self, count);
  std::vector<Taps> taps;
  for (std::size_t d = 0; d < count; ++d) taps.push_back(adaptive_taps(from[d], size[d]));
  add_resampling(work, *gradient, taps, true, *out);
}

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

/// The greatest element of a window, the first of equal ones; a NaN is greater than all before it.
Best best_of(const BoundTensor& plane, uint64_t first, int64_t width, const Numbers& rows,
             const Numbers& columns) {
  Best best;
  for (const int64_t y : rows) {
    for (const int64_t x : columns) {
      const int64_t place = y * width + x;
      const double value = number_at(plane, first + static_cast<uint64_t>(place));
      if (best.place < 0 || value > best.value || std::isnan(value)) best = {value, place};
    }
  }
  return best;
}

/// The greatest elements of windows and their places, by the host. `out` may be null.
void add_best_places(WorkList& work, const aclTensor& self, const Places& down,
                     const Places& across, const aclTensor* out, const aclTensor& indices) {
  const Numbers sizes = numbers_of(self.GetViewShape());
  const int64_t width = sizes.back(), plane = width * sizes[sizes.size() - 2];
  Result places(work, indices, indices.GetDataType());
  std::optional<Result> values;
  std::vector<const aclTensor*> to{&places.tensor()};
  if (out != nullptr) to.push_back(&values.emplace(work, *out, out->GetDataType()).tensor());
  work.add_task(to, {as(work, self, self.GetDataType())}, [=](auto made, auto from) {
    uint64_t next = 0;
    const uint64_t planes = from[0].elements() / static_cast<uint64_t>(plane);
    for (uint64_t i = 0; i < planes; ++i) {
      for (const Numbers& rows : down) {
        for (const Numbers& columns : across) {
          const Best best =
              best_of(from[0], i * static_cast<uint64_t>(plane), width, rows, columns);
          set_whole(made[0], next, best.place);
          if (made.size() > 1) set_number(made[1], next, best.value);
          ++next;
        }
      }
    }
  });
  places.finish();
  if (values) values->finish();
}

/// gradInput = the gradients at the places in their planes that the indices name.
void add_gradient_at_places(WorkList& work, const aclTensor* gradient, const aclTensor* self,
                            const aclTensor* indices, const aclTensor* out) {
  require_same_type(gradient, "gradOutput", out, "gradInput");
  require_pool_type(self, "self");
  required_index(indices, "indices");
  require_shape(*indices, "indices", gradient->GetViewShape());
  require_shape(*out, "gradInput", self->GetViewShape());
  const Numbers size = last_sizes(*gradient, 2);
  require_shape(*gradient, "gradOutput", with_last(*self, size, "self"));
  if (out->IsEmpty()) return;
  Result result(work, *out, out->GetDataType());
  const Numbers sizes = last_sizes(*self, 2);
  const int64_t plane = sizes[0] * sizes[1], places = size[0] * size[1];
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
  for (std::size_t d = 0; d < 2; ++d) {
    if (pads[d] * 2 <= window[d]) continue;
    refuse_aclnn("padding is at most half of kernelSize, which is " + std::to_string(window[d]) +
                 ", not " + std::to_string(pads[d]));
  }
  return image_of(self, window, two_of(strides, window, "stride"),
                  {pads[0], pads[1], pads[0], pads[1]}, two_of(dilation, {1, 1}, "dilation"), up);
}

}  // namespace

DAVSIM_FIRST_PHASE(AvgPool2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self,
                    const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, bool ceilMode, bool countIncludePad,
                    int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput),
                   {
                     static_cast<void>(cubeMathType);  // No cube computes it here.
                     require_same_type(gradOutput, "gradOutput", gradInput, "gradInput");
                     require_pool_type(self, "self");
                     require_shape(*gradInput, "gradInput", self->GetViewShape());
                     const Image image = image_of_means(*self, numbers_of(kernelSize, "kernelSize"),
                                                        numbers_of(stride, "stride"),
                                                        numbers_of(padding, "padding"), ceilMode);
                     require_shape(*gradOutput, "gradOutput",
                                   with_planes(*self, image.down.places, image.across.places));
                     add_resampling(work, *gradOutput,
                                    means_of_image(image, {countIncludePad, divisorOverride}), true,
                                    *gradInput);
                   })

DAVSIM_FIRST_PHASE(AvgPool3d,
                   (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, bool ceilMode, bool countIncludePad,
                    int64_t divisorOverride, aclTensor* out),
                   {
                     require_same_type(self, "self", out, "out");
                     const MeansOfVolumes means = means_of_volumes(
                         *self, numbers_of(kernelSize, "kernelSize"), numbers_of(stride, "stride"),
                         numbers_of(padding, "padding"), ceilMode,
                         {countIncludePad, divisorOverride});
                     require_shape(*out, "out", means.shape);
                     add_resampling(work, *self, means.taps, false, *out);
                   })

DAVSIM_FIRST_PHASE(AvgPool3dBackward,
                   (const aclTensor* gradOuput, const aclTensor* self,
                    const aclIntArray* kernelSize, const aclIntArray* stride,
                    const aclIntArray* padding, bool ceilMode, bool countIncludePad,
                    int64_t divisorOverride, aclTensor* output),
                   {
                     require_same_type(gradOuput, "gradOuput", output, "output");
                     require_pool_type(self, "self");
                     require_shape(*output, "output", self->GetViewShape());
                     const MeansOfVolumes means = means_of_volumes(
                         *self, numbers_of(kernelSize, "kernelSize"), numbers_of(stride, "stride"),
                         numbers_of(padding, "padding"), ceilMode,
                         {countIncludePad, divisorOverride});
                     require_shape(*gradOuput, "gradOuput", means.shape);
                     add_resampling(work, *gradOuput, means.taps, true, *output);
                   })

DAVSIM_FIRST_PHASE(AdaptiveAvgPool2d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), {
                     add_adaptive_means(work, self, numbers_of(outputSize, "outputSize"), 2, out);
                   })

DAVSIM_FIRST_PHASE(AdaptiveAvgPool3d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), {
                     add_adaptive_means(work, self, numbers_of(outputSize, "outputSize"), 3, out);
                   })

DAVSIM_FIRST_PHASE(AdaptiveAvgPool2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out),
                   { add_adaptive_gradient(work, gradOutput, self, 2, out, "out"); })

DAVSIM_FIRST_PHASE(AdaptiveAvgPool3dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput),
                   { add_adaptive_gradient(work, gradOutput, self, 3, gradInput, "gradInput"); })

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
                     add_best_places(work, *self, places_of_slide(image.down),
                                     places_of_slide(image.across), nullptr, *indices);
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
                     add_gradient_at_places(work, gradOutput, self, indices, gradInput);
                   })

DAVSIM_FIRST_PHASE(AdaptiveMaxPool2d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
                    aclTensor* indicesOut),
                   {
                     require_same_type(self, "self", outputOut, "outputOut");
                     required_index(indicesOut, "indicesOut");
                     const Numbers size = numbers_of(outputSize, "outputSize");
                     if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
                       refuse_aclnn("outputSize has two sizes of at least 1");
                     }
                     const Shape shape = with_last(*self, size, "self");
                     require_shape(*outputOut, "outputOut", shape);
                     require_shape(*indicesOut, "indicesOut", shape);
                     if (self->IsEmpty() && !outputOut->IsEmpty()) {
                       refuse_aclnn("self has elements where outputOut has some");
                     }
                     if (outputOut->IsEmpty()) return;
                     const Numbers from = last_sizes(*self, 2);
                     add_best_places(work, *self, adaptive_places(from[0], size[0]),
                                     adaptive_places(from[1], size[1]), outputOut, *indicesOut);
                   })

DAVSIM_FIRST_PHASE(AdaptiveMaxPool2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                    aclTensor* gradInput),
                   { add_gradient_at_places(work, gradOutput, self, indices, gradInput); })
