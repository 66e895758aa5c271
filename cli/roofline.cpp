#include "cli/roofline.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace davsim::cli {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

Roofline::Roofline(const operators::Cost& cost, const sim::SocConfig& soc, double time_us) {
  const Peaks peaks(soc);
  cube_us =
      1e6 * (cost.cube_flops_16bit / peaks.cube_16bit + cost.cube_flops_8bit / peaks.cube_8bit +
             cost.cube_flops_32bit / peaks.cube_32bit);
  vector_us = 1e6 * cost.vector_flops / peaks.vector;
  // Written bytes may stay in L2 beyond the end of the launch. Read bytes must come from HBM.
  memory_us = 1e6 * (cost.min_bytes - cost.min_written_bytes) / peaks.hbm;
  ideal_us = std::max({cube_us, vector_us, memory_us});
  bound = ideal_us == memory_us ? "memory" : ideal_us == cube_us ? "cube" : "vector";
  share = ratio(ideal_us, time_us);

  const double cube_flops = cost.cube_flops_16bit + cost.cube_flops_8bit + cost.cube_flops_32bit;
  const bool has_cube = cube_flops > 0;
  tflops = ratio(has_cube ? cube_flops : cost.vector_flops, time_us) * 1e-6;
  // Products of several types have the peak of their mix.
  peak_tflops = has_cube ? ratio(cube_flops, cube_us) * 1e-6 : peaks.vector * 1e-12;
  peak_share = ratio(has_cube ? cube_us : vector_us, time_us);
  gb_per_s = ratio(cost.min_bytes, time_us) * 1e-3;
}

boost::json::object Roofline::json() const {
  return {{"bound", bound},     {"ideal_us", ideal_us},   {"share", share},
          {"cube_us", cube_us}, {"vector_us", vector_us}, {"memory_us", memory_us}};
}

boost::json::object cost_json(const operators::Cost& cost) {
  return {{"cube_flops_16bit", cost.cube_flops_16bit},
          {"cube_flops_8bit", cost.cube_flops_8bit},
          {"cube_flops_32bit", cost.cube_flops_32bit},
          {"vector_flops", cost.vector_flops},
          {"min_bytes", cost.min_bytes},
          {"min_written_bytes", cost.min_written_bytes}};
}

}  // namespace davsim::cli
