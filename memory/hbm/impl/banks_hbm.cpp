#include "memory/hbm/impl/banks_hbm.hpp"

#include <algorithm>
#include <cmath>

namespace davsim::memory {
namespace {

constexpr std::uint32_t kBurstBytes = 32;  // 64 bits wide, four transfers

std::uint64_t mix(std::uint64_t value) {
  return value * 0x9E3779B97F4A7C15u >> 40;
}

}  // namespace

HbmMapping::HbmMapping(const HbmBanksTiming& timing)
    : channels_(timing.stacks * timing.channels * timing.pseudo_channels),
      block_bytes_(timing.interleave),
      set_groups_(timing.set_groups),
      groups_(timing.bank_groups),
      sets_(timing.bank_groups / timing.set_groups * timing.banks),
      blocks_a_row_(timing.row_bytes * timing.set_groups / timing.interleave) {}

HbmPlace HbmMapping::place(std::uint64_t block) const {
  const std::uint64_t stripe = block / channels_, in_row = stripe / blocks_a_row_,
                      row = in_row / sets_;
  return {static_cast<std::uint32_t>((block + mix(stripe)) % channels_),
          static_cast<std::uint32_t>((in_row + mix(row + block / channels_ / 4096)) % sets_), row};
}

std::uint32_t HbmMapping::bank(std::uint32_t set, std::uint32_t burst) const {
  const std::uint32_t first_group = set % (groups_ / set_groups_) * set_groups_;
  return set / (groups_ / set_groups_) * groups_ + first_group + burst % set_groups_;
}

BankRules rules_in_slots(const HbmBanksTiming& t, double ns_per_slot) {
  const auto slots = [&](double ns) {
    return static_cast<Slot>(std::ceil(ns / ns_per_slot - 1e-9));
  };
  BankRules rules;
  rules.rcd_read = slots(t.rcd_read);
  rules.rcd_write = slots(t.rcd_write);
  rules.rp = slots(t.rp);
  rules.ras = slots(t.ras);
  rules.cl = slots(t.cl);
  rules.cwl = slots(t.cwl);
  rules.ccd_l = std::max<Slot>(1, slots(t.ccd_l));
  rules.rrd_s = slots(t.rrd_s);
  rules.rrd_l = slots(t.rrd_l);
  rules.faw = slots(t.faw);
  rules.rtp = slots(t.rtp);
  rules.wr = slots(t.wr);
  rules.wtr = slots(t.wtr);
  rules.rtw = slots(t.rtw);
  rules.refi = slots(t.refi);
  rules.rfc = slots(t.rfc);
  rules.groups = t.bank_groups;
  rules.banks = t.banks;
  rules.write_batch = std::max(1u, t.write_batch / kBurstBytes);
  return rules;
}

BanksHbm::BanksHbm(const MemoryTiming& timing, DieSocket& die)
    : HbmModel("hbm", die), timing_(timing), mapping_(timing.banks) {
  const double bytes_per_slot = double{kBurstBytes} * mapping_.channels();
  slots_per_cycle_ = timing.hbm_peak_bytes_per_cycle / bytes_per_slot;
  rules_ = rules_in_slots(timing.banks, timing.ns_per_cycle / slots_per_cycle_);
  // The measured latency is that of a read from an idle HBM with a closed row.
  const Slot commands = rules_.rcd_read + rules_.cl + 1;
  path_ = std::max(0.0, timing.hbm_read_latency - static_cast<double>(commands) / slots_per_cycle_);
  for (std::uint32_t channel = 0; channel < mapping_.channels(); ++channel) {
    channels_.emplace_back(rules_, rules_.refi * channel / mapping_.channels());
  }
}

void BanksHbm::serve(HbmChunk& chunk, double now) {
  const auto slot = static_cast<Slot>(std::ceil(now * slots_per_cycle_));
  const std::uint32_t block_bytes = mapping_.block_bytes();
  first_end_ = PseudoChannel::kNone;
  last_end_ = busy_until_ = slot;
  for (const HbmSpan& span : chunk.spans) {
    const std::uint64_t end = span.addr + span.bytes;
    for (std::uint64_t addr = span.addr; addr < end;) {
      const std::uint64_t block = addr / block_bytes,
                          block_end = std::min(end, (block + 1) * block_bytes);
      serve_block(block, static_cast<std::uint32_t>(addr % block_bytes / kBurstBytes),
                  static_cast<std::uint32_t>((block_end - block * block_bytes + kBurstBytes - 1) /
                                             kBurstBytes),
                  span.write, slot);
      addr = block_end;
    }
  }
  first_end_ = std::min(first_end_, last_end_);
  chunk.first_ready = static_cast<double>(first_end_) / slots_per_cycle_ + path_;
  chunk.ready = static_cast<double>(last_end_) / slots_per_cycle_ + path_;
  chunk.written = static_cast<double>(busy_until_) / slots_per_cycle_;
}

void BanksHbm::serve_block(std::uint64_t block, std::uint32_t first, std::uint32_t end, bool write,
                           Slot now) {
  const HbmPlace place = mapping_.place(block);
  PseudoChannel& channel = channels_[place.channel];
  const std::uint32_t bursts = end - first;
  const std::uint32_t banks = std::min(bursts, mapping_.set_groups());
  for (std::uint32_t turn = 0; turn < banks; ++turn) {
    const std::uint32_t bank = mapping_.bank(place.set, first + turn);
    const std::uint32_t share = (bursts - turn + mapping_.set_groups() - 1) / mapping_.set_groups();
    if (write) {
      channel.write(bank, place.row, share, now);
      continue;
    }
    const Slot done = channel.read(bank, place.row, share, now).end;
    first_end_ = std::min(first_end_, done);
    last_end_ = std::max(last_end_, done);
  }
  busy_until_ = std::max(busy_until_, channel.busy_until());
}

namespace {

const HbmRegistry kBanks({"banks", "HBM2E with pseudo channels, banks, open rows and refresh",
                          HbmProtocol::kChunks, true, [](const HbmSetup& setup, DieSocket& die) {
                            return std::make_shared<BanksHbm>(setup.timing, die);
                          }});

}  // namespace

}  // namespace davsim::memory
