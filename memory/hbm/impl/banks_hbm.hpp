// HBM with its stacks, pseudo channels, bank groups and banks. Open rows, activates and precharges,
// the turns of the bus and refreshes are reserved by arithmetic, burst by burst.
#pragma once

#include <vector>

#include "memory/hbm/hbm_model.hpp"
#include "memory/hbm/impl/pseudo_channel.hpp"

namespace davsim::memory {

/// Where a block of addresses lies.
struct HbmPlace {
  std::uint32_t channel = 0;  ///< pseudo channel, counted over all stacks
  std::uint32_t set = 0;      ///< of banks that share the block: the same bank of several groups
  std::uint64_t row = 0;
};

/// The address mapping: which bursts of a device address lie in which bank and row.
///
/// Neighbouring blocks of `interleave` bytes go to neighbouring pseudo channels. The bursts of a
/// block alternate between the banks of a set, one in each of `set_groups` bank groups, so that
/// they can follow each other without a gap. Blocks of one pseudo channel fill a row of a set, then
/// go on with the next set. The first channel of each stripe and the first set of each row are
/// moved by a hash of the upper address, so that powers of two do not meet in one place.
class HbmMapping {
 public:
  explicit HbmMapping(const HbmBanksTiming& timing);
  HbmPlace place(std::uint64_t block) const;
  /// The bank of a set that takes burst number `burst` of a block.
  std::uint32_t bank(std::uint32_t set, std::uint32_t burst) const;

  std::uint32_t channels() const { return channels_; }
  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint32_t set_groups() const { return set_groups_; }

 private:
  std::uint32_t channels_, block_bytes_, set_groups_, groups_, sets_, blocks_a_row_;
};

/// The rules in slots of `ns_per_slot` each, rounded up.
BankRules rules_in_slots(const HbmBanksTiming& timing, double ns_per_slot);

class BanksHbm : public HbmModel {
 public:
  BanksHbm(const MemoryTiming& timing, DieSocket& die);

 private:
  void serve(HbmChunk& chunk, double now) override;
  /// Part of a block, in bursts of it.
  void serve_block(std::uint64_t block, std::uint32_t first, std::uint32_t end, bool write,
                   Slot now);

  const MemoryTiming& timing_;
  HbmMapping mapping_;
  double slots_per_cycle_;
  BankRules rules_;
  double path_;  ///< cycles of a read that are not HBM's commands
  std::vector<PseudoChannel> channels_;
  Slot first_end_ = 0, last_end_ = 0, busy_until_ = 0;  ///< of the chunk at hand
};

}  // namespace davsim::memory
