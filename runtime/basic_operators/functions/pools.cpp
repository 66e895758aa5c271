// Pools of means with gradients, and adaptive ones: functions/windows.txt.
#include "runtime/basic_operators/pools.hpp"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_avgpool3d.h"
#include "aclnnop/aclnn_avgpool3d_backward.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/resampling.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

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
    require_pad(pads[d], window[d]);
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
