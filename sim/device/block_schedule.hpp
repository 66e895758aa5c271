// The assignment of the blocks of a launch to cores. A slot is what one block occupies: an AIV, an
// AIC, or an AIC with one or more of its AIVs. Blocks beyond the number of slots wait for a free
// slot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/core/core_sink.hpp"

namespace davsim::sim {

class BlockSchedule {
 public:
  /// A core of a slot: an AIC, or AIV `sub` of its AI core.
  struct Seat {
    isa::CoreType type;
    std::uint32_t ai_core, sub;
  };

  BlockSchedule() = default;
  /// Throws std::invalid_argument if a block needs more AIVs than an AI core has.
  BlockSchedule(isa::KernelType type, std::uint32_t aics, std::uint32_t aivs_per_aic,
                std::uint32_t blocks);

  std::vector<Seat> seats(std::uint32_t slot) const;
  std::uint32_t slot_of(std::uint32_t ai_core, std::uint32_t sub) const;
  /// The index of an AIV among the AIVs of its block.
  std::uint32_t sub_of(const Seat& seat) const { return is_mix() ? seat.sub : 0; }

  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t started() const { return started_; }
  bool all_done() const { return done_ == blocks_; }
  /// The number of slots that have a block from the start of the launch.
  std::uint32_t first_wave() const { return std::min(slots_, blocks_); }
  void start_first_wave();

  /// Notes that a core of the slot has ended its block. Returns whether it was the last of the
  /// slot.
  bool core_done(std::uint32_t slot);
  /// Assigns the next waiting block to `slot` and returns it. Empty if no block waits.
  std::optional<std::uint32_t> next_block(std::uint32_t slot);

  /// The number of sub-blocks of the launch that run on cores of this type.
  std::uint32_t blocks_of(isa::CoreType type) const;
  std::uint32_t aivs_per_ai_core() const;

 private:
  bool is_mix() const {
    return type_ == isa::KernelType::kMix11 || type_ == isa::KernelType::kMix12;
  }

  isa::KernelType type_ = isa::KernelType::kAivOnly;
  std::uint32_t aivs_per_aic_ = 1, slots_ = 0, blocks_ = 0, started_ = 0, done_ = 0;
  std::vector<std::uint32_t>
      running_;  ///< the number of cores of each slot that have not ended their block
};

}  // namespace davsim::sim
