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

void CutTensors::Buffer::add(const Range& range, const Piece& piece) {
  if (ranges.size() == kMost) {
    const auto older = [](const Range& a, const Range& b) { return a.age < b.age; };
    const auto oldest = std::min_element(ranges.begin(), ranges.end(), older);
    forget(static_cast<std::size_t>(oldest - ranges.begin()));
  }
  ranges.push_back(range);
  pieces.push_back(piece);
}

void CutTensors::Buffer::forget(std::size_t place) {
  ranges[place] = ranges.back();
  pieces[place] = pieces.back();
  ranges.pop_back();
  pieces.pop_back();
}

void CutTensors::Buffer::forget_within(std::uint64_t low, std::uint64_t high) {
  for (std::size_t i = ranges.size(); i-- > 0;) {
    if (ranges[i].within(low, high)) forget(i);
  }
}

void CutTensors::written(const isa::Access& access, const Mark& mark, bool fills) {
  const std::uint16_t number = buffer_of(access);
  if (number == 0 || !in_one_piece(access)) return;
  if (number >= buffers_.size()) buffers_.resize(number + std::size_t{1});
  Buffer& buffer = buffers_[number];
  const std::uint64_t low = access.low(), high = access.high();
  buffer.forget_within(low, high);
  for (std::size_t i = 0; i < buffer.ranges.size(); ++i) {
    const Range& range = buffer.ranges[i];
    if (!range.meets(low, high)) continue;
    const bool from_inside = range.low < low && range.high < high;
    const bool from_outside = low < range.low && high < range.high;
    Piece& piece = buffer.pieces[i];
    if (!from_inside && !from_outside) continue;
    if (piece.read || piece.fills || piece.mark.site == mark.site) continue;
    piece.taken = mark;
    piece.taken_low = std::max(low, range.low);
    piece.taken_high = std::min(high, range.high);
  }
  buffer.add({low, high, ++writes_}, {mark, fills, false, std::nullopt, 0, 0});
}

std::optional<Mark> CutTensors::read(const isa::Access& access) {
  const std::uint16_t number = buffer_of(access);
  if (number >= buffers_.size()) return std::nullopt;
  Buffer& buffer = buffers_[number];
  if (buffer.ranges.empty()) return std::nullopt;
  const std::uint64_t low = access.low(), high = access.high();
  std::optional<Mark> taken;
  for (std::size_t i = buffer.ranges.size(); i-- > 0;) {
    const Range& range = buffer.ranges[i];
    if (!range.meets(low, high)) continue;
    Piece& piece = buffer.pieces[i];
    piece.read = true;
    const bool from_its_start = low == range.low && high <= range.high;
    if (piece.taken && from_its_start && high > piece.taken_low) {
      taken = piece.taken;
      piece.taken.reset();
    }
    // What was read and lost nothing before can lose nothing any more.
    if (!piece.taken) buffer.forget(i);
  }
  return taken;
}

}  // namespace davsim::checker
