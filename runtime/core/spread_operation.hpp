// What the devices of a communicator with ranks in several processes do together, as one of these
// processes sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/core/communicators.hpp"
#include "runtime/core/peer_processes.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {

struct Simulator::SpreadOperation {
  std::string group;
  std::shared_ptr<GroupParts> parts;  ///< of this process
  std::shared_ptr<Spread> spread;
  OperationId id;
  std::vector<MomentPtr> behind, ends;
  MomentPtr own_ready = std::make_shared<Moment>();  ///< the parts of this process are
};

}  // namespace davsim::runtime
