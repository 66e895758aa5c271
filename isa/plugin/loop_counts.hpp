// Counting in loops of few instructions, where one addition for each class of instructions in each
// block would cost the host more than the loop itself.
//
// The blocks of the loop and the ways between them are the edges of a graph through which execution
// flows: as often as it comes to a place, it leaves it. The flow is known where it is counted on
// the edges outside a spanning tree of the graph. The tree takes the edges on which counting costs
// most. What the blocks cost is added where the loop ends. As with the profiles of programs, each
// place has a potential, the sum of costs along the tree. A counted edge then stands for its own
// cost and the difference of potentials of its ends, and the exit for the difference to the entry.
#pragma once

#include <optional>
#include <vector>

#include "isa/plugin/statement_cost.hpp"

namespace davsim::plugin {

/// Variables that hold instructions, by class; NULL_TREE where none are needed.
using ClassVariables = std::array<tree, isa::kScalarClasses>;

/// A loop and all loops within it, without calls that may reach the core. An exception that leaves
/// the loop loses what was counted in it: it ends the kernel.
class LoopCounts {
 public:
  /// Nothing if counters have no place: the loop has no way in or out on which statements can be
  /// inserted, or exceptions and computed jumps decide its ways.
  static std::optional<LoopCounts> of(class loop* loop, function* fun);

  bool holds(const_basic_block block) const;
  /// A block of the loop costs `counts` whenever it is executed.
  void add(basic_block block, const Counts& counts);
  /// Inserts what counts. The costs go to `variables` at the loop's exits.
  void insert(const ClassVariables& variables);

 private:
  using Potential = std::array<std::int64_t, isa::kScalarClasses>;
  /// A block, from its begin to its end, or a way from the end of one to the begin of another.
  struct Way {
    std::size_t from = 0, to = 0;  ///< places
    basic_block block = NULL;      ///< NULL for a way between blocks
    edge between = NULL;
    bool of_condition = false;  ///< counted by the value of the condition before it
    double price = 0;           ///< of counting there
    Counts cost{};
    bool in_tree = false;
    tree counter = NULL_TREE;
    Potential factor{};  ///< what an execution stands for
  };

  explicit LoopCounts(class loop* loop) : loop_(loop) {}
  void find_ways(function* fun);
  bool choose_tree();
  void find_potentials();
  void find_factors();
  void insert_at_entries();
  void insert_counter(const Way& way);
  gimple_seq costs_at(const_edge exit, const ClassVariables& variables) const;
  std::size_t begin_of(const_basic_block block) const;
  std::size_t end_of(const_basic_block block) const { return begin_of(block) + 1; }

  class loop* loop_;
  std::vector<int> blocks_;  ///< indices in the function, ascending; a block has two places
  std::vector<Way> ways_;
  std::vector<Potential> potentials_;  ///< by place
};

/// Inserts statements at the end of a block, before a statement that ends it.
void insert_at_end(basic_block block, gimple_seq statements);

}  // namespace davsim::plugin
