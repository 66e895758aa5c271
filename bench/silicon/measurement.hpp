// One published measurement, as bench/silicon/measurements.csv holds it.
#pragma once

#include <string>
#include <vector>

namespace davsim::silicon {

/// How a measurement is compared.
enum class Kind {
  kRebuild,  ///< the structure of the measured kernel is public and rebuilt here
  kOurs,     ///< the vendor's kernel is not public: a kernel of ours does the same work
  kOmitted,  ///< not compared; `note` says why
};

struct Measurement {
  std::string id;
  std::string family;
  Kind kind = Kind::kOmitted;
  std::string soc;
  std::string kernel;      ///< its name in the registry
  std::string parameters;  ///< "key=value key=value"
  bool warm = false;       ///< L2 holds what an equal call before left there
  std::string quantity;    ///< "latency_us", "core_us", "busy_us:MTE2", ...
  double value = 0;
  std::string note;

  /// What has to be simulated for it; measurements that agree in this share a run.
  std::string run_key() const {
    return soc + "|" + kernel + "|" + parameters + "|" + (warm ? "w" : "c");
  }
};

const char* kind_name(Kind kind);
/// Throws std::runtime_error naming file, line and what is wrong.
std::vector<Measurement> read_measurements(const std::string& path);

}  // namespace davsim::silicon
