// The instruction cache of a scalar unit. Kernels run natively, so their code has no addresses.
// Each call site therefore stands for some bytes of code. A core places the sites one after the
// other, in the order in which it first reaches them. Cores that execute the same code fetch the
// same lines, in whatever order the host runs the cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "isa/instr/opcode.hpp"
#include "isa/instr/source_location.hpp"
#include "memory/cycle.hpp"

namespace davsim::sim {

using memory::Cycle;

/// Numbers call sites. A call site is a source line, an instruction that it issues and, if the
/// kernel's own code is counted, a place in that code: two instances of a template, and two places
/// of an inlined function, are different code. All cores share one object. No time depends on the
/// numbers.
class CallSites {
 public:
  CallSites() : recent_(kRecent) {}
  /// `place` is 0 if it is not known.
  std::uint32_t number(const isa::SourceLocation& where, isa::Opcode op, std::uint64_t place = 0) {
    const Site site{where.file_name(), place, where.line(), op};
    Recent& recent = recent_[Hash()(site) % kRecent];
    if (!(recent.site == site)) recent = {site, look_up(site)};
    return recent.number;
  }

 private:
  struct Site {
    const char* file = nullptr;
    std::uint64_t place = 0;
    std::uint32_t line = 0;
    isa::Opcode op = isa::Opcode::kScalarOp;
    bool operator==(const Site&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Site& site) const {
      const auto file = reinterpret_cast<std::uintptr_t>(site.file);
      const std::uint64_t numbers =
          (std::uint64_t{site.line} << 8) + static_cast<std::uint64_t>(site.op);
      return (file + numbers + site.place) * 0x9E3779B97F4A7C15u >> 32;
    }
  };
  struct Recent {
    Site site;
    std::uint32_t number = 0;
  };
  std::uint32_t look_up(const Site& site);

  static constexpr std::size_t kRecent = 1024;
  std::vector<Recent> recent_;  ///< avoids nearly all look-ups in the map
  std::unordered_map<Site, std::uint32_t, Hash> numbers_;
};

/// A call site and the bytes of its code; 0: as many as the cache takes for any call. `jumps`: the
/// code before the call branches, so that the call does not lie right behind the one before.
struct CodeSite {
  std::uint32_t number = 0, bytes = 0;
  bool jumps = false;
};

class InstructionCache {
 public:
  /// A cache of `bytes` bytes with lines of `line` bytes. The oldest line is evicted first. Each
  /// call site has `site_bytes` bytes of code. If `site_bytes` is 0, all code is always ready.
  InstructionCache(std::uint32_t bytes, std::uint32_t line, std::uint32_t site_bytes);

  /// The lines of code [first, end). Lines are numbered in the order in which the core reaches
  /// them.
  struct Lines {
    std::uint32_t first = 0, end = 0;
  };
  /// Ready times of lines that have none:
  static constexpr Cycle kAbsent = ~Cycle{0};  ///< the line is not requested
  static constexpr Cycle kAsked =
      ~Cycle{0} - 1;  ///< the line is requested, and its ready time is not known

  void begin_launch();  ///< the cache is empty, and the core has reached no site
  bool off() const { return site_bytes_ == 0; }
  std::uint32_t line_bytes() const { return line_; }

  /// The lines of a site's code. A site that the core reaches for the first time is placed behind
  /// all others.
  Lines lines_of(CodeSite site) {
    if (site.number >= places_.size() || places_[site.number].end == 0) place(site);
    return places_[site.number];
  }
  /// `count` lines behind a line, to which the fetcher runs ahead. Code behind a jump lies behind
  /// them, and does not profit.
  Lines behind(std::uint32_t line, std::uint32_t count);
  /// The lines of the next `bytes` bytes of code that the core has not reached. They hold what
  /// comes next whether it jumps or not.
  Lines ahead(std::uint32_t bytes);
  /// The ready time of a line of lines_of(), or kAbsent or kAsked.
  Cycle there(std::uint32_t line) const { return lines_[line]; }
  /// Marks the absent lines of `lines` as requested. Evicts the oldest lines if there is no room.
  void ask(Lines lines);
  /// Sets the ready time of the requested lines of `lines` to `cycle`.
  void arrive(Lines lines, Cycle cycle);
  /// Whether all of a site's code is known to be ready. Nearly every call needs no other test.
  bool holds(std::uint32_t site) const {
    const std::size_t word = site / kWordBits;
    return word < held_sites_.size() && (held_sites_[word] >> (site % kWordBits) & 1) != 0;
  }
  /// Notes that all of a site's code is ready, until a line is evicted.
  void note_held(std::uint32_t site);
  /// Whether one of the lines is requested and not ready at `now`.
  bool awaits(Lines lines, Cycle now) const;

 private:
  static constexpr std::size_t kWordBits = 64;

  void place(CodeSite site);
  void jump();
  Lines lines_between(std::uint64_t begin, std::uint64_t end);
  void drop_oldest();

  std::uint32_t capacity_, line_, site_bytes_;         ///< in lines, bytes, bytes
  std::uint64_t code_bytes_ = 0;                       ///< of all sites that the core has reached
  std::uint32_t run_ahead_end_ = 0, preload_end_ = 0;  ///< of lines
  std::vector<Lines> places_;                          ///< by site; {0, 0}: not reached
  std::vector<Cycle> lines_;                           ///< their ready times
  std::deque<std::uint32_t> held_;                     ///< lines that are not absent, oldest first
  std::vector<std::uint64_t> held_sites_;              ///< one bit for each site
};

}  // namespace davsim::sim
