#include "session/peaks.hpp"

#include <boost/json.hpp>

namespace davsim::session {
namespace {

/// FLOP/s of all cubes for one type; a multiply-accumulate is two.
double cube_rate(const sim::SocConfig& soc, const char* type) {
  return soc.constant("Timing.Cube", type, "macs/cycle") * 2 * soc.aic_count() *
         soc.frequency_mhz() * 1e6;
}

}  // namespace

Peaks::Peaks(const sim::SocConfig& soc)
    : cube_16bit(cube_rate(soc, "f16")),
      cube_8bit(cube_rate(soc, "i8")),
      cube_32bit(cube_rate(soc, "f32")),
      vector(soc.constant("Timing.Vector", "VADD.b16", "elements/cycle") * soc.aiv_count() *
             soc.frequency_mhz() * 1e6),
      hbm(soc.constant("Timing.Hbm", "peak", "bytes/s")),
      l2(soc.constant("Timing.L2", "bandwidth", "bytes/cycle") * soc.frequency_mhz() * 1e6) {}

boost::json::object peaks_json(const sim::SocConfig& soc) {
  const Peaks peaks(soc);
  return {{"cube_16bit", peaks.cube_16bit},
          {"cube_8bit", peaks.cube_8bit},
          {"cube_32bit", peaks.cube_32bit},
          {"vector", peaks.vector},
          {"hbm", peaks.hbm},
          {"l2", peaks.l2}};
}

}  // namespace davsim::session
