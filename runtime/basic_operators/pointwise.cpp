#include "runtime/basic_operators/pointwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/pointwise_task.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::Element;
using davsim_basic::PointwiseTiling;

/// How the elements are computed.
enum class Route {
  kFloat,  ///< by the kernel in float
  kWhole,  ///< by the kernel in int32
  kHost,
};

bool computes_whole(PointwiseOp op) {
  switch (op) {
    case PointwiseOp::kAbs:
    case PointwiseOp::kAddcmul:
    case PointwiseOp::kAxpy:
    case PointwiseOp::kClamp:
    case PointwiseOp::kCopy:
    case PointwiseOp::kEq:
    case PointwiseOp::kGe:
    case PointwiseOp::kGt:
    case PointwiseOp::kLe:
    case PointwiseOp::kLt:
    case PointwiseOp::kMaximum:
    case PointwiseOp::kMinimum:
    case PointwiseOp::kMul:
    case PointwiseOp::kNe:
    case PointwiseOp::kNeg:
    case PointwiseOp::kRelu:
    case PointwiseOp::kWhere:
      return true;
    default:
      return false;
  }
}

bool is_logical(PointwiseOp op) {
  return op == PointwiseOp::kLogicalAnd || op == PointwiseOp::kLogicalOr ||
         op == PointwiseOp::kLogicalXor || op == PointwiseOp::kLogicalNot;
}

bool is_small_whole(DataType type) {
  return op::CheckType(type, {ge::DT_INT8, ge::DT_UINT8, ge::DT_INT16, ge::DT_BOOL});
}

Route route_of(PointwiseOp op, DataType type) {
  if (op == PointwiseOp::kAtan2) return Route::kHost;
  if (op::CheckType(type, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})) return Route::kFloat;
  if (type == ge::DT_INT32 || is_small_whole(type)) {
    if (computes_whole(op)) return Route::kWhole;
    if (is_logical(op)) return Route::kFloat;  // int32 becomes 0 only from 0
  }
  return Route::kHost;
}

/// The type in which operands meet. Numbers beside tensors only count if they are of another kind.
DataType promoted(const std::vector<Operand>& operands) {
  DataType type = ge::DT_UNDEFINED;
  for (const Operand& operand : operands) {
    if (operand.is_number()) continue;
    const DataType own = operand.tensor->GetDataType();
    type = type == ge::DT_UNDEFINED ? own : op::PromoteType(type, own);
    if (type == ge::DT_UNDEFINED) {
      runtime::refuse_aclnn(std::string(operand.name) + " is " + text(own) +
                            ", which has no common type with the other operands");
    }
  }
  for (const Operand& operand : operands) {
    if (!operand.is_number()) continue;
    const DataType own = operand.number_type;
    if (type == ge::DT_UNDEFINED) {
      type = own;
    } else if (op::IsFloatingType(own) && !op::IsFloatingType(type)) {
      type = ge::DT_FLOAT;
    } else if (op::IsIntegralType(own) && type == ge::DT_BOOL) {
      type = own;
    }
  }
  return type;
}

void require_numbers(const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    const DataType type = operand.is_number()
                              ? operand.number_type
                              : required(operand.tensor, operand.name).GetDataType();
    if (op::IsRealNumberType(type) || type == ge::DT_BOOL) continue;
    runtime::refuse_aclnn(std::string(operand.name) + " is " + text(type) +
                          ", which is no type of real numbers");
  }
}

std::int32_t nearest_int32(double value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (std::isnan(value)) return 0;
  return static_cast<std::int32_t>(std::clamp<double>(value, Limits::min(), Limits::max()));
}

PointwiseTiling tiling_of(const Pointwise& call, Route route, DataType in, DataType out) {
  PointwiseTiling tiling{};
  tiling.op = call.op;
  tiling.in = *element_of(in);
  tiling.out = *element_of(out);
  tiling.operands = static_cast<std::uint32_t>(call.operands.size());
  tiling.whole = route == Route::kWhole ? 1 : 0;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (!call.operands[i].is_number()) continue;
    tiling.is_number[i] = 1;
    tiling.number[i] = static_cast<float>(call.operands[i].number);
    tiling.whole_number[i] = static_cast<std::int32_t>(call.operands[i].whole);
  }
  tiling.a = static_cast<float>(call.a);
  tiling.b = static_cast<float>(call.b);
  tiling.c = static_cast<float>(call.c);
  tiling.whole_a = nearest_int32(call.a);
  tiling.whole_b = nearest_int32(call.b);
  return tiling;
}

/// Elements that are in UB at a time. Functions of the library take what is left for themselves.
std::uint32_t tile_of(const Pointwise& call, std::uint64_t in_bytes, std::uint64_t out_bytes) {
  // Two buffers of each tensor; an operand, the result and four to compute with in 32 bits, and as
  // many again for the library.
  const std::uint64_t tensors = call.operands.size();
  const std::uint64_t bytes = 2 * (tensors * in_bytes + out_bytes) + 4 * (tensors + 10);
  constexpr std::uint64_t kWhole = 256;
  return static_cast<std::uint32_t>(ub_bytes() / bytes / kWhole * kWhole);
}

