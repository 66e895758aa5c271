// An operation that waits for another communicator: what InterHcclGroupSync prepares.
#pragma once

#include "isa/core/collectives.hpp"

namespace davsim::isa {

/// The number is that of the documented HcclCMDType. `send` of such a message is the context of the
/// other communicator, `count` the handle there. What its rank prepares next begins behind it.
inline constexpr auto kGroupSync = static_cast<CollectiveKind>(101);

}  // namespace davsim::isa
