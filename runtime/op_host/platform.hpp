// The platform that functions of operators ask about: a SoC's description.
#pragma once

#include "platform/platform_infos_def.h"
#include "sim/soc/soc_config.hpp"

namespace davsim::op_host {

fe::PlatFormInfos platform_of(const sim::SocConfig& soc);

/// "ascend910b" for "Ascend910B" and so on: what AddConfig calls the SoC.
std::string compute_unit_of(const sim::SocConfig& soc);

}  // namespace davsim::op_host
