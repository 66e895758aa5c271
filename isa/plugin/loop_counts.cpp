#include "isa/plugin/loop_counts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace davsim::plugin {
namespace {

/// What it costs to count, in additions. A way between blocks that needs a block of its own costs a
/// jump besides. A condition is computed, made a number and added.
constexpr double kJump = 2, kCondition = 2;
constexpr double kImpossible = std::numeric_limits<double>::infinity();
/// An arm of more statements is no selection of values.
constexpr int kLongestSelection = 4;

tree number(std::int64_t value) {
  return build_int_cst(uint64_type_node, value);
}

gimple* plus(tree variable, tree amount) {
  return gimple_build_assign(variable, PLUS_EXPR, variable, amount);
}

/// An edge that no statement can be inserted on, or that an exception takes.
bool is_special(const_edge way) {
  return (way->flags & (EDGE_ABNORMAL | EDGE_EH)) != 0;
}

gcond* condition_behind(basic_block block) {
  gimple* last = last_stmt(block);
  return last != NULL && gimple_code(last) == GIMPLE_COND ? as_a<gcond*>(last) : NULL;
}

/// Whether the block only computes values between which a condition selects. The host's compiler
/// then has no jump, which a counter in the block would bring back.
bool selects_values(basic_block block) {
  if (!single_pred_p(block) || !single_succ_p(block)) return false;
  if (condition_behind(single_pred(block)) == NULL) return false;
  int statements = 0;
  for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
    const gimple* statement = gsi_stmt(at);
    if (is_gimple_debug(statement) || gimple_code(statement) == GIMPLE_LABEL) continue;
    if (!is_gimple_assign(statement) || gimple_vuse(statement) != NULL_TREE) return false;
    if (gimple_could_trap_p(const_cast<gimple*>(statement)) || ++statements > kLongestSelection) {
      return false;
    }
  }
  return true;
}

/// Whether both ways behind a condition lead to the same block, one of them perhaps through a block
/// that computes values.
bool is_selection(const_edge way) {
  const auto join = [](const_edge arm) {
    return selects_values(arm->dest) ? single_succ(arm->dest) : arm->dest;
  };
  return EDGE_COUNT(way->src->succs) == 2 && condition_behind(way->src) != NULL &&
         join(EDGE_SUCC(way->src, 0)) == join(EDGE_SUCC(way->src, 1));
}

double frequency(const profile_count& count, function* fun) {
  if (!count.initialized_p() || !fun->cfg->count_max.initialized_p()) return 1;
  return 1 + count.to_frequency(fun);
}

double price_of(basic_block block, function* fun) {
  const bool arm = selects_values(block) && is_selection(single_pred_edge(block));
  return arm ? kImpossible : frequency(block->count, fun);
}

double price_of(const_edge way, function* fun) {
  if (is_special(way)) return kImpossible;
  if (is_selection(way)) return kCondition * frequency(way->src->count, fun);
  if (selects_values(way->src) && is_selection(single_pred_edge(way->src))) return kImpossible;
  const bool new_block = !single_succ_p(way->src) && !single_pred_p(way->dest);
  return (new_block ? kJump : 1) * frequency(const_cast<edge>(way)->count(), fun);
}

/// The statements that add the value of a condition, or its opposite, to `counter`.
gimple_seq add_condition(const gcond* condition, bool opposite, tree counter) {
  gimple_seq statements = NULL;
  tree holds = make_ssa_name(boolean_type_node);
  gimple_seq_add_stmt(&statements,
                      gimple_build_assign(holds, gimple_cond_code(condition),
                                          gimple_cond_lhs(condition), gimple_cond_rhs(condition)));
  tree times = make_ssa_name(uint64_type_node);
  gimple_seq_add_stmt(&statements, gimple_build_assign(times, NOP_EXPR, holds));
  if (opposite) {
    tree fails = make_ssa_name(uint64_type_node);
    gimple_seq_add_stmt(&statements, gimple_build_assign(fails, BIT_XOR_EXPR, times, number(1)));
    times = fails;
  }
  gimple_seq_add_stmt(&statements, plus(counter, times));
  return statements;
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

std::optional<LoopCounts> LoopCounts::of(class loop* loop, function* fun) {
  edge way;
  edge_iterator at;
  FOR_EACH_EDGE(way, at, loop->header->preds) {
    if (!flow_bb_inside_loop_p(loop, way->src) && is_special(way)) return std::nullopt;
  }
  bool ends = false;
  for (const_edge exit : get_loop_exit_edges(loop)) {
    if ((exit->flags & EDGE_ABNORMAL) != 0) return std::nullopt;
    ends = ends || !is_special(exit);
  }
  LoopCounts counts(loop);
  counts.find_ways(fun);
  if (!ends || !counts.choose_tree()) return std::nullopt;
  return counts;
}

bool LoopCounts::holds(const_basic_block block) const {
  return flow_bb_inside_loop_p(loop_, block);
}

std::size_t LoopCounts::begin_of(const_basic_block block) const {
  const auto at = std::lower_bound(blocks_.begin(), blocks_.end(), block->index);
  return 2 * static_cast<std::size_t>(at - blocks_.begin());
}

void LoopCounts::find_ways(function* fun) {
  basic_block* body = get_loop_body(loop_);
  std::vector<basic_block> blocks(body, body + loop_->num_nodes);
  free(body);
  std::sort(blocks.begin(), blocks.end(),
            [](const_basic_block a, const_basic_block b) { return a->index < b->index; });
  for (const_basic_block block : blocks) blocks_.push_back(block->index);
  for (basic_block block : blocks) {
    Way through;
    through.from = begin_of(block), through.to = end_of(block);
    through.block = block;
    through.price = price_of(block, fun);
    ways_.push_back(through);
    edge out;
    edge_iterator at;
    FOR_EACH_EDGE(out, at, block->succs) {
      if (!holds(out->dest)) continue;
      Way way;
      way.from = end_of(block), way.to = begin_of(out->dest);
      way.between = out;
      way.of_condition = is_selection(out);
      way.price = price_of(out, fun);
      ways_.push_back(way);
    }
  }
}

/// Returns false if a way is left on which nothing can count.
bool LoopCounts::choose_tree() {
  std::vector<std::size_t> order(ways_.size()), group(2 * blocks_.size());
  std::iota(order.begin(), order.end(), 0);
  std::iota(group.begin(), group.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return ways_[a].price > ways_[b].price;
  });
  const auto group_of = [&group](std::size_t place) {
    while (group[place] != place) place = group[place] = group[group[place]];
    return place;
  };
  for (const std::size_t i : order) {
    Way& way = ways_[i];
    const std::size_t from = group_of(way.from), to = group_of(way.to);
    way.in_tree = from != to;
    if (!way.in_tree && way.price == kImpossible) return false;
    group[from] = to;
  }
  return true;
}

