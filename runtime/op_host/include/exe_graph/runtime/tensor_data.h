// Where a tensor's elements lie.
#pragma once

#include <cstdint>

namespace gert {

using TensorAddress = void*;
using ConstTensorAddressPtr = const void*;

enum TensorPlacement : std::int32_t {
  kOnDeviceHbm,
  kOnHost,
  kFollowing,    ///< on the host, behind the tensor itself
  kOnDeviceP2p,  ///< in memory of the device that other devices reach
  kTensorPlacementEnd
};

class TensorPlacementUtils {
 public:
  static bool IsOnDevice(TensorPlacement placement) {
    return IsOnDeviceHbm(placement) || IsOnDeviceP2p(placement);
  }
  static bool IsOnHost(TensorPlacement placement) {
    return IsOnHostNotFollowing(placement) || IsOnHostFollowing(placement);
  }
  static bool IsOnHostFollowing(TensorPlacement placement) { return placement == kFollowing; }
  static bool IsOnHostNotFollowing(TensorPlacement placement) { return placement == kOnHost; }
  static bool IsOnDeviceHbm(TensorPlacement placement) { return placement == kOnDeviceHbm; }
  static bool IsOnDeviceP2p(TensorPlacement placement) { return placement == kOnDeviceP2p; }
};

}  // namespace gert
