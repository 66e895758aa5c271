// The table of the tensors in global memory that the kernel of a core made, by number.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "isa/core/core_watcher.hpp"

namespace davsim::checker {

class GlobalTable {
 public:
  /// A tensor that the same line makes again keeps its number. Returns 0 when the numbers are used
  /// up.
  std::uint16_t add(const isa::GlobalBuffer& tensor);
  /// nullptr for 0, for unknown numbers and for operands outside global memory.
  const isa::GlobalBuffer* find(const isa::Operand& operand) const;
  void clear();

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, const char*, std::uint32_t>;
  std::vector<isa::GlobalBuffer> tensors_;
  boost::unordered_flat_map<Key, std::uint16_t> numbers_;
};

/// "GlobalTensor of rope.cpp:31"
std::string name_of(const isa::GlobalBuffer& tensor);

}  // namespace davsim::checker
