// How a kernel is launched, again and again, once what it works on is allocated.
#pragma once

#include <functional>
#include <string>

#include "bench/silicon/kernels/preamble.hpp"

namespace davsim::silicon {

using Launch = std::function<observe::LaunchReport()>;

/// `cube` on cube cores, `vector` on vector cores, or one of them where the other is {}.
template <class Cube, class Vector>
Launch launch_of(sim::Device& device, const char* name, isa::KernelType type, std::uint32_t cores,
                 Cube cube, Vector vector) {
  return [=, &device] {
    return device.launch(isa::KernelEntry{name, type, nullptr, nullptr}, cores, cube, vector);
  };
}

/// `body` on vector cores, which first read what kernels of the kind do.
template <class Body>
Launch vector_launch(sim::Device& device, const Params& params, const char* name,
                     const KernelReads& reads, std::uint32_t cores, Body body) {
  const Preamble preamble = Preamble::of(device, params, reads);
  const std::function<void()> nothing;
  return launch_of(device, name, isa::KernelType::kAivOnly, cores, nothing, [=] {
    preamble();
    body();
  });
}

/// A kernel that `prepare` makes ready for the type that `type=` names: half unless it says else.
template <class Prepare>
Kernel typed_kernel(std::string name, std::string what, Prepare prepare) {
  return {std::move(name), std::move(what), [=](sim::Device& device, const Params& params) {
            using namespace AscendC;
            const std::string type = params.text("type", "half");
            if (type == "float") return prepare.template operator()<float>(device, params);
            if (type == "bfloat16") return prepare.template operator()<bfloat16_t>(device, params);
            if (type == "half") return prepare.template operator()<half>(device, params);
            throw std::invalid_argument("type=" + type + "; it is half, bfloat16 or float");
          }};
}

}  // namespace davsim::silicon
