// Cache rows to which several tokens are written. This is legal, but on a device it is undefined
// which token remains, and a row may hold the data of one and the scale of another. Here the last
// token remains, whole, in every mode and run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace davsim::operators {

/// Returns a sentence for each of the first eight pairs of tokens with the same row, and one for
/// the rest. `row_of_token` is the row of each token; a negative row means that the token is not
/// written. `which` says how tokens are counted.
inline std::vector<std::string> duplicate_rows(const std::vector<std::int64_t>& row_of_token,
                                               const std::string& which) {
  constexpr std::size_t kMost = 8;  // named one by one
  struct Target {
    std::int64_t row;
    std::size_t token;
  };
  std::vector<Target> targets;
  for (std::size_t token = 0; token < row_of_token.size(); ++token) {
    if (row_of_token[token] >= 0) targets.push_back({row_of_token[token], token});
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](const Target& a, const Target& b) { return a.row < b.row; });
  std::vector<std::string> found;
  std::size_t duplicates = 0;
  for (std::size_t i = 1; i < targets.size(); ++i) {
    if (targets[i].row != targets[i - 1].row || ++duplicates > kMost) continue;
    found.push_back("duplicate index: tokens " + std::to_string(targets[i - 1].token) + " and " +
                    std::to_string(targets[i].token) + which + " both go to cache row " +
                    std::to_string(targets[i].row) +
                    "; here the last one stays, on a device it is undefined");
  }
  if (duplicates > kMost) {
    found.push_back(std::to_string(duplicates - kMost) + " more pairs of tokens meet");
  }
  return found;
}

/// Returns `row_of_token` with -1 for each token whose row a later token is written to. Returns
/// nothing if no two tokens have the same row.
inline std::optional<std::vector<std::int64_t>> last_writers(
    const std::vector<std::int64_t>& row_of_token) {
  std::vector<std::int64_t> kept = row_of_token;
  std::unordered_set<std::int64_t> taken;
  bool meet = false;
  for (auto row = kept.rbegin(); row != kept.rend(); ++row) {
    if (*row < 0 || taken.insert(*row).second) continue;
    *row = -1;
    meet = true;
  }
  if (!meet) return std::nullopt;
  return kept;
}

}  // namespace davsim::operators
