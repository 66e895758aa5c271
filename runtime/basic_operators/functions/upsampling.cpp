// Images that are resized: functions/upsampling.txt.
#include <string_view>

#include "lists/upsampling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/resampling.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

enum class Upsampling { kNearest, kNearestToMiddle, kLinear, kCubic };

struct ResizeCall {
  Upsampling how;
  Numbers to;                  ///< sizes of the last dimensions
  std::vector<double> scales;  ///< of each, 0 for none
  bool aligned = false;
};

Taps taps_of(const Resizing& resizing, Upsampling how) {
  switch (how) {
    case Upsampling::kNearest:
      return nearest_taps(resizing, false);
    case Upsampling::kNearestToMiddle:
      return nearest_taps(resizing, true);
    case Upsampling::kLinear:
      return linear_taps(resizing);
    case Upsampling::kCubic:
      return cubic_taps(resizing);
  }
  return {};
}

/// The taps from images of `sizes`, of which the last ones become those of the call.
std::vector<Taps> taps_of(const ResizeCall& call, const Numbers& sizes) {
  std::vector<Taps> taps;
  const std::size_t first = sizes.size() - call.to.size();
  for (std::size_t d = 0; d < call.to.size(); ++d) {
    taps.push_back(
        taps_of(Resizing{sizes[first + d], call.to[d], call.scales[d], call.aligned}, call.how));
  }
  return taps;
}

void require_sizes(const Numbers& sizes, std::size_t count, const char* name) {
  bool fits = sizes.size() == count;
  for (const int64_t size : sizes) fits = fits && size > 0 && size < 1 << 24;
  if (fits) return;
  refuse_aclnn(std::string(name) + " has " + std::to_string(count) +
               " sizes, which are from 1 to less than 2^24");
}

void require_resizable(const aclTensor* tensor, const char* name, bool nearest) {
  require_type(required(tensor, name), name,
               {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE,
                nearest ? ge::DT_UINT8 : ge::DT_FLOAT});
}

/// Sizes of images with other last ones.
Shape resized(Numbers sizes, const Numbers& last) {
  std::copy(last.begin(), last.end(), sizes.end() - std::ssize(last));
  return shape_of(sizes);
}

bool is_nearest(Upsampling how) {
  return how == Upsampling::kNearest || how == Upsampling::kNearestToMiddle;
}

void add_resized(WorkList& work, const aclTensor* self, const ResizeCall& call,
                 const aclTensor* out) {
  require_resizable(self, "self", is_nearest(call.how));
  require_resizable(out, "out", is_nearest(call.how));
  require_type(*out, "out", {self->GetDataType()});
  const std::size_t count = call.scales.size();
  require_sizes(call.to, count, "outputSize");
  const Numbers sizes = numbers_of(self->GetViewShape());
  if (sizes.size() != count + 2) {
    refuse_aclnn("self has " + std::to_string(count + 2) + " dimensions, not the shape " +
                 text(self->GetViewShape()));
  }
  require_shape(*out, "out", resized(sizes, call.to));
  if (self->IsEmpty() && !out->IsEmpty()) refuse_aclnn("self has elements where out has some");
  if (out->IsEmpty()) return;
  add_resampling(work, *self, taps_of(call, sizes), false, *out);
}

void add_resized_gradient(WorkList& work, const aclTensor* gradient, const ResizeCall& call,
                          const Numbers& input, const aclTensor* out, const char* out_name) {
  require_resizable(gradient, "gradOut", false);
  require_resizable(out, out_name, false);
  require_type(*out, out_name, {gradient->GetDataType()});
  const std::size_t count = call.scales.size();
  require_sizes(call.to, count, "outputSize");
  if (input.size() != count + 2) {
    refuse_aclnn("inputSize has " + std::to_string(count + 2) + " sizes, not " +
                 std::to_string(input.size()));
  }
  require_sizes({input.begin() + 2, input.end()}, count, "inputSize");
  require_shape(*out, out_name, shape_of(input));
  require_shape(*gradient, "gradOut", resized(input, call.to));
  if (out->IsEmpty()) return;
  add_resampling(work, *gradient, taps_of(call, input), true, *out);
}

Upsampling mode_of(const char* mode) {
  davsim::runtime::require_aclnn(mode, "mode");
  const std::string_view name = mode;
  if (name == "nearest") return Upsampling::kNearest;
  if (name == "bilinear") return Upsampling::kLinear;
  refuse_aclnn("mode is nearest or bilinear, not " + std::string(name));
}

/// The sizes of `out` count. The scales say the same.
void add_scaled(WorkList& work, const aclTensor* self, const aclFloatArray* scales,
                const char* mode, const aclTensor* out) {
  davsim::runtime::require_aclnn(scales, "scales");
  if (required(self, "self").GetViewShape().GetDimNum() != scales->Size()) {
    refuse_aclnn("scales has a number for each dimension of self, not " +
                 std::to_string(scales->Size()));
  }
  const Numbers sizes = numbers_of(required(out, "out").GetViewShape());
  if (sizes.size() < 2)
    refuse_aclnn("out has 4 dimensions, not the shape " + text(shape_of(sizes)));
  add_resized(work, self, {mode_of(mode), {sizes.end() - 2, sizes.end()}, {0, 0}}, out);
}

}  // namespace

DAVSIM_FIRST_PHASE(Resize,
                   (const aclTensor* self, const aclFloatArray* scales, const char* mode,
                    aclTensor* out),
                   { add_scaled(work, self, scales, mode, out); })

