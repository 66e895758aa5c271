#include "sim/device/block_schedule.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace davsim::sim {

using isa::CoreType;
using isa::KernelType;

BlockSchedule::BlockSchedule(KernelType type, std::uint32_t aics, std::uint32_t aivs_per_aic,
                             std::uint32_t blocks)
    : type_(type),
      aivs_per_aic_(aivs_per_aic),
      slots_(type == KernelType::kAivOnly ? aics * aivs_per_aic : aics),
      blocks_(blocks) {
  if (type != KernelType::kAivOnly && aivs_per_ai_core() > aivs_per_aic) {
    throw std::invalid_argument(
        "a block of this kernel takes " + std::to_string(aivs_per_ai_core()) +
        " vector cores of an AI core, which has " + std::to_string(aivs_per_aic) + " on this SoC");
  }
  running_.resize(slots_);
}

std::vector<BlockSchedule::Seat> BlockSchedule::seats(std::uint32_t slot) const {
  switch (type_) {
    case KernelType::kAivOnly:
      return {{CoreType::AIV, slot / aivs_per_aic_, slot % aivs_per_aic_}};
    case KernelType::kAicOnly:
      return {{CoreType::AIC, slot, 0}};
    case KernelType::kMix11:
      return {{CoreType::AIC, slot, 0}, {CoreType::AIV, slot, 0}};
    case KernelType::kMix12:
      break;
  }
  return {{CoreType::AIC, slot, 0}, {CoreType::AIV, slot, 0}, {CoreType::AIV, slot, 1}};
}

std::uint32_t BlockSchedule::slot_of(std::uint32_t ai_core, std::uint32_t sub) const {
  return type_ == KernelType::kAivOnly ? ai_core * aivs_per_aic_ + sub : ai_core;
}

void BlockSchedule::start_first_wave() {
  started_ = first_wave();
  for (std::uint32_t slot = 0; slot < started_; ++slot) {
    running_[slot] = static_cast<std::uint32_t>(seats(slot).size());
  }
}

bool BlockSchedule::core_done(std::uint32_t slot) {
  if (--running_[slot] > 0) return false;
  ++done_;
  return true;
}

std::optional<std::uint32_t> BlockSchedule::next_block(std::uint32_t slot) {
  if (started_ == blocks_) return std::nullopt;
  running_[slot] = static_cast<std::uint32_t>(seats(slot).size());
  return started_++;
}

std::uint32_t BlockSchedule::aivs_per_ai_core() const {
  switch (type_) {
    case KernelType::kAicOnly:
      return 0;
    case KernelType::kMix12:
      return 2;
    default:
      return 1;
  }
}

std::uint32_t BlockSchedule::blocks_of(CoreType type) const {
  if (type == CoreType::AIV) return blocks_ * aivs_per_ai_core();
  return type_ == KernelType::kAivOnly ? 0 : blocks_;
}

}  // namespace davsim::sim
