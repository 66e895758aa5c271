#include "isa/plugin/object_place.hpp"

#include <cstring>

namespace davsim::plugin {
namespace {

/// Pointers behind pointers, further than any kernel goes.
constexpr unsigned kMostSteps = 12;

std::uint64_t mixed(std::uint64_t key, std::uint64_t value) {
  key = (key ^ value) * 0x9E3779B97F4A7C15;
  return key ^ key >> 29;
}

bool is_record(const_tree type) {
  return TREE_CODE(type) == RECORD_TYPE || TREE_CODE(type) == UNION_TYPE;
}

/// Whether a value of this type leads to an object of the kernel. Pointers to numbers lead to
/// global memory.
bool leads_to_object(const_tree type) {
  return TREE_CODE(type) == REFERENCE_TYPE ||
         (TREE_CODE(type) == POINTER_TYPE && is_record(TREE_TYPE(type)));
}

Place at(Place object, HOST_WIDE_INT bits) {
  if (object.key != 0) object.key = mixed(object.key, static_cast<std::uint64_t>(bits) + 1);
  return object;
}

/// The object and the bits into it. The keys of objects and of places are different.
struct Way {
  Place object;
  HOST_WIDE_INT bits = 0;
};

Way way_to(tree operand, unsigned steps);

/// Where a pointer leads.
Way way_of_pointer(tree pointer, unsigned steps) {
  if (steps == 0) return {};
  if (TREE_CODE(pointer) == ADDR_EXPR) return way_to(TREE_OPERAND(pointer, 0), steps - 1);
  if (TREE_CODE(pointer) != SSA_NAME) return {};
  if (SSA_NAME_IS_DEFAULT_DEF(pointer)) {
    tree parameter = SSA_NAME_VAR(pointer);
    if (parameter == NULL_TREE || !leads_to_object(TREE_TYPE(parameter))) return {};
    return {{mixed(1, DECL_UID(parameter)), true}, 0};
  }
  const gimple* from = SSA_NAME_DEF_STMT(pointer);
  if (const auto* assign = dyn_cast<const gassign*>(from)) {
    tree value = gimple_assign_rhs1(assign);
    if (gimple_assign_rhs_code(assign) == POINTER_PLUS_EXPR) {
      tree offset = gimple_assign_rhs2(assign);
      if (TREE_CODE(offset) != INTEGER_CST) return {};
      Way way = way_of_pointer(value, steps - 1);
      // The type has no sign, the offset may have one.
      way.bits += static_cast<HOST_WIDE_INT>(TREE_INT_CST_LOW(offset)) * BITS_PER_UNIT;
      return way;
    }
    if (TREE_CODE(value) == SSA_NAME || TREE_CODE(value) == ADDR_EXPR) {
      return way_of_pointer(value, steps - 1);
    }
    if (!leads_to_object(TREE_TYPE(pointer))) return {};
    const Way way = way_to(value, steps - 1);
    if (way.object.key != 0) return {{mixed(at(way.object, way.bits).key, 2), true}, 0};
  }
  if (!leads_to_object(TREE_TYPE(pointer))) return {};
  return {{mixed(3, SSA_NAME_VERSION(pointer)), true}, 0};
}

Way way_to(tree operand, unsigned steps) {
  if (steps == 0) return {};
  HOST_WIDE_INT offset = 0, size = 0;
  bool reverse = false;
  tree base = get_ref_base_and_extent_hwi(operand, &offset, &size, &reverse);
  if (base == NULL_TREE) return {};
  if (DECL_P(base)) {
    if (!auto_var_in_fn_p(base, current_function_decl)) return {};
    return {{mixed(4, DECL_UID(base)), TREE_CODE(base) == PARM_DECL}, offset};
  }
  if (TREE_CODE(base) != MEM_REF) return {};
  Way way = way_of_pointer(TREE_OPERAND(base, 0), steps - 1);
  way.bits +=
      offset + static_cast<HOST_WIDE_INT>(TREE_INT_CST_LOW(TREE_OPERAND(base, 1))) * BITS_PER_UNIT;
  return way;
}

bool is_named(const_tree scope, const char* name) {
  return scope != NULL_TREE && TREE_CODE(scope) == NAMESPACE_DECL &&
         DECL_NAME(scope) != NULL_TREE &&
         std::strcmp(IDENTIFIER_POINTER(DECL_NAME(scope)), name) == 0;
}

/// Whether the type is one of the kernel API, or of the simulator behind it.
bool is_of_api(const_tree type) {
  const_tree scope = TYPE_CONTEXT(type);
  while (scope != NULL_TREE && TYPE_P(scope)) scope = TYPE_CONTEXT(scope);
  if (is_named(scope, "AscendC")) return true;
  return (is_named(scope, "api") || is_named(scope, "isa")) &&
         is_named(DECL_CONTEXT(scope), "davsim");
}

/// Whether what lies so many bits into a value of this type is part of an object of the API.
bool is_of_api_at(const_tree type, HOST_WIDE_INT bits) {
  for (;;) {
    if (TREE_CODE(type) == ARRAY_TYPE) {
      type = TREE_TYPE(type);
      const_tree size = TYPE_SIZE(type);
      if (size == NULL_TREE || !tree_fits_shwi_p(size) || integer_zerop(size)) return false;
      bits %= tree_to_shwi(size);
      continue;
    }
    if (!is_record(type)) return false;
    if (is_of_api(type)) return true;
    const_tree inner = NULL_TREE;
    for (const_tree field = TYPE_FIELDS(type); field != NULL_TREE; field = DECL_CHAIN(field)) {
      if (TREE_CODE(field) != FIELD_DECL || DECL_SIZE(field) == NULL_TREE) continue;
      if (!tree_fits_shwi_p(DECL_SIZE(field))) continue;
      const HOST_WIDE_INT start = int_bit_position(field);
      if (bits < start || bits >= start + tree_to_shwi(DECL_SIZE(field))) continue;
      inner = TREE_TYPE(field);
      bits -= start;
      break;
    }
    if (inner == NULL_TREE) return false;
    type = inner;
  }
}

/// The structure that an access through a pointer is said to be to; NULL_TREE if it is none.
const_tree record_behind(const_tree pointer_type) {
  if (!POINTER_TYPE_P(pointer_type)) return NULL_TREE;
  const_tree type = TREE_TYPE(pointer_type);
  return is_record(type) ? type : NULL_TREE;
}

}  // namespace

Place place_of(tree operand) {
  const Way way = way_to(operand, kMostSteps);
  return at(way.object, way.bits);
}

tree variable_of(tree operand) {
  tree base = get_base_address(operand);
  if (base == NULL_TREE || !DECL_P(base)) return NULL_TREE;
  return auto_var_in_fn_p(base, current_function_decl) ? base : NULL_TREE;
}

bool is_part_of_api_object(tree operand) {
  for (tree part = operand; handled_component_p(part); part = TREE_OPERAND(part, 0)) {
    const_tree whole = TREE_TYPE(TREE_OPERAND(part, 0));
    if (TREE_CODE(part) == COMPONENT_REF && is_record(whole) && is_of_api(whole)) return true;
  }
  HOST_WIDE_INT offset = 0, size = 0;
  bool reverse = false;
  tree base = get_ref_base_and_extent_hwi(operand, &offset, &size, &reverse);
  if (base == NULL_TREE) return false;
  if (DECL_P(base)) return is_of_api_at(TREE_TYPE(base), offset);
  if (TREE_CODE(base) != MEM_REF) return false;
  tree pointer = TREE_OPERAND(base, 0), step = TREE_OPERAND(base, 1);
  const_tree said = record_behind(TREE_TYPE(step));
  if (said != NULL_TREE && is_of_api(said)) return true;
  const_tree record = record_behind(TREE_TYPE(pointer));
  return record != NULL_TREE &&
         is_of_api_at(record,
                      offset + static_cast<HOST_WIDE_INT>(TREE_INT_CST_LOW(step)) * BITS_PER_UNIT);
}

bool holds_api_object(const_tree type) {
  while (TREE_CODE(type) == ARRAY_TYPE) type = TREE_TYPE(type);
  if (!is_record(type)) return false;
  if (is_of_api(type) || LAMBDA_TYPE_P(const_cast<tree>(type))) return true;
  for (const_tree field = TYPE_FIELDS(type); field != NULL_TREE; field = DECL_CHAIN(field)) {
    if (TREE_CODE(field) != FIELD_DECL) continue;
    if (DECL_VIRTUAL_P(field) || holds_api_object(TREE_TYPE(field))) return true;
  }
  return false;
}

bool is_known_address(tree operand) {
  if (leads_to_object(TREE_TYPE(operand))) return true;
  if (TREE_CODE(operand) != COMPONENT_REF) return false;
  const_tree object = TREE_TYPE(TREE_OPERAND(operand, 0));
  return is_record(object) && LAMBDA_TYPE_P(const_cast<tree>(object));
}

std::uint32_t registers_of_value(tree operand) {
  const_tree type = TREE_TYPE(operand);
  // Copies of structures appear as arrays of bytes.
  if (TREE_CODE(operand) == MEM_REF && TREE_CODE(type) == ARRAY_TYPE) {
    const_tree said = record_behind(TREE_TYPE(TREE_OPERAND(operand, 1)));
    if (said != NULL_TREE) return registers_of(said);
  }
  return registers_of(type);
}

std::uint32_t registers_of(const_tree type) {
  if (TREE_CODE(type) == ARRAY_TYPE) {
    const_tree size = TYPE_SIZE_UNIT(type), each = TYPE_SIZE_UNIT(TREE_TYPE(type));
    if (size == NULL_TREE || !tree_fits_uhwi_p(size) || integer_zerop(each)) return 1;
    const auto elements = tree_to_uhwi(size) / tree_to_uhwi(each);
    return static_cast<std::uint32_t>(elements) * registers_of(TREE_TYPE(type));
  }
  if (!is_record(type)) return 1;
  if (is_of_api(type)) return 1;
  std::uint32_t registers = 0;
  for (const_tree field = TYPE_FIELDS(type); field != NULL_TREE; field = DECL_CHAIN(field)) {
    if (TREE_CODE(field) == FIELD_DECL) registers += registers_of(TREE_TYPE(field));
  }
  return registers;
}

}  // namespace davsim::plugin
