// Names of data types and formats, for messages, and sizes of types.
#pragma once

#include <cstdint>
#include <string>

#include "graph/types.h"

namespace davsim::op_host {

// The library has no string of C++ in its interface, because programs may have another layout of
// it.
/// "DT_FLOAT16"; "DT_UNDEFINED" for a number that is none.
const char* type_name(ge::DataType type);
/// DT_UNDEFINED for a name that is none.
ge::DataType type_of_name(const char* name);
/// "ND"; "RESERVED" for a number that is none.
const char* format_name(ge::Format format);
/// FORMAT_RESERVED for a name that is none.
ge::Format format_of_name(const char* name);

}  // namespace davsim::op_host

namespace ge {

/// What names and numbers that are none become is said above.
class TypeUtils {
 public:
  static std::string DataTypeToSerialString(DataType type) {
    return davsim::op_host::type_name(type);
  }
  static AscendString DataTypeToAscendString(DataType type) {
    return AscendString(davsim::op_host::type_name(type));
  }
  static DataType SerialStringToDataType(const std::string& name) {
    return davsim::op_host::type_of_name(name.c_str());
  }
  static DataType AscendStringToDataType(const AscendString& name) {
    return davsim::op_host::type_of_name(name.GetString());
  }
  static std::string FormatToSerialString(Format format) {
    return davsim::op_host::format_name(format);
  }
  static AscendString FormatToAscendString(Format format) {
    return AscendString(davsim::op_host::format_name(format));
  }
  static Format SerialStringToFormat(const std::string& name) {
    return davsim::op_host::format_of_name(name.c_str());
  }
  static Format AscendStringToFormat(const AscendString& name) {
    return davsim::op_host::format_of_name(name.GetString());
  }
  static bool IsDataTypeValid(DataType type) {
    return davsim::op_host::type_of_name(davsim::op_host::type_name(type)) != DT_UNDEFINED;
  }
  static bool IsFormatValid(Format format) {
    return davsim::op_host::format_of_name(davsim::op_host::format_name(format)) != FORMAT_RESERVED;
  }
  /// Bytes of an element; false for a type without a size of whole bytes.
  static bool GetDataTypeLength(DataType type, std::uint32_t& bytes) {
    const int size = GetSizeByDataType(type);
    if (size <= 0 || size > kDataTypeSizeBitOffset) return false;
    bytes = static_cast<std::uint32_t>(size);
    return true;
  }
};

}  // namespace ge
