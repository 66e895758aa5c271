// The names of tensors and attributes of the two halves. A half that runs alone has the names of
// its own operator. The fused operator adds a prefix, or shares a name between the halves.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace davsim::operators::prolog {

class Naming {
 public:
  /// The names of the half's own operator.
  static Naming alone() { return {}; }
  static Naming fused_mla() {
    return {
        "mla_",
        {{"token_x", "token_x"}, {"cos", "cos"}, {"sin", "sin"}, {"cache_index", "cache_index"}}};
  }
  static Naming fused_indexer() {
    return {"ip_",
            {{"x_in", "token_x"},
             {"cos_idx_rope", "cos"},
             {"sin_idx_rope", "sin"},
             {"k_cache_index", "cache_index"}}};
  }

  bool fused() const { return !prefix_.empty(); }
  std::string operator()(std::string_view name) const {
    const auto shared = shared_.find(name);
    return shared != shared_.end() ? shared->second : prefix_ + std::string(name);
  }

 private:
  Naming() = default;
  Naming(std::string prefix, std::map<std::string, std::string, std::less<>> shared)
      : prefix_(std::move(prefix)), shared_(std::move(shared)) {}

  std::string prefix_;
  std::map<std::string, std::string, std::less<>> shared_;
};

}  // namespace davsim::operators::prolog
