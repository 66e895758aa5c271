// The least work of a call, for its roofline.
#pragma once

#include "kernels/paged_attention/request.hpp"

namespace davsim::operators::paged_attention {

Cost cost(const Request& request);

}  // namespace davsim::operators::paged_attention
