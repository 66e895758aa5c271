// The order in which CATLASS deals tiles of C to the cores.
#pragma once

#include <cstdint>

namespace davsim::silicon {

struct TilePlace {
  std::uint32_t row, col;  ///< in tiles

  bool operator==(const TilePlace&) const = default;
};

/// Tiles of C in bands of some rows of tiles.
struct TileBands {
  std::uint32_t down, across;  ///< tiles of C
  std::uint32_t band;          ///< rows of tiles in a band

  /// Down the rows of a band first, and every second band from the right to the left.
  TilePlace place_of(std::uint32_t tile) const {
    const std::uint32_t in_band = band * across, number = tile / in_band, at = tile % in_band;
    const bool last = (number + 1) * band >= down;
    const std::uint32_t rows = last ? down - number * band : band, col = at / rows;
    return {number * band + at % rows, number % 2 == 0 ? col : across - col - 1};
  }
};

}  // namespace davsim::silicon