void LoopCounts::add(basic_block block, const Counts& counts) {
  const auto at = std::find_if(ways_.begin(), ways_.end(),
                               [block](const Way& way) { return way.block == block; });
  at->cost = counts;
}

void LoopCounts::find_potentials() {
  std::vector<std::vector<const Way*>> at_place(2 * blocks_.size());
  for (const Way& way : ways_) {
    if (!way.in_tree) continue;
    at_place[way.from].push_back(&way);
    at_place[way.to].push_back(&way);
  }
  potentials_.assign(at_place.size(), {});
  std::vector<bool> known(at_place.size());
  std::vector<std::size_t> open = {begin_of(loop_->header)};
  known[open.front()] = true;
  while (!open.empty()) {
    const std::size_t place = open.back();
    open.pop_back();
    for (const Way* way : at_place[place]) {
      const bool forward = way->from == place;
      const std::size_t other = forward ? way->to : way->from;
      if (known[other]) continue;
      known[other] = true;
      open.push_back(other);
      for (std::size_t i = 0; i < isa::kScalarClasses; ++i) {
        const std::int64_t cost = way->cost[i];
        potentials_[other][i] = potentials_[place][i] + (forward ? cost : -cost);
      }
    }
  }
}

void LoopCounts::find_factors() {
  for (Way& way : ways_) {
    if (way.in_tree) continue;
    bool needed = false;
    for (std::size_t i = 0; i < isa::kScalarClasses; ++i) {
      way.factor[i] = way.cost[i] + potentials_[way.from][i] - potentials_[way.to][i];
      needed = needed || way.factor[i] != 0;
    }
    if (needed) way.counter = create_tmp_reg(uint64_type_node, "davsim_passes");
  }
}

void LoopCounts::insert(const ClassVariables& variables) {
  find_potentials();
  find_factors();
  insert_at_entries();
  for (const Way& way : ways_) {
    if (way.counter != NULL_TREE) insert_counter(way);
  }
  for (edge exit : get_loop_exit_edges(loop_)) {
    if (is_special(exit)) continue;
    const gimple_seq costs = costs_at(exit, variables);
    if (costs != NULL) gsi_insert_seq_on_edge(exit, costs);
  }
}

void LoopCounts::insert_counter(const Way& way) {
  gimple_seq statements = NULL;
  if (way.of_condition) {
    const bool opposite = (way.between->flags & EDGE_FALSE_VALUE) != 0;
    statements = add_condition(condition_behind(way.between->src), opposite, way.counter);
    insert_at_end(way.between->src, statements);
    return;
  }
  gimple_seq_add_stmt(&statements, plus(way.counter, number(1)));
  if (way.block != NULL) {
    insert_at_end(way.block, statements);
  } else {
    gsi_insert_seq_on_edge(way.between, statements);
  }
}

void LoopCounts::insert_at_entries() {
  edge way;
  edge_iterator at;
  FOR_EACH_EDGE(way, at, loop_->header->preds) {
    if (holds(way->src)) continue;
    gimple_seq zeros = NULL;
    for (const Way& each : ways_) {
      if (each.counter == NULL_TREE) continue;
      gimple_seq_add_stmt(&zeros, gimple_build_assign(each.counter, number(0)));
    }
    if (zeros != NULL) gsi_insert_seq_on_edge(way, zeros);
  }
}

gimple_seq LoopCounts::costs_at(const_edge exit, const ClassVariables& variables) const {
  gimple_seq statements = NULL;
  const Potential& there = potentials_[end_of(exit->src)];
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i] == NULL_TREE) continue;
    for (const Way& way : ways_) {
      if (way.counter == NULL_TREE || way.factor[i] == 0) continue;
      tree product = make_ssa_name(uint64_type_node);
      gimple_seq_add_stmt(
          &statements, gimple_build_assign(product, MULT_EXPR, way.counter, number(way.factor[i])));
      gimple_seq_add_stmt(&statements, plus(variables[i], product));
    }
    if (there[i] != 0) gimple_seq_add_stmt(&statements, plus(variables[i], number(there[i])));
  }
  return statements;
}

}  // namespace davsim::plugin
