// One operand of a running product: which of its chunks L1 holds, and when each is given up.
//
// A chunk covers `step` base blocks on the operand's side and `step_k` along k. Where L1 holds all
// of k of a panel, the panel stays for all blocks of C in a row that need it. Otherwise each chunk
// is loaded anew for each block.
#pragma once

#include "lib/matmul/matmul_operand.h"
#include "lib/matmul/matmul_walk.h"

namespace davsim::api {

template <class Type, bool kIsA, AscendC::MatmulCopyIn kCopyIn>
class MatmulPanel {
 public:
  using Operand = MatmulOperand<Type, kIsA>;
  using T = typename Type::T;

  Operand operand;

  /// Buffers as the tiling says: base sizes and steps in elements and blocks.
  void set_up(std::uint32_t base, std::uint32_t base_k, std::uint32_t step, std::uint32_t step_k,
              std::uint32_t depth) {
    base_ = base;
    base_k_ = base_k;
    step_ = step;
    step_k_ = step_k;
    slots_ = std::clamp<std::uint32_t>(depth / (step * step_k), 1, MatmulRing::kMostSlots);
  }
  std::uint32_t l1_bytes() const {
    return Operand::kFromL1 ? 0 : slots_ * Operand::chunk_bytes(step_ * base_, step_k_ * base_k_);
  }
  void place(std::uint32_t address) {
    own_.set_up(slots_, address, Operand::chunk_bytes(step_ * base_, step_k_ * base_k_));
  }

  /// The buffers of `owner`, whose tiling and address are the same, serve this operand as well:
  /// a matrix that one of them has loaded whole is not loaded again for the other.
  void share(MatmulPanel& owner) {
    owner.shares_ = shares_ = true;
    lent_ = &owner.own_;
  }
  /// Lets go what is shared.
  void end_shared(Location where) {
    if (shares_) ring().end(where);
  }
  void unshare(Location where) {
    end_shared(where);
    shares_ = false;
    lent_ = nullptr;
  }
  /// Whether the buffers are another panel's.
  bool borrows() const { return lent_ != nullptr; }

  /// A product of this size begins; `walk` says which blocks of C follow each other.
  void begin(std::uint32_t side, std::uint32_t k, const MatmulWalk& walk, Location where) {
    side_ = side;
    k_ = k;
    walk_ = walk;
    chunks_ = matmul_parts(k, step_k_ * base_k_);
    const std::uint32_t panels = matmul_parts(side, step_ * base_);
    stays_ = chunks_ <= slots_;
    never_freed_ = panels * chunks_ <= slots_;
    const MatmulContent content = shares_ && never_freed_ ? matrix() : MatmulContent{};
    if (!ring().take_up(content, borrows())) ring().hold(content, borrows(), where);
    filling_ = ring().filling();
  }
  /// What is shared stays.
  void end(Location where) {
    if (!shares_) own_.end(where);
  }

  /// Makes sure that step `k_index` of block `block` lies in L1. A chunk is requested when the loop
  /// comes to it, so chunks of A and B take turns, as in the published scheduler. `doMTE2Preload`,
  /// which may load more of them ahead, is not modelled.
  void fetch(std::uint32_t block, std::uint32_t k_index, std::uint64_t tiling, std::uint64_t data,
             Location where) {
    if constexpr (Operand::kFromL1) return;
    if (k_index % step_k_ != 0) return;
    tiling_ = tiling;
    data_ = data;
    if (filling_ != ring().filling()) {
      // A product of the other vector core came between two blocks of this one.
      ring().hold({}, borrows(), where);
      filling_ = ring().filling();
    }
    const Place place{block, k_index / step_k_};
    current_ = ring().find(tag(place));
    if (current_ == ring().slots()) {
      load(place, where);
      current_ = ring().find(tag(place));
    }
    ring().await_full(current_, where);
  }

