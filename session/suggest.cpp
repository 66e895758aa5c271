#include "session/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <tuple>

namespace davsim::session {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto differ = [](unsigned char x, unsigned char y) {
    return std::tolower(x) != std::tolower(y);
  };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + differ(a[i - 1], b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

bool is_part(const std::string& word, const std::string& candidate) {
  return std::search(candidate.begin(), candidate.end(), word.begin(), word.end(),
                     [](unsigned char a, unsigned char b) {
                       return std::tolower(a) == std::tolower(b);
                     }) != candidate.end();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) best = &candidate, best_distance = distance;
  }
  // A part of a name, as "910B3" of "Ascend910B3".
  constexpr std::size_t kLeastPart = 3;
  for (const std::string& candidate : candidates) {
    if (best == nullptr && word.size() >= kLeastPart && is_part(word, candidate)) best = &candidate;
  }
  return best == nullptr ? "" : "; did you mean '" + *best + "'?";
}

std::vector<std::string> nearest(const std::string& word, std::vector<std::string> candidates,
                                 std::size_t count) {
  // A word such as "bandwidth" or "l2" may be a part of the name that is meant. Short names come
  // first.
  using Rank = std::tuple<std::size_t, std::size_t, std::string>;
  std::set<Rank> ranked;
  for (std::string& candidate : candidates) {
    const bool part = candidate.find(word) != std::string::npos;
    const std::size_t length = candidate.size();
    ranked.emplace(part ? 0 : edit_distance(word, candidate), length, std::move(candidate));
  }
  std::vector<std::string> names;
  for (const Rank& rank : ranked) {
    if (names.size() == count) break;
    names.push_back(std::get<2>(rank));
  }
  return names;
}

}  // namespace davsim::session
