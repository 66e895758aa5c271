// A pseudo channel of HBM: banks in groups behind one data bus, timed by arithmetic. An access
// reserves its commands and bus slots at the earliest times that the rules allow. A later access
// may take a gap that an earlier one had to leave on the bus, as in a controller that serves ready
// requests first. Accesses to one bank keep their order.
//
// Time is counted in slots. A slot is the time of a burst on the bus, two clocks of the memory.
// Every rule is a whole number of slots, as for a controller at half the memory's clock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace davsim::memory {

using Slot = std::uint64_t;

/// Rules between commands, in slots. The names are those of JEDEC's JESD235.
struct BankRules {
  Slot rcd_read = 0, rcd_write = 0;  ///< ACT to RD, ACT to WR
  Slot rp = 0, ras = 0;              ///< PRE to ACT, ACT to PRE
  Slot cl = 0, cwl = 0;              ///< RD, WR to their data
  Slot ccd_l = 1;                    ///< between column commands to one bank group; to others: 1
  Slot rrd_s = 0, rrd_l = 0;         ///< ACT to ACT of another group, of the same group
  Slot faw = 0;                      ///< the window with at most four ACTs
  Slot rtp = 0, wr = 0;              ///< RD to PRE, end of write data to PRE
  Slot wtr = 0, rtw = 0;             ///< end of write data to RD, idle bus from read to write data
  Slot refi = 0, rfc = 0;            ///< a refresh of a bank takes rfc, once in refi; refi 0: never
  std::uint32_t groups = 4, banks = 4;  ///< bank groups, banks in each
  std::uint32_t write_batch = 1;        ///< the writes, in bursts, that the bus takes at a time
};

class PseudoChannel {
 public:
  /// `phase` delays the refreshes against those of other pseudo channels.
  explicit PseudoChannel(const BankRules& rules, Slot phase = 0);

  static constexpr Slot kNone = ~Slot{0};
  /// The slots of the commands of an access. kNone: the command is not needed.
  struct Access {
    Slot precharge = kNone, activate = kNone;
    Slot first_column = 0, last_column = 0;  ///< RD or WR
    Slot end = 0;                            ///< after the last data
  };
  /// Reads `bursts` bursts of one row, requested at `now`. `bank` counts over all groups: bank b is
  /// in group b % groups. `now` never decreases from call to call.
  Access read(std::uint32_t bank, std::uint64_t row, std::uint32_t bursts, Slot now);
  /// Collects bursts to be written. They are written in batches.
  void write(std::uint32_t bank, std::uint64_t row, std::uint32_t bursts, Slot now);
  /// The slot after the last reserved one.
  Slot busy_until() const { return tail_; }
  /// The commands of the last batch of writes, for tests.
  const Access& last_batch() const { return last_batch_; }

 private:
  static constexpr std::uint32_t kMostGroups = 8;
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  struct Bank {
    std::uint64_t row = kNoRow;
    Slot activated = 0;
    Slot may_activate = 0, may_precharge = 0;
    std::uint64_t refreshes = 0;
  };
  struct Activate {
    Slot slot;
    std::uint32_t group;
  };
  /// 64 slots of the bus: the reserved ones, in all and for each bank group.
  struct Word {
    std::uint64_t taken = 0;
    std::array<std::uint64_t, kMostGroups> group{};
  };
  struct Write {
    std::uint32_t bank;
    std::uint64_t row;
  };

  /// Opens the row. `access` receives the commands for it.
  void open(std::uint32_t bank, std::uint64_t row, Slot now, Access& access);
  void refresh(Bank& bank, std::uint32_t number, Slot now);
  Slot activate(std::uint32_t group, Slot earliest);
  /// The index in activates_ of the first one from `from` on.
  std::size_t first_activate(Slot from) const;
  void move_behind_neighbours(std::uint32_t group, Slot& slot) const;
  bool move_behind_window(Slot& slot) const;
  /// Reserves the first slot from `earliest` on that a burst of `group` may take.
  Slot take(std::uint32_t group, Slot earliest);
  std::uint64_t near(std::uint32_t group, std::size_t word);
  void take_all(Slot from, Slot to);
  Word& word_of(std::uint64_t index);
  void forget_before(Slot now);
  void write_batch(Slot now);

  BankRules rules_;
  Slot phase_;
  std::vector<Bank> banks_;
  std::vector<Activate> activates_;  ///< the recent ones, in order of time
  std::deque<Word> words_;
  std::uint64_t first_word_ = 0;  ///< the index of words_.front()
  Slot tail_ = 0;
  std::vector<Write> writes_;
  Access last_batch_;
};

}  // namespace davsim::memory
