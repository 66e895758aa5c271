// The documented examples: PA-1 to PA-15, and refusals of each row of the check list.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators::paged_attention {

std::vector<ExampleCase> cases();
Call make_case(std::string_view id, memory::GlobalMemory& memory);

}  // namespace davsim::operators::paged_attention
