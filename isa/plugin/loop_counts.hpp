// Counting in loops of few instructions, where one addition for each class of instructions in each
// block would cost the host more than the loop itself.
#pragma once

#include <vector>

#include "isa/plugin/statement_cost.hpp"

namespace davsim::plugin {

/// Variables that hold instructions, by class; NULL_TREE where none are needed.
using ClassVariables = std::array<tree, isa::kScalarClasses>;

/// An innermost loop without calls that may reach the core. Its passes are counted, and those of
/// its blocks that not every pass goes through; what the blocks cost is added where the loop ends.
/// An exception that leaves the loop loses what was counted in it: it ends the kernel.
class LoopCounts {
 public:
  /// Whether the loop has one end of a pass, ordinary ways in, and a way out.
  static bool suits(class loop* loop);

  explicit LoopCounts(class loop* loop) : loop_(loop) {}
  bool holds(const_basic_block block) const { return block->loop_father == loop_; }
  /// A block of the loop costs `counts` whenever it is executed.
  void add(basic_block block, const Counts& counts);
  /// Inserts what counts. The costs go to `variables` at the loop's exits.
  void insert(const ClassVariables& variables);

 private:
  struct Block {
    basic_block block;
    Counts counts;
    tree executed = NULL_TREE;  ///< how often; NULL_TREE: in every pass, unless
    tree instead = NULL_TREE;   ///< in every pass but those that this variable counts
  };
  bool in_every_pass(const_basic_block block) const;
  tree other_arm(basic_block block) const;
  bool ends_behind(const_edge exit, const_basic_block block) const;
  void insert_additions();
  void insert_at_entries();
  gimple_seq costs_at(const_edge exit, const ClassVariables& variables) const;

  class loop* loop_;
  std::vector<Block> blocks_;
  tree passes_ = NULL_TREE;
};

/// Inserts statements at the end of a block, before a statement that ends it.
void insert_at_end(basic_block block, gimple_seq statements);

}  // namespace davsim::plugin
