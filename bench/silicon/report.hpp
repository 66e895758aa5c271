// What a comparison leaves behind: the page, the table and the scatter plot.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bench/silicon/bars.hpp"

namespace davsim::silicon {

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
