#include "session/figures.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "session/peaks.hpp"

namespace davsim::session {
namespace {

namespace json = boost::json;

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

json::object figures(const observe::LaunchReport& report, const sim::SocConfig& soc,
                     const std::vector<std::string>& set) {
  double cube_flops = 0, vector_flops = 0;
  for (const observe::CoreCounters& core : report.cores) {
    cube_flops += 2.0 * static_cast<double>(core.cube_macs);
    vector_flops += static_cast<double>(core.vector_elements);
  }
  const double bytes =
      static_cast<double>(report.memory.hbm_read_bytes + report.memory.hbm_write_bytes);
  const Peaks peaks(soc);
  const double cube_us = 1e6 * cube_flops / peaks.cube_16bit;
  const double vector_us = 1e6 * vector_flops / peaks.vector;
  const double memory_us = 1e6 * bytes / peaks.hbm;
  const double ideal_us = std::max({cube_us, vector_us, memory_us});
  const bool cube = cube_flops > 0;
  const double time_us = report.time_us();
  return {{"operator", report.kernel},
          {"case", nullptr},
          {"product", soc.product()},
          {"set", json::array(set.begin(), set.end())},
          {"l2_start", "as the launch before left it"},
          {"check", "not checked"},
          {"comparisons", json::array()},
          {"warnings", json::array()},
          {"cost",
           {{"cube_flops_16bit", cube_flops},
            {"cube_flops_8bit", 0},
            {"cube_flops_32bit", 0},
            {"vector_flops", vector_flops},
            {"min_bytes", bytes},
            {"min_written_bytes", report.memory.hbm_write_bytes}}},
          {"tflops", ratio(cube ? cube_flops : vector_flops, time_us) * 1e-6},
          {"peak_tflops", (cube ? peaks.cube_16bit : peaks.vector) * 1e-12},
          {"peak_share", ratio(cube ? cube_us : vector_us, time_us)},
          {"gb_per_s", ratio(bytes, time_us) * 1e-3},
          {"roofline",
           {{"bound", ideal_us == memory_us ? "memory"
                      : ideal_us == cube_us ? "cube"
                                            : "vector"},
            {"ideal_us", ideal_us},
            {"share", ratio(ideal_us, time_us)},
            {"cube_us", cube_us},
            {"vector_us", vector_us},
            {"memory_us", memory_us}}}};
}

}  // namespace davsim::session
