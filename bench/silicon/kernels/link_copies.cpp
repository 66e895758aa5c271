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

/// Each rank adds its part for each owner there, beginning with another one, and the owners put the
/// sums to all.
Launch prepare_all_reduce(sim::Device& device, const Params& params) {
  const std::uint32_t ranks = device.dies(), cores = vector_cores(device, params);
  const std::uint64_t part = ceil_div(std::uint64_t{params.number("count")} * 2, ranks * 512) * 512;
  std::vector<std::uint8_t*> from, to;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    from.push_back(shared(device, rank, part * ranks, "from"));
    to.push_back(shared(device, rank, part * ranks, "to"));
  }
  const auto phase = [=, &device](bool adds) {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      launches.push_back({rank, &g_entry, cores, 0, {}, [=] {
                            if (adds) SetAtomicAdd<half>();
                            {
                              Mover mover;
                              for (std::uint32_t turn = 0; turn < ranks; ++turn) {
                                const std::uint32_t peer = (rank + turn) % ranks;
                                const std::uint64_t at = part * (adds ? peer : rank);
                                mover.move(to[peer] + at, (adds ? from : to)[rank] + at, part);
                              }
                            }
                            if (adds) SetAtomicNone();
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
                                    "an all-reduce by remote atomic adds: count [cores]",
                                    prepare_all_reduce});

}  // namespace
}  // namespace davsim::silicon
