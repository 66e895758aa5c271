// How far simulated values are from measured ones.
#pragma once

#include <string>
#include <vector>

#include "bench/silicon/measurement.hpp"

namespace davsim::silicon {

struct Compared {
  Measurement measurement;
  double simulated = 0;
  std::string error;       ///< why there is no simulated value; else empty
  std::string high_level;  ///< calls of the high-level API in the simulated kernel

  double ratio() const { return simulated / measurement.value; }
  /// |simulated / measured - 1|; 0 where a time below 10 us is missed by at most 2 us.
  double relative_error() const;
};

struct Summary {
  std::size_t rows = 0;
  double geometric_mean_error = 0;  ///< exp(mean |ln ratio|) - 1
  double median_error = 0, percentile_90 = 0;
  double rank_correlation = 0;  ///< Spearman
};

/// Of the rows that were simulated; all zero if there is none.
Summary summarise(const std::vector<Compared>& rows);
/// Spearman's rank correlation; equal values share their mean rank. 0 for fewer than two.
double spearman(const std::vector<double>& a, const std::vector<double>& b);
/// Value below which `share` of the values lie, between neighbours by linear interpolation.
double quantile(std::vector<double> values, double share);

}  // namespace davsim::silicon