void add_kernel(WorkList& work, const Pointwise& call, Route route, DataType in,
                const Shape& shape) {
  const DataType made = call.result == ResultType::kBool ? ge::DT_BOOL : in;
  // The kernel writes other types of floating numbers by itself.
  const DataType wanted = call.out->GetDataType();
  const bool writes_it =
      route == Route::kFloat && op::CheckType(wanted, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
  Result result(work, *call.out, writes_it ? wanted : made);
  PointwiseTiling tiling = tiling_of(call, route, in, result.tensor().GetDataType());
  const std::uint64_t out_bytes = op::TypeSize(result.tensor().GetDataType());
  tiling.tile = tile_of(call, op::TypeSize(in), out_bytes);
  const Shares shares = shares_of_vector_cores(static_cast<std::uint64_t>(shape.GetShapeSize()),
                                               op::TypeSize(in), out_bytes);
  tiling.elements = shares.elements;
  tiling.share = shares.share;
  KernelLaunch launch{"davsim_pointwise", work.type(), shares.cores, {}, bytes_of(tiling)};
  for (std::size_t i = 0; i < davsim_basic::kMostOperands; ++i) {
    const bool is_tensor = i < call.operands.size() && !call.operands[i].is_number();
    launch.tensors.push_back(is_tensor ? as(work, *call.operands[i].tensor, in, shape) : nullptr);
  }
  launch.tensors.push_back(&result.tensor());
  work.add_kernel(launch);
  result.finish();
}

void add_task(WorkList& work, const Pointwise& call, DataType type, const Shape& shape) {
  Result result(work, *call.out, call.result == ResultType::kBool ? ge::DT_BOOL : type);
  PointwiseTask task{call.op, {}, call.a, call.b, call.c};
  std::vector<const aclTensor*> from;
  for (const Operand& operand : call.operands) {
    task.operands.push_back({operand.is_number(), operand.number, operand.whole});
    if (!operand.is_number()) from.push_back(as(work, *operand.tensor, type, shape));
  }
  work.add_task({&result.tensor()}, from,
                [task = std::move(task)](auto to, auto tensors) { task.run(to[0], tensors); });
  result.finish();
}

}  // namespace

Operand::Operand(const aclScalar* of, const char* parameter)
    : number(required(of, parameter).number()),
      whole(of->ToInt64()),
      number_type(of->GetDataType()),
      name(parameter) {}

Shape common_shape(const std::vector<Operand>& operands) {
  Shape shape;
  bool first = true;
  for (const Operand& operand : operands) {
    if (operand.is_number()) continue;
    const Shape& own = operand.tensor->GetViewShape();
    shape = first ? own : broadcast(shape, own);
    first = false;
  }
  return shape;
}

std::optional<Element> element_of(DataType type) {
  switch (type) {
    case ge::DT_FLOAT:
      return Element::kFloat;
    case ge::DT_FLOAT16:
      return Element::kHalf;
    case ge::DT_BF16:
      return Element::kBfloat;
    case ge::DT_INT32:
      return Element::kInt32;
    case ge::DT_BOOL:
      return Element::kBool;
    default:
      return std::nullopt;
  }
}

void add_pointwise(WorkList& work, const Pointwise& call) {
  require_numbers(call.operands);
  const aclTensor& out = required(call.out, call.out_name);
  DataType type = call.type != ge::DT_UNDEFINED ? call.type : promoted(call.operands);
  if (call.result == ResultType::kReal && !op::IsFloatingType(type)) type = ge::DT_FLOAT;
  require_cast(call.result == ResultType::kBool ? ge::DT_BOOL : type, out, call.out_name);
  const Shape shape = common_shape(call.operands);
  require_shape(out, call.out_name, shape);
  if (out.IsEmpty()) return;
  const Route route = route_of(call.op, type);
  if (route == Route::kHost) return add_task(work, call, type, shape);
  add_kernel(work, call, route, is_small_whole(type) ? ge::DT_INT32 : type, shape);
}

void add_cast(WorkList& work, const aclTensor& from, const aclTensor& out) {
  require_shape(out, "out", from.GetViewShape());
  if (out.IsEmpty()) return;
  const auto is_element = [](DataType type) { return type != ge::DT_BOOL && element_of(type); };
  const DataType in = from.GetDataType(), to = out.GetDataType();
  if (!is_element(in) || !is_element(to) || in == to) {
    work.add_copy(out, from);
    return;
  }
  Pointwise call{PointwiseOp::kCopy, {{&from, "self"}}, &out};
  Result result(work, out, to);
  PointwiseTiling tiling = tiling_of(call, Route::kFloat, in, to);
  tiling.tile = tile_of(call, op::TypeSize(in), op::TypeSize(to));
  const Shares shares = shares_of_vector_cores(static_cast<std::uint64_t>(out.Numel()),
                                               op::TypeSize(in), op::TypeSize(to));
  tiling.elements = shares.elements;
  tiling.share = shares.share;
  work.add_kernel({"davsim_pointwise",
                   work.type(),
                   shares.cores,
                   {as(work, from, in), nullptr, nullptr, &result.tensor()},
                   bytes_of(tiling)});
  result.finish();
}

}  // namespace davsim::basic
