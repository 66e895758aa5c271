#include "isa/plugin/global_access.hpp"

#include "isa/core/pointer_access.hpp"
#include "isa/plugin/object_place.hpp"
#include "isa/plugin/statement_cost.hpp"
#include "isa/plugin/work_words.hpp"

namespace davsim::plugin {
namespace {

/// Pointers that are computed from others, further than any kernel goes.
constexpr unsigned kMostOffsets = 16;

/// What a pointer is computed from by an offset; NULL_TREE if it is computed from nothing else.
tree pointer_before(const gimple* definition) {
  const auto* assign = dyn_cast<const gassign*>(definition);
  if (assign == nullptr) return NULL_TREE;
  const enum tree_code code = gimple_assign_rhs_code(assign);
  if (code != POINTER_PLUS_EXPR && code != SSA_NAME && code != ADDR_EXPR &&
      !CONVERT_EXPR_CODE_P(code)) {
    return NULL_TREE;
  }
  tree from = gimple_assign_rhs1(assign);
  if (TREE_CODE(from) == ADDR_EXPR) {
    tree base = get_base_address(TREE_OPERAND(from, 0));
    if (base == NULL_TREE || TREE_CODE(base) != MEM_REF) return from;
    from = TREE_OPERAND(base, 0);
  }
  return POINTER_TYPE_P(TREE_TYPE(from)) ? from : NULL_TREE;
}

tree root_of(tree pointer, unsigned steps = kMostOffsets);

/// The root of a pointer that a loop advances.
tree root_of_advanced(const gphi* phi, unsigned steps) {
  tree advanced = gimple_phi_result(phi), root = NULL_TREE;
  for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i) {
    tree value = gimple_phi_arg_def(phi, i);
    for (unsigned step = 0; step < steps && value != advanced; ++step) {
      tree before = TREE_CODE(value) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(value)
                        ? pointer_before(SSA_NAME_DEF_STMT(value))
                        : NULL_TREE;
      if (before == NULL_TREE) break;
      value = before;
    }
    if (value == advanced) continue;
    if (root != NULL_TREE && root != value) return advanced;
    root = value;
  }
  return root != NULL_TREE ? root_of(root, steps - 1) : advanced;
}

/// The pointer that `pointer` is computed from by offsets. Both lead to the same memory.
tree root_of(tree pointer, unsigned steps) {
  for (; steps > 0 && TREE_CODE(pointer) == SSA_NAME; --steps) {
    if (SSA_NAME_IS_DEFAULT_DEF(pointer)) return pointer;
    const gimple* definition = SSA_NAME_DEF_STMT(pointer);
    if (const auto* phi = dyn_cast<const gphi*>(definition)) return root_of_advanced(phi, steps);
    tree before = pointer_before(definition);
    if (before == NULL_TREE) return pointer;
    pointer = before;
  }
  return pointer;
}

/// Whether a pointer may lead to global memory: not to a variable of the function, nor into the
/// object whose method it is, nor to what a function takes by reference. For the device's compiler
/// a plain reference never leads there, and functions that take one of __gm__ are inlined.
bool may_be_global(tree pointer) {
  if (TREE_CODE(pointer) != SSA_NAME || !ptr_deref_may_alias_global_p(pointer, false)) return false;
  tree root = root_of(pointer);
  if (TREE_CODE(root) != SSA_NAME) return false;
  if (!SSA_NAME_IS_DEFAULT_DEF(root)) return true;
  tree variable = SSA_NAME_VAR(root);
  if (variable == NULL_TREE || TREE_CODE(variable) != PARM_DECL) return false;
  return DECL_ARTIFICIAL(variable) == 0 && DECL_BY_REFERENCE(variable) == 0 &&
         TREE_CODE(TREE_TYPE(variable)) != REFERENCE_TYPE;
}

/// The MEM_REF of a reference that may lead to global memory; NULL_TREE if it does not.
tree global_base(tree operand) {
  if (TREE_CODE_CLASS(TREE_CODE(operand)) != tcc_reference) return NULL_TREE;
  tree base = get_base_address(operand);
  if (base == NULL_TREE || TREE_CODE(base) != MEM_REF) return NULL_TREE;
  if (!may_be_global(TREE_OPERAND(base, 0))) return NULL_TREE;
  if (is_part_of_api_object(operand) || holds_api_object(TREE_TYPE(base))) return NULL_TREE;
  const_tree said = TREE_TYPE(TREE_OPERAND(base, 1));
  if (POINTER_TYPE_P(said) && holds_api_object(TREE_TYPE(said))) return NULL_TREE;
  return base;
}

bool is_bit_field(const_tree operand) {
  return TREE_CODE(operand) == BIT_FIELD_REF ||
         (TREE_CODE(operand) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(operand, 1)));
}

