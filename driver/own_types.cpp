#include "driver/own_types.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace davsim::driver {
namespace {

/// Names of the high-level API, whose headers kernels of the vendor's include one by one, and of
/// what younger releases have. In the order of the alphabet.
constexpr auto kNames = std::to_array<std::string_view>(
    {"BatchNorm",  "BlockMode",    "BroadCast",   "Broadcast",  "CumSum",        "DeepNorm",
     "Digamma",    "DropOut",      "Erf",         "Erfc",       "FasterGelu",    "FasterGeluV2",
     "GeGLU",      "Gelu",         "GroupNorm",   "LayerNorm",  "LayerNormGrad", "Lgamma",
     "LogSoftMax", "Mean",         "Normalize",   "Pad",        "PaddingMode",   "PipeMode",
     "ReGlu",      "ReduceAll",    "ReduceAny",   "ReduceMean", "ReduceProd",    "ReduceType",
     "RmsNorm",    "ScopeType",    "Shape",       "Sigmoid",    "Silu",          "SimpleSoftMax",
     "SoftMax",    "SoftmaxFlash", "SoftmaxGrad", "Stride",     "Sum",           "SwiGLU",
     "Swish",      "TopK",         "TopKMode",    "UnPad",      "WelfordUpdate"});
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

bool is_api_name(std::string_view name) {
  return std::binary_search(kNames.begin(), kNames.end(), name);
}

bool is_type_word(const TokenList& tokens, std::size_t i) {
  return tokens.is(i, "class") || tokens.is(i, "struct") || tokens.is(i, "enum");
}

/// The name of the API's that the type defined at `i` has; empty if it has none.
std::string_view defined_at(const TokenList& tokens, std::size_t i) {
  if (!is_type_word(tokens, i) || (i > 0 && is_type_word(tokens, i - 1))) return {};
  const std::size_t name = i + (is_type_word(tokens, i + 1) ? 2 : 1);
  const std::size_t next = name + (tokens.is(name + 1, "final") ? 2 : 1);
  const bool defines = tokens.is(next, "{") || tokens.is(next, ":");
  return defines && is_api_name(tokens.text(name)) ? tokens.text(name) : std::string_view{};
}

/// The types of the global namespace with such names.
std::set<std::string_view> own_types(const TokenList& tokens) {
  std::set<std::string_view> types;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.is(i, "{") && !(i >= 2 && tokens.is(i - 2, "extern"))) {
      i = tokens.closing(i);
    } else if (const std::string_view name = defined_at(tokens, i); !name.empty()) {
      types.insert(name);
    }
  }
  return types;
}

bool uses_the_namespace(const TokenList& tokens) {
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    if (tokens.is(i, "AscendC") && tokens.is(i - 1, "namespace") && tokens.is(i - 2, "using")) {
      return true;
    }
  }
  return false;
}

/// What a library has by this name. Members and types of the source's own namespaces may have any.
bool is_of_library(const TokenList& tokens, std::size_t i) {
  constexpr auto kLibraries = std::to_array<std::string_view>(
      {"AscendC", "at", "c10", "ge", "gert", "optiling", "std", "torch"});
  if (i < 2 || !tokens.is(i - 1, "::")) return false;
  return std::find(kLibraries.begin(), kLibraries.end(), tokens.text(i - 2)) != kLibraries.end();
}

}  // namespace

std::vector<Replacement> own_types_with_api_names(const TokenList& tokens) {
  if (!uses_the_namespace(tokens)) return {};
  const std::set<std::string_view> types = own_types(tokens);
  if (types.empty()) return {};
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!types.contains(tokens.text(i)) || is_of_library(tokens, i)) continue;
    replacements.push_back({{i, i + 1}, std::string(tokens.text(i)) + "_of_kernel"});
  }
  return replacements;
}

std::vector<std::string_view> definitions_with_api_names() {
  static const std::vector<std::string> kBeginnings = [] {
    std::vector<std::string> all;
    for (const std::string_view name : kNames) {
      for (const char* word : {"class ", "struct ", "enum "})
        all.push_back(word + std::string(name));
    }
    return all;
  }();
  return {kBeginnings.begin(), kBeginnings.end()};
}

}  // namespace davsim::driver
