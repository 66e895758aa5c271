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

void CutTensors::Buffer::forget_within(Address low, Address high) {
  for (std::size_t i = ranges.size(); i-- > 0;) {
    if (ranges[i].within(low, high)) forget(i);
  }
}

void CutTensors::written(const isa::Access& access, const Mark& mark, bool fills) {
  const std::uint16_t number = buffer_of(access);
  if (number == 0 || !in_one_piece(access)) return;
  if (number >= buffers_.size()) {
    buffers_.resize(number + std::size_t{1});
    has_pieces_.resize(buffers_.size());
  }
  Buffer& buffer = buffers_[number];
  const auto low = static_cast<Address>(access.low()), high = static_cast<Address>(access.high());
  buffer.forget_within(low, high);
  for (std::size_t i = 0; i < buffer.ranges.size(); ++i) {
    const Range& range = buffer.ranges[i];
    if (!range.meets(low, high)) continue;
    const bool from_inside = range.low < low && range.high < high;
    const bool from_outside = low < range.low && high < range.high;
    Piece& piece = buffer.pieces[i];
    if (!from_inside && !from_outside) continue;
    if (piece.read || piece.mark.site == mark.site) continue;
    piece.taken = mark;
    piece.taken_low = std::max(low, range.low);
  }
  if (!fills) buffer.add({low, high, ++writes_}, {mark, {}, 0, false});
  has_pieces_[number] = !buffer.ranges.empty();
}

std::optional<Mark> CutTensors::read(const isa::Access& access) {
  const std::uint16_t number = buffer_of(access);
  if (number >= buffers_.size() || !has_pieces_[number]) return std::nullopt;
  Buffer& buffer = buffers_[number];
  const auto low = static_cast<Address>(access.low()), high = static_cast<Address>(access.high());
  std::optional<Mark> taken;
  for (std::size_t i = buffer.ranges.size(); i-- > 0;) {
    const Range& range = buffer.ranges[i];
    if (!range.meets(low, high)) continue;
    Piece& piece = buffer.pieces[i];
    piece.read = true;
    const bool from_its_start = low == range.low && high <= range.high;
    if (piece.taken.stamp != 0 && from_its_start && high > piece.taken_low) {
      taken = piece.taken;
      piece.taken = {};
    }
    // What was read and lost nothing before can lose nothing any more.
    if (piece.taken.stamp == 0) buffer.forget(i);
  }
  has_pieces_[number] = !buffer.ranges.empty();
  return taken;
}

}  // namespace davsim::checker
