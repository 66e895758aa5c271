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

#include "isa/core/source_location.hpp"
#include "isa/instr/opcode.hpp"
#include "memory/cycle.hpp"

namespace davsim::sim {

using memory::Cycle;

/// Numbers call sites. A call site is a source line and an instruction that it issues. All cores
/// share one object. No time depends on the numbers.
class CallSites {
 public:
  CallSites() : recent_(kRecent) {}
  std::uint32_t number(const isa::SourceLocation& where, isa::Opcode op) {
    const Site site{where.file_name(), where.line(), op};
    Recent& recent = recent_[Hash()(site) % kRecent];
    if (!(recent.site == site)) recent = {site, look_up(site)};
    return recent.number;
  }

 private:
  struct Site {
    const char* file = nullptr;
    std::uint32_t line = 0;
    isa::Opcode op = isa::Opcode::kScalarOp;
    bool operator==(const Site&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Site& site) const {
      const auto file = reinterpret_cast<std::uintptr_t>(site.file);
      const std::uint64_t numbers =
          (std::uint64_t{site.line} << 8) + static_cast<std::uint64_t>(site.op);
      return (file + numbers) * 0x9E3779B97F4A7C15u >> 32;
    }
  };
  struct Recent {
    Site site;
    std::uint32_t number = 0;
  };
  std::uint32_t look_up(const Site& site);

  static constexpr std::size_t kRecent = 1024;
  std::vector<Recent> recent_;  ///< spares the map nearly always
  std::unordered_map<Site, std::uint32_t, Hash> numbers_;
};

class InstructionCache {
 public:
  /// `bytes` of capacity in lines of `line`, which leave in the order in which they came. Each site
  /// has `site_bytes` of code; none if that is 0: then everything is always there.
  InstructionCache(std::uint32_t bytes, std::uint32_t line, std::uint32_t site_bytes);

  /// Lines of code [first, end), numbered as the core came by them.
  struct Lines {
    std::uint32_t first = 0, end = 0;
  };
  /// When a line is there.
  static constexpr Cycle kAbsent = ~Cycle{0};     ///< nobody has asked for it
  static constexpr Cycle kAsked = ~Cycle{0} - 1;  ///< it is not known yet

  void begin_launch();  ///< cold, and nothing of the kernel has been seen
  bool off() const { return site_bytes_ == 0; }
  std::uint32_t line_bytes() const { return line_; }

  /// The lines of a site's code; a site that is new lies behind all others.
  Lines lines_of(std::uint32_t site) {
    if (site >= places_.size() || places_[site].end == 0) place(site);
    return places_[site];
  }
  /// The lines of the next `bytes` of code that the core has not come by yet.
  Lines ahead(std::uint32_t bytes);
  /// The cycle at which a line that lines_of() gave is there.
  Cycle there(std::uint32_t line) const { return lines_[line]; }
  /// Makes room for lines and has them asked for. Those that are there or asked for stay as they
  /// are.
  void ask(Lines lines);
  /// What was asked for of these lines is there at `cycle`.
  void arrive(Lines lines, Cycle cycle);
  /// Whether all of a site's code is known to be there: spares nearly every call the rest.
  bool holds(std::uint32_t site) const {
    const std::size_t word = site / kWordBits;
    return word < held_sites_.size() && (held_sites_[word] >> (site % kWordBits) & 1) != 0;
  }
  /// Notes that it is, until a line leaves.
  void note_held(std::uint32_t site);
  /// Whether something of these lines is still on its way at `now`.
  bool awaits(Lines lines, Cycle now) const;

 private:
  static constexpr std::size_t kWordBits = 64;

  void place(std::uint32_t site);
  Lines lines_between(std::uint64_t begin, std::uint64_t end);
  void drop_oldest();

  std::uint32_t capacity_, line_, site_bytes_;  ///< lines, bytes, bytes
  std::uint64_t code_bytes_ = 0;                ///< of all sites that were seen
  std::vector<Lines> places_;                   ///< by site; {0, 0}: not seen
  std::vector<Cycle> lines_;                    ///< when each is there
  std::deque<std::uint32_t> held_;              ///< lines that are not absent, oldest first
  std::vector<std::uint64_t> held_sites_;       ///< a bit a site
};

}  // namespace davsim::sim
