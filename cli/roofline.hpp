// The roofline of a SoC: the least time that the work needs, and how close a run came to it.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "kernels/registry/operator.hpp"
#include "session/peaks.hpp"

namespace davsim::cli {

using session::Peaks;
using session::peaks_json;

struct Roofline {
  Roofline(const operators::Cost& cost, const sim::SocConfig& soc, double time_us);

  double cube_us = 0, vector_us = 0, memory_us = 0;  ///< least time each part needs
  std::string bound;    ///< the part that needs longest: "cube", "vector" or "memory"
  double ideal_us = 0;  ///< the time of that part
  double share = 0;     ///< ideal time over the time it took; 1 is the roof

  double tflops = 0;  ///< of the cubes, or of the vector units for an operator without cube work
  double peak_tflops =
      0;  ///< what `tflops` is measured against: the cubes at 16 bit, or the vectors
  double peak_share = 0;  ///< least compute time over the time it took
  double gb_per_s = 0;    ///< bytes the work needs at least, over the time it took

  boost::json::object json() const;
};

boost::json::object cost_json(const operators::Cost& cost);

}  // namespace davsim::cli
