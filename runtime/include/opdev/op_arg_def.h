// The arguments with which hand-written aclnn functions launch an operator.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "davsim/operator_call.h"
#include "opdev/common_types.h"
#include "opdev/op_def.h"

namespace davsim::op_api {

/// Arguments of one kind, in the order of the operator's definition.
struct Inputs {
  std::vector<DavsimArgument> values;
};
struct Outputs {
  std::vector<DavsimArgument> values;
};
struct Attributes {
  std::vector<DavsimArgument> values;
};
/// What a launch says beside these; nothing here depends on it.
struct Ignored {};

/// Tensors, also as null pointers without a type.
inline DavsimArgument tensor_argument(std::nullptr_t) {
  return {DAVSIM_TENSOR, nullptr, 0, 0};
}
template <class Value>
DavsimArgument tensor_argument(const Value& value) {
  return argument(value);
}

template <class Value>
DavsimArgument attribute_argument(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return argument(value);
  } else if constexpr (std::is_enum_v<Value> || std::is_integral_v<Value>) {
    return argument(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<Value>) {
    return argument(static_cast<double>(value));
  } else {
    return argument(value);
  }
}
inline DavsimArgument attribute_argument(const std::string& value) {
  return argument(value.c_str());
}
inline DavsimArgument attribute_argument(const char* value) {
  return argument(value);
}

template <class... Values>
Inputs inputs(const Values&... values) {
  return {{tensor_argument(values)...}};
}
template <class... Values>
Outputs outputs(const Values&... values) {
  return {{tensor_argument(values)...}};
}
template <class... Values>
Attributes attributes(const Values&... values) {
  return {{attribute_argument(values)...}};
}
template <class... Values>
Ignored ignored(const Values&...) {
  return {};
}

struct Call {
  std::vector<DavsimArgument> inputs, outputs, attributes;

  void take(const Inputs& all) { inputs = all.values; }
  void take(const Outputs& all) { outputs = all.values; }
  void take(const Attributes& all) { attributes = all.values; }
  void take(const Ignored&) {}
};

template <class... Parts>
Call call_of(const Parts&... parts) {
  Call call;
  (call.take(parts), ...);
  return call;
}

/// Adds the launch of an operator to what an executor does.
aclnnStatus add_operator(aclOpExecutor* executor, const char* type, const Call& call);
/// Gives outputs the shapes that the operator's InferShape function finds.
aclnnStatus infer_shapes(const char* type, const Call& call);

}  // namespace davsim::op_api

#define OP_INPUT(...) ::davsim::op_api::inputs(__VA_ARGS__)
#define OP_OUTPUT(...) ::davsim::op_api::outputs(__VA_ARGS__)
#define OP_ATTR(...) ::davsim::op_api::attributes(__VA_ARGS__)
#define OP_WORKSPACE(...) ::davsim::op_api::ignored(__VA_ARGS__)
#define OP_OPTION(...) ::davsim::op_api::ignored(__VA_ARGS__)
#define OP_MODE(...) ::davsim::op_api::ignored(__VA_ARGS__)
#define OP_OUTSHAPE(...) ::davsim::op_api::ignored(__VA_ARGS__)
#define OP_EMPTY_ARG ::davsim::op_api::Ignored()
