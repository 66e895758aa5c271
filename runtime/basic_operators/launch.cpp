#include "runtime/basic_operators/launch.hpp"

#include <algorithm>

#include "runtime/core/simulator.hpp"
#include "sim/soc/core_spec.hpp"

namespace davsim::basic {
namespace {

Shares split(std::uint64_t elements, std::uint64_t unit, std::uint64_t least) {
  const std::uint64_t cores = vector_cores();
  std::uint64_t share = std::max((elements + cores - 1) / cores, least);
  share = (share + unit - 1) / unit * unit;
  const std::uint64_t used = std::max<std::uint64_t>((elements + share - 1) / share, 1);
  return {elements, share, static_cast<std::uint32_t>(used)};
}

}  // namespace

std::uint64_t ub_bytes() {
  // A process has one SoC.
  static const std::uint64_t bytes =
      sim::core_spec(runtime::Simulator::instance().soc(), isa::CoreType::AIV)
          .buffer_bytes(isa::Space::kUb);
  return bytes;
}

std::uint32_t cube_cores() {
  return runtime::Simulator::instance().soc().aic_count();
}

std::uint32_t vector_cores() {
  return runtime::Simulator::instance().soc().aiv_count();
}

std::uint32_t cores_for(std::uint64_t tiles) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, vector_cores()));
}

Shares shares_of_vector_cores(std::uint64_t elements, std::uint64_t in_bytes,
                              std::uint64_t out_bytes) {
  constexpr std::uint64_t kDataBlock = 32;
  // A core that has less is not worth its start.
  constexpr std::uint64_t kLeastBytes = 512;
  return split(elements, kDataBlock / std::min(in_bytes, out_bytes), kLeastBytes / in_bytes);
}

Shares rows_of_vector_cores(std::uint64_t rows) {
  return split(rows, 1, 1);
}

}  // namespace davsim::basic
