// The tiles of C that a core computes, and their order.
#pragma once

#include "kernel_operator.h"
#include "kernels/matmul/matmul_tiling.h"

namespace kernel_matmul {

/// A tile of C by its place in the grid of tiles.
struct Tile {
  uint32_t batch;
  uint32_t row;
  uint32_t col;
};

/// Walks through the tiles of one core. Units of tiles are numbered column by column in a band of
/// rows. The units that all cores work on at a time therefore form a block of C and share rows of A
/// and columns of B in L2. Batches follow each other. Core i computes the units i, i + cores, ...
class TileWalk {
 public:
  __aicore__ inline TileWalk(const MatmulTiling& tiling, uint32_t core, uint32_t cores)
      : tiling_(tiling), cores_(cores), unit_(core) {
    grid_m_ = CeilDiv(tiling.m, tiling.tile_m);
    grid_n_ = CeilDiv(tiling.n, tiling.tile_n);
    units_m_ = CeilDiv(grid_m_, tiling.unit_m);
    units_n_ = CeilDiv(grid_n_, tiling.unit_n);
    EnterUnit();
  }

  __aicore__ inline bool Done() const { return unit_ >= tiling_.batches * units_m_ * units_n_; }
  __aicore__ inline uint32_t Rows() const { return grid_m_; }  ///< of tiles
  __aicore__ inline uint32_t Cols() const { return grid_n_; }
  __aicore__ inline Tile Current() const { return {batch_, row_, col_}; }

  __aicore__ inline void Advance() {
    // One of unit_m and unit_n is 1, so the walk follows the other one.
    if (row_ + 1 < row_end_) {
      ++row_;
    } else if (col_ + 1 < col_end_) {
      ++col_;
    } else {
      unit_ += cores_;
      EnterUnit();
    }
  }

 private:
  __aicore__ static inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

  __aicore__ inline void EnterUnit() {
    if (Done()) return;
    batch_ = unit_ / (units_m_ * units_n_);
    const uint32_t unit = unit_ % (units_m_ * units_n_);
    const uint32_t band_units = tiling_.band * units_n_;
    const uint32_t first_row = unit / band_units * tiling_.band;
    const uint32_t band_rows = min(tiling_.band, units_m_ - first_row);
    const uint32_t in_band = unit % band_units;
    row_ = (first_row + in_band % band_rows) * tiling_.unit_m;
    col_ = in_band / band_rows * tiling_.unit_n;
    row_end_ = min(row_ + tiling_.unit_m, grid_m_);
    col_end_ = min(col_ + tiling_.unit_n, grid_n_);
  }

  const MatmulTiling& tiling_;
  uint32_t cores_, unit_;
  uint32_t grid_m_, grid_n_, units_m_, units_n_;
  uint32_t batch_ = 0, row_ = 0, col_ = 0, row_end_ = 0, col_end_ = 0;
};

}  // namespace kernel_matmul
