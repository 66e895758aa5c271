// The scalar unit's way to its code: the instruction cache, and the fetches that fill it from the
// memory system.
#pragma once

#include <cstdint>
#include <deque>

#include "memory/memory_system.hpp"
#include "sim/core/instruction_cache.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::sim {

/// A half of a kernel has no more code than this; what lies behind begins anew.
inline constexpr std::uint64_t kMostCode = std::uint64_t{1} << 20;

/// Who waits for code.
class CodeClient {
 public:
  /// Lines that were asked for have come; the instruction cache knows when they are ready.
  virtual void code_arrives() = 0;

 protected:
  ~CodeClient() = default;
};

class CodeFetch {
 public:
  CodeFetch(const ScalarTiming& timing, isa::CoreType type, memory::MemoryPortIf& port,
            memory::RequesterId requester, CallSites& call_sites, CodeClient& client);

  /// `base`: where the code of the kernel begins, as the memory system numbers what a die
  /// addresses.
  void begin_launch(std::uint64_t base);
  bool off() const { return cache_.off(); }  ///< all code is always there

  /// Whether the code of a call is known to be in the cache: true nearly always.
  bool holds(std::uint32_t site) const { return cache_.holds(site); }
  std::uint32_t site(const isa::SourceLocation& where, isa::Opcode op) {
    return call_sites_.number(where, op);
  }
  /// When the first missing line of a call's code is ready, seen at `now`: no later than `now` if
  /// nothing is missing. kNever: it was asked for, and the client will hear when it is known.
  Cycle ready(std::uint32_t site, Cycle now);

  /// PRELOAD: asks for the next `bytes` of code at `now`.
  void preload(std::uint32_t bytes, Cycle now);
  /// Whether something that the last PRELOAD asked for is still on its way at `now`.
  bool preloads(Cycle now) const { return cache_.awaits(preloaded_, now); }

 private:
  /// Fetches of lines that the scalar unit waits for, or of a PRELOAD. Each is posted later than
  /// the one before.
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

  void fetch(InstructionCache::Lines lines, Cycle cycle, Fetches& by);

  InstructionCache cache_;
  CallSites& call_sites_;
  memory::MemoryPortIf& port_;
  memory::RequesterId requester_;
  CodeClient& client_;
  std::uint64_t base_ = 0;
  Fetches demanded_{*this}, ahead_{*this};
  InstructionCache::Lines preloaded_;  ///< by the last PRELOAD
};

}  // namespace davsim::sim
