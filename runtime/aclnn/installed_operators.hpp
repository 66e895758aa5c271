// Operators of packages that are installed, for calls that say an operator's name only.
#pragma once

#include <string>

namespace davsim::runtime {

bool is_registered(const std::string& type);

/// Kernels find the simulator in the process, also where an interpreter has loaded it for itself.
void show_simulator();

/// Loads the libraries of packages, one after the other, until one has the operator. Packages are
/// the folders of ASCEND_CUSTOM_OPP_PATH and those below ASCEND_OPP_PATH/vendors. Throws
/// ApiError(ACL_ERROR_OP_NOT_FOUND) naming the libraries if none has it.
void load_installed_operator(const std::string& type);

}  // namespace davsim::runtime
