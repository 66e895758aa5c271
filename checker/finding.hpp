// The findings of the checker, each once and with a count, and the source lines that silence them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "checker/mark.hpp"
#include "isa/instr/opcode.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::checker {

/// The classes of findings. docs/checker.md has a section for each.
enum class Class : std::uint8_t {
  kRace,
  kUninitialised,
  kOverrun,
  kQueue,
  kOverlap,
  kStale,
  kFlag,
  kDeadlock,
  kNumber,
  kFault,  ///< another rule: alignment, parameter, address, assert, limit; most stop the run
};
inline constexpr std::size_t kClassCount = 10;

constexpr std::string_view class_name(Class cls) {
  constexpr std::string_view kNames[kClassCount] = {
      "race",  "uninitialised", "overrun",  "queue",  "overlap",
      "stale", "flag",          "deadlock", "number", "fault"};
  return kNames[static_cast<std::size_t>(cls)];
}

/// One of the two accesses of a finding.
struct Place {
  std::string core;         ///< "core3.veccore1"; empty if there is no such access
  std::string pipe;         ///< "MTE2"
  std::string instruction;  ///< mnemonic
  std::string access;       ///< "writes", "reads"
  isa::SourceLocation where;
  bool known() const { return where.line() != 0; }
};

/// What the two accesses of a race have in common.
enum class Shared : std::uint8_t { kBlock, kCore, kNothing };

/// One access of an occurrence of a race.
struct Moment {
  Stamp stamp = 0;
  std::uint64_t position = 0;  ///< in the kernel; 0: it is too long ago to tell
  bool writes = false;
};

/// An occurrence of a race: its accesses in the order of the kernel.
struct Way {
  /// The core, or of two cores that came by the same lines the stretch of both (see Course).
  std::uint32_t where = 0;
  Moment first, second;
};

struct Finding {
  Class cls = Class::kRace;
  std::string message;  ///< one sentence: what is wrong, and what would mend it
  std::string kernel;
  std::string space;        ///< "UB"
  std::uint64_t addr = 0;   ///< byte of the buffer; in global memory from the allocation's start
  std::uint64_t bytes = 0;  ///< that both accesses touch
  std::uint64_t moved = 0;  ///< as in Occurrence
  std::string tensor;       ///< "VECIN buffer of line 31", "allocation 'k_cache'"
  /// The two accesses: of one core in the order of the kernel, of two cores in the order of this
  /// run. A finding about a single access has no first.
  Place first, second;
  std::uint64_t count = 0;
  std::uint64_t pairs = 1;  ///< pairs of lines that lack the same order
  std::string allowed;      ///< reason why it is silenced; empty if it is not
  Shared shared = Shared::kBlock;
  std::vector<Way> ways;  ///< the first occurrences in this launch of which the order is known
};

/// Findings of one class are one if their accesses have the same lines and pipes and as much in
/// common: a line of a function may be an access of several pipes, each with an order of its own.
struct Occurrence {
  Class cls = Class::kRace;
  Stamp stamp = 0;  ///< the access that is counted once
  isa::SourceLocation first, second;
  isa::Pipe first_pipe = isa::Pipe::S, second_pipe = isa::Pipe::S;
  Shared shared = Shared::kBlock;
  Way way;  ///< of a race; without an end if the order of its accesses in the kernel is not known
  /// What a read of global memory in a race between two cores moves. A finding shows the
  /// occurrence with the most.
  std::uint64_t moved = 0;
};

class Findings {
 public:
  /// Counts an occurrence, at most once for its access. `describe` makes the finding the first
  /// time.
  void add(const Occurrence& occurrence, const std::function<Finding()>& describe);
  /// Makes one finding of each cause: forgets uninitialised reads whose line also has a race or an
  /// overrun and races within a pipe that a missing order between pipes would mend, and joins races
  /// that the same order would mend. Puts races within a pipe last. See causes.cpp.
  void settle();

  /// Forgets those that `is_none` takes for none.
  void forget(const std::function<bool(const Finding&)>& is_none);

  const std::vector<Finding>& all() const { return findings_; }
  /// The number of findings that no line silences.
  std::size_t open() const;
  void clear();

 private:
  using Key = std::tuple<Class, Shared, const char*, std::uint32_t, isa::Pipe, const char*,
                         std::uint32_t, isa::Pipe>;
  std::vector<Finding> findings_;
  std::vector<Stamp> counted_;  ///< the last access that was counted for each
  std::map<Key, std::size_t> index_;
};

/// The lines of a source file, by the name that the compiler used; none if the file cannot be
/// found.
const std::vector<std::string>& source_lines(const std::string& path);

/// The reason that `// davsim: allow <class> <reason>` gives at a source line, or on the line above
/// it if that holds nothing else. Empty if there is none or the file cannot be read.
std::string allowance(Class cls, isa::SourceLocation where);

/// The findings as text: a paragraph for each, then a line with their number.
std::string text_of(const Findings& findings);

}  // namespace davsim::checker
