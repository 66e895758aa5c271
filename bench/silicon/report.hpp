// What a comparison leaves behind: the page, the table and the scatter plot.
#pragma once

#include <ostream>
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

/// The bars of the project and whether they hold; one line each.
struct Bar {
  std::string what;
  double value = 0, limit = 0;
  bool at_least = false;  ///< else: at most
  bool holds() const { return at_least ? value >= limit : value <= limit; }
};
std::vector<Bar> bars_of(const std::vector<Compared>& rows);

/// How the errors of a group move when a constant does.
struct Sensitivity {
  std::string constant;
  double factor = 1;
  std::vector<Group> groups;

  /// Whether no run took the changed value.
  bool refused() const;
  /// Why the first run that failed did; empty if none failed.
  std::string first_error() const;
};

/// `name` is that of the page's files without ending.
void write_page(std::ostream& out, const std::vector<Compared>& rows,
                const std::string& name = "silicon");
void write_csv(std::ostream& out, const std::vector<Compared>& rows);
/// Simulated over measured latency, both axes logarithmic.
void write_scatter(std::ostream& out, const std::vector<Compared>& rows);
/// Says which runs failed, and why.
void write_sensitivities(std::ostream& out, const std::vector<Group>& base,
                         const std::vector<Sensitivity>& moved);

}  // namespace davsim::silicon
