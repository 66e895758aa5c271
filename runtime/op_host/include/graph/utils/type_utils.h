// Names of data types and formats, for messages.
#pragma once

#include <string>

#include "graph/types.h"

namespace ge {

class TypeUtils {
 public:
  /// "DT_FLOAT16"; "DT_UNDEFINED" for a number that is none.
  static std::string DataTypeToSerialString(DataType type);
  static AscendString DataTypeToAscendString(DataType type);
  /// DT_UNDEFINED for a name that is none.
  static DataType SerialStringToDataType(const std::string& name);
  /// "ND"; "RESERVED" for a number that is none.
  static std::string FormatToSerialString(Format format);
  static AscendString FormatToAscendString(Format format);
};

}  // namespace ge
