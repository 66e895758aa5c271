// Passes over rows that are in UB, or that are longer than a tile and come part by part.
#pragma once

#include "device/rows.h"

namespace davsim_basic {

/// Values of rows, and totals of what passes compute.
class RowPasses {
 public:
  __aicore__ inline explicit RowPasses(const RowShares& shares) : shares_(shares) {}

  __aicore__ inline void Init(AscendC::TPipe& pipe) {
    scratch_ = Zeros<float>(pipe, scratch_buffer_, shares_.tile);
    part_ = Zeros<float>(pipe, part_buffer_, kMostRows);
    reducer_.Init(pipe, kMostRows);
  }

  __aicore__ inline bool IsOnePart() const { return shares_.length <= shares_.tile; }
  /// A tile for what is computed on the way.
  __aicore__ inline const AscendC::LocalTensor<float>& Scratch() const { return scratch_; }

  /// Calls `visit` with the first column and the tile of each part of `rows` rows.
  template <typename Visit>
  __aicore__ inline void ForParts(uint32_t rows, const Visit& visit) {
    for (uint64_t at = 0; at < shares_.length; at += shares_.tile) {
      const uint64_t left = shares_.length - at;
      visit(at, TileOf(rows, min(static_cast<uint64_t>(shares_.tile), left), shares_.unit));
    }
  }

  /// total = the value of each row, reduced from what `prepare` leaves in Scratch() for each part.
  template <typename Prepare>
  __aicore__ inline void Total(Arithmetic op, const AscendC::LocalTensor<float>& total,
                               uint32_t rows, const Prepare& prepare) {
    ForParts(rows, [&](uint64_t at, const RowTile& tile) {
      prepare(at, tile);
      reducer_.Run(op, at == 0 ? total : part_, scratch_, tile);
      if (at > 0) CalculateRow(op, total, total, part_, false, rows);
    });
  }

 private:
  const RowShares& shares_;
  AscendC::TBuf<AscendC::QuePosition::VECCALC> scratch_buffer_, part_buffer_;
  AscendC::LocalTensor<float> scratch_, part_;
  RowReducer reducer_;
};

/// A value of each row, as values that follow each other and as DataBlocks.
class RowValues {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe) {
    values_ = Zeros<float>(pipe, values_buffer_, kMostRows);
    blocks_ = Zeros<float>(pipe, blocks_buffer_, kMostRows * kBlockElements);
  }
  __aicore__ inline const AscendC::LocalTensor<float>& Values() const { return values_; }
  /// x = x op value, for each row.
  __aicore__ inline void Apply(Arithmetic op, const AscendC::LocalTensor<float>& x,
                               const RowTile& tile) {
    Calculate(op, x, x, blocks_, Along::kRows, tile);
  }
  /// Lets Apply() take the values as they are now.
  __aicore__ inline void Spread(uint32_t rows) { davsim_basic::Spread(blocks_, values_, rows); }

 private:
  AscendC::TBuf<AscendC::QuePosition::VECCALC> values_buffer_, blocks_buffer_;
  AscendC::LocalTensor<float> values_, blocks_;
};

}  // namespace davsim_basic
