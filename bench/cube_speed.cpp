// Mmad against products of the same sizes by a BLAS or, of integers, which it has not, by a loop.
#include <dnnl.h>
#include <omp.h>

#include "bench/bench.hpp"
#include "bench/instruction_speed.hpp"
#include "bench/plain_loops.hpp"
#include "kernel_operator.h"

namespace davsim::bench {
namespace {

using namespace AscendC;

constexpr std::uint16_t kM = 128, kN = 256, kK = 64;

template <class T>
LocalTensor<T> left() {
  return {TPosition::A2, 0, kM * kK};
}
template <class T>
LocalTensor<T> right() {
  return {TPosition::B2, 0, kK * kN};
}
template <class T>
LocalTensor<T> result() {
  return {TPosition::CO1, 0, kM * kN};
}

/// Any finite numbers do; as halves, floats and bytes these are small ones.
void fill_operands() {
  Fill(left<half>(), InitConstValueParams<half>(1, kM * kK * 4 / 512, 0, half(0.5f)));
  Fill(right<half>(), InitConstValueParams<half>(1, kK * kN * 4 / 512, 0, half(1.5f)));
}

template <class To, class From>
std::function<void()> product() {
  return [] {
    Mmad(result<To>(), left<From>(), right<From>(), MmadParams(kM, kN, kK, 0, false, true));
  };
}

boost::json::object mmad() {
  omp_set_num_threads(1);
  const std::vector<float> a(kM * kK, 0.5f), b(kK * kN, 1.5f);
  std::vector<float> c(kM * kN);
  const std::vector<std::int8_t> a8(kM * kK, 3), b8(kK * kN, -5);
  std::vector<std::int32_t> c32(kM * kN);
  const auto sgemm = [&] {
    dnnl_sgemm('N', 'N', kM, kN, kK, 1.0f, a.data(), kK, b.data(), kN, 0.0f, c.data(), kN);
  };
  const auto integers = [&] {
    plain::multiply_matrices(c32.data(), a8.data(), b8.data(), kM, kN, kK);
  };
  return run_contests(
      isa::CoreType::AIC, fill_operands,
      {{"Mmad half 128 x 256 x 64, against sgemm", product<float, half>(), sgemm},
       {"Mmad bfloat16_t, against sgemm", product<float, bfloat16_t>(), sgemm},
       {"Mmad float, against sgemm", product<float, float>(), sgemm},
       {"Mmad int8_t, against a loop", product<std::int32_t, std::int8_t>(), integers}});
}
const BenchmarkRegistrar g_mmad("speed_mmad", "host speed of Mmad against oneDNN's products", mmad);

}  // namespace
}  // namespace davsim::bench
