// A plugin of g++ that lets a kernel count, while it runs, the instructions that its own code would
// take on the scalar unit.
//
// The counts are taken from the statements of the compiler's middle end: after inlining and the
// optimisations of scalar code, before loops are unrolled and vectorised for the host. Each basic
// block adds its counts to variables of its function, which the compiler keeps in registers. Before
// a call that may reach the kernel API, and at the end of the function, the variables are added to
// `davsim_scalar_work`, where the running core finds them (isa/core/scalar_work.hpp).

#include "isa/plugin/compiler.hpp"
#include "isa/plugin/counting.hpp"

int plugin_is_GPL_compatible;  // NOLINT: a name that the compiler looks for

namespace davsim::plugin {
namespace {

constexpr pass_data kCounting = {GIMPLE_PASS,
                                 "davsim_scalar",
                                 OPTGROUP_NONE,
                                 TV_NONE,
                                 PROP_cfg | PROP_ssa,
                                 0,
                                 0,
                                 0,
                                 TODO_update_ssa | TODO_cleanup_cfg};
constexpr pass_data kNumbers = {
    GIMPLE_PASS, "davsim_numbers", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
    0,           TODO_update_ssa};

class CountingPass : public gimple_opt_pass {
 public:
  CountingPass(gcc::context* context, OwnCode& own)
      : gimple_opt_pass(kCounting, context), own_(own) {}
  unsigned int execute(function* fun) override {
    count_own_code(fun, own_);
    return 0;
  }

 private:
  OwnCode& own_;
};

/// Runs before functions are inlined, while the operators of half and bfloat16 still are calls.
class NumbersPass : public gimple_opt_pass {
 public:
  NumbersPass(gcc::context* context, OwnCode& own)
      : gimple_opt_pass(kNumbers, context), own_(own) {}
  unsigned int execute(function* fun) override {
    count_numbers(fun, own_);
    return 0;
  }

 private:
  OwnCode& own_;
};

void add_pass(const plugin_name_args* plugin, opt_pass* pass, const char* behind) {
  register_pass_info info = {pass, behind, 1, PASS_POS_INSERT_AFTER};
  register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

}  // namespace
}  // namespace davsim::plugin

int plugin_init(plugin_name_args* plugin, plugin_gcc_version* version) {
  using namespace davsim::plugin;
  if (!plugin_default_version_check(version, &gcc_version)) {
    error(
        "davsim: the plugin that counts scalar work was built for another compiler than this one");
    return 1;
  }
  std::vector<std::string> folders;
  for (int i = 0; i < plugin->argc; ++i) {
    if (std::string(plugin->argv[i].key) == "api" && plugin->argv[i].value != nullptr) {
      folders.emplace_back(plugin->argv[i].value);
    }
  }
  // The compiler keeps its passes until it ends.
  auto* own = new OwnCode(std::move(folders));
  add_pass(plugin, new NumbersPass(g, *own), "ssa");
  add_pass(plugin, new CountingPass(g, *own), "sink");
  return 0;
}