/// Whether a reference lies within one line wherever it is: its size is a power of two to which it
/// is aligned.
bool is_within_a_line(tree operand) {
  constexpr HOST_WIDE_INT kLine = 64;
  if (is_bit_field(operand)) return true;
  const_tree bytes = TYPE_SIZE_UNIT(TREE_TYPE(operand));
  if (bytes == NULL_TREE || !tree_fits_shwi_p(bytes)) return false;
  const HOST_WIDE_INT size = tree_to_shwi(bytes);
  const HOST_WIDE_INT aligned = get_object_alignment(operand) / BITS_PER_UNIT;
  return size <= kLine && pow2p_hwi(size) && aligned >= size;
}

/// Where bytes begin, and how many they are.
struct Extent {
  tree address = NULL_TREE, bytes = NULL_TREE;
};

Extent extent_of(tree operand, gimple_seq* statements) {
  HOST_WIDE_INT offset = 0, size = 0;
  bool reverse = false;
  tree base = get_ref_base_and_extent_hwi(operand, &offset, &size, &reverse);
  if (base != NULL_TREE && TREE_CODE(base) == MEM_REF) {
    const HOST_WIDE_INT first = offset / BITS_PER_UNIT;
    const HOST_WIDE_INT end = (offset + size + BITS_PER_UNIT - 1) / BITS_PER_UNIT;
    const auto step = static_cast<HOST_WIDE_INT>(TREE_INT_CST_LOW(TREE_OPERAND(base, 1)));
    tree address = make_ssa_name(ptr_type_node);
    gimple_seq_add_stmt(statements,
                        gimple_build_assign(address, POINTER_PLUS_EXPR, TREE_OPERAND(base, 0),
                                            build_int_cst(sizetype, step + first)));
    return {address, build_int_cst(uint64_type_node, end - first)};
  }
  // An index varies. A field of bits has no address; what holds it has.
  while (is_bit_field(operand) || TREE_CODE(operand) == VIEW_CONVERT_EXPR) {
    operand = TREE_OPERAND(operand, 0);
  }
  tree bytes = TYPE_SIZE_UNIT(TREE_TYPE(operand));
  tree address = force_gimple_operand(build_fold_addr_expr(unshare_expr(operand)), statements, true,
                                      NULL_TREE);
  return {address, fold_convert(uint64_type_node, bytes)};
}

/// Where statements behind the definition of `name` go; nothing where they cannot stand in its
/// block.
bool behind_definition(tree name, function* fun, gimple_stmt_iterator& at) {
  const gimple* definition = SSA_NAME_DEF_STMT(name);
  if (SSA_NAME_IS_DEFAULT_DEF(name)) {
    at = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun)));
    return true;
  }
  if (gimple_code(definition) == GIMPLE_PHI) {
    at = gsi_after_labels(gimple_bb(definition));
    return true;
  }
  if (stmt_ends_bb_p(const_cast<gimple*>(definition))) return false;
  at = gsi_for_stmt(const_cast<gimple*>(definition));
  gsi_next(&at);
  return true;
}

