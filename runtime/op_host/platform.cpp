#include "runtime/op_host/platform.hpp"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "tiling/platform/platform_ascendc.h"

namespace davsim::op_host {

fe::PlatFormInfos platform_of(const sim::SocConfig& soc) {
  return platform_of(soc, soc.aic_count(), soc.aiv_count());
}

fe::PlatFormInfos platform_of(const sim::SocConfig& soc, std::uint32_t cubes,
                              std::uint32_t vectors) {
  fe::PlatFormInfos::Sections sections = soc.sections();
  auto& counts = sections["SoCInfo"];
  counts["ai_core_cnt"] = counts["cube_core_cnt"] = std::to_string(cubes);
  counts["vector_core_cnt"] = std::to_string(vectors);
  return fe::PlatFormInfos(std::move(sections));
}

std::string compute_unit_of(const sim::SocConfig& soc) {
  std::string unit = soc.short_version();
  for (char& letter : unit) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return unit;
}

}  // namespace davsim::op_host

namespace fe {

PlatFormInfos PlatFormInfos::OfSoc(const char* soc) {
  if (soc == nullptr) soc = std::getenv("DAVSIM_SOC");
  try {
    return davsim::op_host::platform_of(
        davsim::sim::SocConfig::named(soc == nullptr ? "Ascend910B3" : soc));
  } catch (const std::invalid_argument&) {
    return {};
  }
}

const char* PlatFormInfos::Find(const char* section, const char* key) const {
  if (sections_ == nullptr) return nullptr;
  const auto found = sections_->find(section);
  if (found == sections_->end()) return nullptr;
  const auto entry = found->second.find(key);
  return entry == found->second.end() ? nullptr : entry->second.c_str();
}

std::uint64_t PlatFormInfos::Number(const char* section, const char* key) const {
  const char* text = Find(section, key);
  std::uint64_t number = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

}  // namespace fe

namespace platform_ascendc {
namespace {

// The vendor's library keeps these bytes of UB and L1 for messages between cube and vector cores.
constexpr std::uint64_t kKeptBytes = 256;
// Documented for the A2: room that the library needs in every workspace.
constexpr std::uint32_t kLibraryWorkspace = 16u << 20;
constexpr std::uint32_t kGroupWorkspace = 1u << 20;
// Keys under which descriptions have a memory's size.
constexpr const char* kCore = "AICoreSpec";
constexpr const char* kSoc = "SoCInfo";

std::uint64_t less(std::uint64_t bytes, std::uint64_t kept) {
  return bytes > kept ? bytes - kept : 0;
}

}  // namespace

std::uint64_t PlatformAscendC::Number(const char* section, const char* key) const {
  std::string text;
  std::uint64_t number = 0;
  if (info_ == nullptr || !info_->GetPlatformRes(section, key, text)) return 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint32_t PlatformAscendC::GetCoreNumAic() const {
  return static_cast<std::uint32_t>(Number(kSoc, "ai_core_cnt"));
}

std::uint32_t PlatformAscendC::GetCoreNumAiv() const {
  return static_cast<std::uint32_t>(Number(kSoc, "vector_core_cnt"));
}

std::uint32_t PlatformAscendC::GetCoreNum() const {
  return GetCoreNumAic();
}

std::uint32_t PlatformAscendC::GetCoreNumVector() const {
  return 0;
}

SocVersion PlatformAscendC::GetSocVersion() const {
  std::string version;
  if (info_ == nullptr || !info_->GetPlatformRes("version", "Short_SoC_version", version)) {
    return SocVersion::RESERVED_VERSION;
  }
  if (version == "Ascend910B" || version == "Ascend910_93") return SocVersion::ASCEND910B;
  if (version == "Ascend310P") return SocVersion::ASCEND310P;
  return SocVersion::RESERVED_VERSION;
}

NpuArch PlatformAscendC::GetCurNpuArch() const {
  return GetSocVersion() == SocVersion::ASCEND310P ? NpuArch::DAV_2002 : NpuArch::DAV_2201;
}

void PlatformAscendC::GetCoreMemSize(const CoreMemType& memory, std::uint64_t& bytes) const {
  switch (memory) {
    case CoreMemType::L0_A:
      bytes = Number(kCore, "l0_a_size");
      return;
    case CoreMemType::L0_B:
      bytes = Number(kCore, "l0_b_size");
      return;
    case CoreMemType::L0_C:
      bytes = Number(kCore, "l0_c_size");
      return;
    case CoreMemType::L1:
      bytes = less(Number(kCore, "l1_size"), kKeptBytes);
      return;
    case CoreMemType::UB:
      bytes = less(Number(kCore, "ub_size"), kKeptBytes + reserved_);
      return;
    case CoreMemType::L2:
      bytes = Number(kSoc, "l2_size");
      return;
    case CoreMemType::HBM:
      bytes = Number(kSoc, "memory_size");
      return;
    case CoreMemType::FB:
      bytes = Number(kCore, "fb0_size");
      return;
    case CoreMemType::BT:
      bytes = Number(kCore, "bt_size");
      return;
    case CoreMemType::RESERVED:
      break;
  }
  bytes = 0;
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& memory, std::uint64_t& bytes) const {
  bytes = 0;
  if (memory == CoreMemType::L2) bytes = Number("AICoreMemoryRates", "l2_read_rate");
  if (memory == CoreMemType::HBM) bytes = Number("AICoreMemoryRates", "ddr_read_rate");
}

std::uint32_t PlatformAscendC::CalcTschBlockDim(std::uint32_t slices, std::uint32_t aic,
                                                std::uint32_t aiv) const {
  if (aic == 0 || aiv == 0 || aic > aiv) return slices;
  const std::uint32_t per_block = aiv / aic;
  const std::uint32_t blocks = slices / per_block + (slices % per_block != 0 ? 1 : 0);
  return blocks > aic ? 0 : blocks;
}

std::uint32_t PlatformAscendC::GetVecRegLen() const {
  return static_cast<std::uint32_t>(Number(kCore, "vector_reg_width"));
}

std::uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const {
  return kLibraryWorkspace;
}

std::uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const {
  return kGroupWorkspace;
}

std::uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const {
  return kGroupWorkspace;
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* soc) {
  static std::mutex mutex;
  static std::unique_ptr<fe::PlatFormInfos> info;
  static std::unique_ptr<PlatformAscendC> platform;
  const std::lock_guard lock(mutex);
  if (platform) return platform.get();
  info = std::make_unique<fe::PlatFormInfos>(fe::PlatFormInfos::OfSoc(soc));
  if (info->GetCoreNum() == 0) return nullptr;
  platform = std::make_unique<PlatformAscendC>(info.get());
  return platform.get();
}

}  // namespace platform_ascendc
