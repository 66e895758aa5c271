// Values of inputs that the host may read (ValueDepend), from gert::TilingContext or
// gert::InferShapeContext. False, with a message, where there are none of whole numbers.
#pragma once

#include <cstdint>

#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "op_common/log/log.h"

namespace Ops {
namespace Base {

namespace davsim_detail {
/// Calls `take` with each of the first `most` elements of the input.
template <class Context, class Take>
bool for_whole_numbers(const Context* context, std::int64_t input, std::int64_t most, Take take) {
  const gert::Tensor* const tensor =
      context == nullptr ? nullptr : context->GetInputTensor(static_cast<std::size_t>(input));
  if (tensor == nullptr || tensor->GetAddr() == nullptr || tensor->GetShapeSize() <= 0) {
    OP_LOGE("GetConstInt", "the host has no values of input %" PRId64, input);
    return false;
  }
  const std::int64_t count = tensor->GetShapeSize() < most ? tensor->GetShapeSize() : most;
  const auto each = [&](const auto* values) {
    for (std::int64_t i = 0; i < count; ++i) take(values[i]);
    return true;
  };
  switch (tensor->GetDataType()) {
    case ge::DT_INT32:
      return each(tensor->GetData<std::int32_t>());
    case ge::DT_UINT32:
      return each(tensor->GetData<std::uint32_t>());
    case ge::DT_INT64:
      return each(tensor->GetData<std::int64_t>());
    case ge::DT_UINT64:
      return each(tensor->GetData<std::uint64_t>());
    default:
      OP_LOGE("GetConstInt",
              "input %" PRId64 " is %s; it has to be of whole numbers of 32 or 64 bits", input,
              ToString(tensor->GetDataType()).c_str());
      return false;
  }
}
}  // namespace davsim_detail

/// The input's first value.
template <class Context, class T>
bool GetConstInt(const Context* context, std::int64_t input, T& value) {
  return davsim_detail::for_whole_numbers(context, input, 1,
                                          [&](auto v) { value = static_cast<T>(v); });
}

/// A shape of the input's values.
template <class Context>
bool GetConstIntToShape(const Context* context, std::int64_t input, gert::Shape& shape) {
  shape.SetDimNum(0);
  return davsim_detail::for_whole_numbers(context, input, gert::Shape::kMaxDimNum, [&](auto v) {
    shape.AppendDim(static_cast<std::int64_t>(v));
  });
}

}  // namespace Base
}  // namespace Ops
