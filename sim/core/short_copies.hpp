// Copies that move less than they are asked for. Documented: DataCopy rounds what its elements fill
// down to whole DataBlocks, and says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/core/core_watcher.hpp"

namespace davsim::sim {

class ShortCopies {
 public:
  /// A launch begins.
  void begin_launch() { first_.reset(); }
  /// The copy at `where` moves `moved` of `bytes`. `watcher` may be nullptr.
  void took(std::uint64_t bytes, std::uint64_t moved, isa::SourceLocation where,
            isa::CoreWatcher* watcher);
  /// What the first one of the launch does, for a sentence that begins with the core; empty if
  /// there was none.
  std::string first() const;

 private:
  struct Copy {
    std::uint64_t bytes = 0, moved = 0;
    isa::SourceLocation where;
  };
  std::optional<Copy> first_;
};

}  // namespace davsim::sim
