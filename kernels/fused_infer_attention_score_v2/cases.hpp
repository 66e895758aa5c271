// The documented examples: FIA-1 to FIA-14, and one refusal a row of the check list.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators::fused_infer_attention_score {

std::vector<ExampleCase> cases();
Call make_case(std::string_view id, memory::GlobalMemory& memory);

}  // namespace davsim::operators::fused_infer_attention_score