DAVSIM_FIRST_PHASE(UpsampleNearest1d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), {
                     add_resized(work, self,
                                 {Upsampling::kNearest, numbers_of(outputSize, "outputSize"), {0}},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleNearest1dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, double scales, aclTensor* out),
                   {
                     add_resized_gradient(
                         work, gradOut,
                         {Upsampling::kNearest, numbers_of(outputSize, "outputSize"), {scales}},
                         numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(UpsampleNearest2d,
                   (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), {
                     add_resized(
                         work, self,
                         {Upsampling::kNearest, numbers_of(outputSize, "outputSize"), {0, 0}}, out);
                   })

DAVSIM_FIRST_PHASE(
    UpsampleNearest2dBackward,
    (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
     double scalesH, double scalesW, aclTensor* gradInput),
    {
      add_resized_gradient(
          work, gradOut,
          {Upsampling::kNearest, numbers_of(outputSize, "outputSize"), {scalesH, scalesW}},
          numbers_of(inputSize, "inputSize"), gradInput, "gradInput");
    })

DAVSIM_FIRST_PHASE(UpsampleNearest3d,
                   (const aclTensor* self, const aclIntArray* outputSize, double scalesD,
                    double scalesH, double scalesW, aclTensor* out),
                   {
                     add_resized(work, self,
                                 {Upsampling::kNearest,
                                  numbers_of(outputSize, "outputSize"),
                                  {scalesD, scalesH, scalesW}},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleNearest3dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, double scalesD, double scalesH, double scalesW,
                    aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kNearest,
                                           numbers_of(outputSize, "outputSize"),
                                           {scalesD, scalesH, scalesW}},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(
    UpsampleNearestExact1d,
    (const aclTensor* self, const aclIntArray* outputSize, double scales, aclTensor* out), {
      add_resized(work, self,
                  {Upsampling::kNearestToMiddle, numbers_of(outputSize, "outputSize"), {scales}},
                  out);
    })

DAVSIM_FIRST_PHASE(UpsampleNearestExact1dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, double scales, aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kNearestToMiddle,
                                           numbers_of(outputSize, "outputSize"),
                                           {scales}},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(UpsampleNearestExact2d,
                   (const aclTensor* self, const aclIntArray* outputSize, double scalesH,
                    double scalesW, aclTensor* out),
                   {
                     add_resized(work, self,
                                 {Upsampling::kNearestToMiddle,
                                  numbers_of(outputSize, "outputSize"),
                                  {scalesH, scalesW}},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleNearestExact2dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, double scalesH, double scalesW, aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kNearestToMiddle,
                                           numbers_of(outputSize, "outputSize"),
                                           {scalesH, scalesW}},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(UpsampleNearestExact3d,
                   (const aclTensor* self, const aclIntArray* outputSize, double scalesD,
                    double scalesH, double scalesW, aclTensor* out),
                   {
                     add_resized(work, self,
                                 {Upsampling::kNearestToMiddle,
                                  numbers_of(outputSize, "outputSize"),
                                  {scalesD, scalesH, scalesW}},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleNearestExact3dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, double scalesD, double scalesH, double scalesW,
                    aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kNearestToMiddle,
                                           numbers_of(outputSize, "outputSize"),
                                           {scalesD, scalesH, scalesW}},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(
    UpsampleLinear1d,
    (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scales,
     aclTensor* out),
    {
      add_resized(
          work, self,
          {Upsampling::kLinear, numbers_of(outputSize, "outputSize"), {scales}, alignCorners}, out);
    })

DAVSIM_FIRST_PHASE(UpsampleLinear1dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, bool alignCorners, double scales, aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kLinear,
                                           numbers_of(outputSize, "outputSize"),
                                           {scales},
                                           alignCorners},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(UpsampleBilinear2d,
                   (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners,
                    double scalesH, double scalesW, aclTensor* out),
                   {
                     add_resized(work, self,
                                 {Upsampling::kLinear,
                                  numbers_of(outputSize, "outputSize"),
                                  {scalesH, scalesW},
                                  alignCorners},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleBilinear2dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, bool alignCorners, double scalesH, double scalesW,
                    aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kLinear,
                                           numbers_of(outputSize, "outputSize"),
                                           {scalesH, scalesW},
                                           alignCorners},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(UpsampleBicubic2d,
                   (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners,
                    double scalesH, double scalesW, aclTensor* out),
                   {
                     add_resized(work, self,
                                 {Upsampling::kCubic,
                                  numbers_of(outputSize, "outputSize"),
                                  {scalesH, scalesW},
                                  alignCorners},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleBicubic2dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, bool alignCorners, double scalesH, double scalesW,
                    aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kCubic,
                                           numbers_of(outputSize, "outputSize"),
                                           {scalesH, scalesW},
                                           alignCorners},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })

DAVSIM_FIRST_PHASE(UpsampleTrilinear3d,
                   (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners,
                    double scalesD, double scalesH, double scalesW, aclTensor* out),
                   {
                     add_resized(work, self,
                                 {Upsampling::kLinear,
                                  numbers_of(outputSize, "outputSize"),
                                  {scalesD, scalesH, scalesW},
                                  alignCorners},
                                 out);
                   })

DAVSIM_FIRST_PHASE(UpsampleTrilinear3dBackward,
                   (const aclTensor* gradOut, const aclIntArray* outputSize,
                    const aclIntArray* inputSize, bool alignCorners, double scalesD, double scalesH,
                    double scalesW, aclTensor* out),
                   {
                     add_resized_gradient(work, gradOut,
                                          {Upsampling::kLinear,
                                           numbers_of(outputSize, "outputSize"),
                                           {scalesD, scalesH, scalesW},
                                           alignCorners},
                                          numbers_of(inputSize, "inputSize"), out, "out");
                   })
