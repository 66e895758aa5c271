#include "cli/checking.hpp"

#include "checker/finding_json.hpp"
#include "cli/errors.hpp"

namespace davsim::cli {

Checking::Checking(sim::Device& device, const checker::Options& options)
    : device_(device), checker_(options) {
  device_.check(&checker_);
}

Checking::~Checking() {
  device_.check(nullptr);
}

std::size_t Checking::silenced() const {
  return checker_.findings().all().size() - checker_.findings().open();
}

void Checking::require_none(const std::string& verdict) const {
  const checker::Findings& findings = checker_.findings();
  if (findings.open() == 0) return;
  throw FindingsError(checker::text_of(findings), checker::json_of(findings), findings.open(),
                      verdict);
}

}  // namespace davsim::cli
