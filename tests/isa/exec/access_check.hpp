// Holds list_accesses() against what an instruction does: nothing changes but what it is said to
// write, and nothing that it is not said to read makes a difference.
#pragma once

#include <map>
#include <vector>

#include "isa/exec/accesses.hpp"
#include "isa/exec/execute.hpp"

namespace davsim::test {

class AccessCheck {
 public:
  using Buffers = std::map<isa::Space, std::vector<std::byte>>;

  AccessCheck(const isa::DecodedInstr& instr, const isa::CoreMemory& memory, Buffers& buffers);

  /// Carries the instruction out, twice: with other bytes where it does not read, and for good.
  void run();

 private:
  Buffers of_interest() const;
  bool carries_out();
  void put(isa::Space space, const std::vector<std::byte>& bytes);
  void disturb(const Buffers& before);
  void compare(isa::Space space, const std::vector<std::byte>& old,
               const std::vector<std::byte>& disturbed) const;
  bool may_keep_some() const;
  void expect_possible(isa::Space space, std::size_t size) const;
  std::vector<char> touched(isa::Space space, bool writes, std::size_t size) const;
  void fail(const char* what, isa::Space space, std::size_t byte) const;

  const isa::DecodedInstr& instr_;
  const isa::CoreMemory& memory_;
  Buffers& buffers_;
  isa::AccessList accesses_, possible_;
};

}  // namespace davsim::test
