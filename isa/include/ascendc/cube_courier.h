// Copies of a vector core into L1 of its cube core. The cores share global memory only: a Matmul
// object asks its cube core for them by a message.
#pragma once

#include "ascendc/data_copy_emit.h"

namespace davsim::api {

/// What carries such copies. The source lies in UB of the vector core, or in global memory.
class CubeCourier {
 public:
  CubeCourier() = default;
  CubeCourier(const CubeCourier&) = delete;
  CubeCourier& operator=(const CubeCourier&) = delete;
  virtual void copy(const isa::Operand& dst, const isa::Operand& src,
                    const AscendC::DataCopyParams& params, Location where) = 0;
  /// `blocks` is the way of a source in UB to global memory, where `params` finds the matrices.
  virtual void copy(const isa::Operand& dst, const isa::Operand& src,
                    const AscendC::DataCopyExtParams& blocks, const AscendC::Nd2NzParams& params,
                    Location where) = 0;
  /// Another one takes its place.
  virtual void leave(Location where) = 0;

 protected:
  ~CubeCourier() = default;
};

/// That of the running core; null where no Matmul object gives it one.
inline CubeCourier* cube_courier() {
  return static_cast<CubeCourier*>(registers().cube_courier);
}

}  // namespace davsim::api
