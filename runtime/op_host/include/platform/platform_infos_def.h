// The description of a SoC under the vendor's keys, as sim/soc has it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace fe {

class PlatFormInfos {
 public:
  using Sections = std::map<std::string, std::map<std::string, std::string>>;

  PlatFormInfos() = default;
  explicit PlatFormInfos(Sections sections) : sections_(std::move(sections)) {}

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
  std::uint32_t GetCoreNum() const {
    std::string value;
    return GetPlatformRes("SoCInfo", "ai_core_cnt", value)
               ? static_cast<std::uint32_t>(std::stoul(value))
               : 0;
  }

 private:
  /// Null where there is none. What looks into the map is in the library, because programs may have
  /// another layout of std::string.
  const char* Find(const char* section, const char* key) const;

  Sections sections_;
};

}  // namespace fe
