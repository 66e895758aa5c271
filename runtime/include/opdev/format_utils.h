// What formats are, for hand-written aclnn functions.
#pragma once

#include "opdev/common_types.h"

namespace op {

/// "ND"
ge::AscendString ToString(Format format);
inline Format GetPrimaryFormat(Format format) {
  return static_cast<Format>(ge::GetPrimaryFormat(format));
}
/// Whether elements lie in blocks of the cube.
inline bool IsPrivateFormat(Format format) {
  switch (GetPrimaryFormat(format)) {
    case Format::FORMAT_FRACTAL_NZ:
    case Format::FORMAT_FRACTAL_Z:
    case Format::FORMAT_NC1HWC0:
    case Format::FORMAT_NDC1HWC0:
    case Format::FORMAT_FRACTAL_Z_3D:
      return true;
    default:
      return false;
  }
}
inline Format ToOpFormat(aclFormat format) {
  return static_cast<Format>(format);
}
inline aclFormat ToAclFormat(Format format) {
  return static_cast<aclFormat>(format);
}

}  // namespace op
