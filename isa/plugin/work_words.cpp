#include "isa/plugin/work_words.hpp"
#include "isa/plugin/compiler.hpp"

namespace davsim::plugin {
namespace {

/// An array of the simulator. It is declared anew in each function that needs it. A variable of the
/// plugin would have to be known to the compiler's collector of garbage.
tree array_of(const char* name, unsigned words) {
  tree type = build_array_type_nelts(uint64_type_node, words);
  tree array = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
  TREE_PUBLIC(array) = 1;
  DECL_EXTERNAL(array) = 1;
  DECL_ARTIFICIAL(array) = 1;
  TREE_USED(array) = 1;
  SET_DECL_ASSEMBLER_NAME(array, get_identifier(name));
  varpool_node::get_create(array);
  return array;
}

tree element(tree array, unsigned word) {
  return build4(ARRAY_REF, uint64_type_node, array, build_int_cst(integer_type_node, word),
                NULL_TREE, NULL_TREE);
}

/// A call may change the word although the compiler has found that the function, as its author
/// wrote it, touches no memory. Therefore accesses are volatile.
tree word_ref(unsigned word) {
  tree ref = element(array_of("davsim_scalar_work", isa::kScalarWords), word);
  TREE_THIS_VOLATILE(ref) = 1;
  TREE_SIDE_EFFECTS(ref) = 1;
  return ref;
}

/// A source line as the arguments of a call.
struct Line {
  explicit Line(location_t where) {
    const expanded_location at = expand_location(where);
    const char* const name = at.file != nullptr ? at.file : "";
    file = build_string_literal(strlen(name) + 1, name);
    number = build_int_cst(uint32_type_node, at.line);
  }
  tree file, number;
};

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
  const Line line(where);
  gimple_seq_add_stmt(statements, gimple_build_call(function, 2, line.file, line.number));
}

tree test_for_global(gimple_seq* statements, tree address) {
  const auto value = [statements](tree type, auto... of) {
    tree name = make_ssa_name(type);
    gimple_seq_add_stmt(statements, gimple_build_assign(name, of...));
    return name;
  };
  tree memory = array_of("davsim_global_memory", 2), type = uint64_type_node;
  tree first = value(type, element(memory, 0)), bytes = value(type, element(memory, 1));
  tree distance = value(type, MINUS_EXPR, value(type, NOP_EXPR, address), first);
  return value(boolean_type_node, LT_EXPR, distance, bytes);
}

tree ask_for_place(gimple_seq* statements, tree address, tree bytes, std::uint32_t how,
                   location_t where) {
  tree type =
      build_function_type_list(ptr_type_node, ptr_type_node, uint64_type_node, uint32_type_node,
                               const_ptr_type_node, uint32_type_node, NULL_TREE);
  tree function = build_fn_decl("davsim_global_access", type);
  const Line line(where);
  gcall* call = gimple_build_call(function, 5, address, bytes, build_int_cst(uint32_type_node, how),
                                  line.file, line.number);
  tree place = make_ssa_name(ptr_type_node);
  gimple_call_set_lhs(call, place);
  gimple_seq_add_stmt(statements, call);
  return place;
}

void end_store(gimple_seq* statements) {
  tree function =
      build_fn_decl("davsim_global_stored", build_function_type_list(void_type_node, NULL_TREE));
  gimple_seq_add_stmt(statements, gimple_build_call(function, 0));
}

}  // namespace davsim::plugin
