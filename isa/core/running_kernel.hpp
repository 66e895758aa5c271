// The kernel that runs now, for those who end the process when native code of it crashes. A handler
// of signals can read it.
#pragma once

#include "isa/instr/source_location.hpp"

namespace davsim::isa {

class KernelFrame;

struct RunningKernel {
  const char* name = nullptr;    ///< null: no kernel runs
  const char* core = nullptr;    ///< "core3.veccore1"
  SourceLocation call;           ///< its last call of the kernel API
  bool local_pointers = false;   ///< see KernelEntry
  KernelFrame* frame = nullptr;  ///< ends it where no exception can
};

/// One thread of the host runs all kernels, one at a time.
extern RunningKernel g_running_kernel;

}  // namespace davsim::isa
