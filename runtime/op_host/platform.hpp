// The platform that functions of operators ask about: a SoC's description.
#pragma once

#include <cstdint>

#include "platform/platform_infos_def.h"
#include "sim/soc/soc_config.hpp"

namespace davsim::op_host {

fe::PlatFormInfos platform_of(const sim::SocConfig& soc);
/// The same with other numbers of cores: fewer, where a program has set a limit.
fe::PlatFormInfos platform_of(const sim::SocConfig& soc, std::uint32_t cubes,
                              std::uint32_t vectors);

/// "ascend910b" for "Ascend910B" and so on: what AddConfig calls the SoC.
std::string compute_unit_of(const sim::SocConfig& soc);

}  // namespace davsim::op_host
