// An operator as it is on one SoC: its parameters with one type and format a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/op_host/registry.hpp"

namespace davsim::op_host {

struct Parameter {
  std::string name;
  ::ops::Option kind = ::ops::REQUIRED;  ///< REQUIRED, OPTIONAL or DYNAMIC
  std::vector<ge::DataType> types;       ///< one a column, as below
  std::vector<ge::Format> formats;
  bool value_depend = false;
  /// How aclnn functions take it: as an array of the host's elements, by ValueDepend(REQUIRED); as
  /// either, by ValueDepend(OPTIONAL); as a scalar or a list of them.
  bool host_values = false, host_values_or_tensor = false, scalar = false, scalar_list = false;
  bool auto_contiguous = false, ignore_contiguous = false;
  /// Of an output: the value it is filled with before the kernel starts.
  std::vector<double> init;
  /// Of an output: the input of the same name, which the kernel writes.
  std::optional<std::size_t> input;
};

struct Definition {
  std::string type;
  std::string kernel;              ///< name of the kernel's function: "add_custom"
  std::string file;                ///< name of the kernel's source without ".cpp"
  std::vector<std::string> units;  ///< compute units it is configured for: "ascend910b"
  /// Those that the project names where neither ascend910b nor ascend910_93 is among them. The
  /// operator is then taken for these two as well, because the kernel API is mostly the same.
  std::vector<std::string> foreign_units;
  std::string cpu_parts;  ///< of its definition, which have no effect: "AICPU(), HostCPU()"
  std::vector<Parameter> inputs, outputs;
  std::vector<::ops::OpAttrDef> attributes;
  std::size_t columns = 1;
  Functions functions;
  std::vector<std::string> groups;  ///< attributes that name its communicators
};

/// The operator on a compute unit; an empty one: what holds on all.
/// Throws std::invalid_argument naming operator, parameter and rule for an operator that is not
/// registered, and for lists of types and formats that do not fit each other.
Definition definition_of(const std::string& type, const std::string& unit);

/// The type of the elements that aclnn functions take of an input as an array of the host's:
/// DT_INT64, DT_FLOAT or DT_BOOL. DT_UNDEFINED for all other inputs, which are tensors.
ge::DataType host_array_of(const Parameter& input);

/// "AddCustom" as files and kernels write it: "add_custom".
std::string snake_case(const std::string& type);

}  // namespace davsim::op_host
