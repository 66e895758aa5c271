#include "memory/hbm/impl/pseudo_channel.hpp"

#include <algorithm>
#include <bit>

namespace davsim::memory {
namespace {

constexpr std::uint32_t kWordSlots = 64;

}  // namespace

PseudoChannel::PseudoChannel(const BankRules& rules, Slot phase)
    : rules_(rules), phase_(phase), banks_(std::size_t{rules.groups} * rules.banks) {}

PseudoChannel::Access PseudoChannel::read(std::uint32_t bank, std::uint64_t row,
                                          std::uint32_t bursts, Slot now) {
  forget_before(now);
  Access access;
  open(bank, row, now, access);
  Bank& entry = banks_[bank];
  const std::uint32_t group = bank % rules_.groups;
  // The slot on the bus: data comes `cl` after its command.
  Slot earliest = std::max(now, entry.activated + rules_.rcd_read) + rules_.cl;
  for (std::uint32_t burst = 0; burst < bursts; ++burst) {
    const Slot slot = take(group, earliest);
    if (burst == 0) access.first_column = slot - rules_.cl;
    access.last_column = slot - rules_.cl;
    earliest = slot + rules_.ccd_l;
  }
  access.end = access.last_column + rules_.cl + 1;
  entry.may_precharge = std::max(entry.may_precharge, access.last_column + rules_.rtp);
  tail_ = std::max(tail_, access.end);
  return access;
}

void PseudoChannel::write(std::uint32_t bank, std::uint64_t row, std::uint32_t bursts, Slot now) {
  for (std::uint32_t burst = 0; burst < bursts; ++burst) writes_.push_back({bank, row});
  if (writes_.size() >= rules_.write_batch) {
    forget_before(now);
    write_batch(now);
  }
}

/// The bus turns round, takes all collected writes, and turns back. The batch follows all reads
/// that have reserved their slots.
void PseudoChannel::write_batch(Slot now) {
  // Writes to one row follow each other. Writes to different groups alternate.
  std::stable_sort(writes_.begin(), writes_.end(), [this](const Write& a, const Write& b) {
    return a.bank / rules_.groups < b.bank / rules_.groups;
  });
  std::array<Slot, kMostGroups> group_free{};
  Access batch;
  Slot next = std::max(now, tail_ + rules_.rtw);
  const Slot begin = next;
  for (const Write& write : writes_) {
    open(write.bank, write.row, now, batch);
    Bank& bank = banks_[write.bank];
    const std::uint32_t group = write.bank % rules_.groups;
    const Slot slot =
        std::max({next, bank.activated + rules_.rcd_write + rules_.cwl, group_free[group]});
    if (&write == &writes_.front()) batch.first_column = slot - rules_.cwl;
    batch.last_column = slot - rules_.cwl;
    group_free[group] = slot + rules_.ccd_l;
    bank.may_precharge = std::max(bank.may_precharge, slot + 1 + rules_.wr);
    next = slot + 1;
  }
  batch.end = next;
  // `wtr` from the last data to the next read command, `cl` from this command to its data.
  tail_ = next + rules_.wtr + rules_.cl;
  take_all(std::max(now, begin - std::min(begin, rules_.rtw)), tail_);
  last_batch_ = batch;
  writes_.clear();
}

void PseudoChannel::open(std::uint32_t number, std::uint64_t row, Slot now, Access& access) {
  Bank& bank = banks_[number];
  refresh(bank, number, now);
  if (bank.row == row) return;
  Slot earliest = std::max(now, bank.may_activate);
  if (bank.row != kNoRow) {
    access.precharge = std::max(now, bank.may_precharge);
    earliest = std::max(earliest, access.precharge + rules_.rp);
  }
  bank.row = row;
  bank.activated = access.activate = activate(number % rules_.groups, earliest);
  bank.may_precharge = bank.activated + rules_.ras;
}

/// Closes the bank for a refresh if one has become due since the bank was used last. The refresh
/// follows the current accesses of the bank.
void PseudoChannel::refresh(Bank& bank, std::uint32_t number, Slot now) {
  if (rules_.refi == 0) return;
  const Slot offset = phase_ + number * rules_.refi / banks_.size();
  if (now < offset) return;
  const std::uint64_t due = (now - offset) / rules_.refi + 1;
  if (due <= bank.refreshes) return;
  bank.refreshes = due;
  const Slot turn = offset + (due - 1) * rules_.refi;
  Slot start = std::max(turn, bank.may_activate);
  if (bank.row != kNoRow) {
    // The refresh needs a precharge, as another row would.
    start = std::max(turn, bank.may_precharge) + rules_.rp;
    bank.row = kNoRow;
  }
  bank.may_activate = start + rules_.rfc;
}

// --- activates

Slot PseudoChannel::activate(std::uint32_t group, Slot earliest) {
  Slot slot = earliest;
  do {
    move_behind_neighbours(group, slot);
  } while (move_behind_window(slot));
  activates_.insert(activates_.begin() + static_cast<std::ptrdiff_t>(first_activate(slot)),
                    {slot, group});
  return slot;
}

std::size_t PseudoChannel::first_activate(Slot from) const {
  const auto first =
      std::lower_bound(activates_.begin(), activates_.end(), from,
                       [](const Activate& activate, Slot at) { return activate.slot < at; });
  return static_cast<std::size_t>(first - activates_.begin());
}

void PseudoChannel::move_behind_neighbours(std::uint32_t group, Slot& slot) const {
  const Slot farthest = std::max(rules_.rrd_s, rules_.rrd_l);
  for (std::size_t i = first_activate(slot - std::min(slot, farthest)); i < activates_.size();
       ++i) {
    const Activate& other = activates_[i];
    if (other.slot >= slot + farthest) return;
    const Slot apart = other.group == group ? rules_.rrd_l : rules_.rrd_s;
    if (other.slot + apart > slot && slot + apart > other.slot) slot = other.slot + apart;
  }
}

/// Moves `slot` so that any five ACTs in a row, including the new one, take at least `faw`.
bool PseudoChannel::move_behind_window(Slot& slot) const {
  constexpr std::size_t kWindow = 4;
  const std::size_t place = first_activate(slot);
  for (std::size_t before = 0; before <= kWindow; ++before) {
    // A window with the new ACT, `before` ACTs before it and `behind` ACTs behind it.
    const std::size_t behind = kWindow - before;
    if (before > place || place + behind > activates_.size()) continue;
    const Slot first = before == 0 ? slot : activates_[place - before].slot,
               last = behind == 0 ? slot : activates_[place + behind - 1].slot;
    if (last - first >= rules_.faw) continue;
    slot = before == 0 ? activates_[place].slot + 1 : first + rules_.faw;
    return true;
  }
  return false;
}

// --- the bus

PseudoChannel::Word& PseudoChannel::word_of(std::uint64_t index) {
  while (index - first_word_ >= words_.size()) words_.emplace_back();
  return words_[index - first_word_];
}

/// The slots that are too near to a burst of the group for another burst of that group.
std::uint64_t PseudoChannel::near(std::uint32_t group, std::size_t at) {
  const std::uint64_t here = words_[at].group[group],
                      before = at == 0 ? 0 : words_[at - 1].group[group],
                      behind = at + 1 < words_.size() ? words_[at + 1].group[group] : 0;
  std::uint64_t near = here;
  for (Slot d = 1; d < rules_.ccd_l; ++d) {
    near |= here << d | before >> (kWordSlots - d) | here >> d | behind << (kWordSlots - d);
  }
  return near;
}

Slot PseudoChannel::take(std::uint32_t group, Slot earliest) {
  std::uint64_t index = std::max(earliest / kWordSlots, first_word_);
  std::uint64_t mask = index == earliest / kWordSlots ? ~std::uint64_t{0} << earliest % kWordSlots
                                                      : ~std::uint64_t{0};
  for (;; ++index, mask = ~std::uint64_t{0}) {
    Word& word = word_of(index);
    if (word.taken == ~std::uint64_t{0}) continue;
    const std::uint64_t free = mask & ~word.taken & ~near(group, index - first_word_);
    if (free == 0) continue;
    const std::uint64_t bit = free & -free;
    word.taken |= bit;
    word.group[group] |= bit;
    return index * kWordSlots + static_cast<Slot>(std::countr_zero(free));
  }
}

void PseudoChannel::take_all(Slot from, Slot to) {
  for (Slot slot = std::max(from, first_word_ * kWordSlots); slot < to; ++slot) {
    word_of(slot / kWordSlots).taken |= std::uint64_t{1} << slot % kWordSlots;
  }
}

void PseudoChannel::forget_before(Slot now) {
  // A slot that is reserved later may depend on a burst `ccd_l` slots before it.
  const std::uint64_t keep = now / kWordSlots == 0 ? 0 : now / kWordSlots - 1;
  while (!words_.empty() && first_word_ < keep) words_.pop_front(), ++first_word_;
  if (words_.empty()) first_word_ = std::max(first_word_, keep);
  const Slot window = std::max(rules_.faw, rules_.rrd_l);
  const auto old =
      std::find_if(activates_.begin(), activates_.end(),
                   [&](const Activate& activate) { return activate.slot + window > now; });
  activates_.erase(activates_.begin(), old);
}

}  // namespace davsim::memory
