// A DMA engine: MTE2, MTE3, and Fixpipe on its way to global memory. An instruction is a train of
// chunks of some KiB. The engine posts a chunk to the memory system and, once that has accepted it,
// the next one as soon as its port is free and not too many bytes are outstanding, that is accepted
// and not completed. The next instruction's chunks follow without waiting for the data of this one.
#pragma once

#include <cstdint>
#include <deque>

#include "isa/exec/execute.hpp"
#include "memory/memory_system.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/unit/pipe.hpp"

namespace davsim::sim {

/// What a move costs on the core's side.
struct PortCost {
  double setup = 0;            ///< cycles before the first chunk
  double bytes_per_cycle = 1;  ///< of the port
  double row_min = 0;          ///< cycles a row takes at least
  double min_cycles = 0;       ///< the whole instruction takes at least (Fixpipe's rows)
};

/// Who knows the costs of an engine's instructions.
using PortCostFunction = PortCost (*)(const isa::Instr&, const TimingTable&, isa::CoreType);

class DmaEngine : public UnitModel, public memory::MemoryClient {
 public:
  /// `requester` is this engine's number among those of the device; `gm_base` is where device
  /// address 0 lies.
  DmaEngine(const TimingTable& timing, isa::CoreType core, memory::MemoryPortIf& port,
            memory::RequesterId requester, std::uint64_t gm_base, PortCostFunction cost);
  void connect(Pipe* pipe) override { pipe_ = pipe; }

  Cycle start(QueueEntry& entry, Cycle now) override;
  Cycle advance(Cycle now, Cycle& next_issue) override;
  void accepted(std::uint32_t tag, Cycle completes) override;
  void completed(std::uint32_t tag, Cycle cycle) override;
  /// What is not the port's or the core's work is waiting for L2 or HBM.
  Stall stall(const QueueEntry& entry, Cycle from) override;
  void reset() override;

 protected:
  /// When the core's side of the instruction begun last ends at the earliest.
  double& min_end() { return min_end_; }
  /// The core's side of the engine works in [from, to).
  void works(double from, double to);

 private:
  /// An instruction of which not all chunks are known to complete.
  struct Move {
    QueueEntry* entry;
    std::uint32_t chunks = 0;   ///< accepted, and not known when they complete
    bool all_accepted = false;  ///< no chunk is to come
    Cycle done = 0;             ///< when the chunks that are known to complete have completed
    Cycle min_end = 0;          ///< on the core's side
  };
  /// A chunk that the memory has accepted.
  struct Outstanding {
    std::uint64_t bytes;
    Cycle passed;     ///< the port
    Cycle completes;  ///< kNever: not known yet
    Move* move;       ///< until that is known
  };

  memory::MemoryRequest next_chunk();
  /// Bytes a cycle that rows which become fractals reach at most, beside what the port lets
  /// through.
  double fractal_rate(const isa::GmFootprint& rows) const;
  double port_cycles(const memory::MemoryRequest& chunk) const;
  /// Posts the next chunk for when the port is free for it, in `earliest` or later; later by itself
  /// where it depends on the completion of chunks that is not known yet.
  void post_next(Cycle earliest);
  /// First cycle from `earliest` on in which `bytes` more may be outstanding; kNever: it is not
  /// known yet.
  Cycle when_outstanding_fits(std::uint64_t bytes, Cycle earliest);
  void complete(Outstanding& chunk, Cycle cycle);
  /// Says when the move ends, if all of it is known.
  void end(Move& move);

  const TimingTable& timing_;
  isa::CoreType core_;
  memory::MemoryPortIf& port_;
  memory::RequesterId requester_;
  std::uint64_t gm_base_;
  PortCostFunction cost_function_;
  Pipe* pipe_ = nullptr;

  // the instruction whose chunks are being posted
  QueueEntry* entry_ = nullptr;
  isa::GmFootprint left_;  ///< of the matrix at hand, what is not posted yet
  std::uint64_t matrix_start_ = 0;
  std::uint32_t rows_done_ = 0, bytes_done_in_row_ = 0;
  bool line_bursts_ = true;  ///< its rows begin on lines of L2
  double fractal_rate_ = 0;  ///< bytes a cycle of rows that become fractals, beside the port
  PortCost cost_;
  double port_free_ = 0;  ///< when the port can take the next chunk
  double min_end_ = 0;
  bool last_posted_ = false;  ///< all chunks are posted
  bool posted_ = false;       ///< a chunk is posted and not accepted yet
  std::uint64_t posted_bytes_ = 0;
  std::uint32_t next_tag_ = 0;  ///< of the next chunk to be accepted

  struct Interval {
    Cycle begin, end;
  };
  std::deque<Interval> work_;  ///< apart and in order; none ended before the last entry began
  std::deque<Move> moves_;     ///< oldest first
  std::deque<Outstanding> outstanding_;  ///< in the order of their tags
  std::uint64_t outstanding_bytes_ = 0;
};

PortCost move_cost(const isa::Instr& instr, const TimingTable& timing, isa::CoreType core);

}  // namespace davsim::sim
