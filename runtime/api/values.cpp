// Values in memory that streams write and wait for.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

namespace {

std::uint64_t* number_at(void* address) {
  require_pointer(address, "devAddr");
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(std::uint64_t) != 0) {
    refuse_rt("devAddr is no multiple of 8");
  }
  if (!Simulator::instance().memory().require_room(address, sizeof(std::uint64_t), "devAddr")) {
    refuse_rt("devAddr is no address of a block of aclrtMalloc or aclrtMallocHost");
  }
  return static_cast<std::uint64_t*>(address);
}

std::function<bool(std::uint64_t)> comparison(std::uint32_t flag, std::uint64_t value) {
  switch (flag) {
    case ACL_VALUE_WAIT_GEQ:
      return [value](std::uint64_t is) { return static_cast<std::int64_t>(is - value) >= 0; };
    case ACL_VALUE_WAIT_EQ:
      return [value](std::uint64_t is) { return is == value; };
    case ACL_VALUE_WAIT_AND:
      return [value](std::uint64_t is) { return (is & value) != 0; };
    case ACL_VALUE_WAIT_NOR:
      return [value](std::uint64_t is) { return ~(is | value) != 0; };
    default:
      refuse_rt("flag is " + std::to_string(flag) + ", allowed are 0 to 3");
  }
}

}  // namespace

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return api_call("aclrtValueWait", [&] {
    const auto waiting = Process::instance().stream(stream);
    const std::uint64_t* const at = number_at(devAddr);
    Simulator::instance().wait_for_value(waiting, at, comparison(flag, value));
  });
}

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return api_call("aclrtValueWrite", [&] {
    const auto writing = Process::instance().stream(stream);
    std::uint64_t* const at = number_at(devAddr);
    if (flag != 0) refuse_rt("flag is " + std::to_string(flag) + ", allowed is 0");
    Simulator::instance().write_value(writing, at, value);
  });
}
