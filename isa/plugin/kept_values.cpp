#include "isa/plugin/kept_values.hpp"

#include <algorithm>

namespace davsim::plugin {
namespace {

/// Registers that hold fields: 32, without the stack's base and those that instructions of the
/// kernel API, indices and intermediate results need.
constexpr std::size_t kRegistersForFields = 24;

/// How often a block runs, in parts of the block that runs most often; at least 1.
std::uint64_t weight_of(basic_block block, function* fun) {
  if (!block->count.initialized_p() || !fun->cfg->count_max.initialized_p()) return 1;
  return 1 + static_cast<std::uint64_t>(block->count.to_frequency(fun));
}

/// The block behind which what the outermost loop around `block` needs is loaded; nullptr if no
/// loop is around it.
basic_block before_loops(basic_block block) {
  class loop* loop = block->loop_father;
  if (loop == NULL || loop_outer(loop) == NULL) return nullptr;
  while (loop_outer(loop_outer(loop)) != NULL) loop = loop_outer(loop);
  return get_immediate_dominator(CDI_DOMINATORS, loop->header);
}

std::uint32_t value_of(const std::unordered_map<int, std::uint32_t>& counts, basic_block block) {
  const auto at = counts.find(block->index);
  return at == counts.end() ? 0 : at->second;
}

}  // namespace

KeptValues::KeptValues(function* fun, OwnCode& own) {
  find_indexed_variables(fun);
  find_fields(fun, own);
  std::vector<const Field*> most(fields_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) most[i] = &fields_[i];
  std::stable_sort(most.begin(), most.end(),
                   [](const Field* a, const Field* b) { return a->weight > b->weight; });
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (i < kRegistersForFields) {
      keep(*most[i]);
    } else {
      leave_in_memory(*most[i]);
    }
  }
}

std::uint32_t KeptValues::loads_behind(basic_block block) const {
  return value_of(loads_behind_, block);
}
std::uint32_t KeptValues::stores_behind(basic_block block) const {
  return value_of(stores_behind_, block);
}

// --- which fields there are ----------------------------------------------------------------------

void KeptValues::find_indexed_variables(function* fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      const auto* assign = dyn_cast<const gassign*>(gsi_stmt(at));
      if (assign == nullptr || !gimple_assign_single_p(assign)) continue;
      for (tree operand : {gimple_assign_lhs(assign), gimple_assign_rhs1(assign)}) {
        if (!handled_component_p(operand) || place_of(operand).key != 0) continue;
        if (tree variable = variable_of(operand)) indexed_.insert(variable);
      }
    }
  }
}

void KeptValues::find_fields(function* fun, OwnCode& own) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      const auto* assign = dyn_cast<const gassign*>(gsi_stmt(at));
      if (assign == nullptr || !gimple_assign_single_p(assign) || !own.holds(assign)) continue;
      note(block, assign, false);
      note(block, assign, true);
    }
  }
  for (Field& field : fields_) {
    for (const Access& access : field.accesses) field.weight += weight_of(access.block, fun);
  }
}

void KeptValues::note(basic_block block, const gassign* statement, bool stores) {
  tree operand = stores ? gimple_assign_lhs(statement) : gimple_assign_rhs1(statement);
  if (TREE_CODE_CLASS(TREE_CODE(operand)) != tcc_reference && !DECL_P(operand)) return;
  if (is_known_address(operand) || is_part_of_api_object(operand)) {
    remove({block, statement, stores});
    return;
  }
  if (!is_gimple_reg_type(TREE_TYPE(operand))) {
    take_apart(statement, stores);
    return;
  }
  tree variable = variable_of(operand);
  if (variable != NULL_TREE && indexed_.count(variable) != 0) return;
  const Place place = place_of(operand);
  if (place.key == 0) return;
  const auto [at, is_new] = numbers_.try_emplace(place.key, fields_.size());
  if (is_new) fields_.emplace_back();
  Field& field = fields_[at->second];
  field.of_caller = place.of_caller;
  field.accesses.push_back({block, statement, stores});
}

/// Copies between variables that are taken apart are moves of registers, which the compiler
/// removes.
void KeptValues::take_apart(const gassign* statement, bool stores) {
  tree operand = stores ? gimple_assign_lhs(statement) : gimple_assign_rhs1(statement);
  tree variable = variable_of(operand);
  if (variable == NULL_TREE || TREE_CODE(variable) == PARM_DECL) return;
  if (indexed_.count(variable) != 0) return;
  if (registers_of(TREE_TYPE(variable)) > kRegistersForFields) return;
  remove({NULL, statement, stores});
}

// --- what remains --------------------------------------------------------------------------------

void KeptValues::remove(const Access& access) {
  (access.stores ? no_stores_ : no_loads_).insert(access.statement);
}

void KeptValues::keep(const Field& field) {
  bool loaded_before_loop = false, stored_before_loop = false;
  for (std::size_t i = 0; i < field.accesses.size(); ++i) {
    const Access& access = field.accesses[i];
    bool needed = field.of_caller;
    for (std::size_t j = 0; j < field.accesses.size() && needed; ++j) {
      const Access& other = field.accesses[j];
      if (other.block == access.block) {
        // A load needs an access before it, a store is needed unless another follows.
        needed = access.stores ? !(other.stores && j > i) : j >= i;
      } else if (!access.stores) {
        needed = !dominated_by_p(CDI_DOMINATORS, access.block, other.block);
      }
    }
    basic_block before = needed ? before_loops(access.block) : nullptr;
    if (needed && before == nullptr) continue;
    remove(access);
    if (!needed) continue;
    bool& done = access.stores ? stored_before_loop : loaded_before_loop;
    if (!done) ++(access.stores ? stores_behind_ : loads_behind_)[before->index];
    done = true;
  }
}

void KeptValues::leave_in_memory(const Field& field) {
  for (std::size_t i = 0; i < field.accesses.size(); ++i) {
    const Access& access = field.accesses[i];
    for (std::size_t j = 0; j < field.accesses.size(); ++j) {
      const Access& other = field.accesses[j];
      if (other.block != access.block) continue;
      if (access.stores ? other.stores && j > i : j < i) remove(access);
    }
  }
}

}  // namespace davsim::plugin
