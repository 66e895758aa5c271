// How extensions bring work to the stream: as a function that launches it. It is called at once,
// and what it launches is queued on the stream.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <utility>

#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace at_npu::native {

using PROC_FUNC = std::function<int()>;

class OpCommand {
 public:
  OpCommand() = default;

  OpCommand& Name(const std::string& name) {
    name_ = name;
    return *this;
  }
  void SetCustomHandler(PROC_FUNC function) { function_ = std::move(function); }
  OpCommand& Sync() {
    synchronous_ = true;
    return *this;
  }
  template <class... T>
  OpCommand& Sync(const T&...) {
    return Sync();
  }
  /// Inputs, outputs and attributes describe an operator that the vendor's library has by name.
  template <class... T>
  OpCommand& Input(const T&...) {
    return *this;
  }
  template <class... T>
  OpCommand& InputWithoutContiguous(const T&...) {
    return *this;
  }
  template <class... T>
  OpCommand& Output(const T&...) {
    return *this;
  }
  template <class... T>
  OpCommand& Attr(const T&...) {
    return *this;
  }
  template <class... T>
  OpCommand& Expect(const T&...) {
    return *this;
  }

  /// Throws c10::Error if the function gives another value than 0.
  void Run() {
    TORCH_CHECK(function_ != nullptr, "davsim: there is no operator '", name_,
                "': operators by name (aclop) are not supported, only functions that launch "
                "kernels (SetCustomHandler)");
    c10_npu::ensure_thread();
    const int code = function_();
    TORCH_CHECK(code == 0, "NPU function error: call ", name_, " failed, error code is ", code, " ",
                c10_npu::recent_error());
    if (synchronous_) c10_npu::getCurrentNPUStream().synchronize();
  }

  static void RunOpApi(const std::string& name, PROC_FUNC function, bool synchronous = false) {
    OpCommand command;
    command.Name(name).SetCustomHandler(std::move(function));
    command.synchronous_ = synchronous;
    command.Run();
  }
  static void RunOpApiV2(const std::string& name, const PROC_FUNC& function,
                         bool synchronous = false) {
    RunOpApi(name, function, synchronous);
  }
  static void RunOpApiV3(const std::string& name, const PROC_FUNC& function,
                         bool synchronous = false) {
    RunOpApi(name, function, synchronous);
  }

 private:
  std::string name_;
  PROC_FUNC function_;
  bool synchronous_ = false;
};

}  // namespace at_npu::native
