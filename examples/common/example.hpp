// What the examples share on the host side: arguments, the device's memory, how a run ends.
// `example [SOC] [options]`: the options are those of session/program.hpp, such as --trace FILE and
// --check.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "isa/numeric/half.hpp"
#include "session/program.hpp"
#include "sim/device/device.hpp"

namespace example {

using davsim::isa::half;
using davsim::sim::Device;

/// `count` elements of the device's global memory, set to `value(i)`.
template <class T, class Value>
std::span<T> tensor(Device& device, std::size_t count, const char* name, Value value) {
  T* data = reinterpret_cast<T*>(device.memory().allocate(count * sizeof(T), name));
  for (std::size_t i = 0; i < count; ++i) data[i] = T(value(i));
  return {data, count};
}

/// The tensor as a kernel's parameter.
template <class T>
std::uint8_t* gm(std::span<T> tensor) {
  return reinterpret_cast<std::uint8_t*>(tensor.data());
}

/// Says which element is wrong; true if `wrong` is false.
inline bool right(bool wrong, const char* what, std::size_t index, double expected, double got) {
  if (wrong) {
    std::printf("%s, element %zu: expected %.9g, the kernel gave %.9g\n", what, index, expected,
                got);
  }
  return !wrong;
}

inline void print(const char* what, const davsim::observe::LaunchReport& report) {
  std::printf("%s: right; %llu cycles, %.2f us on %u blocks of %s\n", what,
              static_cast<unsigned long long>(report.cycles), report.time_us(), report.block_dim,
              report.soc.c_str());
}

/// Makes the device and runs `body`, which launches kernels and checks their results. `models`: the
/// memory models of the device, where they are not those of its description. Exit status:
/// 0 all right, 1 a wrong result, 2 wrong usage, 4 the kernel did what the hardware forbids.
inline int run(int argc, char** argv, const std::function<bool(Device&)>& body,
               const std::map<std::string, std::string>& models = {}) {
  davsim::session::Program program(argc, argv);
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    std::fprintf(stderr, "usage: %s [SOC] [options]\n%s", argv[0],
                 davsim::session::Program::options_help().c_str());
    return davsim::session::Program::kUsage;
  }
  if (argc == 2) program.choose_soc(argv[1]);
  program.choose_models(models);
  return program.run(body);
}

}  // namespace example
