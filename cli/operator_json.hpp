// What an operator is, as JSON: what `davsim describe --json` prints and `davsim serve` answers.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "kernels/registry/system_operator.hpp"

namespace davsim::cli {

/// "in", "out" or "in/out".
std::string direction_name(operators::Direction direction);
/// The dtypes that a tensor may have: "float16", ...
std::vector<std::string> dtype_names(const operators::TensorSpec& spec);
boost::json::object operator_json(const operators::Operator& op);
/// The same of an operator of several dies: cases have a system and its number of ranks too.
boost::json::object operator_json(const operators::SystemOperator& op);

}  // namespace davsim::cli
