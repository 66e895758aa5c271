// How the stages of a mixed kernel follow each other: a stage of the cube cores is over when all of
// them have stored their part, and the vector cores wait for that; likewise the other way round.
// Whoever has told goes on at once. Two flags a direction: all cores of a kind meet, then each
// tells its partners. A kernel whose stages may end out of order gives them flags of their own.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// Cross-core flag ids of a direction.
struct StageFlags {
  uint8_t meet, tell;
};

/// On an AIC, behind its last Fixpipe of a stage.
__aicore__ inline void TellVectors(const StageFlags& flags = {0, 1}) {
  AscendC::CrossCoreSetFlag<0, PIPE_FIX>(flags.meet);
  AscendC::CrossCoreWaitFlag<0, PIPE_FIX>(flags.meet);
  AscendC::CrossCoreSetFlag<2, PIPE_FIX>(flags.tell);
}
/// On an AIV: loads behind it see what all cube cores stored.
__aicore__ inline void AwaitCubes(const StageFlags& flags = {0, 1}) {
  AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(flags.tell);
}
/// On an AIV, behind its last store of a stage.
__aicore__ inline void TellCubes(const StageFlags& flags = {2, 3}) {
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(flags.meet);
  AscendC::CrossCoreWaitFlag<0, PIPE_MTE3>(flags.meet);
  AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(flags.tell);
}
/// On an AIC: loads behind it see what all vector cores stored.
__aicore__ inline void AwaitVectors(const StageFlags& flags = {2, 3}) {
  AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(flags.tell);
}

}  // namespace kernel_common
