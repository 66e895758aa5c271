// Sorting; a benchmark.
#include <algorithm>
#include <array>
#include <functional>

#include "bench/bench.hpp"
#include "bench/vector_tiles.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// Merges take four of these queues, others every time, so that the host cannot learn by heart
/// which pair comes next.
constexpr std::uint32_t kQueueCount = 32, kLength = 256;
/// Merges of one run.
constexpr int kMerges = 8;
/// Where the queues, what is merged and what is sorted lie in UB.
constexpr std::uint32_t kQueues = 64 * 1024, kMerged = kQueues + kQueueCount * kLength * 8;

LocalTensor<float> queue(std::uint32_t number) {
  return {TPosition::VECCALC, kQueues + number * kLength * 8, kLength * 2};
}

/// The same queues on the host.
struct HostQueues {
  HostQueues() : all(kQueueCount * kLength), between(4 * kLength), merged(all.size()) {
    std::vector<float> scores = host().a;
    for (std::uint32_t first = 0; first < all.size(); first += kLength) {
      std::sort(scores.begin() + first, scores.begin() + first + kLength, std::greater<>());
    }
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = {scores[i], i};
  }
  std::vector<plain::Pair> all, between, merged;
};

void fill_queues() {
  fill_ub();
  const auto indices = tile<std::uint32_t>(kTo + 16 * 1024);
  LocalTensor<float> tmp(TPosition::VECCALC, kMerged, kLength * 2);
  for (std::uint32_t q = 0; q < kQueueCount; ++q) {
    Sort<float, true>(queue(q), tile<float>(kA)[q * kLength], indices, tmp, kLength / 32);
  }
}

/// Four different queues.
std::array<std::uint32_t, 4> pick(std::minstd_rand& random) {
  const std::uint32_t first = random() % kQueueCount, step = random() % kQueueCount | 1;
  return {first, (first + step) % kQueueCount, (first + 2 * step) % kQueueCount,
          (first + 3 * step) % kQueueCount};
}

void merge_in_ub() {
  static std::minstd_rand random(1);
  const std::uint16_t lengths[4] = {kLength, kLength, kLength, kLength};
  for (int merge = 0; merge < kMerges; ++merge) {
    const auto [q0, q1, q2, q3] = pick(random);
    MrgSort(tile<float>(kMerged), {queue(q0), queue(q1), queue(q2), queue(q3)},
            {lengths, false, 15, 1});
  }
}

void merge_on_host(HostQueues& queues) {
  static std::minstd_rand random(1);
  const auto at = [&](std::uint32_t queue) { return queues.all.data() + queue * kLength; };
  for (int merge = 0; merge < kMerges; ++merge) {
    const auto [q0, q1, q2, q3] = pick(random);
    const plain::Pair* const four[4] = {at(q0), at(q1), at(q2), at(q3)};
    plain::merge(queues.merged.data(), queues.between.data(), four, kLength);
  }
}

boost::json::object sorts() {
  HostTiles& h = host();
  static HostQueues queues;
  constexpr std::uint32_t kRuns = 64;
  return run_contests(
      isa::CoreType::AIV, fill_queues,
      {{"Sort32 float",
        [] { Sort32(tile<float>(kMerged), tile<float>(kA), tile<std::uint32_t>(kQueues), kRuns); },
        [&] { plain::sort(queues.merged.data(), h.a.data(), h.as<std::uint32_t>(h.b), kRuns); }},
       {"MrgSort float, four queues", merge_in_ub, [] { merge_on_host(queues); }}});
}
const BenchmarkRegistrar g_sorts("speed_sort",
                                 "host speed of Sort32 and MrgSort against the standard library",
                                 sorts);

}  // namespace
}  // namespace davsim::bench
