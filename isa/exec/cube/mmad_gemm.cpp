#include "isa/exec/cube/mmad_gemm.hpp"

#include <libxsmm.h>

#include <unordered_map>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace davsim::isa {
namespace {

constexpr libxsmm_blasint kColumns = 16;

#if defined(__x86_64__)
/// libxsmm's kernels leave the upper halves of the vector registers in use, and every instruction
/// of the older encoding then waits for the one before it: a factor of five on simple loops.
__attribute__((target("avx"))) void release_upper_halves() {
  _mm256_zeroupper();
}
#else
void release_upper_halves() {}
#endif

/// Kernels made so far, by m, k and accumulate; null where the host has none.
libxsmm_smmfunction kernel_for(std::size_t m, std::size_t k, bool accumulate) {
  static thread_local std::unordered_map<std::size_t, libxsmm_smmfunction> kernels;
  const std::size_t key = (m << 32) | (k << 1) | (accumulate ? 1 : 0);
  const auto found = kernels.find(key);
  if (found != kernels.end()) return found->second;
  // libxsmm thinks in columns: our row of 16 is its column of 16.
  const auto rows = static_cast<libxsmm_blasint>(m), depth = static_cast<libxsmm_blasint>(k);
  const float alpha = 1.0f, beta = accumulate ? 1.0f : 0.0f;
  const int prefetch = LIBXSMM_PREFETCH_NONE;
  const libxsmm_smmfunction kernel = libxsmm_smmdispatch(
      kColumns, rows, depth, &kColumns, &depth, &kColumns, &alpha, &beta, nullptr, &prefetch);
  return kernels.emplace(key, kernel).first->second;
}

}  // namespace

void multiply_panel(float* c, const float* a, const float* b, std::size_t m, std::size_t k,
                    bool accumulate) {
  const libxsmm_smmfunction kernel = kernel_for(m, k, accumulate);
  if (kernel != nullptr) {
    kernel(b, a, c);
    release_upper_halves();
  } else {
    multiply_panel_plain(c, a, b, m, k, accumulate);
  }
}

void multiply_panel_plain(float* c, const float* a, const float* b, std::size_t m, std::size_t k,
                          bool accumulate) {
  for (std::size_t row = 0; row < m; ++row) {
    float sum[kColumns] = {};
    for (std::size_t col = 0; accumulate && col < kColumns; ++col) sum[col] = c[col];
    for (std::size_t depth = 0; depth < k; ++depth) {
      const float factor = a[depth];
      const float* with = b + depth * kColumns;
      for (std::size_t col = 0; col < kColumns; ++col) sum[col] += factor * with[col];
    }
    for (std::size_t col = 0; col < kColumns; ++col) c[col] = sum[col];
    a += k;
    c += kColumns;
  }
}

}  // namespace davsim::isa
