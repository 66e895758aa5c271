// The instructions that code counts while it runs.
#pragma once

#include "isa/core/scalar_work.hpp"

namespace davsim::test {

template <class Code>
isa::ScalarWork work_of(Code code) {
  isa::take_scalar_work();
  code();
  return isa::take_scalar_work();
}

inline std::uint32_t count(const isa::ScalarWork& work, isa::ScalarClass which) {
  return work.own[static_cast<std::size_t>(which)];
}

}  // namespace davsim::test
