// Host time of a simulation beside a BLAS that does the same floating-point work.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>

#include "sim/device/device.hpp"

namespace davsim::bench {

/// Seconds that one thread of oneDNN takes for `batches` single-precision products [m, k] x [k, n];
/// the better of two runs after a first that generates code.
double sgemm_seconds(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batches = 1);

/// Measures a simulation on a device with these options: an object with "seconds", the better of
/// two runs, and whatever else is worth printing.
using Simulation = std::function<boost::json::object(const sim::DeviceOptions& options)>;

/// The simulation as users run it, in two threads, and in one, each in a process of its own; beside
/// `blas_seconds` of one thread. "ok": the first is at most `bar` times the BLAS.
boost::json::object beside_blas(const Simulation& simulate, double blas_seconds, double bar);

}  // namespace davsim::bench
