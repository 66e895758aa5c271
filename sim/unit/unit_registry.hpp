// Unit models by the names that descriptions of cores call them. A model's source registers it:
//
//   const UnitRegistration kMine("mine", {isa::Pipe::V}, [](const UnitContext& context) { ... });
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "memory/memory_system.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/unit/pipe.hpp"
#include "sim/unit/unit_flags.hpp"

namespace davsim::sim {

/// What a unit model may use; all of it outlives the model.
struct UnitContext {
  isa::Pipe pipe = isa::Pipe::V;  ///< the pipe it stands behind
  isa::CoreType core = isa::CoreType::AIV;
  const TimingTable& timing;
  memory::MemoryPortIf& memory_port;
  memory::RequesterId requester = 0;  ///< its number among the memory's requesters
  std::uint64_t gm_base = 0;          ///< the host address of device address 0
  UnitFlags& unit_flags;
};

using UnitFactory = std::unique_ptr<UnitModel> (*)(const UnitContext& context);

struct UnitRegistration {
  /// `pipes` are those whose instructions the model takes. Throws std::logic_error if the name is
  /// taken.
  UnitRegistration(std::string_view name, std::vector<isa::Pipe> pipes, UnitFactory factory);
};

/// Throws std::invalid_argument if there is no model of this name, or if it cannot stand behind
/// the context's pipe.
std::unique_ptr<UnitModel> make_unit(std::string_view name, const UnitContext& context);

}  // namespace davsim::sim
