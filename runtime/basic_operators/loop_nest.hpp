// A move as a loop nest around runs of bytes that follow each other on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/basic_operators/views.hpp"

namespace davsim::basic {

/// Numbers in bytes.
struct LoopNest {
  struct Loop {
    std::int64_t size, to_step, from_step;
  };
  std::vector<Loop> loops;  ///< outermost first
  std::int64_t run = 0;
  std::int64_t to_offset = 0, from_offset = 0;

  std::int64_t runs() const;
  void move(std::byte* to, const std::byte* from) const;
};

/// With as few loops as possible. `element`: bytes.
LoopNest loop_nest(const View& to, const View& from, std::int64_t element);

}  // namespace davsim::basic
