// Copies from global memory, and nothing else: what a DMA engine and the memories behind it give.
#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// A matrix of fp16 that is read tile by tile.
struct Matrix {
  std::uint32_t rows, cols, tile_rows, tile_cols;

  static Matrix of(const Params& p) {
    return {p.number("rows"), p.number("cols"), p.number("tile_rows"), p.number("tile_cols")};
  }
  std::uint64_t elements() const { return std::uint64_t{rows} * cols; }
  std::uint32_t row_tiles() const { return static_cast<std::uint32_t>(ceil_div(rows, tile_rows)); }
  std::uint32_t col_tiles() const { return static_cast<std::uint32_t>(ceil_div(cols, tile_cols)); }
};

/// Into UB: a core takes a band of rows and walks along it, `passes` times; in slices it comes back
/// after each part of the columns, while L2 still holds it.
observe::LaunchReport copy_to_ub(sim::Device& device, half* data, const Matrix& m,
                                 const Params& params) {
  const std::uint32_t cores = vector_cores(device, params), passes = params.number("passes", 1),
                      slices = params.number("slices", 1);
  const isa::KernelEntry entry{"copy_to_ub", isa::KernelType::kAivOnly, nullptr, nullptr};
  return device.launch(entry, cores, {}, [=] {
    const auto source = global(data, m.elements());
    const Share bands = share_of(m.row_tiles(), GetBlockIdx(), cores);
    const std::uint32_t buffer_bytes = round_up(m.tile_cols * 2, 32) * m.tile_rows;
    // The other buffer's address is the exclusive or with this.
    const std::uint32_t other = 2 * buffer_bytes <= 196608 ? buffer_bytes : 0;
    std::uint32_t buffer = 0;
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
      const Share tiles = share_of(m.col_tiles(), slice, slices);
      for (std::uint32_t pass = 0; pass < passes; ++pass) {
        for (std::uint64_t band = bands.begin; band < bands.end; ++band) {
          const std::uint64_t row = band * m.tile_rows;
          const auto rows =
              static_cast<std::uint16_t>(std::min<std::uint64_t>(m.tile_rows, m.rows - row));
          std::uint64_t from = row * m.cols + tiles.begin * m.tile_cols;
          const std::uint64_t last = row * m.cols + m.cols;
          for (std::uint64_t tile = tiles.begin; tile < tiles.end; ++tile) {
            const auto width =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(m.tile_cols, last - from));
            const DataCopyExtParams copy(rows, width * 2, (m.cols - width) * 2, 0, 0);
            DataCopyPad(local<half>(TPosition::VECIN, buffer, buffer_bytes / 2), source[from], copy,
                        DataCopyPadExtParams<half>{});
            buffer ^= other;
            from += m.tile_cols;
          }
        }
      }
    }
  });
}

/// Into L1 as fractals. Every core reads its band of rows, or, `order=same` and `order=staggered`,
/// the whole matrix, from its begin or each core from another band on, past L2.
observe::LaunchReport copy_to_l1(sim::Device& device, half* data, const Matrix& m,
                                 const Params& params) {
  const std::uint32_t cores = cube_cores(device, params);
  const std::string order = params.text("order", "split");
  const isa::KernelEntry entry{"copy_to_l1", isa::KernelType::kAicOnly, nullptr, nullptr};
  return device.launch(
      entry, cores,
      [=] {
        auto source = global(data, m.elements());
        if (order != "split") source.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        Share bands{0, m.row_tiles()};
        if (order == "split") bands = share_of(m.row_tiles(), GetBlockIdx(), cores);
        const std::uint64_t first = order == "staggered" ? GetBlockIdx() : 0;
        const std::uint32_t tile = m.tile_rows * m.tile_cols;
        std::uint32_t copies = 0;
        for (std::uint64_t band = bands.begin; band < bands.end; ++band) {
          const std::uint64_t row = (band + first) % m.row_tiles() * m.tile_rows;
          const std::uint64_t rows = std::min<std::uint64_t>(m.tile_rows, m.rows - row);
          for (std::uint32_t col = 0; col < m.cols; col += m.tile_cols) {
            const auto u16 = [](std::uint64_t v) { return static_cast<std::uint16_t>(v); };
            DataCopy(local<half>(TPosition::A1, copies++ % 2 * tile * 2, tile),
                     source[row * m.cols + col],
                     Nd2NzParams(1, u16(rows), u16(std::min(m.tile_cols, m.cols - col)), 0,
                                 u16(m.cols), u16(m.tile_rows), 1, 0));
          }
        }
      },
      {});
}

const KernelRegistrar g_copy_to_ub({"copy_to_ub",
                                    "GM to UB: rows cols tile_rows tile_cols [passes slices]",
                                    [](sim::Device& device, const Params& params) {
                                      const Matrix m = Matrix::of(params);
                                      half* data = allocate<half>(device, m.elements(), "source");
                                      return [=, &device] {
                                        return copy_to_ub(device, data, m, params);
                                      };
                                    }});
const KernelRegistrar g_copy_to_l1({"copy_to_l1",
                                    "GM to L1, ND to NZ: rows cols tile_rows tile_cols [order]",
                                    [](sim::Device& device, const Params& params) {
                                      const Matrix m = Matrix::of(params);
                                      half* data = allocate<half>(device, m.elements(), "source");
                                      return [=, &device] {
                                        return copy_to_l1(device, data, m, params);
                                      };
                                    }});

}  // namespace
}  // namespace davsim::silicon
