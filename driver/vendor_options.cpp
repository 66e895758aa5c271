#include "driver/vendor_options.hpp"

#include <algorithm>
#include <iterator>

namespace davsim::driver {
namespace {

/// Options of the vendor's compilers that mean nothing here: what they choose does not exist in the
/// simulated device or is always so.
constexpr std::string_view kIgnored[] = {"--cce-aicore-lang",
                                         "--cce-host-only",
                                         "--cce-aicore-record-overflow",
                                         "--cce-aicore-input-parameter-size",
                                         "--cce-soc-version",
                                         "--cce-aicore-jump-expand",
                                         "--cce-auto-infer-kernel-type",
                                         "--cce-disable-kernel-global-attr-check",
                                         "--cce-long-call",
                                         "--cce-no-dcache-flush",
                                         "--cce-aicore-function-stack-size",
                                         "--cce-aicore-stack-size",
                                         "--cce-aicore-addr-transform",
                                         "--cce-aicore-dcci-insert-for-scalar",
                                         "--cce-aicore-mask-opt",
                                         "--cce-aicore-fp-ceiling",
                                         "--cce-simd-vf-fusion",
                                         "--cce-aicpu-toolchain",
                                         "--cce-soc-core-type",
                                         "--cce-enable-print",
                                         "--cce-enable-sanitizer",
                                         "--cce-fatobj-link",
                                         "--cce-aicore-block-local-init",
                                         "--cce-enable-pto-passes",
                                         "--sanitizer"};

/// What -mllvm hands to the vendor's code generator in public build files: stacks, addresses and
/// choices of instructions that the simulated device does not have.
constexpr std::string_view kOfCodeGenerator[] = {"-cce-aicore-stack-size",
                                                 "-cce-aicore-function-stack-size",
                                                 "-cce-aicore-record-overflow",
                                                 "-cce-aicore-addr-transform",
                                                 "-cce-aicore-dcci-insert-for-scalar",
                                                 "-cce-aicore-jump-expand",
                                                 "-cce-aicore-long-call",
                                                 "-cce-aicore-mask-opt",
                                                 "-cce-aicore-fp-ceiling",
                                                 "-cce-aicore-hoist-movemask",
                                                 "-cce-aicore-enable-scalar-dcci",
                                                 "-cce-aicore-input-parameter-size"};

/// Options of clang, of which the vendor's compilers are made, that g++ does not know: how messages
/// look, and where the compiler finds its own parts. A * stands for any end.
constexpr std::string_view kClangs[] = {"-fcolor-diagnostics",
                                        "-fno-color-diagnostics",
                                        "-fansi-escape-codes",
                                        "-ferror-limit*",
                                        "-ftemplate-backtrace-limit*",
                                        "-fdiagnostics-absolute-paths",
                                        "-fstandalone-debug",
                                        "-fno-limit-debug-info",
                                        "-fno-standalone-debug",
                                        "-Qunused-arguments",
                                        "-stdlib=libstdc++",
                                        "--gcc-toolchain=*",
                                        "--target=*",
                                        "-Weverything",
                                        "-fno-spell-checking",
                                        "-Xhost-start",
                                        "-Xhost-end",
                                        "--ce-enable-sanitizer",
                                        "-forward-options-to-host-compiler"};
/// Such options with a value, attached by = or next.
constexpr std::string_view kClangPairs[] = {"-Xclang", "-target", "--npu-soc", "--cce-path"};

}  // namespace

bool is_known_without_effect(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  return std::find(std::begin(kIgnored), std::end(kIgnored), name) != std::end(kIgnored);
}

bool is_of_code_generator(std::string_view value) {
  const std::string_view name = value.substr(0, value.find('='));
  return std::find(std::begin(kOfCodeGenerator), std::end(kOfCodeGenerator), name) !=
         std::end(kOfCodeGenerator);
}

std::span<const std::string_view> clangs_pairs() {
  return kClangPairs;
}

bool is_clangs(std::string_view argument) {
  return std::any_of(std::begin(kClangs), std::end(kClangs), [argument](std::string_view known) {
    if (!known.ends_with('*')) return argument == known;
    return argument.starts_with(known.substr(0, known.size() - 1));
  });
}

bool is_architecture(std::string_view name) {
  constexpr std::string_view kArchitectures[] = {"dav-2201", "dav-c220", "dav-c220-vec",
                                                 "dav-c220-cube"};
  return std::find(std::begin(kArchitectures), std::end(kArchitectures), name) !=
         std::end(kArchitectures);
}

}  // namespace davsim::driver
