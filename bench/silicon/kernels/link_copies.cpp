// Vector cores that move bytes over links: between two dies, and an all-reduce by remote atomic
// adds.
#include <algorithm>
#include <cstring>

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
  const std::uint64_t bytes = std::uint64_t{params.size("kib")} * 1024;
  const std::uint32_t peer = params.number("to");
  if (peer >= device.dies()) {
    throw std::invalid_argument("to is " + std::to_string(peer) + ", dies are numbered from 0 to " +
                                std::to_string(device.dies() - 1));
  }
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

/// A matrix of half in tiles of two parts. Tile t is summed up by rank t % ranks, in whose memory
/// its parts are counted.
struct Tiles {
  static constexpr std::uint32_t kRows = 64, kColumns = 256, kRowBytes = kColumns * 2, kParts = 2;
  static constexpr std::uint32_t kPartBytes = kRows * kRowBytes, kCounter = 32;

  std::uint32_t m, n, ranks, rank;
  std::vector<std::uint8_t*> sums, counters;  ///< by rank

  std::uint32_t count() const { return m / (kRows * kParts) * (n / kColumns); }
  std::uint32_t own_parts() const { return (count() + ranks - 1 - rank) / ranks * kParts; }
  std::uint64_t at(std::uint32_t tile, std::uint32_t part) const {
    const std::uint32_t across = n / kColumns;
    const std::uint64_t row = std::uint64_t{tile / across} * kParts + part;
    return row * kRows * n * 2 + tile % across * kRowBytes;
  }
};

/// A core that sums up and hands round, as the measured kernel does.
class Reducer {
 public:
  explicit Reducer(const Tiles& tiles) : tiles_(tiles) {
    for (std::uint32_t i = 0; i < 8; ++i) one_.SetValue(i, i == 0 ? 1 : 0);
  }

  /// Adds the parts of neighbouring tiles to the sums of their owners. The next part is loaded
  /// beside it. An owner hears of a part when it has arrived: a counter for the part and one for
  /// the block that hands it round.
  void add_up(std::uint8_t* from) {
    const std::uint32_t mine = tiles_.count() / GetBlockNum();
    const std::uint32_t more = tiles_.count() % GetBlockNum(), block = GetBlockIdx();
    const std::uint32_t first = (mine * block + std::min(block, more)) * Tiles::kParts;
    const std::uint32_t parts = (mine + (block < more ? 1 : 0)) * Tiles::kParts;
    if (parts == 0) return;
    load(from, first);
    for (std::uint32_t i = 0; i < parts; ++i) {
      wait<HardEvent::MTE2_MTE3>();
      SetAtomicAdd<half>();
      const std::uint32_t tile = (first + i) / Tiles::kParts, owner = tile % tiles_.ranks;
      store(tiles_.sums[owner], first + i);
      SetAtomicNone();
      if (i + 1 < parts) load(from, first + i + 1);
      PipeBarrier<PIPE_ALL>();
      count(owner, tile / tiles_.ranks * Tiles::kParts + (first + i) % Tiles::kParts);
      count(owner, tiles_.own_parts());
    }
  }

  /// Every block hands its share of the own parts to all others, one by one, as they are complete.
  void hand_round() {
    const std::uint32_t blocks = GetBlockNum();
    for (std::uint32_t part = blocks - 1 - GetBlockIdx(); part < tiles_.own_parts();
         part += blocks) {
      await(part);
      const std::uint32_t of_all =
          (part / Tiles::kParts * tiles_.ranks + tiles_.rank) * Tiles::kParts +
          part % Tiles::kParts;
      for (std::uint32_t turn = 0; turn + 1 < tiles_.ranks; ++turn) {
        const std::uint32_t step = 1 + (part + turn) % (tiles_.ranks - 1);
        load(tiles_.sums[tiles_.rank], of_all);
        wait<HardEvent::MTE2_MTE3>();
        store(tiles_.sums[(tiles_.rank + step) % tiles_.ranks], of_all);
        wait<HardEvent::MTE3_MTE2>();
      }
    }
  }

