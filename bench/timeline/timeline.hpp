// A trace condensed to what each core computes when: products on cube cores, stages on vector
// cores.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace davsim::timeline {

/// A stretch of the same work on a core; times in microseconds.
struct Stretch {
  double begin = 0, end = 0;
  double busy = 0;  ///< of it, the time in which an instruction runs
  std::string work;
};

struct Lane {
  std::string core;  ///< as the trace names it: "core3.cubecore0"
  bool cube = false;
  std::int64_t die = 0;  ///< 0 in a trace of one
  std::vector<Stretch> stretches;
};

struct Timeline {
  std::string soc;
  std::string kernel;  ///< of the last launch
  double end = 0;      ///< of the last instruction, microseconds
  std::int64_t dies = 1;
  /// Those of a die together, its cube cores first, both kinds in the order of their numbers.
  std::vector<Lane> lanes;
};

/// What to call the work of a source file: "query_norm.h" -> "norm of the query".
using Labels = std::map<std::string, std::string>;

/// Reads a trace of `davsim run --trace` or `davsim run-system OPERATOR --trace`. On a cube core
/// work is the type of its products. On a vector core it is what lies between two barriers of all
/// pipes, called after the first source file in `labels` that takes part, or "vector work". Throws
/// std::runtime_error naming the line that is no event.
Timeline read_timeline(std::istream& trace, const Labels& labels);

/// A lane a core, a colour a kind of work, paler where the core often waits. `title`: what ran;
/// empty: the kernel.
void write_svg(std::ostream& out, const Timeline& timeline, const std::string& title = "");

}  // namespace davsim::timeline
