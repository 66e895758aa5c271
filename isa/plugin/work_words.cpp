#include "isa/plugin/work_words.hpp"
#include "isa/plugin/compiler.hpp"

namespace davsim::plugin {
namespace {

/// The array is declared anew in each function that needs it. A variable of the plugin would have
/// to be known to the compiler's collector of garbage.
tree work_array() {
  tree type = build_array_type_nelts(uint64_type_node, isa::kScalarWords);
  tree array = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("davsim_scalar_work"), type);
  TREE_PUBLIC(array) = 1;
  DECL_EXTERNAL(array) = 1;
  DECL_ARTIFICIAL(array) = 1;
  TREE_USED(array) = 1;
  SET_DECL_ASSEMBLER_NAME(array, get_identifier("davsim_scalar_work"));
  varpool_node::get_create(array);
  return array;
}

/// A call may change the word although the compiler has found that the function, as its author
/// wrote it, touches no memory. Therefore accesses are volatile.
tree word_ref(unsigned word) {
  tree ref = build4(ARRAY_REF, uint64_type_node, work_array(),
                    build_int_cst(integer_type_node, word), NULL_TREE, NULL_TREE);
  TREE_THIS_VOLATILE(ref) = 1;
  TREE_SIDE_EFFECTS(ref) = 1;
  return ref;
}

}  // namespace

void add_to_word(gimple_seq* statements, unsigned word, tree amount) {
  tree before = make_ssa_name(uint64_type_node);
  gimple_seq_add_stmt(statements, gimple_build_assign(before, word_ref(word)));
  tree after = make_ssa_name(uint64_type_node);
  gimple_seq_add_stmt(statements, gimple_build_assign(after, PLUS_EXPR, before, amount));
  gimple_seq_add_stmt(statements, gimple_build_assign(word_ref(word), after));
}

void set_place(gimple_seq* statements, std::uint64_t value) {
  gimple_seq_add_stmt(statements,
                      gimple_build_assign(word_ref(0), build_int_cst(uint64_type_node, value)));
}

void hand_over(gimple_seq* statements, location_t where) {
  tree type =
      build_function_type_list(void_type_node, const_ptr_type_node, uint32_type_node, NULL_TREE);
  tree function = build_fn_decl("davsim_scalar_region", type);
  const expanded_location at = expand_location(where);
  tree file = build_string_literal(strlen(at.file) + 1, at.file);
  gimple_seq_add_stmt(
      statements, gimple_build_call(function, 2, file, build_int_cst(uint32_type_node, at.line)));
}

}  // namespace davsim::plugin
