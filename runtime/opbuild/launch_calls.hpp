// Launches in the sources of operators' kernels.
#pragma once

#include <string>

namespace davsim::opbuild {

/// The text of a source with (void)0 in place of each kernel<<<blocks, l2ctrl,
/// stream>>>(arguments). Every line stays where it is. Projects keep functions that launch in the
/// file of a kernel; operators are launched by their aclnn functions, and these are called by
/// nobody.
std::string without_launches(const std::string& text);

}  // namespace davsim::opbuild
