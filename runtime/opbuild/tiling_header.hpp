// The structs of tiling data as a kernel sees them.
#pragma once

#include <string>

#include "runtime/op_host/registry.hpp"

namespace davsim::opbuild {

/// A header with a struct for every class of tiling data that is registered for the operator, with
/// the classes nested in them before those. Empty where there is none. Its assertions compare the
/// layout with that of the class.
std::string tiling_header(const std::string& op_type);

/// The struct of all launches, or of those with this tiling key where only keys have structs; empty
/// where there is none.
std::string tiling_struct(const std::string& op_type, std::uint64_t key);

}  // namespace davsim::opbuild
