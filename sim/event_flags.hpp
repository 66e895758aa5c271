// Event flags of one core: eight per ordered pair of pipes. A flag is one bit: setting it while it
// is set is undefined on the device and a fault here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "isa/core/source_location.hpp"
#include "isa/instr/params.hpp"
#include "traces/counters.hpp"

namespace davsim::sim {

using traces::Cycle;

class EventFlags {
 public:
  /// Throws isa::Fault(kFlag) if the flag is set already.
  void set(const isa::FlagParams& flag, std::uint64_t flow, isa::SourceLocation where);
  /// Clears the flag if it is set and says so; `flow` receives what the set left.
  bool take(const isa::FlagParams& flag, std::uint64_t& flow);
  /// Throws isa::Fault(kFlag) if a flag is still set: nobody waits for it any more.
  void require_none_set() const;
  void clear() { flags_ = {}; }

  static std::string name(const isa::FlagParams& flag);  ///< "MTE2_V event 0"

 private:
  static constexpr std::size_t kIds = 8;
  struct Flag {
    bool set = false;
    std::uint64_t flow = 0;
    isa::SourceLocation where;
  };
  Flag& at(const isa::FlagParams& flag) {
    return flags_[static_cast<std::size_t>(flag.set_pipe)][static_cast<std::size_t>(flag.wait_pipe)]
                 [flag.id];
  }

  std::array<std::array<std::array<Flag, kIds>, isa::kPipeCount>, isa::kPipeCount> flags_{};
};

}  // namespace davsim::sim
