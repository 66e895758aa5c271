// The text of a message that a kernel's call gave as pieces.
#pragma once

#include <string>

#include "isa/instr/message.hpp"

namespace davsim::api {

std::string message_text(isa::Message message);

}  // namespace davsim::api
