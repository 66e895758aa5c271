// The table of the tensors in global memory that the kernel of a core made, by number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/made_numbers.hpp"

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
  std::vector<isa::GlobalBuffer> tensors_;
  MadeNumbers numbers_;
};

/// "GlobalTensor of rope.cpp:31"
std::string name_of(const isa::GlobalBuffer& tensor);

}  // namespace davsim::checker
