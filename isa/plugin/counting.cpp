#include "isa/plugin/counting.hpp"
#include "isa/plugin/compiler.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "isa/plugin/global_access.hpp"
#include "isa/plugin/kept_values.hpp"
#include "isa/plugin/loop_counts.hpp"
#include "isa/plugin/statement_cost.hpp"
#include "isa/plugin/work_words.hpp"

namespace davsim::plugin {
namespace {

using isa::ScalarClass;

/// The bytes of an instruction of the scalar unit.
constexpr std::uint32_t kInstructionBytes = 4;
constexpr std::uint32_t kMostCodeBytes = (1u << isa::kCodeBytesBits) - kInstructionBytes;

bool contains(const char* text, const char* part) {
  return text != nullptr && std::strstr(text, part) != nullptr;
}

/// Whether a call may reach the kernel API, and with it the core that takes the counts.
bool may_reach_core(const gimple* statement) {
  if (gimple_code(statement) != GIMPLE_CALL) return false;
  if (gimple_call_internal_p(statement) || gimple_call_builtin_p(statement)) return false;
  if ((gimple_call_flags(statement) & (ECF_CONST | ECF_PURE | ECF_NORETURN)) != 0) return false;
  const_tree function = gimple_call_fndecl(statement);
  if (function == NULL_TREE) return true;
  // They only tell which core runs.
  const char* name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(const_cast<tree>(function)));
  return !contains(name, "current_core") && !contains(name, "current_watcher");
}

/// A number for the name of a function, the same in every build.
std::uint64_t number_of(const char* text, std::uint64_t seed) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (; *text != 0; ++text) seed = (seed ^ static_cast<unsigned char>(*text)) * kPrime;
  return seed;
}

/// Variables, by class, that may hold something: a bit each.
using Classes = std::uint32_t;

Classes classes_of(const Counts& counts) {
  Classes classes = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) classes |= counts[i] != 0 ? 1u << i : 0;
  return classes;
}

