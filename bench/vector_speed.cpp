// The vector instructions on tiles, element by element and reduced; each group a benchmark.
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/vector_tiles.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

std::vector<Contest> elementwise_reals() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA), b = tile<float>(kB);
  constexpr std::int32_t n = kCount;
  return {
      {"Add float", [=] { Add(to, a, b, n); },
       [&] { plain::add(h.to.data(), h.a.data(), h.b.data(), n); }},
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
      {"Abs float", [=] { Abs(to, a, n); }, [&] { plain::magnitude(h.to.data(), h.a.data(), n); }},
      {"Ln float", [=] { Ln(to, a, n); }, [&] { plain::logarithm(h.to.data(), h.a.data(), n); }},
      {"Reciprocal float", [=] { Reciprocal(to, a, n); },
       [&] { plain::reciprocal(h.to.data(), h.a.data(), n); }},
      {"LeakyRelu float", [=] { LeakyRelu(to, a, 0.1f, n); },
       [&] { plain::leaky(h.to.data(), h.a.data(), 0.1f, n); }},
      {"Axpy float", [=] { Axpy(to, a, 1.5f, n); },
       [&] { plain::add_scaled(h.to.data(), h.a.data(), 1.5f, n); }},
  };
}

std::vector<Contest> elementwise_integers() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA), b = tile<float>(kB);
  constexpr std::int32_t n = kCount;
  return {
      {"Add int32_t",
       [=] {
         Add(to.ReinterpretCast<std::int32_t>(), a.ReinterpretCast<std::int32_t>(),
             b.ReinterpretCast<std::int32_t>(), n);
       },
       [&] {
         plain::add(h.as<std::int32_t>(h.to), h.as<std::int32_t>(h.a), h.as<std::int32_t>(h.b), n);
       }},
      {"And uint16_t",
       [=] {
         And(to.ReinterpretCast<std::uint16_t>(), a.ReinterpretCast<std::uint16_t>(),
             b.ReinterpretCast<std::uint16_t>(), 2 * n);
       },
       [&] {
         plain::both(h.as<std::uint16_t>(h.to), h.as<std::uint16_t>(h.a), h.as<std::uint16_t>(h.b),
                     2 * n);
       }},
      {"ShiftRight int32_t",
       [=] {
         ShiftRight(to.ReinterpretCast<std::int32_t>(), a.ReinterpretCast<std::int32_t>(), 3, n);
       },
       [&] { plain::shift_right(h.as<std::int32_t>(h.to), h.as<std::int32_t>(h.a), 3, n); }},
      {"ShiftLeft uint32_t",
       [=] {
         ShiftLeft(to.ReinterpretCast<std::uint32_t>(), a.ReinterpretCast<std::uint32_t>(), 3u, n);
       },
       [&] { plain::shift_left(h.as<std::uint32_t>(h.to), h.as<std::uint32_t>(h.a), 3, n); }},
  };
}

boost::json::object elementwise() {
  std::vector<Contest> contests = elementwise_reals();
  for (Contest& contest : elementwise_integers()) contests.push_back(std::move(contest));
  return run_on_tiles(contests);
}
const BenchmarkRegistrar g_elementwise("speed_elementwise",
                                       "host speed of elementwise instructions against loops",
                                       elementwise);

boost::json::object casts() {
  HostTiles& h = host();
  const auto to = tile<float>(kTo), a = tile<float>(kA);
  constexpr std::uint32_t n = kCount;
  return run_on_tiles({
      {"float to half", [=] { Cast(to.ReinterpretCast<half>(), a, RoundMode::CAST_RINT, n); },
       [&] { plain::narrow(h.as<std::uint16_t>(h.to), h.a.data(), n); }},
      {"half to float", [=] { Cast(to, a.ReinterpretCast<half>(), RoundMode::CAST_NONE, n); },
       [&] { plain::widen(h.to.data(), h.as<std::uint16_t>(h.a), n); }},
      {"float to int32_t",
       [=] { Cast(to.ReinterpretCast<std::int32_t>(), a, RoundMode::CAST_RINT, n); },
       [&] { plain::round_to_int(h.as<std::int32_t>(h.to), h.a.data(), n); }},
      {"float to int16_t",
       [=] { Cast(to.ReinterpretCast<std::int16_t>(), a, RoundMode::CAST_RINT, n); },
       [&] { plain::round_to_int(h.as<std::int16_t>(h.to), h.a.data(), n); }},
      {"half to int8_t",
       [=] {
         Cast(to.ReinterpretCast<std::int8_t>(), a.ReinterpretCast<half>(), RoundMode::CAST_RINT,
              n);
       },
       [&] { plain::round_to_int(h.as<std::int8_t>(h.to), h.as<std::uint16_t>(h.a), n); }},
      {"int8_t to half",
       [=] {
         Cast(to.ReinterpretCast<half>(), a.ReinterpretCast<std::int8_t>(), RoundMode::CAST_NONE,
              n);
       },
       [&] { plain::from_int(h.as<std::uint16_t>(h.to), h.as<std::int8_t>(h.a), n); }},
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
  return run_on_tiles({
      {"WholeReduceSum float", [=] { WholeReduceSum(to, a, 64, kRepeats, 1, 1, 8); },
       [&] { plain::sums(h.to.data(), h.a.data(), kRepeats, 64); }},
      {"WholeReduceMax float",
       [=] { WholeReduceMax(to, a, 64, kRepeats, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE); },
       [&] { plain::maxima(h.to.data(), h.a.data(), kRepeats, 64); }},
      {"WholeReduceMax half, value and index",
       [=] {
         WholeReduceMax(to.ReinterpretCast<half>(), a.ReinterpretCast<half>(), 128, kRepeats, 1, 1,
                        8, ReduceOrder::ORDER_VALUE_INDEX);
       },
       [&] {
         plain::maxima_with_places(h.as<std::int16_t>(h.to), h.as<std::int16_t>(h.a), kRepeats,
                                   128);
       }},
      {"BlockReduceMax float", [=] { BlockReduceMax(to, a, kRepeats, 64, 1, 1, 8); },
       [&] { plain::maxima(h.to.data(), h.a.data(), kCount / 8, 8); }},
      {"PairReduceSum float", [=] { PairReduceSum(to, a, kRepeats, 64, 1, 1, 8); },
       [&] { plain::sums(h.to.data(), h.a.data(), kCount / 2, 2); }},
      {"BlockReduceSum float", [=] { BlockReduceSum(to, a, kRepeats, 64, 1, 1, 8); },
       [&] { plain::sums(h.to.data(), h.a.data(), kCount / 8, 8); }},
  });
}
const BenchmarkRegistrar g_reductions("speed_reduce", "host speed of reductions against loops",
                                      reductions);

}  // namespace
}  // namespace davsim::bench
