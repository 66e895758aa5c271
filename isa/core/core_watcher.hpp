// The interface through which a checker observes one core. The kernel API reports buffers and
// owners, the core reports what it issues in which order. Without a watcher it tests one pointer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/instr/operand.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::isa {

struct DecodedInstr;
struct Instr;

/// A named part of an on-chip buffer: a buffer of a queue, a TBuf, or a tensor at a fixed address.
/// Or a part that a call of the kernel API reserves and may overwrite.
struct LocalBuffer {
  enum class Kind : std::uint8_t { kQueue, kTBuf, kStatic, kReserved };
  Space space = Space::kNone;
  Kind kind = Kind::kStatic;
  std::uint32_t addr = 0, bytes = 0;
  std::string_view position;  ///< "VECIN", or whose kReserved is; lives as long as the program
  SourceLocation where;       ///< the InitBuffer, or the line that made the tensor
};

/// A tensor in global memory as SetGlobalBuffer made it. Parts that are cut out of it keep its
/// number.
struct GlobalBuffer {
  std::uint64_t addr = 0;
  std::uint64_t bytes = 0;  ///< 0 if its length was not given
  SourceLocation where;     ///< the SetGlobalBuffer
};

/// The owner of a buffer of a queue.
enum class BufferOwner : std::uint8_t { kNobody, kTaken, kEnqueued };

/// What a rule of the kernel API is about that a call broke.
enum class Misuse : std::uint8_t { kTensor, kLength };

class CoreWatcher {
 public:
  virtual ~CoreWatcher() = default;

  // The kernel API, in program order.
  /// Returns a number by which operands refer to the buffer; 0 if the watcher does not record it.
  virtual std::uint16_t buffer_made(const LocalBuffer& buffer) = 0;
  /// The same for a tensor in global memory; the numbers of the two are independent.
  virtual std::uint16_t global_made(const GlobalBuffer& buffer) = 0;
  virtual void buffer_passed(std::uint16_t buffer, BufferOwner to, SourceLocation where) = 0;
  /// The TPipe forgets its buffers: Reset, Destroy or the end of its life. After Reset it gives
  /// their bytes out again; Destroy leaves them to the kernel.
  virtual void buffers_forgotten(bool reset, SourceLocation where) = 0;
  /// From here on (until `begins` is false) moves to and from global memory carry words by which
  /// cores wait for each other: a write publishes what its core knows, a read takes it over. So
  /// does a load of such a word at any time. What was asked for before has ended.
  virtual void words_follow(bool begins) = 0;
  /// In this launch, the scalar unit's stores to this address of global memory are such words.
  virtual void word_at(std::uint64_t address) = 0;
  /// From here on (until `begins` is false) what the scalar unit stores to global memory goes past
  /// its data cache: only the bytes of the store are written.
  virtual void stores_pass_the_cache(bool begins) { static_cast<void>(begins); }
  /// The call at `where` broke a rule of the kernel API that does not stop the run; `rule` is a
  /// sentence that says what would mend it.
  virtual void misused(Misuse kind, std::string_view rule, SourceLocation where) = 0;
  /// For reports of an instruction whose `operand` starts outside the tensor that it was cut out
  /// of: how far, and which tensor. Empty for other operands.
  virtual std::string origin(const Operand& operand) const {
    static_cast<void>(operand);
    return {};
  }

  // The core. An instruction is dispatched when the scalar unit hands it to its pipe, and issued
  // when the pipe starts it; waits and barriers are issued when they let the pipe go on.
  virtual void dispatched(const Instr& instr) = 0;
  virtual void issued(const DecodedInstr& instr) = 0;
  /// The instruction has taken effect.
  virtual void ended(const DecodedInstr& instr) = 0;
  /// The scalar unit stalled until every pipe had finished.
  virtual void drained(SourceLocation where) = 0;
  virtual void scalar_loaded(const Operand& from, std::uint64_t bytes, SourceLocation where) = 0;
  virtual void scalar_stored(const Operand& to, std::uint64_t bytes, SourceLocation where) = 0;
  /// Lines of the data cache were written back and dropped; all if `bytes` is 0.
  virtual void cache_cleaned(std::uint64_t addr, std::uint64_t bytes, SourceLocation where) = 0;
};

/// The watcher of the core whose kernel runs now; nullptr if there is none or no kernel runs.
CoreWatcher* current_watcher();

}  // namespace davsim::isa
