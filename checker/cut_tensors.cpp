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

void CutTensors::written(const isa::Access& access, const Mark& mark, bool fills) {
  const std::uint16_t buffer = buffer_of(access);
  if (buffer == 0 || !in_one_piece(access)) return;
  const std::uint64_t low = access.low(), high = access.high();
  std::vector<Piece>& pieces = buffers_[buffer];
  std::erase_if(pieces, [&](const Piece& piece) { return low <= piece.low && piece.high <= high; });
  for (Piece& piece : pieces) {
    const bool from_inside = piece.low < low && low < piece.high && piece.high < high;
    const bool from_outside = low < piece.low && piece.low < high && high < piece.high;
    if (!from_inside && !from_outside) continue;
    if (piece.read || piece.fills || piece.mark.site == mark.site) continue;
    piece.taken = mark;
    piece.taken_low = std::max(low, piece.low);
    piece.taken_high = std::min(high, piece.high);
  }
  if (pieces.size() == kMost) pieces.erase(pieces.begin());
  Piece piece;
  piece.low = low;
  piece.high = high;
  piece.mark = mark;
  piece.fills = fills;
  pieces.push_back(piece);
}

std::optional<Mark> CutTensors::read(const isa::Access& access) {
  const auto found = buffers_.find(buffer_of(access));
  if (found == buffers_.end()) return std::nullopt;
  const std::uint64_t low = access.low(), high = access.high();
  std::optional<Mark> taken;
  for (Piece& piece : found->second) {
    if (high <= piece.low || piece.high <= low) continue;
    piece.read = true;
    const bool from_its_start = low == piece.low && high <= piece.high;
    if (!piece.taken || !from_its_start || high <= piece.taken_low) continue;
    taken = piece.taken;
    piece.taken.reset();
  }
  return taken;
}

}  // namespace davsim::checker
