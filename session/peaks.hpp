// What a SoC can do at most.
#pragma once

#include <boost/json/object.hpp>

#include "sim/soc/soc_config.hpp"

namespace davsim::session {

/// Peak rates of a SoC, from its description.
struct Peaks {
  explicit Peaks(const sim::SocConfig& soc);
  double cube_16bit = 0;  ///< FLOP/s of the cubes with fp16 or bf16: cores x 8192 x frequency
  double cube_8bit = 0, cube_32bit = 0;
  double vector = 0;  ///< FLOP/s of the vector units: cores x 128 fp16 lanes x frequency
  double hbm = 0;     ///< bytes/s
  double l2 = 0;      ///< bytes/s
};

/// The members of Peaks by their names, and `ports`: bytes/s of the ports of all cores to and from
/// global memory by path ("GM->L1"), `cores`: how many there are by type.
boost::json::object peaks_json(const sim::SocConfig& soc);

}  // namespace davsim::session
