// Keeps the steps of a call in order if they run on several pipes.
#pragma once

#include "ascendc/tpipe.h"

namespace davsim::api {

/// Makes the second pipe of `event` wait until the first has ended everything before this call.
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
