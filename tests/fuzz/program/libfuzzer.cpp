// The entry of libFuzzer: feeds the target that DAVSIM_FUZZ_TARGET names.
#include <cstdlib>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  static const davsim::fuzz::Target& target = []() -> const davsim::fuzz::Target& {
    const char* name = std::getenv("DAVSIM_FUZZ_TARGET");
    return davsim::fuzz::target_named(name == nullptr ? "json" : name);
  }();
  target.run({reinterpret_cast<const char*>(bytes), count});
  return 0;
}
