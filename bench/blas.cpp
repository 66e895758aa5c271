#include "bench/blas.hpp"

#include <dnnl.h>
#include <omp.h>

#include <algorithm>
#include <vector>

#include "bench/bench.hpp"

namespace davsim::bench {

double sgemm_seconds(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batches) {
  const auto floats = [](std::int64_t count, float value) {
    return std::vector<float>(static_cast<std::size_t>(count), value);
  };
  const std::vector<float> a = floats(m * k, 1.5f), b = floats(k * n, 0.5f);
  std::vector<float> c = floats(m * n, 0.0f);
  const auto products = [&] {
    for (std::int64_t i = 0; i < batches; ++i) {
      dnnl_sgemm('N', 'N', m, n, k, 1.0f, a.data(), k, b.data(), n, 0.0f, c.data(), n);
    }
  };
  omp_set_num_threads(1);
  products();
  return best_seconds(products);
}

boost::json::object beside_blas(const Simulation& simulate, double blas_seconds, double bar) {
  boost::json::object result = in_child([&] { return simulate({.threads = 2}); });
  const boost::json::object alone = in_child([&] { return simulate({.threads = 1}); });
  const double ratio = result.at("seconds").to_number<double>() / blas_seconds;
  const double one_thread = alone.at("seconds").to_number<double>();
  result["threads"] = 2;
  result["seconds_of_one_thread"] = one_thread;
  result["blas"] = "oneDNN sgemm, one thread";
  result["blas_seconds"] = blas_seconds;
  result["ratio_to_blas"] = ratio;
  result["ratio_of_one_thread"] = one_thread / blas_seconds;
  result["bar"] = bar;
  result["ok"] = ratio <= bar;
  return result;
}

}  // namespace davsim::bench