class Counter {
 public:
  Counter(function* fun, OwnCode& own) : fun_(fun), own_(own) {
    name_ = number_of(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl)),
                      number_of(main_input_filename, 0xcbf29ce484222325));
    own_function_ = own.holds(DECL_SOURCE_LOCATION(fun->decl));
  }

  void run() {
    if (!has_own_code()) return GlobalAccesses(fun_, own_, nullptr).insert();
    loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
    calculate_dominance_info(CDI_DOMINATORS);
    kept_.emplace(fun_, own_);
    GlobalAccesses accesses(fun_, own_, &*kept_);
    find_pending_classes();
    const std::vector<Handover> handovers = loops_without_calls();
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (used_ >> i & 1) variables_[i] = create_tmp_reg(uint64_type_node, "davsim_count");
    }
    for (class loop* loop : loops_list(fun_, LI_ONLY_INNERMOST)) count_by_passes(loop);
    basic_block block;
    FOR_EACH_BB_FN(block, fun_) count_block(block);
    // Work is handed over behind what adds it up.
    for (LoopCounts& loop : loops_) loop.insert(variables_);
    for (const Handover& handover : handovers) insert_handover(handover);
    zero_at_entry();
    free_dominance_info(CDI_DOMINATORS);
    loop_optimizer_finalize();
    gsi_commit_edge_inserts();
    accesses.insert();
  }

 private:
  /// The end of a loop that makes no calls.
  struct Handover {
    edge exit;
    location_t where;
  };

  bool has_own_code() {
    basic_block block;
    FOR_EACH_BB_FN(block, fun_) {
      for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        if (own_.holds(gsi_stmt(at))) return true;
      }
    }
    return false;
  }

  Counts cost_of(const gimple* statement) {
    Counts cost{};
    if (is_gimple_debug(statement) || !own_.holds(statement)) return cost;
    add_cost(statement, *kept_, cost);
    if (gimple_code(statement) == GIMPLE_CALL && !gimple_call_internal_p(statement) &&
        remains_a_call(gimple_call_fndecl(statement))) {
      ++of(cost, ScalarClass::kCall);
    }
    return cost;
  }

  /// What a block needs at its end, for loops behind it.
  Counts cost_behind(basic_block block) {
    Counts cost{};
    of(cost, ScalarClass::kLoad) = kept_->loads_behind(block);
    of(cost, ScalarClass::kStore) = kept_->stores_behind(block);
    return cost;
  }

  /// The device's compiler inlines all functions of a kernel that it can.
  bool remains_a_call(tree function) {
    if (function == NULL_TREE) return true;
    if (!own_.holds(DECL_SOURCE_LOCATION(function))) return false;
    const cgraph_node* node = cgraph_node::get(function);
    return function == fun_->decl || node == nullptr || !node->definition ||
           lookup_attribute("noinline", DECL_ATTRIBUTES(function)) != NULL_TREE ||
           lookup_attribute("noipa", DECL_ATTRIBUTES(function)) != NULL_TREE;
  }

  static bool flushes(const gimple* statement) {
    return gimple_code(statement) == GIMPLE_RETURN || may_reach_core(statement);
  }

  /// Which variables may hold something where a block begins, and which are needed at all.
  void find_pending_classes() {
    pending_.assign(last_basic_block_for_fn(fun_), 0);
    for (bool changed = true; changed;) {
      changed = false;
      basic_block block;
      FOR_EACH_BB_FN(block, fun_) {
        const Classes out = pending_behind(block);
        edge to;
        edge_iterator at;
        FOR_EACH_EDGE(to, at, block->succs) {
          Classes& in = pending_[to->dest->index];
          changed = changed || (in | out) != in;
          in |= out;
        }
      }
    }
    for (const Classes classes : pending_) used_ |= classes;
  }

  Classes pending_behind(basic_block block) {
    Classes classes = pending_[block->index];
    for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      classes |= classes_of(cost_of(gsi_stmt(at)));
      if (flushes(gsi_stmt(at))) classes = 0;
    }
    return classes | classes_of(cost_behind(block));
  }

  void count_block(basic_block block) {
    Counts counts{};
    Classes pending = pending_[block->index];
    for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* statement = gsi_stmt(at);
      add_code(cost_of(statement), counts);
      if (!flushes(statement)) continue;
      gimple_seq statements = NULL;
      flush(&statements, pending, counts);
      const bool returns = gimple_code(statement) == GIMPLE_RETURN;
      if (!returns && (own_function_ || own_.holds(statement))) {
        set_place(&statements, next_place());
      }
      if (statements != NULL) gsi_insert_seq_before(&at, statements, GSI_SAME_STMT);
      counts = {};
      pending = 0;
    }
    add_code(cost_behind(block), counts);
    add_at_end(block, counts);
  }

  /// Adds the instructions to `counts` and to the code of the next place.
  void add_code(const Counts& cost, Counts& counts) {
    for (std::size_t i = 0; i < cost.size(); ++i) {
      counts[i] += cost[i];
      code_bytes_ += cost[i] * kInstructionBytes;
    }
  }

  std::uint64_t next_place() {
    const std::uint64_t bytes = code_bytes_ < kMostCodeBytes ? code_bytes_ : kMostCodeBytes;
    code_bytes_ = 0;
    // No place has the number 0, which says that nothing is known of the code.
    const std::uint64_t number = (name_ + ++places_ * 0x9E3779B97F4A7C15) | 1;
    return number << isa::kCodeBytesBits | bytes;
  }

  /// Adds the variables of `pending`, and `counts` besides, to the words of the core. The variables
  /// are 0 then.
  void flush(gimple_seq* statements, Classes pending, const Counts& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      tree amount = build_int_cst(uint64_type_node, counts[i]);
      if (pending >> i & 1) {
        tree sum = make_ssa_name(uint64_type_node);
        gimple_seq_add_stmt(statements, gimple_build_assign(sum, PLUS_EXPR, variables_[i], amount));
        add_to_word(statements, word_of(i), sum);
        gimple_seq_add_stmt(statements,
                            gimple_build_assign(variables_[i], build_int_cst(uint64_type_node, 0)));
      } else if (counts[i] != 0) {
        add_to_word(statements, word_of(i), amount);
      }
    }
  }

  /// Adds what a block counts behind its last call to the variables, or has its loop do so.
  void add_at_end(basic_block block, const Counts& counts) {
    if (LoopCounts* loop = counting_loop(block)) return loop->add(block, counts);
    gimple_seq statements = NULL;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0 || variables_[i] == NULL_TREE) continue;
      gimple_seq_add_stmt(&statements,
                          gimple_build_assign(variables_[i], PLUS_EXPR, variables_[i],
                                              build_int_cst(uint64_type_node, counts[i])));
    }
    if (statements != NULL) insert_at_end(block, statements);
  }

  void zero_at_entry() {
    gimple_seq zeros = NULL;
    for (tree variable : variables_) {
      if (variable == NULL_TREE) continue;
      gimple_seq_add_stmt(&zeros,
                          gimple_build_assign(variable, build_int_cst(uint64_type_node, 0)));
    }
    if (zeros != NULL) {
      gsi_insert_seq_on_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun_)), zeros);
    }
  }

  /// The ends of loops that make no call which may reach the core, and lie in no such loop. Their
  /// work is handed over under their own line instead of the line of the next call.
  std::vector<Handover> loops_without_calls() {
    std::vector<Handover> handovers;
    for (class loop* loop : loops_list(fun_, LI_ONLY_INNERMOST)) {
      const location_t where = line_of_loop_without_calls(loop);
      if (where == UNKNOWN_LOCATION) continue;
      add_exits(around_without_calls(loop).back(), where, handovers);
    }
    return handovers;
  }

  /// The loop and those around it that make no calls either, from within.
  std::vector<class loop*> around_without_calls(class loop* loop) {
    std::vector<class loop*> loops = {loop};
    for (loop = loop_outer(loop); loop != NULL && loop_outer(loop) != NULL;
         loop = loop_outer(loop)) {
      if (line_of_loop_without_calls(loop) == UNKNOWN_LOCATION) break;
      loops.push_back(loop);
    }
    return loops;
  }

  /// Has the widest loop that can count the passes of an innermost loop without calls do so.
  void count_by_passes(class loop* innermost) {
    if (line_of_loop_without_calls(innermost) == UNKNOWN_LOCATION) return;
    if (counting_loop(innermost->header) != nullptr) return;
    const std::vector<class loop*> loops = around_without_calls(innermost);
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      if (std::optional<LoopCounts> counts = LoopCounts::of(*loop, fun_)) {
        loops_.push_back(std::move(*counts));
        return;
      }
    }
  }

  LoopCounts* counting_loop(const_basic_block block) {
    const auto loop = std::find_if(loops_.begin(), loops_.end(),
                                   [block](const LoopCounts& each) { return each.holds(block); });
    return loop != loops_.end() ? &*loop : nullptr;
  }

  /// The line of its first statement of the kernel's own. UNKNOWN_LOCATION if the loop makes calls
  /// or has no such statement.
  location_t line_of_loop_without_calls(class loop* loop) {
    location_t where = UNKNOWN_LOCATION;
    basic_block* blocks = get_loop_body(loop);
    bool calls = false;
    for (unsigned i = 0; i < loop->num_nodes && !calls; ++i) {
      for (auto at = gsi_start_bb(blocks[i]); !gsi_end_p(at) && !calls; gsi_next(&at)) {
        gimple* statement = gsi_stmt(at);
        if (is_gimple_debug(statement)) continue;
        calls = may_reach_core(statement);
        if (where == UNKNOWN_LOCATION && own_.holds(statement)) where = gimple_location(statement);
      }
    }
    free(blocks);
    return calls ? UNKNOWN_LOCATION : where;
  }

  static void add_exits(class loop* loop, location_t where, std::vector<Handover>& handovers) {
    for (edge exit : get_loop_exit_edges(loop)) {
      if ((exit->flags & (EDGE_ABNORMAL | EDGE_EH)) != 0) continue;
      const bool known = std::any_of(handovers.begin(), handovers.end(),
                                     [exit](const Handover& other) { return other.exit == exit; });
      if (!known) handovers.push_back({exit, where});
    }
  }

  void insert_handover(const Handover& handover) {
    gimple_seq statements = NULL;
    flush(&statements, pending_[handover.exit->dest->index] & used_, Counts{});
    set_place(&statements, next_place());
    hand_over(&statements, handover.where);
    gsi_insert_seq_on_edge(handover.exit, statements);
  }

  function* fun_;
  OwnCode& own_;
  std::optional<KeptValues> kept_;
  bool own_function_ = false;
  std::uint64_t name_ = 0, places_ = 0;
  std::uint32_t code_bytes_ = 0;
  std::vector<Classes> pending_;  ///< by block
  Classes used_ = 0;
  ClassVariables variables_{};
  std::vector<LoopCounts> loops_;
};

