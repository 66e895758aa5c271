// Vector cores that move bytes over links: between two dies, and an all-reduce by remote atomic
// adds.
#include <algorithm>

#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

constexpr std::uint32_t kPiece = 32 * 1024;  ///< bytes that pass through UB at a time

const isa::KernelEntry g_entry{"link_copy", isa::KernelType::kAivOnly, nullptr, nullptr};

std::uint8_t* shared(sim::Device& device, std::uint32_t die, std::uint64_t bytes,
                     const char* name) {
  std::byte* const start = device.memory(die).allocate(bytes, name);
  device.memory(die).share(start);
  return reinterpret_cast<std::uint8_t*>(start);
}

/// A core's pieces of [0, bytes) from one memory to another through two buffers.
class Mover {
 public:
  Mover() {
    for (const event_t slot : kSlots) SetFlag<HardEvent::MTE3_MTE2>(slot);
  }
  ~Mover() {
    for (const event_t slot : kSlots) WaitFlag<HardEvent::MTE3_MTE2>(slot);
  }
  void move(std::uint8_t* to, std::uint8_t* from, std::uint64_t bytes) {
    const Share mine = share_of(ceil_div(bytes, kPiece), GetBlockIdx(), GetBlockNum());
    for (std::uint64_t piece = mine.begin; piece < mine.end; ++piece) {
      const std::uint64_t at = piece * kPiece;
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kPiece, bytes - at) / 2);
      const event_t slot = kSlots[turn_++ % 2];
      const auto ub = local<half>(TPosition::VECCALC, (turn_ % 2) * kPiece, count);
      WaitFlag<HardEvent::MTE3_MTE2>(slot);
      DataCopy(ub, global(reinterpret_cast<half*>(from + at), count), count);
      SetFlag<HardEvent::MTE2_MTE3>(slot);
      WaitFlag<HardEvent::MTE2_MTE3>(slot);
      DataCopy(global(reinterpret_cast<half*>(to + at), count), ub, count);
      SetFlag<HardEvent::MTE3_MTE2>(slot);
    }
  }

 private:
  static constexpr event_t kSlots[2] = {EVENT_ID0, EVENT_ID1};
  std::uint32_t turn_ = 0;
};

// --- between two dies ----------------------------------------------------------------------------

Launch prepare_link(sim::Device& device, const Params& params) {
  const std::uint64_t bytes = std::uint64_t{params.number("kib")} * 1024;
  const std::uint32_t peer = params.number("to");
  std::uint8_t* const near = shared(device, 0, bytes, "near");
  std::uint8_t* const far = shared(device, peer, bytes, "far");
  const bool reads = params.number("read", 0) != 0;
  const std::uint32_t cores = vector_cores(device, params);
  return [=, &device] {
    const auto body = [=] { Mover().move(reads ? near : far, reads ? far : near, bytes); };
    return device.launch(std::vector<sim::DieLaunch>{{0, &g_entry, cores, 0, {}, body}}).front();
  };
}

// --- all-reduce ----------------------------------------------------------------------------------

/// A matrix of half in tiles. Tile t is summed up by rank t % ranks.
struct Tiles {
  static constexpr std::uint32_t kRows = 128, kColumns = 256, kRowBytes = kColumns * 2;

  std::uint32_t m, n, ranks, rank;

  std::uint32_t count() const { return m / kRows * (n / kColumns); }
  std::uint64_t at(std::uint32_t tile, std::uint32_t row) const {
    const std::uint32_t across = n / kColumns;
    return (std::uint64_t{tile / across} * kRows + row) * n * 2 + tile % across * kRowBytes;
  }
};

