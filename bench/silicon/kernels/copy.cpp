// Copies from global memory, and nothing else: what a DMA engine and the memories behind it give.
#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// A matrix of fp16 that is read tile by tile.
struct Matrix {
  std::uint32_t rows, cols, tile_rows, tile_cols;

  static Matrix of(const Params& p) {
    return {p.size("rows"), p.size("cols"), p.size("tile_rows"), p.size("tile_cols")};
  }
  std::uint64_t elements() const { return std::uint64_t{rows} * cols; }
  std::uint32_t row_tiles() const { return static_cast<std::uint32_t>(ceil_div(rows, tile_rows)); }
  std::uint32_t col_tiles() const { return static_cast<std::uint32_t>(ceil_div(cols, tile_cols)); }
};

/// Which tiles a core reads, in which order.
struct Walk {
  std::uint32_t passes, slices;
  bool all;        ///< of all cores' bands, past L2
  bool staggered;  ///< each core from another band on

  static Walk of(const Params& p) {
    const std::string order = p.text("order", "split");
    if (order != "split" && order != "same" && order != "staggered") {
      throw std::invalid_argument("order=" + order + "; it is split, same or staggered");
    }
    return {p.number("passes", 1), p.number("slices", 1), order != "split", order == "staggered"};
  }
};

GlobalTensor<half> source_of(half* data, const Matrix& m, const Walk& walk) {
  auto source = global(data, m.elements());
  if (walk.all) source.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  return source;
}

/// Calls read(element, rows, columns) for the tiles of a core. It takes a band of rows and walks
/// along it, `passes` times; in slices it comes back after each part of the columns, while L2 still
/// holds it.
template <class Read>
void walk_tiles(const Matrix& m, const Walk& walk, std::uint32_t cores, Read read) {
  Share bands{0, m.row_tiles()};
  if (!walk.all) bands = share_of(m.row_tiles(), GetBlockIdx(), cores);
  const std::uint64_t first = walk.staggered ? GetBlockIdx() * m.row_tiles() / cores : 0;
  for (std::uint32_t slice = 0; slice < walk.slices; ++slice) {
    const Share tiles = share_of(m.col_tiles(), slice, walk.slices);
    for (std::uint32_t pass = 0; pass < walk.passes; ++pass) {
      for (std::uint64_t band = bands.begin; band < bands.end; ++band) {
        std::uint64_t at = band + first;
        if (at >= m.row_tiles()) at -= m.row_tiles();
        const std::uint64_t row = at * m.tile_rows;
        const auto rows =
            static_cast<std::uint16_t>(std::min<std::uint64_t>(m.tile_rows, m.rows - row));
        std::uint64_t from = row * m.cols + tiles.begin * m.tile_cols;
        const std::uint64_t last = row * m.cols + m.cols;
        for (std::uint64_t tile = tiles.begin; tile < tiles.end; ++tile) {
          read(from, rows,
               static_cast<std::uint32_t>(std::min<std::uint64_t>(m.tile_cols, last - from)));
          from += m.tile_cols;
        }
      }
    }
  }
}

/// Into UB, into two buffers in turn.
observe::LaunchReport copy_to_ub(sim::Device& device, half* data, const Matrix& m,
                                 const Params& params) {
  const std::uint32_t cores = vector_cores(device, params);
  const Walk walk = Walk::of(params);
  const isa::KernelEntry entry{"copy_to_ub", isa::KernelType::kAivOnly, nullptr, nullptr};
  return device.launch(entry, cores, {}, [=] {
    const auto source = source_of(data, m, walk);
    const std::uint32_t buffer_bytes = round_up(m.tile_cols * 2, 32) * m.tile_rows;
    // The other buffer's address is the exclusive or with this.
    const std::uint32_t other = 2 * buffer_bytes <= 196608 ? buffer_bytes : 0;
    std::uint32_t buffer = 0;
    walk_tiles(m, walk, cores, [&](std::uint64_t from, std::uint16_t rows, std::uint32_t width) {
      const DataCopyExtParams copy(rows, width * 2, (m.cols - width) * 2, 0, 0);
      DataCopyPad(local<half>(TPosition::VECIN, buffer, buffer_bytes / 2), source[from], copy,
                  DataCopyPadExtParams<half>{});
      buffer ^= other;
    });
  });
}

/// Into L1 as fractals.
observe::LaunchReport copy_to_l1(sim::Device& device, half* data, const Matrix& m,
                                 const Params& params) {
  const std::uint32_t cores = cube_cores(device, params);
  const Walk walk = Walk::of(params);
  const isa::KernelEntry entry{"copy_to_l1", isa::KernelType::kAicOnly, nullptr, nullptr};
  return device.launch(
      entry, cores,
      [=] {
        const auto source = source_of(data, m, walk);
        const std::uint32_t tile = m.tile_rows * m.tile_cols;
        std::uint32_t copies = 0;
        walk_tiles(
            m, walk, cores, [&](std::uint64_t from, std::uint16_t rows, std::uint32_t width) {
              const auto u16 = [](std::uint32_t v) { return static_cast<std::uint16_t>(v); };
              DataCopy(local<half>(TPosition::A1, copies++ % 2 * tile * 2, tile), source[from],
                       Nd2NzParams(1, rows, u16(width), 0, u16(m.cols), u16(m.tile_rows), 1, 0));
            });
      },
      {});
}

const KernelRegistrar g_copy_to_ub({"copy_to_ub",
                                    "GM to UB: rows cols tile_rows tile_cols [passes slices order]",
                                    [](sim::Device& device, const Params& params) {
                                      const Matrix m = Matrix::of(params);
                                      half* data = allocate<half>(device, m.elements(), "source");
                                      return [=, &device] {
                                        return copy_to_ub(device, data, m, params);
                                      };
                                    }});
const KernelRegistrar g_copy_to_l1(
    {"copy_to_l1", "GM to L1, ND to NZ: rows cols tile_rows tile_cols [passes slices order]",
     [](sim::Device& device, const Params& params) {
       const Matrix m = Matrix::of(params);
       half* data = allocate<half>(device, m.elements(), "source");
       return [=, &device] { return copy_to_l1(device, data, m, params); };
     }});

}  // namespace
}  // namespace davsim::silicon
