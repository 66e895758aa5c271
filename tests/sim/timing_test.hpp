// Tests of timing rules. Their numbers come from the description of the SoC, so that a rule that is
// tested here holds whatever its constants are calibrated to.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "sim/soc/timing_table.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {

class TimingTest : public DeviceTest {
 protected:
  /// Constants of the device's SoC. The device is made if there is none yet.
  const sim::TimingTable& timing() {
    if (!timing_) timing_.emplace(device().soc());
    return *timing_;
  }
  /// Cycles as the models count them: a part of a cycle takes the whole.
  static observe::Cycle whole(double cycles) {
    return static_cast<observe::Cycle>(std::ceil(cycles));
  }

  // --- vector instructions -------------------------------------------------------------------

  const sim::VectorRow& row(isa::Opcode op) {
    return timing().vector.rows[static_cast<std::size_t>(op)];
  }
  /// What every instruction of `op` pays.
  double fixed(isa::Opcode op) { return row(op).fixed; }
  /// Elements a cycle where the widest operand has elements of `bits`.
  double rate(isa::Opcode op, unsigned bits) {
    return row(op).elements_per_cycle.at(static_cast<std::size_t>(std::countr_zero(bits / 8)));
  }
  /// Cycles of a repeat of 256 bytes. An instruction without a rate takes one.
  double beat(isa::Opcode op, unsigned bits) {
    const double elements = rate(op, bits);
    return elements > 0 ? 256.0 / (bits / 8) / elements : 1;
  }
  /// An instruction of so many beats: one a repeat where nothing conflicts.
  observe::Cycle vector_cycles(isa::Opcode op, unsigned bits, double beats) {
    return whole(fixed(op) + beat(op, bits) * beats);
  }
  /// An instruction whose cost is counted by elements.
  observe::Cycle element_cycles(isa::Opcode op, unsigned bits, double elements) {
    return whole(fixed(op) + elements / rate(op, bits));
  }

  // --- memory --------------------------------------------------------------------------------

  double constant(const char* section, const char* key, const char* unit) {
    return device().soc().constant(section, key, unit);
  }
  /// A latency that does not follow the core clock, in core cycles.
  double latency(const char* section, const char* key) {
    return constant(section, key, "ns") * device().soc().frequency_mhz() / 1000;
  }
  double hbm_latency() { return latency("Timing.Hbm", "read_latency"); }
  double l2_latency() { return latency("Timing.L2", "read_latency"); }

 private:
  std::optional<sim::TimingTable> timing_;
};

}  // namespace davsim::test
