#include "isa/api/queue_fault.hpp"

#include <utility>

#include "isa/api/message_text.hpp"
#include "isa/core/kernel_frame.hpp"

namespace davsim::api {

std::string event_name(AscendC::HardEvent event) {
  const PipePair pipes = pipes_of(event);
  return message_text({isa::pipe_name(pipes.set), "_", isa::pipe_name(pipes.wait)});
}

void queue_fault(std::string_view call, AscendC::TPosition position, isa::Message what,
                 Location where) {
  std::string place;
  if (position != AscendC::TPosition::MAX) place = message_text({" at ", position_name(position)});
  isa::Fault fault(isa::FaultClass::kQueue, message_text({call, place, ": "}) + message_text(what),
                   where);
  fault.instruction = call;
  isa::stop_kernel(std::move(fault));
}

}  // namespace davsim::api
