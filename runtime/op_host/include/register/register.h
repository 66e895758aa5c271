// Plugins that translate operators of other frameworks into those of a project. Graphs of
// frameworks do not exist here: a plugin compiles, and its registration does nothing.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "graph/operator.h"

// Plugins are compiled with google as a macro, which renames this as well.
namespace google {
namespace protobuf {
class Message;
}
}  // namespace google

namespace domi {

enum FrameworkType { CAFFE = 0, MINDSPORE = 1, TENSORFLOW = 3, ANDROID_NN = 4, ONNX = 5 };
enum class ImplyType : unsigned int { BUILDIN = 0, TVM, CUSTOM, AI_CPU, CUSTOM_AI_CPU, INVALID };
using Status = ge::graphStatus;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
constexpr Status PARAM_INVALID = ge::GRAPH_PARAM_INVALID;

inline Status AutoMappingFn(const google::protobuf::Message*, ge::Operator&) {
  return SUCCESS;
}
inline Status AutoMappingByOpFn(const ge::Operator&, ge::Operator&) {
  return SUCCESS;
}
inline Status AutoMappingByOpFnDynamic(const ge::Operator&, ge::Operator&,
                                       const std::vector<std::string>&) {
  return SUCCESS;
}

/// Takes everything that REGISTER_CUSTOM_OP is followed by.
class OpRegistrationData {
 public:
  explicit OpRegistrationData(const std::string&) {}

  OpRegistrationData& FrameworkType(domi::FrameworkType) { return *this; }
  OpRegistrationData& OriginOpType(const std::string&) { return *this; }
  OpRegistrationData& OriginOpType(const std::vector<std::string>&) { return *this; }
  OpRegistrationData& OriginOpType(const std::initializer_list<std::string>&) { return *this; }
  template <class Function>
  OpRegistrationData& ParseParamsFn(const Function&) {
    return *this;
  }
  template <class Function>
  OpRegistrationData& ParseParamsByOperatorFn(const Function&) {
    return *this;
  }
  template <class Function>
  OpRegistrationData& FusionParseParamsFn(const Function&) {
    return *this;
  }
  template <class Function>
  OpRegistrationData& ParseSubgraphPostFn(const Function&) {
    return *this;
  }
  OpRegistrationData& ImplyType(domi::ImplyType) { return *this; }
};

}  // namespace domi

#define DAVSIM_CUSTOM_OP(name, number)                                                 \
  [[maybe_unused]] static const ::domi::OpRegistrationData davsim_custom_op_##number = \
      ::domi::OpRegistrationData(name)
#define DAVSIM_CUSTOM_OP_NUMBERED(name, number) DAVSIM_CUSTOM_OP(name, number)
#define REGISTER_CUSTOM_OP(name) DAVSIM_CUSTOM_OP_NUMBERED(name, __COUNTER__)
