// Quantisation: functions/rows.txt.
#include <string_view>

#include "aclnnop/aclnn_ascend_anti_quant.h"
#include "aclnnop/aclnn_ascend_quant.h"
#include "aclnnop/aclnn_ascend_quant_v3.h"
#include "aclnnop/aclnn_dynamic_quant.h"
#include "runtime/basic_operators/device/quant_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;
using davsim_basic::QuantTiling;
using davsim_basic::Rounding;

namespace {

/// Numbers for the elements of rows, as [weight_rows, length].
struct QuantWeights {
  const aclTensor* scales = nullptr;
  const aclTensor* offsets = nullptr;
  int64_t rows = 1;
};

/// Rows of the last dimension of x. `scale_of_rows` is given for dynamic quantisation.
void add_quant(WorkList& work, const aclTensor& x, const QuantWeights& weights, bool twice,
               Rounding rounding, const aclTensor& y, const aclTensor* scale_of_rows) {
  if (x.IsEmpty()) return;
  const Shape& shape = x.GetViewShape();
  const int64_t length = shape.GetDim(shape.GetDimNum() - 1);
  const DataType type = x.GetDataType();
  // Two buffers of x and y, a row of each weight, and two tiles.
  const auto bytes = 2 * (static_cast<uint64_t>(op::TypeSize(type)) + 1) + 4 * 4;
  QuantTiling tiling{};
  tiling.shares =
      row_shares(x.Numel() / length, length, row_tile(bytes), davsim_basic::kByteRowUnit);
  if (weights.rows > 1) tiling.shares.at_once = 1;
  tiling.weight_rows = static_cast<uint64_t>(weights.rows);
  tiling.element = *element_of(type);
  tiling.rounding = rounding;
  tiling.is_dynamic = scale_of_rows == nullptr ? 0 : 1;
  tiling.has_scale = weights.scales == nullptr ? 0 : 1;
  tiling.has_offset = weights.offsets == nullptr ? 0 : 1;
  tiling.twice = twice ? 1 : 0;
  Result result(work, y, ge::DT_INT8);
  std::optional<Result> scales;
  if (scale_of_rows != nullptr) scales.emplace(work, *scale_of_rows, ge::DT_FLOAT);
  work.add_kernel({"davsim_quant",
                   work.type(),
                   cores_of(tiling.shares),
                   {as(work, x, type), weights.scales, weights.offsets, &result.tensor(),
                    scales ? &scales->tensor() : nullptr},
                   bytes_of(tiling)});
  result.finish();
  if (scales) scales->finish();
}

Rounding rounding_of(const char* mode) {
  davsim::runtime::require_aclnn(mode, "roundMode");
  const std::string_view name = mode;
  if (name == "round") return Rounding::kNearest;
  if (name == "floor") return Rounding::kDown;
  if (name == "ceil") return Rounding::kUp;
  if (name == "trunc") return Rounding::kTowardsZero;
  refuse_aclnn("roundMode is round, floor, ceil or trunc, not " + std::string(name));
}

/// A scale or offset of one element, or of as many as the dimension has, for each element of the
/// last dimension, [weight rows, length].
const aclTensor* weight_rows(WorkList& work, const aclTensor& tensor, const char* name,
                             const Shape& x, std::size_t dim) {
  require_kernel_float(tensor, name);
  const std::size_t last = x.GetDimNum() - 1;
  const int64_t count = tensor.Numel(), length = x.GetDim(last), rows = x.GetDim(dim);
  if (count != 1 && count != rows) {
    refuse_aclnn(std::string(name) + " has one element or " + std::to_string(rows) +
                 ", the size of x along axis, not the shape " + text(tensor.GetViewShape()));
  }
  const aclTensor* const elements = as(work, tensor, ge::DT_FLOAT);
  if (dim == last) return as(work, *reshaped(work, *elements, {count}), ge::DT_FLOAT, {length});
  return as(work, *reshaped(work, *elements, {count, 1}), ge::DT_FLOAT, {rows, length});
}

struct StaticQuant {
  const aclTensor* x;
  const aclTensor* scale;
  const aclTensor* offset;
  bool sqrt_mode;
  const char* round_mode;
  int32_t type;
  int32_t axis;
  const aclTensor* y;
};

void add_static_quant(WorkList& work, const StaticQuant& call) {
  require_kernel_float(required(call.x, "x"), "x");
  required(call.scale, "scale");
  required(call.y, "y");
  const Rounding rounding = rounding_of(call.round_mode);
  if (call.type != ACL_INT8) {
    refuse_aclnn("dstType is 2, int8, not " + std::to_string(call.type));
  }
  require_type(*call.y, "y", {ge::DT_INT8});
  const Shape& shape = call.x->GetViewShape();
  require_shape(*call.y, "y", shape);
  const std::size_t rank = shape.GetDimNum(), axis = dimension(call.axis, rank, "axis");
  if (rank == 0 || axis + 2 < rank) {
    refuse_aclnn("axis is one of the last two dimensions of x, not " + std::to_string(call.axis));
  }
  QuantWeights weights{.rows = axis + 1 == rank ? 1 : shape.GetDim(axis)};
  weights.scales = weight_rows(work, *call.scale, "scale", shape, axis);
  if (call.offset != nullptr) {
    weights.offsets = weight_rows(work, *call.offset, "offset", shape, axis);
  }
  add_quant(work, *call.x, weights, call.sqrt_mode, rounding, *call.y, nullptr);
}

void add_anti_quant(WorkList& work, const aclTensor* x, const aclTensor* scale,
                    const aclTensor* offset, int64_t type, bool sqrt_mode, const aclTensor* y) {
  require_type(required(x, "x"), "x", {ge::DT_INT8});
  if (type != ACL_FLOAT16 && type != ACL_BF16) {
    refuse_aclnn("dstType is 1, float16, or 27, bfloat16, not " + std::to_string(type));
  }
  require_type(required(y, "y"), "y", {static_cast<DataType>(type)});
  const Shape& shape = x->GetViewShape();
  require_shape(*y, "y", shape);
  if (shape.GetDimNum() == 0) refuse_aclnn("x has a dimension");
  const std::size_t last = shape.GetDimNum() - 1;
  Formula f(work);
  const Operand factors{weight_rows(work, required(scale, "scale"), "scale", shape, last), "scale"};
  Operand made{as(work, *x, ge::DT_FLOAT), "x"};
  if (offset != nullptr) {
    made = f.more(made, {weight_rows(work, *offset, "offset", shape, last), "offset"});
  }
  if (x->IsEmpty()) return;
  made = f.times(made, factors);
  f.finish(sqrt_mode ? f.times(made, factors) : made, *y);
}

}  // namespace

