// Which loads and stores of a kernel's objects its compiler removes.
//
// A kernel holds its tensors, queues and parameters in objects, and hands them on by reference. The
// device's compiler inlines all functions, takes the objects apart and keeps their fields in the
// registers of the scalar unit. The host's compiler cannot: the kernel API is not inlined, and the
// objects' addresses go there. Therefore this file says which accesses remain on the device:
//
// * The fields that a function uses most are in registers. A field of an object of its caller is
//   loaded once, where it is first used, and stored once, where it was last set. Within a loop this
//   happens before the loop. A field of a variable is in its register from the beginning.
// * Other fields are loaded and stored in each basic block that uses them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isa/plugin/compiler.hpp"
#include "isa/plugin/object_place.hpp"
#include "isa/plugin/own_code.hpp"

namespace davsim::plugin {

class KeptValues {
 public:
  /// Needs the loops and dominators of `fun`.
  KeptValues(function* fun, OwnCode& own);

  /// Whether the device's compiler removes the load, or the store, of a statement.
  bool no_load(const gimple* statement) const { return no_loads_.count(statement) != 0; }
  bool no_store(const gimple* statement) const { return no_stores_.count(statement) != 0; }
  /// Loads and stores of fields before loops, at the end of a block.
  std::uint32_t loads_behind(basic_block block) const;
  std::uint32_t stores_behind(basic_block block) const;

 private:
  struct Access {
    basic_block block;
    const gassign* statement;
    bool stores;
  };
  struct Field {
    bool of_caller = false;
    std::uint64_t weight = 0;
    std::vector<Access> accesses;  ///< in the order of blocks, and within a block of statements
  };

  void find_fields(function* fun, OwnCode& own);
  void note(basic_block block, const gassign* statement, bool stores);
  void find_indexed_variables(function* fun);
  void take_apart(const gassign* statement, bool stores);
  void keep(const Field& field);
  void leave_in_memory(const Field& field);
  void remove(const Access& access);

  std::vector<Field> fields_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  ///< of fields, by place
  std::unordered_set<tree> indexed_;  ///< variables that are read or written at varying places
  std::unordered_set<const gimple*> no_loads_, no_stores_;
  std::unordered_map<int, std::uint32_t> loads_behind_, stores_behind_;  ///< by block
};

}  // namespace davsim::plugin
