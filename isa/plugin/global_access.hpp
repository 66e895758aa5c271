// Tests, before accesses through pointers, whether the address is one of global memory.
//
// Where it is, the running core says where the access takes place (isa/core/global_pointer.hpp).
// The address of global memory is an ordinary one, so only the run can tell. No test is needed
// where the compiler knows that a pointer leads to a variable of the kernel, nor for objects that
// hold what belongs to the kernel API: no kernel has those in global memory.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "isa/plugin/compiler.hpp"
#include "isa/plugin/kept_values.hpp"
#include "isa/plugin/own_code.hpp"

namespace davsim::plugin {

class GlobalAccesses {
 public:
  /// Finds the accesses of `fun`, beside those of the kernel API. `kept` is nullptr for a function
  /// without code of the kernel's own, whose instructions are not counted.
  GlobalAccesses(function* fun, OwnCode& own, const KeptValues* kept);
  /// Inserts the tests, which are new basic blocks.
  void insert();

 private:
  struct Access {
    gimple* statement;
    unsigned operand;  ///< of the statement
    tree bytes;        ///< behind the pointer that the operand is; NULL_TREE: it is a reference
    std::uint32_t how;
  };

  void find(gimple* statement);
  void find_in_call(gcall* call);
  bool add(gimple* statement, unsigned operand, std::uint32_t how);
  bool add_range(gcall* call, unsigned argument, tree bytes, std::uint32_t how);
  /// The bits of an access of an assignment.
  std::uint32_t how_counted(gimple* statement, bool stores) const;
  location_t line_of(const gimple* statement) const;
  void insert(const Access& access);
  tree is_global(tree pointer, gimple_seq* here);

  function* fun_;
  OwnCode& own_;
  const KeptValues* kept_;
  std::vector<Access> accesses_;
  std::unordered_map<tree, tree> global_;  ///< of pointers: whether they lead to global memory
};

}  // namespace davsim::plugin
