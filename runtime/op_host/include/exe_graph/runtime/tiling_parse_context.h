// What a function is given that prepares tiling: once an operator, before its tiling function.
#pragma once

#include "graph/ge_error_codes.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class KernelContext {};

class TilingParseContext : public KernelContext {
 public:
  TilingParseContext(void* compiled, fe::PlatFormInfos* platform, const char* type)
      : compiled_(compiled), platform_(platform), type_(type) {}

  /// The struct that TilingParse named, to be filled.
  template <class T>
  T* GetCompiledInfo() const {
    return static_cast<T*>(compiled_);
  }
  fe::PlatFormInfos* GetPlatformInfo() const { return platform_; }
  const char* GetNodeType() const { return type_; }
  const char* GetNodeName() const { return type_; }

 private:
  void* compiled_;
  fe::PlatFormInfos* platform_;
  const char* type_;
};

}  // namespace gert
