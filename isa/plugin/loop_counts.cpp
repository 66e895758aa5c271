#include "isa/plugin/loop_counts.hpp"

#include <algorithm>

namespace davsim::plugin {
namespace {

tree new_variable() {
  return create_tmp_reg(uint64_type_node, "davsim_passes");
}

gimple* plus(tree variable, tree amount) {
  return gimple_build_assign(variable, PLUS_EXPR, variable, amount);
}

tree number(std::uint64_t value) {
  return build_int_cst(uint64_type_node, value);
}

/// An edge that no statement can be inserted on, or that an exception takes.
bool is_special(const_edge way) {
  return (way->flags & (EDGE_ABNORMAL | EDGE_EH)) != 0;
}

}  // namespace

void insert_at_end(basic_block block, gimple_seq statements) {
  gimple_stmt_iterator last = gsi_last_bb(block);
  if (!gsi_end_p(last) && stmt_ends_bb_p(gsi_stmt(last))) {
    gsi_insert_seq_before(&last, statements, GSI_SAME_STMT);
  } else {
    gsi_insert_seq_after(&last, statements, GSI_NEW_STMT);
  }
}

bool LoopCounts::suits(class loop* loop) {
  if (loop->inner != NULL || loop->latch == NULL) return false;
  edge way;
  edge_iterator at;
  FOR_EACH_EDGE(way, at, loop->header->preds) {
    if (way->src != loop->latch && is_special(way)) return false;
  }
  bool ends = false;
  for (const_edge exit : get_loop_exit_edges(loop)) {
    if ((exit->flags & EDGE_ABNORMAL) != 0) return false;
    ends = ends || !is_special(exit);
  }
  return ends;
}

bool LoopCounts::in_every_pass(const_basic_block block) const {
  return dominated_by_p(CDI_DOMINATORS, loop_->latch, block);
}

/// What counts the other arm of a condition that every pass meets, if one arm is `block` and the
/// other one is counted.
tree LoopCounts::other_arm(basic_block block) const {
  if (!single_pred_p(block)) return NULL_TREE;
  const_basic_block condition = single_pred(block);
  if (!holds(condition) || !in_every_pass(condition) || EDGE_COUNT(condition->succs) != 2) {
    return NULL_TREE;
  }
  const_edge way = EDGE_SUCC(condition, 0), other = EDGE_SUCC(condition, 1);
  if (is_special(way) || is_special(other)) return NULL_TREE;
  const_basic_block arm = way->dest == block ? other->dest : way->dest;
  const auto known = std::find_if(blocks_.begin(), blocks_.end(),
                                  [arm](const Block& each) { return each.block == arm; });
  return known != blocks_.end() && single_pred_p(arm) ? known->executed : NULL_TREE;
}

void LoopCounts::add(basic_block block, const Counts& counts) {
  if (std::all_of(counts.begin(), counts.end(), [](std::uint32_t count) { return count == 0; })) {
    return;
  }
  Block added{block, counts};
  if (!in_every_pass(block)) {
    added.instead = other_arm(block);
    if (added.instead == NULL_TREE) added.executed = new_variable();
  }
  if (added.executed == NULL_TREE && passes_ == NULL_TREE) passes_ = new_variable();
  blocks_.push_back(added);
}

void LoopCounts::insert(const ClassVariables& variables) {
  if (blocks_.empty()) return;
  insert_additions();
  insert_at_entries();
  for (edge exit : get_loop_exit_edges(loop_)) {
    if (is_special(exit)) continue;
    const gimple_seq costs = costs_at(exit, variables);
    if (costs != NULL) gsi_insert_seq_on_edge(exit, costs);
  }
}

void LoopCounts::insert_additions() {
  const auto count = [](basic_block block, tree variable) {
    gimple_seq statements = NULL;
    gimple_seq_add_stmt(&statements, plus(variable, number(1)));
    insert_at_end(block, statements);
  };
  if (passes_ != NULL_TREE) count(loop_->latch, passes_);
  for (const Block& block : blocks_) {
    if (block.executed != NULL_TREE) count(block.block, block.executed);
  }
}

void LoopCounts::insert_at_entries() {
  edge way;
  edge_iterator at;
  FOR_EACH_EDGE(way, at, loop_->header->preds) {
    if (way->src == loop_->latch) continue;
    gimple_seq zeros = NULL;
    const auto zero = [&](tree variable) {
      if (variable == NULL_TREE) return;
      gimple_seq_add_stmt(&zeros, gimple_build_assign(variable, number(0)));
    };
    zero(passes_);
    for (const Block& block : blocks_) zero(block.executed);
    gsi_insert_seq_on_edge(way, zeros);
  }
}

/// Whether the last pass goes through `block`, and is not counted in `passes_` because it leaves
/// the loop before its end.
bool LoopCounts::ends_behind(const_edge exit, const_basic_block block) const {
  return exit->src != loop_->latch && dominated_by_p(CDI_DOMINATORS, exit->src, block);
}

gimple_seq LoopCounts::costs_at(const_edge exit, const ClassVariables& variables) const {
  gimple_seq statements = NULL;
  const auto add_product = [&](tree_code sign, tree variable, tree times, std::uint64_t cost) {
    if (cost == 0) return;
    tree product = make_ssa_name(uint64_type_node);
    gimple_seq_add_stmt(&statements, gimple_build_assign(product, MULT_EXPR, times, number(cost)));
    gimple_seq_add_stmt(&statements, gimple_build_assign(variable, sign, variable, product));
  };
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i] == NULL_TREE) continue;
    std::uint64_t each_pass = 0, last_pass = 0;
    for (const Block& each : blocks_) {
      if (each.executed != NULL_TREE) {
        add_product(PLUS_EXPR, variables[i], each.executed, each.counts[i]);
        continue;
      }
      if (each.instead != NULL_TREE) {
        add_product(MINUS_EXPR, variables[i], each.instead, each.counts[i]);
      }
      const_basic_block met = each.instead != NULL_TREE ? single_pred(each.block) : each.block;
      each_pass += each.counts[i];
      if (ends_behind(exit, met)) last_pass += each.counts[i];
    }
    add_product(PLUS_EXPR, variables[i], passes_, each_pass);
    if (last_pass != 0) gimple_seq_add_stmt(&statements, plus(variables[i], number(last_pass)));
  }
  return statements;
}

}  // namespace davsim::plugin