/// A pointer that is `pointer`, or as far before `place` as it is before `address` if control comes
/// through `block`, where the place is known.
tree pointer_to_place(tree pointer, tree address, tree place, gimple_seq* statements,
                      basic_block block) {
  const auto value = [statements](tree type, auto... of) {
    tree name = make_ssa_name(type);
    gimple_seq_add_stmt(statements, gimple_build_assign(name, of...));
    return name;
  };
  tree from = value(sizetype, NOP_EXPR, pointer), to = value(sizetype, NOP_EXPR, address);
  tree moved =
      value(TREE_TYPE(pointer), POINTER_PLUS_EXPR, place, value(sizetype, MINUS_EXPR, from, to));
  basic_block behind = single_succ(block);
  tree either = make_ssa_name(TREE_TYPE(pointer));
  gphi* phi = create_phi_node(either, behind);
  edge way;
  edge_iterator at;
  FOR_EACH_EDGE(way, at, behind->preds) {
    add_phi_arg(phi, way->src == block ? moved : pointer, way, UNKNOWN_LOCATION);
  }
  return either;
}

/// `operand` with another pointer at its base. The place holds the bytes until the core is given
/// something else. A number is volatile, or the compiler might move the access behind a call that,
/// as far as it knows, does not change the number.
tree with_pointer(tree operand, tree pointer) {
  tree copy = unshare_expr(operand);
  TREE_OPERAND(get_base_address(copy), 0) = pointer;
  if (is_gimple_reg_type(TREE_TYPE(copy))) {
    TREE_THIS_VOLATILE(copy) = 1;
    TREE_SIDE_EFFECTS(copy) = 1;
  }
  return copy;
}

void insert_behind(gimple* statement, gimple_seq statements) {
  if (stmt_ends_bb_p(statement)) {
    if (edge on = find_fallthru_edge(gimple_bb(statement)->succs)) {
      gsi_insert_seq_on_edge_immediate(on, statements);
    }
    return;
  }
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_seq_after(&at, statements, GSI_SAME_STMT);
}

}  // namespace

GlobalAccesses::GlobalAccesses(function* fun, OwnCode& own, const KeptValues* kept)
    : fun_(fun), own_(own), kept_(kept) {
  const bool in_api = own.is_api(DECL_SOURCE_LOCATION(fun->decl));
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* statement = gsi_stmt(at);
      if (is_gimple_debug(statement)) continue;
      const location_t where = gimple_location(statement);
      const bool known = LOCATION_LOCUS(where) != UNKNOWN_LOCATION;
      if (known ? !own.is_api(where) : !in_api) find(statement);
    }
  }
}

location_t GlobalAccesses::line_of(const gimple* statement) const {
  const location_t where = gimple_location(statement);
  return LOCATION_LOCUS(where) != UNKNOWN_LOCATION ? where : DECL_SOURCE_LOCATION(fun_->decl);
}

std::uint32_t GlobalAccesses::how_counted(gimple* statement, bool stores) const {
  const std::uint32_t bits = stores ? isa::kPointerStores : 0;
  if (kept_ == nullptr || !own_.holds(statement)) return bits | isa::kPointerUncounted;
  if (stores ? kept_->no_store(statement) : kept_->no_load(statement)) return bits;
  return bits | pairs_of(gimple_get_lhs(statement)) << isa::kPointerCountShift;
}

void GlobalAccesses::find(gimple* statement) {
  if (gcall* call = dyn_cast<gcall*>(statement)) return find_in_call(call);
  const auto* assign = dyn_cast<const gassign*>(statement);
  if (assign == nullptr || !gimple_assign_single_p(assign) || gimple_clobber_p(statement)) return;
  tree to = gimple_assign_lhs(assign);
  const bool loads = add(statement, 1, how_counted(statement, false));
  const bool ends = loads || !is_within_a_line(to);
  add(statement, 0, how_counted(statement, true) | (ends ? isa::kPointerEnds : 0));
}

