// What the vendor's viewers call and colour things, and in which order they show them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/instr/instr.hpp"
#include "traces/observed.hpp"

namespace davsim::traces {

/// A lane of the vendor's timelines.
struct VendorLane {
  std::string_view
      name;  ///< "MTE2", "VECTOR", "CUBE", "FIXP", "SCALAR", "SCALARLDST", "CACHEMISS", "ALL"
  std::uint64_t order = 0;  ///< from top to bottom
  std::uint64_t pid = 0;    ///< its process in the trace of one core
};

/// The lane of a pipe. ALL: barriers on all pipes.
const VendorLane& vendor_lane(isa::Pipe pipe);
/// The lane of an instruction. It is the lane of its pipe, except for loads and stores of the
/// scalar unit and for instruction fetches.
const VendorLane& vendor_lane(const isa::Instr& instr);
const std::array<VendorLane, 10>& vendor_lanes();

/// Name of a colour of Chrome's trace viewer.
std::string_view vendor_color(const isa::Instr& instr);

/// Places of cores from top to bottom: the cube core of an AI core above its vector cores.
class VendorOrder {
 public:
  VendorOrder() = default;
  explicit VendorOrder(const std::vector<CoreDescription>& cores);
  std::uint64_t of(const CoreDescription& core) const;

 private:
  std::uint64_t cores_per_ai_core_ = 1;
};

}  // namespace davsim::traces
