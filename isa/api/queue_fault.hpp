// The faults of misused queues, and the names of events in their texts.
#pragma once

#include <string>

#include "ascendc/tpipe_buffers.h"

namespace davsim::api {

/// "MTE2_V"
std::string event_name(AscendC::HardEvent event);

[[noreturn]] inline void queue_fault(std::string_view call, AscendC::TPosition position,
                                     const std::string& what, Location where) {
  queue_fault(call, position, isa::Message{what}, where);
}

}  // namespace davsim::api