 private:
  template <HardEvent event>
  static void wait() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
  }
  /// Parts take turns in two buffers.
  static LocalTensor<half> buffer(std::uint32_t part) {
    return local<half>(TPosition::VECCALC, part % 2 * Tiles::kPartBytes, Tiles::kPartBytes / 2);
  }
  GlobalTensor<half> outside(std::uint8_t* start, std::uint32_t part) const {
    const std::uint64_t at = tiles_.at(part / Tiles::kParts, part % Tiles::kParts);
    return global(reinterpret_cast<half*>(start + at),
                  std::uint64_t{Tiles::kRows - 1} * tiles_.n + Tiles::kColumns);
  }
  std::uint16_t gap() const {
    return static_cast<std::uint16_t>(tiles_.n * 2 / 32 - Tiles::kRowBytes / 32);
  }
  void load(std::uint8_t* from, std::uint32_t part) const {
    DataCopy(buffer(part), outside(from, part),
             DataCopyParams(Tiles::kRows, Tiles::kRowBytes / 32, gap(), 0));
  }
  void store(std::uint8_t* to, std::uint32_t part) const {
    DataCopy(outside(to, part), buffer(part),
             DataCopyParams(Tiles::kRows, Tiles::kRowBytes / 32, 0, gap()));
  }
  GlobalTensor<std::int32_t> counter(std::uint32_t rank, std::uint32_t number) const {
    return global(reinterpret_cast<std::int32_t*>(tiles_.counters[rank] + number * Tiles::kCounter),
                  8);
  }
  void count(std::uint32_t rank, std::uint32_t number) const {
    SetAtomicAdd<std::int32_t>();
    DataCopy(counter(rank, number), one_, 8);
    SetAtomicNone();
    PipeBarrier<PIPE_ALL>();
  }
  void await(std::uint32_t part) const {
    const LocalTensor<std::int32_t> seen =
        local<std::int32_t>(TPosition::VECCALC, 2 * Tiles::kPartBytes + Tiles::kCounter, 8);
    std::int32_t ranks = 0;
    while (ranks < static_cast<std::int32_t>(tiles_.ranks)) {
      DataCopy(seen, counter(tiles_.rank, part), 8);
      wait<HardEvent::MTE2_S>();
      ranks = seen.GetValue(0);
      wait<HardEvent::S_MTE2>();
    }
  }

  const Tiles& tiles_;
  const LocalTensor<std::int32_t> one_ =
      local<std::int32_t>(TPosition::VECCALC, 2 * Tiles::kPartBytes, 8);
};

/// Each rank adds each tile to that of its owner. The owners put the sums to all, part by part, as
/// soon as all ranks have added theirs.
Launch prepare_all_reduce(sim::Device& device, const Params& params) {
  const std::uint32_t ranks = device.dies(), cores = vector_cores(device, params);
  const std::uint32_t m = params.size("m"), n = params.size("n");
  Tiles tiles{m, n, ranks, 0, {}, {}};
  if (m % (Tiles::kRows * Tiles::kParts) != 0 || n % Tiles::kColumns != 0) {
    throw std::invalid_argument("m is a multiple of " +
                                std::to_string(Tiles::kRows * Tiles::kParts) + ", n of " +
                                std::to_string(Tiles::kColumns));
  }
  const std::uint64_t counters = std::uint64_t{tiles.own_parts() + 1} * Tiles::kCounter;
  std::vector<std::uint8_t*> from;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    from.push_back(shared(device, rank, std::uint64_t{m} * n * 2, "from"));
    tiles.sums.push_back(shared(device, rank, std::uint64_t{m} * n * 2, "sums"));
    tiles.counters.push_back(shared(device, rank, counters, "counters"));
  }
  return [=, &device] {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::memset(tiles.counters[rank], 0, counters);
      Tiles of_rank = tiles;
      of_rank.rank = rank;
      launches.push_back({rank, &g_entry, cores, 0, {}, [=] {
                            Reducer reducer(of_rank);
                            reducer.add_up(from[rank]);
                            reducer.hand_round();
                          }});
    }
    const auto reports = device.launch(std::move(launches));
    return *std::max_element(reports.begin(), reports.end(),
                             [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  };
}

const KernelRegistrar g_link({"link_copy",
                              "a copy by the vector cores of die 0: kib to [read cores]",
                              prepare_link});
const KernelRegistrar g_all_reduce({"core_all_reduce",
                                    "an all-reduce by remote atomic adds: m n [cores]",
                                    prepare_all_reduce, true});

}  // namespace
}  // namespace davsim::silicon
