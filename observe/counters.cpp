#include "observe/counters.hpp"

#include <string_view>

namespace davsim::observe {

std::string_view path_name(Path path) {
  switch (path) {
    case Path::kGmToUb:
      return "GM->UB";
    case Path::kGmToL1:
      return "GM->L1";
    case Path::kUbToGm:
      return "UB->GM";
    case Path::kL1ToGm:
      return "L1->GM";
    case Path::kL1ToL0A:
      return "L1->L0A";
    case Path::kL1ToL0B:
      return "L1->L0B";
    case Path::kL1ToBt:
      return "L1->BT";
    case Path::kL1ToFb:
      return "L1->FB";
    case Path::kL0CToGm:
      return "L0C->GM";
    case Path::kL0CToL1:
      return "L0C->L1";
    case Path::kUbToUb:
      return "UB->UB";
    case Path::kGmToL0A:
      return "GM->L0A";
    case Path::kGmToL0B:
      return "GM->L0B";
  }
  return "?";
}

}  // namespace davsim::observe
