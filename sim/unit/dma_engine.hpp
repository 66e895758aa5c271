// A DMA engine: MTE2, MTE3, and the output of Fixpipe to global memory. A move is a train of chunks
// of some KiB. The engine posts one chunk after the other to the memory system. A chunk is posted
// when the memory has accepted the one before, the port is free, and the outstanding requests leave
// room for it. The requests of a chunk are outstanding while it is accepted and not completed. The
// chunks of the next move follow without waiting for the data of this one.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/exec/accesses.hpp"
#include "memory/memory_system.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/unit/dma_requests.hpp"
#include "sim/unit/pipe.hpp"
#include "sim/unit/short_queue.hpp"

namespace davsim::sim {

/// The time of a move on the core's side.
struct PortCost {
  double setup = 0;            ///< cycles before the first chunk
  double bytes_per_cycle = 1;  ///< the rate of the port
  double row_min = 0;          ///< the least cycles of a row
  double min_cycles = 0;       ///< the least cycles of the move (Fixpipe's rows)
};

/// Gives the cost of an instruction of an engine.
using PortCostFunction = PortCost (*)(const isa::Instr&, const TimingTable&, isa::CoreType);

class DmaEngine : public UnitModel, public memory::MemoryClient {
 public:
  /// `requester` is this engine's number among the requesters of the device. `gm_base` is the host
  /// address of device address 0.
  DmaEngine(const TimingTable& timing, isa::CoreType core, memory::MemoryPortIf& port,
            memory::RequesterId requester, std::uint64_t gm_base, PortCostFunction cost);
  void connect(Pipe* pipe) override { pipe_ = pipe; }

  Cycle start(QueueEntry& entry, Cycle now) override;
  Cycle advance(Cycle now, Cycle& next_issue) override;
  void accepted(std::uint32_t tag, Cycle completes) override;
  void completed(std::uint32_t tag, Cycle cycle) override;
  /// The engine is stalled by L2 or HBM in all cycles in which the port and the core's side are
  /// idle.
  Stall stall(const QueueEntry& entry, Cycle from) override;
  void reset() override;

 protected:
  /// The earliest end of the core's side of the move that started last.
  double& min_end() { return min_end_; }
  /// Records that the core's side of the engine is busy in [from, to).
  void works(double from, double to);

 private:
  /// A move with chunks whose completion is not known.
  struct Move {
    QueueEntry* entry = nullptr;
    std::uint32_t chunks = 0;   ///< accepted chunks whose completion is not known
    bool all_accepted = false;  ///< all chunks of the move are accepted
    Cycle done = 0;             ///< the end of the chunks whose completion is known
    Cycle min_end = 0;          ///< the earliest end on the core's side
  };
  /// A chunk that the memory has accepted, from the oldest one that is not complete on.
  struct Outstanding {
    std::uint32_t requests = 0;
    Cycle passed = 0;        ///< when its last byte has passed the port
    Cycle completes = 0;     ///< kNever: not known
    std::uint64_t move = 0;  ///< the number of its move
  };

  memory::MemoryRequest next_chunk();
  /// The highest rate, in bytes a cycle, of rows that are converted to fractals. The rate of the
  /// port is a limit of its own.
  double fractal_rate(const isa::GmFootprint& rows) const;
  double port_cycles(const memory::MemoryRequest& chunk) const;
  /// How many requests the engine may have outstanding for the move.
  std::uint32_t most_requests() const;
  /// The shortest and the longest request of the move.
  RequestBytes request_bytes() const;
  std::uint32_t requests_of(const memory::MemoryRequest& chunk) const;
  /// Posts the next chunk at the cycle from `earliest` on at which the port is free for it. Posts
  /// nothing if that cycle depends on a completion that is not known. completed() then tries again.
  void post_next(Cycle earliest);
  /// The first cycle from `earliest` on in which so many requests more may be outstanding. kNever
  /// if it depends on a completion that is not known.
  Cycle when_outstanding_fits(std::uint32_t requests, Cycle earliest);
  void complete(Outstanding& chunk, Cycle cycle);
  Move& move_of(const Outstanding& chunk) { return moves_[chunk.move - moves_over_]; }
  /// Sets the end of the move if the completion of all its chunks is known.
  void end(Move& move);

  const TimingTable& timing_;
  isa::CoreType core_;
  memory::MemoryPortIf& port_;
  memory::RequesterId requester_;
  std::uint64_t gm_base_;
  PortCostFunction cost_function_;
  Pipe* pipe_ = nullptr;

  // The move whose chunks are being posted.
  QueueEntry* entry_ = nullptr;
  isa::GmFootprint left_;  ///< the rows of the current matrix that are not posted
  std::uint64_t matrix_start_ = 0;
  std::uint32_t rows_done_ = 0, bytes_done_in_row_ = 0;
  bool line_bursts_ = true;  ///< the rows of the move begin on lines of L2
  double fractal_rate_ = 0;  ///< see fractal_rate()
  PortCost cost_;
  double port_free_ = 0;  ///< when the port can take the next chunk
  double min_end_ = 0;
  bool last_posted_ = false;                      ///< all chunks are posted
  bool posted_ = false;                           ///< a chunk is posted and not accepted yet
  std::optional<memory::MemoryRequest> waiting_;  ///< the next chunk, until it is posted
  std::uint32_t chunk_requests_ = 0;              ///< of the chunk that waits or is posted
  std::uint32_t next_tag_ = 0;                    ///< the tag of the next chunk

  struct Interval {
    Cycle begin = 0, end = 0;
  };
  /// Disjoint, in order; none ended before the last entry started.
  ShortQueue<Interval, 4> work_;
  ShortQueue<Move, 2> moves_;               ///< oldest first
  std::uint64_t moves_over_ = 0;            ///< the number of the oldest move
  ShortQueue<Outstanding, 8> outstanding_;  ///< in the order of their tags
  std::uint32_t outstanding_requests_ = 0;
};

PortCost move_cost(const isa::Instr& instr, const TimingTable& timing, isa::CoreType core);

}  // namespace davsim::sim
