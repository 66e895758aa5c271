// C = A x B in half, summed in float: every block computes tiles of 128 x 128 elements of C. How a
// tile is computed, from LoadData to Fixpipe, is in examples/common/cube_tile.h.
#include "examples/common/cube_tile.h"

using namespace AscendC;

constexpr uint32_t kTile = 128;
constexpr uint32_t kStep = 64;  // of k: two buffers of each matrix fit into L0A and L0B

/// m and n are multiples of 128, k of 64.
extern "C" __global__ __cube__ void matmul_custom(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m,
                                                  uint32_t n, uint32_t k) {
  if ASCEND_IS_AIC {
    TPipe pipe;
    example::CubeTile<kTile, kTile, kStep> product;
    product.Init(pipe, a, b, n, k);
    GlobalTensor<float> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c), uint64_t{m} * n);
    const uint32_t columns = n / kTile;
    const uint32_t tiles = m / kTile * columns;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t row = tile / columns * kTile;
      const uint32_t col = tile % columns * kTile;
      product.Run(row, col, out[uint64_t{row} * n + col], n);
    }
  }
}
