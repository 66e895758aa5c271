// How good the agreement of simulated and measured values has to be, and whether it is.
#pragma once

#include <string>
#include <vector>

#include "bench/silicon/statistics.hpp"

namespace davsim::silicon {

/// Rows of one family, one kind and one class of quantities, in the order of the report.
struct Group {
  std::string family, quantities;
  Kind kind = Kind::kOmitted;
  std::vector<Compared> rows;
};
/// Omitted measurements are in no group.
std::vector<Group> groups_of(const std::vector<Compared>& rows);

/// A bar of the project, for an error or for a rank correlation.
struct Bar {
  std::string what;
  double value = 0, limit = 0;
  bool at_least = false;  ///< else: at most
  bool holds() const { return at_least ? value >= limit : value <= limit; }
};
/// A bar holds or is missed only where there are rows.
std::vector<Bar> bars_of(const std::vector<Compared>& rows);

}  // namespace davsim::silicon
