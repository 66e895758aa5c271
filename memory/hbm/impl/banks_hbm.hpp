// HBM with its stacks, pseudo channels, bank groups and banks. The model reserves activates,
// precharges, bus slots, turn-arounds of the bus and refreshes by arithmetic, burst by burst.
#pragma once

#include <vector>

#include "memory/hbm/hbm_model.hpp"
#include "memory/hbm/impl/pseudo_channel.hpp"

namespace davsim::memory {

/// The place of a block of addresses in HBM.
struct HbmPlace {
  std::uint32_t channel = 0;  ///< the pseudo channel, counted over all stacks
  std::uint32_t set = 0;      ///< the set of banks: the same bank of several groups
  std::uint64_t row = 0;
};

/// The address mapping: the bank and row of each burst of a device address.
///
/// Neighbouring blocks of `interleave` bytes are in neighbouring pseudo channels. The bursts of a
/// block alternate between the banks of a set, which has one bank in each of `set_groups` bank
/// groups. The bursts can then follow each other without a gap. The blocks of a pseudo channel fill
/// a row of one set before they continue in the next set. A hash of the upper address shifts the
/// first channel of each stripe and the first set of each row. Addresses whose distance is a power
/// of two are therefore spread over channels and sets.
class HbmMapping {
 public:
  explicit HbmMapping(const HbmBanksTiming& timing);
  HbmPlace place(std::uint64_t block) const;
  /// The bank of the set that holds burst number `burst` of a block.
  std::uint32_t bank(std::uint32_t set, std::uint32_t burst) const;

  std::uint32_t channels() const { return channels_; }
  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint32_t set_groups() const { return set_groups_; }

 private:
  std::uint32_t channels_, block_bytes_, set_groups_, groups_, sets_, blocks_a_row_;
};

/// The rules in slots of `ns_per_slot` nanoseconds, rounded up.
BankRules rules_in_slots(const HbmBanksTiming& timing, double ns_per_slot);

class BanksHbm : public HbmModel {
 public:
  BanksHbm(const MemoryTiming& timing, DieSocket& die);

 private:
  void serve(HbmChunk& chunk, double now) override;
  /// Serves the bursts [first, end) of a block.
  void serve_block(std::uint64_t block, std::uint32_t first, std::uint32_t end, bool write,
                   Slot now);

  const MemoryTiming& timing_;
  HbmMapping mapping_;
  double slots_per_cycle_;
  BankRules rules_;
  double path_;  ///< cycles of a read outside HBM's commands
  std::vector<PseudoChannel> channels_;
  Slot first_end_ = 0, last_end_ = 0, busy_until_ = 0;  ///< of the current chunk
};

}  // namespace davsim::memory
