#include "kernels/registry/system_launch.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/system/communicators.hpp"
#include "sim/system/start_spread.hpp"

namespace davsim::operators {

Group::Group(sim::Device& device, std::string name, const std::vector<std::uint32_t>& dies,
             std::uint64_t window_bytes)
    : device_(device), name_(std::move(name)) {
  sim::Communicators* const communicators = device.communicators();
  if (communicators == nullptr) {
    throw std::invalid_argument("an operator of several dies needs a system of dies");
  }
  const std::uint64_t least = communicators->system().collectives().window;
  const std::uint64_t bytes = (std::max(window_bytes, least) + 511) / 512 * 512;
  for (const std::uint64_t context : communicators->create(name_, dies, bytes).contexts) {
    contexts_.push_back(reinterpret_cast<std::uint8_t*>(context));
  }
}

Group::~Group() {
  device_.communicators()->destroy(name_);
}

void spread_next_launch(sim::Device& device) {
  dynamic_cast<sim::StartSpread&>(*device.communicators()).spread_next_launch();
}

}  // namespace davsim::operators
