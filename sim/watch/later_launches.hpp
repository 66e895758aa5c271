// Launches on other dies that may begin while one runs, because it waits for what they write.
#pragma once

#include <cstdint>

namespace davsim::sim {

class LaterLaunches {
 public:
  /// How long the host is waited for.
  enum class Patience : std::uint8_t {
    kShort,  ///< it may have queued something already
    kLong,   ///< the launches that run cannot go on alone
  };

  virtual ~LaterLaunches() = default;
  /// Whether a launch may wait for one of another die.
  virtual bool any() const = 0;
  /// Does the next thing that the host has asked of a die without a launch, which may be to call
  /// Device::launch(). Called while the clock stands. False if there was nothing.
  virtual bool begin_one(Patience patience) = 0;
};

}  // namespace davsim::sim