/// Float instructions of a call of an operator of half or bfloat16: operands are widened, and the
/// result is narrowed. Widening counts with the operation that follows, as it does in an operator:
/// whether a kernel writes it or not, the instructions are the same.
unsigned float_instructions(tree function) {
  if (IDENTIFIER_CONV_OP_P(DECL_NAME(function))) return 0;
  return IDENTIFIER_OVL_OP_P(DECL_NAME(function)) ? 2 : 1;
}

}  // namespace

void count_own_code(function* fun, OwnCode& own) {
  Counter(fun, own).run();
}

void count_numbers(function* fun, OwnCode& own) {
  if (!own.holds(DECL_SOURCE_LOCATION(fun->decl))) return;
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (auto at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* statement = gsi_stmt(at);
      if (gimple_code(statement) != GIMPLE_CALL || !own.holds(statement)) continue;
      tree function = gimple_call_fndecl(statement);
      if (function == NULL_TREE || !own.is_number_type(function)) continue;
      gimple_seq statements = NULL;
      add_to_word(&statements, word_of(static_cast<std::size_t>(ScalarClass::kFloat)),
                  build_int_cst(uint64_type_node, float_instructions(function)));
      gsi_insert_seq_before(&at, statements, GSI_SAME_STMT);
    }
  }
}

}  // namespace davsim::plugin
