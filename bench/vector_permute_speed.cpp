// The vector instructions that choose and move elements; each group a benchmark.
#include "bench/bench.hpp"
#include "bench/vector_tiles.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// Where bits, a bit an element, and offsets lie: behind the third tile.
constexpr std::uint32_t kBits = kTo + kCount * 4, kOffsets = kB;

boost::json::object choices() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA), b = tile<float>(kB);
  const auto bits = tile<std::uint8_t>(kBits);
  static std::vector<std::uint8_t> host_bits(kCount / 8);
  constexpr std::uint32_t n = kCount;
  return run_on_tiles({
      {"Compare float", [=] { Compare(bits, a, b, CMPMODE::LT, n); },
       [&] { plain::less(host_bits.data(), h.a.data(), h.b.data(), n); }},
      {"Compare half",
       [=] { Compare(bits, a.ReinterpretCast<half>(), b.ReinterpretCast<half>(), CMPMODE::LT, n); },
       [&] {
         plain::less(host_bits.data(), h.as<std::uint16_t>(h.a), h.as<std::uint16_t>(h.b), n);
       }},
      {"CompareScalar float", [=] { CompareScalar(bits, a, 1.0f, CMPMODE::LT, n); },
       [&] { plain::less(host_bits.data(), h.a.data(), 1.0f, n); }},
      {"Select float, two tensors",
       [=] { Select(to, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, n); },
       [&] { plain::choose(h.to.data(), host_bits.data(), h.a.data(), h.b.data(), n); }},
      {"Select float, a scalar",
       [=] { Select(to, bits, a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n); },
       [&] { plain::choose(h.to.data(), host_bits.data(), h.a.data(), 0.0f, n); }},
  });
}
const BenchmarkRegistrar g_choices("speed_select",
                                   "host speed of comparisons and choices against loops", choices);

/// Offsets of elements in any order, and bits that keep about half of them.
struct Places {
  Places() : offsets(kCount), kept(kCount / 32) {
    std::mt19937 random(2);
    for (std::uint32_t& offset : offsets) offset = random() % kCount * 4;
    for (std::uint32_t& word : kept) word = static_cast<std::uint32_t>(random());
  }
  void fill_ub() const {
    bench::fill_ub();
    for (std::uint32_t i = 0; i < kCount; ++i) {
      tile<std::uint32_t>(kOffsets).SetValue(i, offsets[i]);
    }
    for (std::uint32_t i = 0; i < kCount / 32; ++i) {
      tile<std::uint32_t>(kBits).SetValue(i, kept[i]);
    }
  }
  std::vector<std::uint32_t> offsets, kept;
};

boost::json::object gathers() {
  HostTiles& h = host();
  static const Places places;
  // Blocks: their offsets are multiples of 32.
  static std::vector<std::uint32_t> blocks(places.offsets);
  for (std::uint32_t& offset : blocks) offset = offset / 32 * 32;
  constexpr std::uint32_t kBlocks = kCount / 8, kBlockOffsets = kBits + kCount / 8;
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  const auto offsets = tile<std::uint32_t>(kOffsets), bits = tile<std::uint32_t>(kBits);
  const auto prepare = [] {
    places.fill_ub();
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      tile<std::uint32_t>(kBlockOffsets).SetValue(i, blocks[i]);
    }
  };
  const GatherMaskParams whole{1, kCount / 64, 8, 0}, by_bits{1, kCount / 64, 8, 1};
  return run_contests(
      isa::CoreType::AIV, prepare,
      {{"Gather float", [=] { Gather(to, a, offsets, 0, kCount); },
        [&] { plain::gather(h.to.data(), h.a.data(), places.offsets.data(), kCount); }},
       {"Gather half",
        [=] { Gather(to.ReinterpretCast<half>(), a.ReinterpretCast<half>(), offsets, 0, kCount); },
        [&] {
          plain::gather(h.as<std::uint16_t>(h.to), h.as<std::uint16_t>(h.a), places.offsets.data(),
                        kCount);
        }},
       {"Gatherb uint32_t",
        [=] {
          Gatherb(to.ReinterpretCast<std::uint32_t>(), a.ReinterpretCast<std::uint32_t>(),
                  tile<std::uint32_t>(kBlockOffsets), kCount / 64, {1, 8});
        },
        [&] { plain::gather_blocks(h.to.data(), h.a.data(), blocks.data(), kBlocks); }},
       {"GatherMask float, every other one",
        [=] { GatherMask(to, a, std::uint8_t{1}, false, 0, whole); },
        [&] { plain::every_other(h.to.data(), h.a.data(), kCount / 2); }},
       {"GatherMask float, by bits", [=] { GatherMask(to, a, bits, false, 0, by_bits); },
        [&] {
          // A repeat's bits begin on a DataBlock.
          static std::vector<std::uint32_t> spread = [] {
            std::vector<std::uint32_t> all(kCount / 32);
            for (std::uint32_t i = 0; i < kCount / 32; ++i)
              all[i] = places.kept[i / 2 * 8 % 256 + i % 2];
            return all;
          }();
          plain::keep(h.to.data(), h.a.data(), spread.data(), kCount);
        }}});
}
const BenchmarkRegistrar g_gathers("speed_gather", "host speed of gathers against loops", gathers);

boost::json::object fills() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  return run_on_tiles({
      {"Duplicate float", [=] { Duplicate(to, 1.5f, kCount); },
       [&] { plain::fill(h.to.data(), 1.5f, kCount); }},
      {"Copy float",
       [=] {
         Copy(to, a, std::uint64_t{64}, kCount / 64, {1, 1, 8, 8});
       },
       [&] { plain::copy(h.to.data(), h.a.data(), kCount); }},
      {"Brcb float",
       [=] {
         Brcb(to, a, kCount / 64, {1, 8});
       },
       [&] { plain::repeat_each(h.to.data(), h.a.data(), kCount / 8, 8); }},
      {"Brcb half",
       [=] {
         Brcb(to.ReinterpretCast<half>(), a.ReinterpretCast<half>(), kCount / 64, {1, 8});
       },
       [&] {
         plain::repeat_each(h.as<std::uint16_t>(h.to), h.as<std::uint16_t>(h.a), kCount / 8, 16);
       }},
  });
}
const BenchmarkRegistrar g_fills("speed_fill", "host speed of fills and copies against loops",
                                 fills);

boost::json::object transpositions() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  const auto tmp = LocalTensor<std::uint8_t>(TPosition::VECCALC, kB, 48 * 1024);
  constexpr std::uint32_t kTiles = 32, kChannels = 64, kPlane = 128;
  return run_on_tiles({
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

}  // namespace
}  // namespace davsim::bench
