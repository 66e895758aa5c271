// Messages of the functions of operators, on standard error, and the checks that write them.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <string>

#include "exe_graph/runtime/shape.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "securec.h"

namespace Ops {
namespace Base {

inline std::string ToString(ge::DataType type) {
  return davsim::op_host::type_name(type);
}
inline std::string ToString(ge::Format format) {
  return davsim::op_host::format_name(format);
}
/// "[8, 2048]"
inline std::string ToString(const gert::Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape.GetDim(i));
  }
  return text + "]";
}

/// Who speaks: a name, or the context of a function of an operator.
inline std::string GetOpInfo(const char* name) {
  return name == nullptr ? "nil" : name;
}
inline std::string GetOpInfo(const std::string& name) {
  return name;
}
template <class Context>
std::string GetOpInfo(const Context* context) {
  return context == nullptr ? "nil" : GetOpInfo(context->GetNodeName());
}

}  // namespace Base
}  // namespace Ops

#define DAVSIM_OP_LOG(level, name, format, ...)                          \
  std::fprintf(stderr, "davsim: " level " of operator %s: " format "\n", \
               ::Ops::Base::GetOpInfo(name).c_str(), ##__VA_ARGS__)

#define OP_LOGE(name, ...) DAVSIM_OP_LOG("error", name, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(name, ...) DAVSIM_OP_LOG("error", name, __VA_ARGS__)
#define OP_LOGW(name, ...) DAVSIM_OP_LOG("warning", name, __VA_ARGS__)
#define OP_LOGI(name, ...) static_cast<void>(0)
#define OP_LOGD(name, ...) static_cast<void>(0)

#define OP_CHECK_IF(condition, log, result) \
  do {                                      \
    if (condition) {                        \
      log;                                  \
      result;                               \
    }                                       \
  } while (false)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)                          \
  OP_CHECK_IF((pointer) == nullptr, OP_LOGE(context, "%s is null", #pointer), \
              return ge::GRAPH_FAILED)
