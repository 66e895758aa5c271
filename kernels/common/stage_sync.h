// Synchronisation between the stages of a mixed kernel. A stage of the cube cores ends when all of
// them have stored their part; the vector cores wait for that. The same holds in the other
// direction. A core that has signalled continues at once. Each direction has two flags: all cores
// of a type meet, then each signals its partners. Stages that may end out of order need own flags.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// Cross-core flag ids of a direction.
struct StageFlags {
  uint8_t meet, tell;
};

/// Call this on an AIC, after its last Fixpipe of a stage.
__aicore__ inline void TellVectors(const StageFlags& flags = {0, 1}) {
  AscendC::CrossCoreSetFlag<0, PIPE_FIX>(flags.meet);
  AscendC::CrossCoreWaitFlag<0, PIPE_FIX>(flags.meet);
  AscendC::CrossCoreSetFlag<2, PIPE_FIX>(flags.tell);
}
/// Call this on an AIV: later loads see what all cube cores stored.
__aicore__ inline void AwaitCubes(const StageFlags& flags = {0, 1}) {
  AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(flags.tell);
}
/// Call this on an AIV, after its last store of a stage.
__aicore__ inline void TellCubes(const StageFlags& flags = {2, 3}) {
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(flags.meet);
  AscendC::CrossCoreWaitFlag<0, PIPE_MTE3>(flags.meet);
  AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(flags.tell);
}
/// Call this on an AIC: later loads see what all vector cores stored.
__aicore__ inline void AwaitVectors(const StageFlags& flags = {2, 3}) {
  AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(flags.tell);
}

}  // namespace kernel_common
