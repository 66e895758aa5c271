// Products of a few half rows with int8 weights, as the vendor computes them.
#pragma once

#include "bench/silicon/kernels/gemm_core.hpp"
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {

/// The published limits of this way.
inline bool few_rows(const Gemm& g) {
  return g.m <= 64 && g.k % 32 == 0 && g.n % 32 == 0;
}

/// The product of `g`, whose weights are stored as they are.
Launch multi_scale_launch(sim::Device& device, const Params& params, const Gemm& g);

}  // namespace davsim::silicon