/// Rows of tiles pass through two buffers.
class TileMover {
 public:
  explicit TileMover(const Tiles& tiles) : tiles_(tiles) {
    for (const event_t slot : kSlots) SetFlag<HardEvent::MTE3_MTE2>(slot);
  }
  ~TileMover() {
    for (const event_t slot : kSlots) WaitFlag<HardEvent::MTE3_MTE2>(slot);
  }
  void move(std::uint8_t* to, std::uint8_t* from, std::uint32_t tile, std::uint32_t row,
            std::uint32_t rows) {
    const std::uint64_t at = tiles_.at(tile, row);
    const std::uint32_t count = rows * Tiles::kColumns;
    const auto blocks = static_cast<std::uint16_t>(Tiles::kRowBytes / 32);
    const auto gap = static_cast<std::uint16_t>(tiles_.n * 2 / 32 - blocks);
    const auto bursts = static_cast<std::uint16_t>(rows);
    const event_t slot = kSlots[turn_++ % 2];
    const auto ub = local<half>(TPosition::VECCALC, (turn_ % 2) * 64 * 1024, count);
    const auto outside = [&](std::uint8_t* start) {
      return global(reinterpret_cast<half*>(start + at),
                    std::uint64_t{rows - 1} * tiles_.n + Tiles::kColumns);
    };
    WaitFlag<HardEvent::MTE3_MTE2>(slot);
    DataCopy(ub, outside(from), DataCopyParams(bursts, blocks, gap, 0));
    SetFlag<HardEvent::MTE2_MTE3>(slot);
    WaitFlag<HardEvent::MTE2_MTE3>(slot);
    DataCopy(outside(to), ub, DataCopyParams(bursts, blocks, 0, gap));
    SetFlag<HardEvent::MTE3_MTE2>(slot);
  }

 private:
  static constexpr event_t kSlots[2] = {EVENT_ID0, EVENT_ID1};
  const Tiles tiles_;
  std::uint32_t turn_ = 0;
};

/// A block adds neighbouring tiles, whose owners take turns, to the sums of their owners.
void scatter_tiles(const Tiles& tiles, const std::vector<std::uint8_t*>& to, std::uint8_t* from) {
  SetAtomicAdd<half>();
  {
    TileMover mover(tiles);
    const Share mine = share_of(tiles.count(), GetBlockIdx(), GetBlockNum());
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) {
      const auto tile = static_cast<std::uint32_t>(i);
      mover.move(to[tile % tiles.ranks], from, tile, 0, Tiles::kRows);
    }
  }
  SetAtomicNone();
}
/// The rows of the own sums for each other rank, dealt to the blocks in equal numbers.
void gather_tiles(const Tiles& tiles, const std::vector<std::uint8_t*>& to) {
  TileMover mover(tiles);
  const std::uint32_t own = (tiles.count() + tiles.ranks - 1 - tiles.rank) / tiles.ranks;
  const std::uint32_t others = tiles.ranks - 1;
  const Share mine =
      share_of(std::uint64_t{own} * others * Tiles::kRows, GetBlockIdx(), GetBlockNum());
  for (std::uint64_t at = mine.begin; at < mine.end;) {
    const auto row = static_cast<std::uint32_t>(at % Tiles::kRows);
    const std::uint64_t copy = at / Tiles::kRows;
    const auto rows =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(Tiles::kRows - row, mine.end - at));
    const auto tile = static_cast<std::uint32_t>(copy / others) * tiles.ranks + tiles.rank;
    const std::uint32_t peer = (tiles.rank + 1 + copy % others) % tiles.ranks;
    mover.move(to[peer], to[tiles.rank], tile, row, rows);
    at += rows;
  }
}

/// Each rank adds each tile to that of its owner, and the owners put the sums to all. The two
/// halves are launches of their own, as all ranks meet between them.
Launch prepare_all_reduce(sim::Device& device, const Params& params) {
  const std::uint32_t ranks = device.dies(), cores = vector_cores(device, params);
  const std::uint32_t m = params.number("m"), n = params.number("n");
  std::vector<std::uint8_t*> from, to;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    from.push_back(shared(device, rank, std::uint64_t{m} * n * 2, "from"));
    to.push_back(shared(device, rank, std::uint64_t{m} * n * 2, "to"));
  }
  const auto phase = [=, &device](bool adds) {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const Tiles tiles{m, n, ranks, rank};
      launches.push_back({rank, &g_entry, cores, 0, {}, [=] {
                            if (adds) {
                              scatter_tiles(tiles, to, from[rank]);
                            } else {
                              gather_tiles(tiles, to);
                            }
                          }});
    }
    const auto reports = device.launch(std::move(launches));
    return *std::max_element(reports.begin(), reports.end(),
                             [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  };
  return [phase] {
    observe::LaunchReport report = phase(true);
    report.cycles += phase(false).cycles;
    return report;
  };
}

const KernelRegistrar g_link({"link_copy",
                              "a copy by the vector cores of die 0: kib to [read cores]",
                              prepare_link});
const KernelRegistrar g_all_reduce({"core_all_reduce",
                                    "an all-reduce by remote atomic adds: m n [cores]",
                                    prepare_all_reduce});

}  // namespace
}  // namespace davsim::silicon
