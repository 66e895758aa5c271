// The flow of data of a simple kernel through its queues.
#pragma once

#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {

inline constexpr std::uint32_t kTile = 256, kTiles = 4;

/// Load, compute, store with queues, as the first kernels of every tutorial.
struct Flow {
  explicit Flow(std::uint32_t buffers = 2) {
    pipe.InitBuffer(in_x, buffers, kTile * sizeof(float));
    pipe.InitBuffer(in_y, buffers, kTile * sizeof(float));
    pipe.InitBuffer(out_z, buffers, kTile * sizeof(float));
  }
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::QuePosition::VECIN, 2> in_x, in_y;
  AscendC::TQue<AscendC::QuePosition::VECOUT, 2> out_z;
};

}  // namespace davsim::test