  /// L1 to L0: the base block of step `k_index`.
  void load_l0(const AscendC::LocalTensor<T>& l0, std::uint32_t block, std::uint32_t k_index,
               Location where) const {
    const std::uint32_t side = side_block(block);
    MatmulPiece piece{side * base_, k_index * base_k_, 0, 0};
    piece.length = std::min(base_, side_ - piece.start);
    piece.k_length = std::min(base_k_, k_ - piece.k_start);
    if constexpr (Operand::kFromL1) {
      operand.load_l0(l0, operand.l1, operand.rows_of({0, 0, operand.side_size, operand.k_size}),
                      piece, where);
    } else {
      const MatmulPiece chunk = piece_of({block, k_index / step_k_});
      piece.start -= chunk.start;
      piece.k_start -= chunk.k_start;
      operand.load_l0(l0, operand.tensor(ring().address_of(current_), chunk),
                      operand.rows_of(chunk), piece, where);
    }
  }

  /// The loads to L0 of this step are queued: gives its chunk up where nobody needs it any more.
  void used(std::uint32_t block, std::uint32_t k_index, Location where) {
    if constexpr (Operand::kFromL1) return;
    const bool ends = (k_index + 1) % step_k_ == 0 || (k_index + 1) * base_k_ >= k_;
    if (!ends) return;
    if (!stays_) return ring().free_oldest(where);
    if (never_freed_ || block + 1 >= walk_.count()) return;
    if (panel_of(block + 1) != panel_of(block)) ring().free_oldest(where);
  }

 private:
  struct Place {
    std::uint32_t block, chunk;
  };

  MatmulRing& ring() { return lent_ != nullptr ? *lent_ : own_; }
  const MatmulRing& ring() const { return lent_ != nullptr ? *lent_ : own_; }
  MatmulContent matrix() const {
    if constexpr (Operand::kFromL1) {
      return {};
    } else {
      if (operand.number.has_value()) return {};
      return {
          operand.gm.Operand().addr, operand.pitch, side_, k_, operand.side_size, operand.k_size,
          operand.transposed};
    }
  }

  std::uint32_t side_block(std::uint32_t block) const {
    const MatmulBlock at = walk_.at(block);
    return kIsA ? at.m : at.n;
  }
  std::uint32_t panel_of(std::uint32_t block) const { return side_block(block) / step_; }
  std::uint64_t tag(const Place& place) const {
    return (std::uint64_t{panel_of(place.block)} << 32) | place.chunk;
  }
  MatmulPiece piece_of(const Place& place) const {
    MatmulPiece piece{panel_of(place.block) * step_ * base_, place.chunk * step_k_ * base_k_, 0, 0};
    piece.length = std::min(step_ * base_, side_ - piece.start);
    piece.k_length = std::min(step_k_ * base_k_, k_ - piece.k_start);
    return piece;
  }

  void load(const Place& place, Location where) {
    const std::uint32_t slot = ring().begin_load(tag(place), where);
    const MatmulPiece piece = piece_of(place);
    if constexpr (kCopyIn != nullptr) {
      const auto l1 = operand.tensor(ring().address_of(slot), piece);
      const int side = static_cast<int>(panel_of(place.block) * step_);
      const int along = static_cast<int>(place.chunk * step_k_);
      const bool columns = operand.k_in_columns();
      const int rows = static_cast<int>(columns ? piece.length : piece.k_length);
      const int cols = static_cast<int>(columns ? piece.k_length : piece.length);
      kCopyIn(l1.template ReinterpretCast<std::int8_t>(), operand.gm.GetPhyAddr(),
              columns ? side : along, columns ? along : side, rows, cols, tiling_, data_);
    } else {
      operand.load_chunk(ring().address_of(slot), piece, where);
    }
    ring().end_load(where);
  }

  MatmulRing own_;
  MatmulRing* lent_ = nullptr;  ///< another panel's
  bool shares_ = false;
  MatmulWalk walk_;
  std::uint32_t base_ = 16, base_k_ = 16, step_ = 1, step_k_ = 1, slots_ = 1;
  std::uint32_t side_ = 0, k_ = 0, chunks_ = 0, current_ = 0;
  bool stays_ = false, never_freed_ = false;
  std::uint64_t filling_ = 0;  ///< of the ring by this product
  std::uint64_t tiling_ = 0, data_ = 0;
};

}  // namespace davsim::api
