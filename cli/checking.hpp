// The checker of `davsim run --check` on a device.
#pragma once

#include <cstddef>
#include <string>

#include "checker/checker.hpp"
#include "sim/device/device.hpp"

namespace davsim::cli {

/// Attaches a checker to a device, for as long as this object lives.
class Checking {
 public:
  Checking(sim::Device& device, const checker::Options& options);
  ~Checking();
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;

  /// Findings that a source line allows.
  std::size_t silenced() const;
  /// Throws FindingsError if there is a finding that no source line allows.
  void require_none(const std::string& verdict = "not checked") const;

 private:
  sim::Device& device_;
  checker::Checker checker_;
};

}  // namespace davsim::cli
