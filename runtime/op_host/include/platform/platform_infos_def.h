// The description of a SoC under the vendor's keys, as sim/soc has it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class PlatFormInfos {
 public:
  using Sections = std::map<std::string, std::map<std::string, std::string>>;

  PlatFormInfos() = default;
  explicit PlatFormInfos(Sections sections)
      : sections_(std::make_shared<const Sections>(std::move(sections))) {}
  /// That of a SoC, by default the one on which the program runs. Empty for a name of none.
  static PlatFormInfos OfSoc(const char* soc = nullptr);

  /// The value of a key such as "AICoreSpec", "ub_size". False where there is none; `value` is then
  /// unchanged.
  bool GetPlatformRes(const std::string& section, const std::string& key,
                      std::string& value) const {
    const char* found = Find(section.c_str(), key.c_str());
    if (found == nullptr) return false;
    value = found;
    return true;
  }
  bool GetPlatformResWithLock(const std::string& section, const std::string& key,
                              std::string& value) const {
    return GetPlatformRes(section, key, value);
  }
  /// AI cores.
  std::uint32_t GetCoreNum() const { return Count("SoCInfo", "ai_core_cnt"); }
  std::uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
  /// Of "VectorCore", or "aiv", the vector cores; of others the AI cores.
  std::uint32_t GetCoreNumByType(const std::string& type) const {
    const bool vectors = type == "VectorCore" || type == "aiv" || type == "AIV";
    return Count("SoCInfo", vectors ? "vector_core_cnt" : "ai_core_cnt");
  }
  /// Bytes, as the description has them. 0 and false for a memory that it does not have.
  bool GetLocalMemSize(const LocalMemType& memory, std::uint64_t& bytes) const {
    constexpr const char* kCore[] = {"l0_a_size", "l0_b_size", "l0_c_size",
                                     "l1_size",   nullptr,     "ub_size"};
    bytes = 0;
    if (memory == LocalMemType::L2) {
      bytes = Number("SoCInfo", "l2_size");
    } else if (memory == LocalMemType::HBM) {
      bytes = Number("SoCInfo", "memory_size");
    } else if (memory < LocalMemType::HBM) {
      bytes = Number("AICoreSpec", kCore[static_cast<int>(memory)]);
    }
    return bytes != 0;
  }
  /// Bytes a cycle and core of L2 and HBM.
  bool GetLocalMemBw(const LocalMemType& memory, std::uint64_t& bytes) const {
    bytes = 0;
    if (memory == LocalMemType::L2) bytes = Number("AICoreMemoryRates", "l2_read_rate");
    if (memory == LocalMemType::HBM) bytes = Number("AICoreMemoryRates", "ddr_read_rate");
    return bytes != 0;
  }

 private:
  /// Null where there is none. What looks into the map is in the library, because programs may have
  /// another layout of std::string; so is what makes and deletes it.
  const char* Find(const char* section, const char* key) const;
  std::uint64_t Number(const char* section, const char* key) const;
  std::uint32_t Count(const char* section, const char* key) const {
    return static_cast<std::uint32_t>(Number(section, key));
  }

  std::shared_ptr<const Sections> sections_;
};

}  // namespace fe
