// How calls that take several steps on several pipes keep them in order.
#pragma once

#include "ascendc/tpipe.h"

namespace davsim::api {

/// Holds the pipe that `event` names second until the first has done all before this.
template <AscendC::HardEvent event>
void order_pipes(Location where) {
  const bool has_tpipe = registers().tpipe != nullptr;
  const AscendC::TEventID id =
      has_tpipe ? AscendC::GetTPipePtr(where)->template FetchEventID<event>(where)
                : AscendC::TEventID{0};
  AscendC::SetFlag<event>(id, where);
  AscendC::WaitFlag<event>(id, where);
}

}  // namespace davsim::api
