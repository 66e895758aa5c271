#include "isa/plugin/statement_cost.hpp"
#include "isa/plugin/compiler.hpp"

namespace davsim::plugin {
namespace {

using isa::ScalarClass;

/// A structure larger than this is copied by a loop.
constexpr std::uint32_t kMostPairs = 64;

bool is_float(const_tree type) {
  return TREE_CODE(type) == REAL_TYPE || TREE_CODE(type) == COMPLEX_TYPE;
}

bool is_power_of_two(const_tree value) {
  return TREE_CODE(value) == INTEGER_CST && integer_pow2p(value);
}

/// Whether a load or store is needed for an operand.
bool in_memory(tree operand) {
  const enum tree_code_class kind = TREE_CODE_CLASS(TREE_CODE(operand));
  if (kind == tcc_reference)
    return TREE_CODE(operand) != VIEW_CONVERT_EXPR && TREE_CODE(operand) != REALPART_EXPR &&
           TREE_CODE(operand) != IMAGPART_EXPR;
  return kind == tcc_declaration && !is_gimple_reg(operand);
}

/// The instructions that compute the address of `operand`: an index that is no constant takes one.
/// Constant offsets are part of the load or store.
std::uint32_t address_cost(tree operand) {
  std::uint32_t instructions = 0;
  for (; handled_component_p(operand); operand = TREE_OPERAND(operand, 0)) {
    if (TREE_CODE(operand) == ARRAY_REF && TREE_CODE(TREE_OPERAND(operand, 1)) != INTEGER_CST) {
      ++instructions;
    }
  }
  return instructions;
}

/// Whether the result of `statement` is only a part of addresses: the index of an array, made
/// longer and multiplied by the size of an element. Loads and stores do this themselves, or the
/// compiler advances a pointer instead.
bool is_part_of_address(const gassign* statement) {
  tree result = gimple_assign_lhs(statement);
  if (TREE_CODE(result) != SSA_NAME || !INTEGRAL_TYPE_P(TREE_TYPE(result))) return false;
  if (gimple_num_ops(statement) > 2 && TREE_CODE(gimple_assign_rhs2(statement)) != INTEGER_CST) {
    return false;
  }
  imm_use_iterator at;
  use_operand_p use;
  bool used = false;
  FOR_EACH_IMM_USE_FAST(use, at, result) {
    const gimple* user = USE_STMT(use);
    if (is_gimple_debug(user)) continue;
    if (!is_gimple_assign(user)) return false;
    const auto* assign = as_a<const gassign*>(user);
    const enum tree_code code = gimple_assign_rhs_code(assign);
    const bool goes_on = code == MULT_EXPR || code == LSHIFT_EXPR || CONVERT_EXPR_CODE_P(code);
    if (code != POINTER_PLUS_EXPR && !(goes_on && is_part_of_address(assign))) return false;
    used = true;
  }
  return used;
}

/// Whether the quotient of the same numbers is known where `statement` computes the remainder.
bool has_quotient(const gassign* statement) {
  tree dividend = gimple_assign_rhs1(statement), divisor = gimple_assign_rhs2(statement);
  if (TREE_CODE(dividend) != SSA_NAME) return false;
  imm_use_iterator at;
  use_operand_p use;
  FOR_EACH_IMM_USE_FAST(use, at, dividend) {
    const auto* other = dyn_cast<const gassign*>(USE_STMT(use));
    if (other == nullptr || gimple_assign_rhs_code(other) != TRUNC_DIV_EXPR) continue;
    if (gimple_assign_rhs1(other) != dividend || gimple_assign_rhs2(other) != divisor) continue;
    if (dominated_by_p(CDI_DOMINATORS, gimple_bb(statement), gimple_bb(other))) return true;
  }
  return false;
}

void add_division(const gassign* statement, Counts& counts) {
  const_tree type = TREE_TYPE(gimple_assign_lhs(statement));
  const_tree divisor = gimple_assign_rhs2(statement);
  if (is_float(type)) {
    ++of(counts, ScalarClass::kFloatDivide);
  } else if (is_power_of_two(divisor)) {
    // A shift; signed values are first corrected.
    of(counts, ScalarClass::kArithmetic) += TYPE_UNSIGNED(type) != 0 ? 1 : 3;
  } else if (TREE_CODE(divisor) == INTEGER_CST) {
    // A product with the reciprocal, and shifts.
    ++of(counts, ScalarClass::kMultiply);
    of(counts, ScalarClass::kArithmetic) += 2;
  } else if (gimple_assign_rhs_code(statement) == TRUNC_MOD_EXPR && has_quotient(statement)) {
    // What is left of the dividend without the product.
    ++of(counts, ScalarClass::kMultiply);
    ++of(counts, ScalarClass::kArithmetic);
  } else {
    ++of(counts, ScalarClass::kDivide);
  }
}

void add_product(const_tree type, const_tree factor, Counts& counts) {
  if (is_float(type)) {
    ++of(counts, ScalarClass::kFloat);
  } else if (TREE_CODE(factor) == INTEGER_CST) {
    // The product with a constant takes one cycle.
    ++of(counts, ScalarClass::kArithmetic);
  } else {
    ++of(counts, ScalarClass::kMultiply);
  }
}

void add_conversion(const gassign* statement, Counts& counts) {
  const_tree to = TREE_TYPE(gimple_assign_lhs(statement));
  const_tree from = TREE_TYPE(gimple_assign_rhs1(statement));
  if (is_float(to) || is_float(from)) {
    ++of(counts, ScalarClass::kFloat);
    return;
  }
  // Only a longer number has to be extended; a shorter one is the lower part of the register.
  if (!INTEGRAL_TYPE_P(to) || !INTEGRAL_TYPE_P(from)) return;
  if (TYPE_PRECISION(to) > TYPE_PRECISION(from)) ++of(counts, ScalarClass::kArithmetic);
}

void add_operation(const gassign* statement, Counts& counts) {
  const_tree type = TREE_TYPE(gimple_assign_lhs(statement));
  const enum tree_code code = gimple_assign_rhs_code(statement);
  const bool scales = code == MULT_EXPR || code == LSHIFT_EXPR || CONVERT_EXPR_CODE_P(code);
  if (scales && is_part_of_address(statement)) return;
  switch (code) {
    case SSA_NAME:
    case PAREN_EXPR:
    case VIEW_CONVERT_EXPR:
      return;
    CASE_CONVERT:
    case FLOAT_EXPR:
    case FIX_TRUNC_EXPR:
      add_conversion(statement, counts);
      return;
    case MULT_EXPR:
    case WIDEN_MULT_EXPR:
      add_product(type, gimple_assign_rhs2(statement), counts);
      return;
    case TRUNC_DIV_EXPR:
    case FLOOR_DIV_EXPR:
    case CEIL_DIV_EXPR:
    case EXACT_DIV_EXPR:
    case RDIV_EXPR:
    case TRUNC_MOD_EXPR:
    case FLOOR_MOD_EXPR:
      add_division(statement, counts);
      return;
    default:
      // What two numbers compare to is no number of their type.
      if (TREE_CODE_CLASS(code) == tcc_comparison) type = TREE_TYPE(gimple_assign_rhs1(statement));
      ++of(counts, is_float(type) ? ScalarClass::kFloat : ScalarClass::kArithmetic);
  }
}

/// A load, a store, a copy in memory, or a value in a register.
void add_single(const gassign* statement, const KeptValues& kept, Counts& counts) {
  tree to = gimple_assign_lhs(statement), from = gimple_assign_rhs1(statement);
  const bool loads = in_memory(from) && !kept.no_load(statement);
  const bool stores = in_memory(to) && !kept.no_store(statement);
  const std::uint32_t pairs = stores && gimple_clobber_p(statement) ? 0 : pairs_of(to);
  if (loads) {
    of(counts, ScalarClass::kLoad) += pairs;
    of(counts, ScalarClass::kArithmetic) += address_cost(from);
  } else if (TREE_CODE(from) == REAL_CST) {
    ++of(counts, ScalarClass::kArithmetic);  // no store has an immediate of this type
  }
  if (stores) {
    of(counts, ScalarClass::kStore) += pairs;
    of(counts, ScalarClass::kArithmetic) += address_cost(to);
  }
}

}  // namespace

std::uint32_t pairs_of(tree value) {
  const std::uint32_t pairs = (registers_of_value(value) + 1) / 2;
  return pairs > kMostPairs ? kMostPairs : pairs;
}

void add_cost(const gimple* statement, const KeptValues& kept, Counts& counts) {
  switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN: {
      const auto* assign = as_a<const gassign*>(statement);
      if (gimple_assign_single_p(assign)) {
        add_single(assign, kept, counts);
      } else {
        add_operation(assign, counts);
      }
      return;
    }
    case GIMPLE_COND: {
      const bool floats = is_float(TREE_TYPE(gimple_cond_lhs(as_a<const gcond*>(statement))));
      ++of(counts, floats ? ScalarClass::kFloat : ScalarClass::kArithmetic);
      ++of(counts, ScalarClass::kBranch);
      return;
    }
    case GIMPLE_SWITCH:
      // The range of the value, the place in the table, the load of the target.
      of(counts, ScalarClass::kArithmetic) += 3;
      ++of(counts, ScalarClass::kLoad);
      ++of(counts, ScalarClass::kBranch);
      return;
    default:
      return;
  }
}

}  // namespace davsim::plugin
