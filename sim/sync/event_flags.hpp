// Event flags of one core: some for each ordered pair of pipes. Setting a flag while it is set is
// undefined on the device and a fault here, except for the ids of a TPipe: its queues give an id
// back when the wait is queued, and published kernels live with the next set coming first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/source_location.hpp"
#include "isa/instr/params.hpp"
#include "observe/counters.hpp"

namespace davsim::sim {

using observe::Cycle;

class EventFlags {
 public:
  /// `ids`: flags of a pair of pipes.
  explicit EventFlags(std::uint32_t ids)
      : ids_(ids), flags_(isa::kPipeCount * isa::kPipeCount * ids) {}
  /// Throws isa::Fault(kFlag) if the flag is set already and does not count, or counts to kMost.
  /// This and take() throw it where the core has no flag of that id.
  void set(const isa::FlagParams& flag, std::uint64_t flow, isa::SourceLocation where);
  /// Takes a set of the flag if there is one and says so; `flow` receives what it left, `set_at`
  /// where it stands in the kernel.
  bool take(const isa::FlagParams& flag, std::uint64_t& flow, isa::SourceLocation& set_at);
  /// Throws isa::Fault(kFlag) if a flag is still set: nobody waits for it any more.
  void require_none_set() const;
  void clear();

  static std::string name(const isa::FlagParams& flag);  ///< "MTE2_V event 0"

 private:
  static constexpr std::size_t kMost = 15;  ///< sets that nobody has taken
  struct Set {
    std::uint64_t flow = 0;
    isa::SourceLocation where;
  };
  using Flag = std::vector<Set>;  ///< in their order; nearly always none or one
  Flag& at(const isa::FlagParams& flag) {
    if (flag.id >= ids_) no_such_id(flag);
    return flags_[(static_cast<std::size_t>(flag.set_pipe) * isa::kPipeCount +
                   static_cast<std::size_t>(flag.wait_pipe)) *
                      ids_ +
                  flag.id];
  }
  [[noreturn]] void no_such_id(const isa::FlagParams& flag) const;

  std::uint32_t ids_;
  std::vector<Flag> flags_;  ///< by setting pipe, waiting pipe and id
};

}  // namespace davsim::sim
