// A core as the description of its SoC has it: buffers, pipes and the model behind each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/instr/opcode.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::sim {

struct BufferSpec {
  isa::Space space = isa::Space::kUb;
  std::uint64_t bytes = 0;
};

struct PipeSpec {
  isa::Pipe id = isa::Pipe::V;
  std::string model;  ///< name of the unit model, see sim/unit/unit_registry.hpp
};

struct CoreSpec {
  isa::CoreType type = isa::CoreType::AIV;
  std::vector<BufferSpec> buffers;
  std::vector<PipeSpec> pipes;  ///< without the scalar unit's, which every core has
  std::uint32_t event_ids = 0;  ///< event flags of each ordered pair of pipes

  isa::PipeMask pipe_mask() const;
  std::uint64_t buffer_bytes(isa::Space space) const;  ///< 0 if there is none
};

/// Reads sections [AIC] and [AIC.Pipes], or [AIV] and [AIV.Pipes].
/// Throws std::invalid_argument for a buffer that cores of this type do not have, an unknown pipe,
/// or a number of event flags that the kernel API cannot name.
CoreSpec core_spec(const SocConfig& soc, isa::CoreType type);

/// Vector cores of an AI core.
std::uint32_t aivs_per_aic(const SocConfig& soc);

}  // namespace davsim::sim
