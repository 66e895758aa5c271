#include "session/peaks.hpp"

#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "sim/soc/timing_table.hpp"
#include "traces/observed.hpp"

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

namespace {

/// Bytes/s of the ports of all cores to and from global memory, by path.
boost::json::object ports_json(const sim::SocConfig& soc) {
  using traces::Path;
  const auto rates = sim::TimingTable(soc).path_bytes_per_cycle();
  boost::json::object ports;
  for (const auto& [path, cores] :
       {std::pair{Path::kGmToL1, soc.aic_count()}, std::pair{Path::kL1ToGm, soc.aic_count()},
        std::pair{Path::kL0CToGm, soc.aic_count()}, std::pair{Path::kGmToUb, soc.aiv_count()},
        std::pair{Path::kUbToGm, soc.aiv_count()}}) {
    const std::string_view name = traces::path_name(path);
    ports[{name.data(), name.size()}] =
        rates[static_cast<std::size_t>(path)] * cores * soc.frequency_mhz() * 1e6;
  }
  return ports;
}

}  // namespace

boost::json::object peaks_json(const sim::SocConfig& soc) {
  const Peaks peaks(soc);
  return {{"cube_16bit", peaks.cube_16bit},
          {"cube_8bit", peaks.cube_8bit},
          {"cube_32bit", peaks.cube_32bit},
          {"vector", peaks.vector},
          {"hbm", peaks.hbm},
          {"l2", peaks.l2},
          {"ports", ports_json(soc)},
          {"cores", {{"AIC", soc.aic_count()}, {"AIV", soc.aiv_count()}}}};
}

}  // namespace davsim::session
