// Windows over images: functions/windows.txt.
#include "runtime/basic_operators/windows.hpp"

#include <cstring>

#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_max_pool.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

using davsim::runtime::refuse_aclnn;

/// Padding in front of both dimensions, then behind them.
Numbers four_of(const Numbers& pads) {
  if (pads.size() == 4) return pads;
  const Numbers two = two_of(pads, {0, 0}, "pads");
  return {two[0], two[1], two[0], two[1]};
}

/// Programs may give the batches and the channels a number too.
Numbers dilations_of(const Numbers& given) {
  if (given.size() == 4) return {given[2], given[3]};
  return two_of(given, {1, 1}, "dilations");
}

void greatest(WorkList& work, const aclTensor& self, const Numbers& kernel, const Numbers& strides,
              std::int64_t auto_pad, const Numbers& pads, const Numbers& dilations,
              std::int64_t ceil_mode, const aclTensor& out) {
  if (auto_pad != 0) refuse_aclnn("autoPad is 0, not " + std::to_string(auto_pad));
  const Numbers window = two_of(kernel, {}, "kernelShape");
  const Image image = image_of(self, window, two_of(strides, {1, 1}, "strides"), four_of(pads),
                               dilations_of(dilations), ceil_mode != 0);
  add_greatest(work, self, image, out);
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

}  // namespace

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

DAVSIM_FIRST_PHASE(
    AvgPool2d,
    (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
     const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad,
     const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out),
    {
      static_cast<void>(cubeMathType);  // No cube computes it here.
      required(self, "self");
      const Image image = image_of_means(*self, numbers_of(kernelSize, "kernelSize"),
                                         numbers_of(strides, "strides"),
                                         numbers_of(paddings, "paddings"), ceilMode);
      add_means(work, *self, image, {countIncludePad, divisorOverride}, required(out, "out"));
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
