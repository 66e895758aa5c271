// Host side of the example: makes a device, fills global memory, launches add_custom, checks every
// element and prints what the run took.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "isa/instr/fault.hpp"
#include "isa/numeric/half.hpp"
#include "sim/device.hpp"

namespace {

using davsim::isa::half;

constexpr std::uint32_t kBlocks = 8;
constexpr std::uint32_t kLength = kBlocks * 16 * 2500;  // not a whole number of tiles a block

half* allocate(davsim::sim::Device& device, const char* name) {
  return reinterpret_cast<half*>(device.memory().allocate(kLength * sizeof(half), name));
}

/// The first element that is not x + y rounded to fp16; kLength if there is none.
std::uint32_t first_wrong(const half* x, const half* y, const half* z) {
  for (std::uint32_t i = 0; i < kLength; ++i) {
    if (z[i].bits != half(float(x[i]) + float(y[i])).bits) return i;
  }
  return kLength;
}

int run(const std::string& soc) {
  davsim::sim::Device device(davsim::sim::SocConfig::named(soc));
  half* x = allocate(device, "x");
  half* y = allocate(device, "y");
  half* z = allocate(device, "z");
  for (std::uint32_t i = 0; i < kLength; ++i) {
    x[i] = half(static_cast<float>(i % 1000) * 0.25f);
    y[i] = half(static_cast<float>(i % 777) * -0.125f);
  }

  const auto gm = [](half* pointer) { return reinterpret_cast<std::uint8_t*>(pointer); };
  const auto report = device.launch("add_custom", kBlocks, gm(x), gm(y), gm(z), kLength);

  const std::uint32_t wrong = first_wrong(x, y, z);
  if (wrong != kLength) {
    std::printf("element %u is wrong: %g + %g gave %g\n", wrong, double(x[wrong]), double(y[wrong]),
                double(z[wrong]));
    return 1;
  }
  std::printf("%u elements right; %llu cycles, %.2f us on %u vector cores of %s\n", kLength,
              static_cast<unsigned long long>(report.cycles), report.time_us(), kBlocks,
              soc.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "Ascend910B3");
  } catch (const davsim::isa::Fault& fault) {
    std::fprintf(stderr, "%s:%u: %s\n", fault.where.file_name(),
                 static_cast<unsigned>(fault.where.line()), fault.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 4;
}
