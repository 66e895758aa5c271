// The event flags of one core. Each ordered pair of pipes has several, and one more for the flags
// that automatic synchronisation inserts. A flag counts its sets: each set lets one wait pass.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/instr/params.hpp"
#include "isa/instr/source_location.hpp"
#include "observe/counters.hpp"

namespace davsim::sim {

using observe::Cycle;

class EventFlags {
 public:
  /// `ids` is the number of flags of a pair of pipes.
  explicit EventFlags(std::uint32_t ids)
      : ids_(ids), flags_(isa::kPipeCount * isa::kPipeCount * (ids + 1)) {}
  /// Throws isa::Fault(kFlag) if no wait has taken kMost sets yet. set() and take() throw the same
  /// fault if the core has no flag of this id.
  void set(const isa::FlagParams& flag, std::uint64_t flow, isa::SourceLocation where);
  /// Takes the oldest set of the flag. Returns false if the flag is not set. `flow` and `set_at`
  /// receive the number and the source line of the set.
  bool take(const isa::FlagParams& flag, std::uint64_t& flow, isa::SourceLocation& set_at);
  /// Throws isa::Fault(kFlag) if a flag is set at the end of a block, because no wait follows.
  void require_none_set() const;
  /// A flag that is set, with the line of its oldest set that no wait has taken.
  struct Raised {
    isa::FlagParams flag;
    isa::SourceLocation where;
  };
  /// All of them but those of automatic synchronisation.
  std::vector<Raised> raised() const;
  void clear();

  static std::string name(const isa::FlagParams& flag);  ///< "MTE2_V event 0", "S_V inserted"

 private:
  static constexpr std::size_t kMost = 15;  ///< sets of a flag that no wait has taken
  static constexpr std::uint64_t kNoFlow = ~std::uint64_t{0};
  struct Set {
    std::uint64_t flow = kNoFlow;
    isa::SourceLocation where;
  };
  /// Nearly always has no set or one, which lies here: flags are looked at often, and what they
  /// refer to is not in the host's caches.
  struct Flag {
    Set oldest;                               ///< without a flow if the flag is not set
    std::unique_ptr<std::vector<Set>> later;  ///< the others in their order; null: none so far

    bool is_set() const { return oldest.flow != kNoFlow; }
    std::size_t sets() const { return is_set() ? 1 + (later == nullptr ? 0 : later->size()) : 0; }
    const Set& newest() const { return sets() > 1 ? later->back() : oldest; }
    void add(const Set& set);
    void take_oldest();
  };
  Flag& at(const isa::FlagParams& flag) {
    if (flag.id >= ids_) no_such_id(flag);
    const std::size_t pair = static_cast<std::size_t>(flag.set_pipe) * isa::kPipeCount +
                             static_cast<std::size_t>(flag.wait_pipe);
    return flags_[pair * (ids_ + 1) + (flag.inserted ? ids_ : flag.id)];
  }
  isa::FlagParams params_at(std::size_t index) const;
  [[noreturn]] void no_such_id(const isa::FlagParams& flag) const;

  std::uint32_t ids_;
  std::size_t sets_ = 0;     ///< that no wait has taken
  std::vector<Flag> flags_;  ///< indexed by setting pipe, waiting pipe and id
};

}  // namespace davsim::sim
