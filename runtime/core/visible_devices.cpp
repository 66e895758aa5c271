#include "runtime/core/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {
namespace {

constexpr const char* kVariable = "ASCEND_RT_VISIBLE_DEVICES";

const std::vector<std::uint32_t>& visible() {
  static const auto dies = listed_dies(std::getenv(kVariable), Simulator::instance().devices());
  return dies;
}

/// -1 for what is no number.
std::int64_t number_in(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return -1;
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

}  // namespace

std::vector<std::uint32_t> listed_dies(const char* list, std::uint32_t dies) {
  std::vector<std::uint32_t> listed;
  if (list == nullptr || *list == '\0' || dies == 1) {
    listed.resize(dies);
    std::iota(listed.begin(), listed.end(), 0u);
    return listed;
  }
  std::string_view rest = list;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::int64_t number = number_in(rest.substr(0, comma));
    const bool known = std::find(listed.begin(), listed.end(), number) != listed.end();
    if (number < 0 || number >= dies || known) return listed;
    listed.push_back(static_cast<std::uint32_t>(number));
    if (comma == std::string_view::npos) return listed;
    rest.remove_prefix(comma + 1);
  }
}

std::uint32_t visible_devices() {
  return static_cast<std::uint32_t>(visible().size());
}

std::uint32_t die_of(std::int64_t device) {
  const std::uint32_t devices = visible_devices(), dies = Simulator::instance().devices();
  if (device >= 0 && device < devices) return visible()[static_cast<std::size_t>(device)];
  std::string reason = "; the system has " + std::to_string(dies);
  if (devices < dies) {
    reason += ", of which " + std::string(kVariable) + " shows " + std::to_string(devices);
  } else if (dies == 1) {
    reason = "; a process simulates one, device 0, unless DAVSIM_SYSTEM names a system of several";
  }
  throw ApiError(ACL_ERROR_RT_INVALID_DEVICEID,
                 "there is no device " + std::to_string(device) + reason);
}

std::int32_t device_of(std::uint32_t die) {
  const auto& dies = visible();
  const auto found = std::find(dies.begin(), dies.end(), die);
  return found == dies.end() ? -1 : static_cast<std::int32_t>(found - dies.begin());
}

}  // namespace davsim::runtime