DAVSIM_FIRST_PHASE(AscendAntiQuant,
                   (const aclTensor* x, const aclTensor* scale, const aclTensor* offset,
                    int64_t dstType, bool sqrtMode, const aclTensor* y),
                   { add_anti_quant(work, x, scale, offset, dstType, sqrtMode, y); })

DAVSIM_FIRST_PHASE(
    AscendQuant,
    (const aclTensor* x, const aclTensor* scale, const aclTensor* offset, bool sqrtMode,
     const char* roundMode, int32_t dstType, const aclTensor* y),
    {
      add_static_quant(work, {x, scale, offset, sqrtMode, roundMode, dstType, -1, y});
    })

DAVSIM_FIRST_PHASE(
    AscendQuantV3,
    (const aclTensor* x, const aclTensor* scale, const aclTensor* offset, bool sqrtMode,
     const char* roundMode, int32_t dstType, int32_t axis, const aclTensor* y),
    {
      add_static_quant(work, {x, scale, offset, sqrtMode, roundMode, dstType, axis, y});
    })

DAVSIM_FIRST_PHASE(DynamicQuant,
                   (const aclTensor* x, const aclTensor* smoothScalesOptional,
                    const aclTensor* yOut, const aclTensor* scaleOut),
                   {
                     require_kernel_float(required(x, "x"), "x");
                     require_type(required(yOut, "yOut"), "yOut", {ge::DT_INT8});
                     require_type(required(scaleOut, "scaleOut"), "scaleOut", {ge::DT_FLOAT});
                     require_shape(*yOut, "yOut", x->GetViewShape());
                     const RowView view = rows_along(*x, {-1}, "x");
                     require_shape(*scaleOut, "scaleOut", view.kept);
                     QuantWeights weights;
                     if (smoothScalesOptional != nullptr) {
                       require_kernel_float(*smoothScalesOptional, "smoothScalesOptional");
                       require_shape(*smoothScalesOptional, "smoothScalesOptional", view.within);
                       weights.scales = as(work, *smoothScalesOptional, ge::DT_FLOAT);
                     }
                     add_quant(work, *x, weights, false, Rounding::kNearest, *yOut, scaleOut);
                   })
