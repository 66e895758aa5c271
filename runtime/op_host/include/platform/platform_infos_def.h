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
    const auto found = sections_.find(section);
    if (found == sections_.end()) return false;
    const auto entry = found->second.find(key);
    if (entry == found->second.end()) return false;
    value = entry->second;
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
  Sections sections_;
};

}  // namespace fe