/// Structures that functions take, and functions that copy and fill.
void GlobalAccesses::find_in_call(gcall* call) {
  constexpr unsigned kFirstArgument = 3;  // behind result, function and chain
  constexpr std::uint32_t kLoads = isa::kPointerUncounted;
  constexpr std::uint32_t kStores = kLoads | isa::kPointerStores | isa::kPointerEnds;
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) add(call, kFirstArgument + i, kLoads);
  if (!gimple_call_builtin_p(call, BUILT_IN_NORMAL)) return;
  const auto range = [&](unsigned argument, std::uint32_t how) {
    return add_range(call, argument, gimple_call_arg(call, 2), how);
  };
  switch (DECL_FUNCTION_CODE(gimple_call_fndecl(call))) {
    case BUILT_IN_MEMCPY:
    case BUILT_IN_MEMMOVE:
      range(1, kLoads);
      range(0, kStores);
      return;
    case BUILT_IN_MEMSET:
      range(0, kStores);
      return;
    default:
      return;
  }
}

bool GlobalAccesses::add(gimple* statement, unsigned operand, std::uint32_t how) {
  tree reference = gimple_op(statement, operand);
  if (reference == NULL_TREE || global_base(reference) == NULL_TREE) return false;
  const_tree bytes = TYPE_SIZE_UNIT(TREE_TYPE(reference));
  if (bytes == NULL_TREE || TREE_CODE(bytes) != INTEGER_CST) return false;
  accesses_.push_back({statement, operand, NULL_TREE, how});
  return true;
}

bool GlobalAccesses::add_range(gcall* call, unsigned argument, tree bytes, std::uint32_t how) {
  if (!may_be_global(gimple_call_arg(call, argument))) return false;
  accesses_.push_back({call, argument + 3, bytes, how});
  return true;
}

void GlobalAccesses::insert() {
  for (const Access& access : accesses_) insert(access);
}

/// Whether the memory to which a pointer leads is global: found out where the pointer that it is
/// computed from is known, once for all accesses.
tree GlobalAccesses::is_global(tree pointer, gimple_seq* here) {
  tree root = root_of(pointer);
  const auto known = global_.find(root);
  if (known != global_.end()) return known->second;
  gimple_stmt_iterator at;
  if (!behind_definition(root, fun_, at)) return test_for_global(here, pointer);
  gimple_seq test = NULL;
  tree result = test_for_global(&test, root);
  gsi_insert_seq_before(&at, test, GSI_SAME_STMT);
  return global_[root] = result;
}

void GlobalAccesses::insert(const Access& access) {
  gimple* const statement = access.statement;
  tree operand = gimple_op(statement, access.operand);
  const bool is_range = access.bytes != NULL_TREE;
  tree pointer = is_range ? operand : TREE_OPERAND(get_base_address(operand), 0);
  gimple_seq test = NULL;
  tree global = is_global(pointer, &test);
  gimple* const nothing = gimple_build_nop();
  gimple_seq_add_stmt(&test, nothing);
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_seq_before(&at, test, GSI_SAME_STMT);
  gcond* inside = gimple_build_cond(NE_EXPR, global, boolean_false_node, NULL_TREE, NULL_TREE);
  basic_block block =
      insert_cond_bb(gimple_bb(nothing), nothing, inside, profile_probability::unlikely());
  gimple_seq ask = NULL;
  const Extent extent = is_range ? Extent{operand, access.bytes} : extent_of(operand, &ask);
  tree place = ask_for_place(&ask, extent.address, extent.bytes, access.how, line_of(statement));
  tree either = pointer_to_place(pointer, extent.address, place, &ask, block);
  gimple_stmt_iterator into = gsi_after_labels(block);
  gsi_insert_seq_before(&into, ask, GSI_SAME_STMT);
  if (is_range && access.operand == 3 && gimple_call_lhs(statement) != NULL_TREE) {
    // The function returns the pointer that it is given.
    gimple_stmt_iterator before = gsi_for_stmt(statement);
    gimple* result = gimple_build_assign(gimple_call_lhs(statement), operand);
    gimple_call_set_lhs(statement, NULL_TREE);
    gsi_insert_before(&before, result, GSI_SAME_STMT);
  }
  gimple_set_op(statement, access.operand, is_range ? either : with_pointer(operand, either));
  update_stmt(statement);
  if ((access.how & isa::kPointerEnds) == 0) return;
  gimple_seq end = NULL;
  end_store(&end);
  insert_behind(statement, end);
}

}  // namespace davsim::plugin
