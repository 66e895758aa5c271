// The vector instructions' groups, each a benchmark, on tiles as kernels have them in UB.
#include <algorithm>
#include <functional>
#include <random>

#include "bench/bench.hpp"
#include "bench/instruction_speed.hpp"
#include "bench/plain_loops.hpp"
#include "kernel_operator.h"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// Elements of a tile and where three of them lie in UB.
constexpr std::uint32_t kCount = 8192;
constexpr std::uint32_t kTo = 128 * 1024, kA = 0, kB = 64 * 1024 + 256;

template <class T>
LocalTensor<T> tile(std::uint32_t at) {
  return {TPosition::VECCALC, at, kCount};
}

/// The host's tiles, with numbers between -8 and 8.
struct HostTiles {
  HostTiles() : to(kCount), a(kCount), b(kCount), pairs(kCount), between(kCount), queues(kCount) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-8, 8);
    for (std::uint32_t i = 0; i < kCount; ++i) a[i] = number(random), b[i] = number(random);
  }
  template <class T>
  T* as(std::vector<float>& tile) {
    return reinterpret_cast<T*>(tile.data());
  }
  std::vector<float> to, a, b;
  std::vector<plain::Pair> pairs, between, queues;
};
HostTiles& host() {
  static HostTiles tiles;
  return tiles;
}

/// The same numbers in UB, by way of the scalar unit.
void fill_ub() {
  for (std::uint32_t i = 0; i < kCount; ++i) {
    tile<float>(kA).SetValue(i, host().a[i]);
    tile<float>(kB).SetValue(i, host().b[i]);
  }
}

boost::json::object run(const std::vector<Contest>& contests) {
  return run_contests(isa::CoreType::AIV, fill_ub, contests);
}

boost::json::object elementwise() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA), b = tile<float>(kB);
  constexpr std::int32_t n = kCount;
  return run({
      {"Add float", [=] { Add(to, a, b, n); },
       [&] { plain::add(h.to.data(), h.a.data(), h.b.data(), n); }},
      {"Add int32_t",
       [=] {
         Add(to.ReinterpretCast<std::int32_t>(), a.ReinterpretCast<std::int32_t>(),
             b.ReinterpretCast<std::int32_t>(), n);
       },
       [&] {
         plain::add(h.as<std::int32_t>(h.to), h.as<std::int32_t>(h.a), h.as<std::int32_t>(h.b), n);
       }},
      {"Add half",
       [=] {
         Add(to.ReinterpretCast<half>(), a.ReinterpretCast<half>(), b.ReinterpretCast<half>(), n);
       },
       [&] {
         plain::add_halves(h.as<std::uint16_t>(h.to), h.as<std::uint16_t>(h.a),
                           h.as<std::uint16_t>(h.b), n);
       }},
      {"Mul float", [=] { Mul(to, a, b, n); },
       [&] { plain::multiply(h.to.data(), h.a.data(), h.b.data(), n); }},
      {"Div float", [=] { Div(to, a, b, n); },
       [&] { plain::divide(h.to.data(), h.a.data(), h.b.data(), n); }},
      {"Max float", [=] { Max(to, a, b, n); },
       [&] { plain::largest(h.to.data(), h.a.data(), h.b.data(), n); }},
      {"MulAddDst float", [=] { MulAddDst(to, a, b, n); },
       [&] { plain::multiply_add(h.to.data(), h.a.data(), h.b.data(), n); }},
      {"AddRelu float", [=] { AddRelu(to, a, b, n); },
       [&] { plain::add_rectify(h.to.data(), h.a.data(), h.b.data(), n); }},
      {"Adds float", [=] { Adds(to, a, 1.5f, n); },
       [&] { plain::add_scalar(h.to.data(), h.a.data(), 1.5f, n); }},
      {"Relu float", [=] { Relu(to, a, n); }, [&] { plain::rectify(h.to.data(), h.a.data(), n); }},
      {"Exp float", [=] { Exp(to, a, n); },
       [&] { plain::exponential(h.to.data(), h.a.data(), n); }},
      {"Sqrt float", [=] { Sqrt(to, a, n); }, [&] { plain::root(h.to.data(), h.a.data(), n); }},
      {"ShiftLeft uint32_t",
       [=] {
         ShiftLeft(to.ReinterpretCast<std::uint32_t>(), a.ReinterpretCast<std::uint32_t>(), 3u, n);
       },
       [&] { plain::shift_left(h.as<std::uint32_t>(h.to), h.as<std::uint32_t>(h.a), 3, n); }},
  });
}
const BenchmarkRegistrar g_elementwise("speed_elementwise",
                                       "host speed of elementwise instructions against loops",
                                       elementwise);

