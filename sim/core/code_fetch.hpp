// How the scalar unit gets its code: the instruction cache, and the fetches that fill the cache
// from the memory system.
#pragma once

#include <cstdint>
#include <deque>

#include "memory/memory_system.hpp"
#include "sim/core/instruction_cache.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::sim {

/// The bytes of code of a kernel on one core type, at most. Addresses of code beyond the limit
/// start again at the beginning.
inline constexpr std::uint64_t kMostCode = std::uint64_t{1} << 20;

/// The unit that waits for code.
class CodeClient {
 public:
  /// The ready times of requested lines have become known. The instruction cache holds them.
  virtual void code_arrives() = 0;

 protected:
  ~CodeClient() = default;
};

class CodeFetch {
 public:
  CodeFetch(const ScalarTiming& timing, isa::CoreType type, memory::MemoryPortIf& port,
            memory::RequesterId requester, CallSites& call_sites, CodeClient& client);

  /// `base` is the address at which the code of the kernel begins. It is an address of the memory
  /// system, behind all of global memory.
  void begin_launch(std::uint64_t base);
  /// Whether no instruction cache is modelled. All code is then always ready.
  bool off() const { return cache_.off(); }

  /// Whether the code of a call is known to be ready. This is true for nearly every call.
  bool holds(std::uint32_t site) const { return cache_.holds(site); }
  std::uint32_t site(const isa::SourceLocation& where, isa::Opcode op, std::uint64_t place) {
    return call_sites_.number(where, op, place);
  }
  /// The ready time of the first line of a call's code that is missing at `now`. No later than
  /// `now` if no line is missing. kNever if the ready time is not known yet: the line is requested,
  /// and the client is told when its ready time is known.
  Cycle ready(CodeSite site, Cycle now);

  /// PRELOAD: requests the next `bytes` of code at `now`.
  void preload(std::uint32_t bytes, Cycle now);
  /// Whether a line that the last PRELOAD requested is not ready at `now`.
  bool preloads(Cycle now) const { return cache_.awaits(preloaded_, now); }

 private:
  /// The fetches of lines that the scalar unit waits for, or those of PRELOAD. Each fetch is posted
  /// later than the one before.
  class Fetches : public memory::MemoryClient {
   public:
    explicit Fetches(CodeFetch& code) : code_(code) {}
    void accepted(std::uint32_t tag, Cycle completes) override {
      if (completes != memory::kNever) completed(tag, completes);
    }
    void completed(std::uint32_t tag, Cycle cycle) override;
    struct Fetch {
      std::uint32_t tag;
      InstructionCache::Lines lines;
    };
    std::deque<Fetch> pending;
    std::uint32_t next_tag = 0;

   private:
    CodeFetch& code_;
  };

  /// Requests a line, and those behind it that the fetcher runs ahead to.
  void fetch_with_next(std::uint32_t line, bool runs_ahead, Cycle cycle);
  void fetch(InstructionCache::Lines lines, Cycle cycle, Fetches& by,
             std::uint32_t earlier_hit = 0);

  InstructionCache cache_;
  CallSites& call_sites_;
  memory::MemoryPortIf& port_;
  memory::RequesterId requester_;
  std::uint32_t lines_ahead_, earlier_hit_;
  CodeClient& client_;
  std::uint64_t base_ = 0;
  Fetches demanded_{*this}, ahead_{*this};
  InstructionCache::Lines preloaded_;  ///< by the last PRELOAD
};

}  // namespace davsim::sim
