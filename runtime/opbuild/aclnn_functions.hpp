// The functions that programs call an operator by: aclnnAddCustomGetWorkspaceSize and
// aclnnAddCustom.
#pragma once

#include <filesystem>
#include <string>

namespace davsim::opbuild {

/// The header aclnn_add_custom.h of an operator. Throws std::invalid_argument for a definition that
/// contradicts itself.
std::string aclnn_header(const std::string& type);
/// The header aclnnInner_add_custom.h, by which functions that are written by hand call those.
std::string inner_header(const std::string& type);
/// The source behind both headers. `library` is the file name of the library of kernels.
std::string aclnn_source(const std::string& type, const std::string& library);

/// Writes headers and source of every registered operator into `folder`, and beside them
/// aclnn.cmake, which sets davsim_aclnn_sources and davsim_aclnn_headers.
void write_aclnn_functions(const std::filesystem::path& folder, const std::string& library);

}  // namespace davsim::opbuild
