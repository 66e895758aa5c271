// Sizes and counts of a SoC, for tiling functions and for programs that launch kernels themselves.
#pragma once

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"

namespace platform_ascendc {

enum class CoreMemType {
  L0_A = 0,
  L0_B = 1,
  L0_C = 2,
  L1 = 3,
  L2 = 4,
  UB = 5,
  HBM = 6,
  FB = 7,
  BT = 8,
  RESERVED
};

/// ASCEND910_93 is never returned: the A3's SoCs say ASCEND910B, as the vendor's interface does.
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND910_95,
  ASCEND950 = ASCEND910_95,
  ASCEND910_55,
  ASCEND910_93,
  RESERVED_VERSION = 99999
};

enum class ReservedSize {
  RESERVED_SIZE_8K = 8 * 1024,
  RESERVED_SIZE_16K = 16 * 1024,
  RESERVED_SIZE_32K = 32 * 1024
};

class PlatformAscendC {
 public:
  /// `info` is what TilingContext::GetPlatformInfo returns.
  explicit PlatformAscendC(fe::PlatFormInfos* info) : info_(info) {}

  std::uint32_t GetCoreNum() const;  ///< cube cores where cube and vector cores are apart
  std::uint32_t GetCoreNumAic() const;
  std::uint32_t GetCoreNumAiv() const;
  std::uint32_t GetCoreNumVector() const;  ///< vector cores beside the AI cores: none
  SocVersion GetSocVersion() const;
  NpuArch GetCurNpuArch() const;
  /// Bytes. UB and L1 without the 256 bytes that the device's library keeps, UB also without what
  /// ReserveLocalMemory took. 0 for a memory that the description does not have.
  void GetCoreMemSize(const CoreMemType& memory, std::uint64_t& bytes) const;
  /// Bytes a cycle and core of L2 and HBM, 0 for the others.
  void GetCoreMemBw(const CoreMemType& memory, std::uint64_t& bytes) const;
  /// Blocks of a kernel for both core types that needs `slices` vector cores; 0 where they exceed
  /// the SoC.
  std::uint32_t CalcTschBlockDim(std::uint32_t slices, std::uint32_t aic, std::uint32_t aiv) const;
  std::uint32_t CalcTschNumBlocks(std::uint32_t slices, std::uint32_t aic,
                                  std::uint32_t aiv) const {
    return CalcTschBlockDim(slices, aic, aiv);
  }
  /// Bytes of a vector register, which cores of these SoCs do not have: 0.
  std::uint32_t GetVecRegLen() const;
  std::uint32_t GetLibApiWorkSpaceSize() const;
  std::uint32_t GetResCubeGroupWorkSpaceSize() const;
  std::uint32_t GetResGroupBarrierWorkSpaceSize() const;
  void ReserveLocalMemory(ReservedSize size) { reserved_ = static_cast<std::uint64_t>(size); }

 private:
  std::uint64_t Number(const char* section, const char* key) const;

  fe::PlatFormInfos* info_;
  std::uint64_t reserved_ = 0;
};

/// The platform of a program. The first name wins; without one DAVSIM_SOC in the environment says
/// which SoC it is, else it is Ascend910B3.
class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance() { return GetInstance(nullptr); }
  /// Null for a SoC that does not exist.
  static PlatformAscendC* GetInstance(const char* soc);
};

}  // namespace platform_ascendc
