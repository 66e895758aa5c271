#pragma once

#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace c10_npu {
struct NpuSysCtrl {
  enum SysStatus { INIT_SUCC = 0, FINALIZE_SUCC = 3 };
  static NpuSysCtrl& GetInstance() {
    static NpuSysCtrl one;
    return one;
  }
  SysStatus Initialize(int = -1) {
    ensure_thread();
    return INIT_SUCC;
  }
  SysStatus Finalize() { return FINALIZE_SUCC; }
  bool GetInitFlag() { return true; }
};
}  // namespace c10_npu
