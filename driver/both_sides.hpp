// Functions of host and device: [host, aicore].
#pragma once

#include <string>

namespace davsim::driver {

/// Blanks out these words of the device's language in a preprocessed text, in headers of the system
/// as well. `aicore` may be a macro of the kernel API there, which stands for [].
void strip_both_sides(std::string& text);

}  // namespace davsim::driver
