#include "checker/cut_tensors.hpp"

#include <algorithm>

namespace davsim::checker {
namespace {

std::uint16_t buffer_of(const isa::Access& access) {
  if (access.operand == nullptr || access.space == isa::Space::kGm) return 0;
  return access.operand->buffer;
}

/// Whether every byte from the first to the last is touched.
bool in_one_piece(const isa::Access& access) {
  return !access.has_holes() && access.bytes * access.distinct_rows() * access.distinct_groups() ==
                                    access.high() - access.low();
}

}  // namespace

std::size_t CutTensors::Buffer::place_of(std::uint64_t low, std::uint64_t high) {
  std::size_t place = ranges.size(), oldest = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].within(low, high)) ranges[i] = {};
    if (ranges[i].low == ranges[i].high) place = i;
    if (ranges[i].age < ranges[oldest].age) oldest = i;
  }
  if (place < ranges.size()) return place;
  if (ranges.size() == kMost) return oldest;
  ranges.emplace_back();
  pieces.emplace_back();
  return place;
}

void CutTensors::written(const isa::Access& access, const Mark& mark, bool fills) {
  const std::uint16_t number = buffer_of(access);
  if (number == 0 || !in_one_piece(access)) return;
  if (number >= buffers_.size()) buffers_.resize(number + std::size_t{1});
  Buffer& buffer = buffers_[number];
  const std::uint64_t low = access.low(), high = access.high();
  const std::size_t place = buffer.place_of(low, high);
  buffer.ranges[place] = {low, high, ++writes_};
  buffer.pieces[place] = {mark, fills, false, std::nullopt, 0, 0};
  for (std::size_t i = 0; i < buffer.ranges.size(); ++i) {
    const Range& range = buffer.ranges[i];
    if (i == place || !range.meets(low, high)) continue;
    const bool from_inside = range.low < low && range.high < high;
    const bool from_outside = low < range.low && high < range.high;
    Piece& piece = buffer.pieces[i];
    if (!from_inside && !from_outside) continue;
    if (piece.read || piece.fills || piece.mark.site == mark.site) continue;
    piece.taken = mark;
    piece.taken_low = std::max(low, range.low);
    piece.taken_high = std::min(high, range.high);
  }
}

std::optional<Mark> CutTensors::read(const isa::Access& access) {
  const std::uint16_t number = buffer_of(access);
  if (number >= buffers_.size()) return std::nullopt;
  Buffer& buffer = buffers_[number];
  const std::uint64_t low = access.low(), high = access.high();
  std::optional<Mark> taken;
  for (std::size_t i = 0; i < buffer.ranges.size(); ++i) {
    const Range& range = buffer.ranges[i];
    if (!range.meets(low, high)) continue;
    Piece& piece = buffer.pieces[i];
    piece.read = true;
    const bool from_its_start = low == range.low && high <= range.high;
    if (!piece.taken || !from_its_start || high <= piece.taken_low) continue;
    taken = piece.taken;
    piece.taken.reset();
  }
  return taken;
}

}  // namespace davsim::checker