boost::json::object casts() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  constexpr std::uint32_t n = kCount;
  return run({
      {"float to half", [=] { Cast(to.ReinterpretCast<half>(), a, RoundMode::CAST_RINT, n); },
       [&] { plain::narrow(h.as<std::uint16_t>(h.to), h.a.data(), n); }},
      {"half to float", [=] { Cast(to, a.ReinterpretCast<half>(), RoundMode::CAST_NONE, n); },
       [&] { plain::widen(h.to.data(), h.as<std::uint16_t>(h.a), n); }},
      {"float to int32_t",
       [=] { Cast(to.ReinterpretCast<std::int32_t>(), a, RoundMode::CAST_RINT, n); },
       [&] { plain::round_to_int(h.as<std::int32_t>(h.to), h.a.data(), n); }},
      {"int32_t to float",
       [=] { Cast(to, a.ReinterpretCast<std::int32_t>(), RoundMode::CAST_NONE, n); },
       [&] { plain::from_int(h.to.data(), h.as<std::int32_t>(h.a), n); }},
      {"float to bfloat16_t",
       [=] { Cast(to.ReinterpretCast<bfloat16_t>(), a, RoundMode::CAST_RINT, n); },
       [&] { plain::to_bfloat16(h.as<std::uint16_t>(h.to), h.a.data(), n); }},
  });
}
const BenchmarkRegistrar g_casts("speed_cast", "host speed of casts against loops", casts);

boost::json::object reductions() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  constexpr std::uint32_t kRepeats = kCount / 64;
  return run({
      {"WholeReduceSum float", [=] { WholeReduceSum(to, a, 64, kRepeats, 1, 1, 8); },
       [&] { plain::sums(h.to.data(), h.a.data(), kRepeats, 64); }},
      {"WholeReduceMax float",
       [=] { WholeReduceMax(to, a, 64, kRepeats, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE); },
       [&] { plain::maxima(h.to.data(), h.a.data(), kRepeats, 64); }},
      {"PairReduceSum float", [=] { PairReduceSum(to, a, kRepeats, 64, 1, 1, 8); },
       [&] { plain::sums(h.to.data(), h.a.data(), kCount / 2, 2); }},
      {"BlockReduceSum float", [=] { BlockReduceSum(to, a, kRepeats, 64, 1, 1, 8); },
       [&] { plain::sums(h.to.data(), h.a.data(), kCount / 8, 8); }},
  });
}
const BenchmarkRegistrar g_reductions("speed_reduce", "host speed of reductions against loops",
                                      reductions);

boost::json::object transpositions() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  const auto tmp = LocalTensor<std::uint8_t>(TPosition::VECCALC, kB, 48 * 1024);
  constexpr std::uint32_t kTiles = 32, kChannels = 64, kPlane = 128;
  return run({
      {"TransDataTo5HD half",
       [=] {
         std::uint64_t dst[16], src[16];
         for (std::uint32_t i = 0; i < 16; ++i) dst[i] = kTo + i * 32, src[i] = kA + i * 32;
         TransDataTo5HD<half>(dst, src, {false, false, kTiles, 16, 16});
       },
       [&] { plain::transpose(h.as<std::uint16_t>(h.to), h.as<std::uint16_t>(h.a), kTiles); }},
      {"Transpose float [N, C, H, W] to [N, H, W, C]",
       [=] {
         Transpose(to, a, tmp, {1, kChannels, 1, kPlane, TransposeType::TRANSPOSE_NCHW2NHWC});
       },
       [&] { plain::transpose(h.to.data(), h.a.data(), kChannels, kPlane); }},
  });
}
const BenchmarkRegistrar g_transpositions("speed_transpose",
                                          "host speed of transpositions against loops",
                                          transpositions);

boost::json::object sorts() {
  HostTiles& h = host();
  constexpr std::uint32_t kRuns = 64, kScores = kRuns * 32, kLength = kScores / 4;
  // The queues to merge lie behind what is sorted.
  constexpr std::uint32_t kQueues = 96 * 1024, kMerged = kQueues + kScores * 8;
  const auto queue = [](std::uint32_t q) {
    return LocalTensor<float>(TPosition::VECCALC, kQueues + q * kLength * 8, kLength * 2);
  };
  const auto indices = tile<std::uint32_t>(kB);
  const auto prepare = [=, &h] {
    fill_ub();
    LocalTensor<float> tmp = tile<float>(kMerged);
    for (std::uint32_t q = 0; q < 4; ++q) {
      Sort<float, true>(queue(q), tile<float>(kA)[q * kLength], indices, tmp, kLength / 32);
      std::copy_n(h.a.data() + q * kLength, kLength, h.to.data() + q * kLength);
      std::sort(h.to.data() + q * kLength, h.to.data() + (q + 1) * kLength, std::greater<>());
    }
    for (std::uint32_t i = 0; i < kScores; ++i) h.queues[i] = {h.to[i], i};
  };
  const std::vector<Contest> contests = {
      {"Sort32 float", [=] { Sort32(tile<float>(kMerged), tile<float>(kA), indices, kRuns); },
       [&] { plain::sort(h.pairs.data(), h.a.data(), h.as<std::uint32_t>(h.b), kRuns); }},
      {"MrgSort float, four queues",
       [=] {
         const std::uint16_t lengths[4] = {kLength, kLength, kLength, kLength};
         MrgSort(tile<float>(kMerged), {queue(0), queue(1), queue(2), queue(3)},
                 {lengths, false, 15, 1});
       },
       [&] {
         const plain::Pair* const queues[4] = {h.queues.data(), h.queues.data() + kLength,
                                               h.queues.data() + 2 * kLength,
                                               h.queues.data() + 3 * kLength};
         plain::merge(h.pairs.data(), h.between.data(), queues, kLength);
       }},
  };
  return run_contests(isa::CoreType::AIV, prepare, contests);
}
const BenchmarkRegistrar g_sorts("speed_sort",
                                 "host speed of Sort32 and MrgSort against the standard library",
                                 sorts);

}  // namespace
}  // namespace davsim::bench
