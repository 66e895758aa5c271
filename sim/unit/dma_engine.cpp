#include "sim/unit/dma_engine.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "observe/whole_cycles.hpp"
#include "sim/unit/unit_registry.hpp"

namespace davsim::sim {

using observe::whole_cycles;
namespace {

/// Short rows are cut into chunks of no more requests than this. A choice of the model: several
/// chunks then fit into what may be outstanding.
constexpr std::uint32_t kRequestsOfChunk = 16;

/// Whether the rows of a move have no gaps in the core's memory.
bool dense_in_core(const isa::Instr& instr) {
  const auto* move = std::get_if<isa::MoveParams>(&instr.params);
  if (move == nullptr || move->bursts < 2) return true;
  const bool write = instr.dst.space == isa::Space::kGm;
  return (write ? move->src_pitch : move->dst_pitch) == std::int64_t{move->burst_bytes};
}

/// Whether rows of global memory and their copies in UB differ in their place in a DataBlock. The
/// engine then shifts bytes, or fills a part of a DataBlock with padding.
bool partial_blocks(const isa::Instr& instr, const isa::GmFootprint& rows, std::uint64_t start) {
  constexpr std::int64_t kBlock = 32;
  const bool write = instr.dst.space == isa::Space::kGm;
  if ((write ? instr.src0 : instr.dst).space != isa::Space::kUb) return false;
  return rows.row_bytes % kBlock != 0 || start % kBlock != 0 ||
         (rows.rows > 1 && rows.row_pitch % kBlock != 0);
}

/// Whether the engine merges rows without gaps. Rows on their way into fractals merge only if they
/// have one of these lengths in bytes, and rows out of L0C up to the last of them. Source: the
/// public cost model of the vendor's tiling for products.
bool may_merge(const isa::Instr& instr, std::uint32_t row_bytes) {
  constexpr std::uint32_t kLengths[] = {32, 64, 128, 160, 192, 224, 256};
  if (std::holds_alternative<isa::FixpipeInstrParams>(instr.params)) {
    return row_bytes <= std::end(kLengths)[-1];
  }
  if (!std::holds_alternative<isa::Nd2NzMoveParams>(instr.params)) return true;
  return std::find(std::begin(kLengths), std::end(kLengths), row_bytes) != std::end(kLengths);
}

/// Merges rows without gaps into one long row.
void merge_rows(isa::GmFootprint& f) {
  if (f.rows > 1 && f.row_pitch == static_cast<std::int64_t>(f.row_bytes) &&
      std::uint64_t{f.rows} * f.row_bytes <= UINT32_MAX) {
    f.row_bytes *= f.rows;
    f.rows = 1;
  }
}

}  // namespace

DmaEngine::DmaEngine(const TimingTable& timing, isa::CoreType core, memory::MemoryPortIf& port,
                     memory::RequesterId requester, std::uint64_t gm_base, PortCostFunction cost)
    : timing_(timing),
      core_(core),
      port_(port),
      requester_(requester),
      gm_base_(gm_base),
      cost_function_(cost) {}

Cycle DmaEngine::start(QueueEntry& entry, Cycle now) {
  left_ = isa::gm_footprint(entry.instr);
  cost_ = cost_function_(entry.instr, timing_, core_);
  port_free_ = static_cast<double>(now) + cost_.setup;
  min_end_ = port_free_ + cost_.min_cycles;
  works(static_cast<double>(now), min_end_);
  if (left_.bytes() == 0) {  // no bytes in global memory: only the core's side takes time
    entry.done = whole_cycles(min_end_);
    return entry.done;
  }
  matrix_start_ = left_.addr - gm_base_;
  if (port_.is_elsewhere(matrix_start_)) entry.remote = port_.carry(entry.instr, requester_);
  fractal_rate_ = std::holds_alternative<isa::Nd2NzMoveParams>(entry.instr.params)
                      ? fractal_rate(left_)
                      : std::numeric_limits<double>::infinity();
  const bool partial = partial_blocks(entry.instr, left_, matrix_start_);
  if (partial) cost_.row_min = std::max(cost_.row_min, timing_.dma.partial_row_min);
  if ((!partial || dense_in_core(entry.instr)) && may_merge(entry.instr, left_.row_bytes)) {
    merge_rows(left_);
  }
  // The vendor recommends addresses aligned to 512 bytes. Rows at other addresses are split into
  // short bursts.
  line_bursts_ = matrix_start_ % timing_.memory.line_bytes == 0 &&
                 (left_.rows == 1 || left_.row_pitch % timing_.memory.line_bytes == 0);
  rows_done_ = bytes_done_in_row_ = 0;
  entry_ = &entry;
  last_posted_ = posted_ = false;
  waiting_.reset();
  moves_.push_back({entry_});
  return kNever;
}

Cycle DmaEngine::advance(Cycle now, Cycle& next_issue) {
  if (entry_ == nullptr || posted_) return kNever;
  if (last_posted_) {
    entry_ = nullptr;
    next_issue = std::max(now, whole_cycles(std::max(port_free_, min_end_)));
    return next_issue;
  }
  post_next(now);
  return kNever;
}

void DmaEngine::post_next(Cycle earliest) {
  if (!waiting_) {
    waiting_ = next_chunk();
    chunk_requests_ = requests_of(*waiting_);
  }
  const Cycle due =
      when_outstanding_fits(chunk_requests_, std::max(whole_cycles(port_free_), earliest));
  if (due == kNever) return;  // completed() tries again
  memory::MemoryRequest chunk = *waiting_;
  waiting_.reset();
  last_posted_ = left_.matrices == 0;
  if (entry_->remote && (!chunk.write || last_posted_)) chunk.values = entry_->remote.get();
  const double begin = std::max(port_free_, static_cast<double>(due));
  port_free_ = begin + port_cycles(chunk);
  works(begin, port_free_);
  posted_ = true;
  port_.post_at(due, chunk, *this);
}

void DmaEngine::accepted(std::uint32_t tag, Cycle completes) {
  if (!posted_) return;  // the launch was aborted after the post
  posted_ = false;
  next_tag_ = tag + 1;
  Move& move = moves_.back();
  outstanding_.push_back(
      {chunk_requests_, whole_cycles(port_free_), kNever, moves_over_ + moves_.size() - 1});
  outstanding_requests_ += chunk_requests_;
  ++move.chunks;
  if (completes != kNever) complete(outstanding_.back(), completes);
  if (!last_posted_) return post_next(memory::current_cycle() + 1);
  move.all_accepted = true;
  move.min_end = whole_cycles(min_end_);
  pipe_->wake_at(whole_cycles(std::max(port_free_, min_end_)));
  end(move);
}

void DmaEngine::completed(std::uint32_t tag, Cycle cycle) {
  const std::uint32_t younger = next_tag_ - 1 - tag;
  if (younger >= outstanding_.size()) return;  // the launch was aborted
  Outstanding& chunk = outstanding_[outstanding_.size() - 1 - younger];
  Move& move = move_of(chunk);
  complete(chunk, cycle);
  end(move);
  if (entry_ != nullptr && !posted_ && !last_posted_) post_next(memory::current_cycle() + 1);
}

void DmaEngine::complete(Outstanding& chunk, Cycle cycle) {
  // The data of a chunk cannot be complete before it has passed the port.
  chunk.completes = std::max(cycle, chunk.passed);
  Move& move = move_of(chunk);
  --move.chunks;
  move.done = std::max(move.done, chunk.completes);
}

void DmaEngine::end(Move& move) {
  if (!move.all_accepted || move.chunks > 0) return;
  move.entry->done = std::max(move.done, move.min_end);
  pipe_->wake_at(move.entry->done);
  // Moves may end in another order than they started in.
  while (!moves_.empty() && moves_.front().all_accepted && moves_.front().chunks == 0) {
    moves_.pop_front();
    ++moves_over_;
  }
}

memory::MemoryRequest DmaEngine::next_chunk() {
  const std::uint32_t limit = timing_.dma.chunk;
  memory::MemoryRequest chunk;
  chunk.write = left_.write;
  chunk.no_allocate = left_.no_allocate;
  chunk.requester = requester_;
  chunk.tag = next_tag_;
  chunk.line_bursts = line_bursts_;
  chunk.row_pitch = left_.row_pitch;
  chunk.addr =
      matrix_start_ + static_cast<std::uint64_t>(left_.row_pitch * rows_done_) + bytes_done_in_row_;
  const std::uint32_t row_left = left_.row_bytes - bytes_done_in_row_;
  if (bytes_done_in_row_ > 0 || row_left > limit) {
    // A long row is cut at multiples of the limit, so that no line is cut.
    const auto to_boundary = static_cast<std::uint32_t>(limit - chunk.addr % limit);
    chunk.rows = 1;
    chunk.row_bytes = std::min(row_left, to_boundary);
    bytes_done_in_row_ += chunk.row_bytes;
    if (bytes_done_in_row_ == left_.row_bytes) bytes_done_in_row_ = 0, ++rows_done_;
  } else {
    chunk.row_bytes = left_.row_bytes;
    const std::uint32_t of_a_row = request_count(chunk.addr, left_.row_bytes, request_bytes());
    const std::uint32_t most = std::min(limit / left_.row_bytes, kRequestsOfChunk / of_a_row);
    chunk.rows = std::min(std::max(1u, most), left_.rows - rows_done_);
    rows_done_ += chunk.rows;
  }
  if (rows_done_ == left_.rows) {
    rows_done_ = 0;
    --left_.matrices;
    matrix_start_ += static_cast<std::uint64_t>(left_.matrix_pitch);
  }
  return chunk;
}

double DmaEngine::port_cycles(const memory::MemoryRequest& chunk) const {
  const std::uint64_t granule = timing_.dma.granule;
  const std::uint64_t end = chunk.addr + chunk.row_bytes;
  const std::uint64_t moved = ((end + granule - 1) / granule - chunk.addr / granule) * granule;
  const double row =
      std::max(static_cast<double>(moved) / cost_.bytes_per_cycle, chunk.row_bytes / fractal_rate_);
  return chunk.rows * std::max(row, cost_.row_min);
}

std::uint32_t DmaEngine::most_requests() const {
  if (left_.write) return timing_.dma.write_requests;
  return left_.no_allocate ? timing_.dma.uncached_requests : timing_.dma.read_requests;
}

RequestBytes DmaEngine::request_bytes() const {
  return {timing_.dma.granule, left_.write ? timing_.dma.write_request : timing_.memory.line_bytes};
}

std::uint32_t DmaEngine::requests_of(const memory::MemoryRequest& chunk) const {
  return std::min(
      request_count(chunk.addr, chunk.row_bytes, chunk.rows, chunk.row_pitch, request_bytes()),
      most_requests());
}

double DmaEngine::fractal_rate(const isa::GmFootprint& rows) const {
  constexpr std::int64_t kPiece = 32;  // bytes of a row of a fractal
  const bool straddling =
      matrix_start_ % kPiece != 0 || (rows.rows > 1 && rows.row_pitch % kPiece != 0);
  return straddling ? timing_.dma.nd2nz_straddling_port : std::numeric_limits<double>::infinity();
}

Cycle DmaEngine::when_outstanding_fits(std::uint32_t requests, Cycle earliest) {
  Cycle when = earliest;
  std::uint32_t left = outstanding_requests_;
  std::size_t over = 0;
  // Requests are released in the order in which their chunks were accepted.
  for (; over < outstanding_.size(); ++over) {
    const Outstanding& oldest = outstanding_[over];
    if (oldest.completes > when) {
      if (left + requests <= most_requests()) break;
      if (oldest.completes == kNever) return kNever;
      when = oldest.completes;
    }
    left -= oldest.requests;
  }
  outstanding_.pop_front(over);
  outstanding_requests_ = left;
  return when;
}

void DmaEngine::works(double from, double to) {
  const Cycle begin = static_cast<Cycle>(from), end = whole_cycles(to);
  if (begin >= end) return;
  if (!work_.empty() && begin <= work_.back().end) {
    work_.back().end = std::max(work_.back().end, end);
  } else {
    work_.push_back({begin, end});
  }
}

Stall DmaEngine::stall(const QueueEntry& entry, Cycle from) {
  while (!work_.empty() && work_.front().end <= entry.start) work_.pop_front();
  const Cycle to = entry.done;
  Cycle worked = 0;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const Interval& interval = work_[i];
    const Cycle begin = std::max(from, interval.begin), end = std::min(to, interval.end);
    if (begin < end) worked += end - begin;
  }
  return {observe::CycleClass::kMemory, to - from - worked};
}

void DmaEngine::reset() {
  work_.clear();
  entry_ = nullptr;
  posted_ = false;
  moves_.clear();
  outstanding_.clear();
  outstanding_requests_ = 0;
  waiting_.reset();
}

PortCost move_cost(const isa::Instr& instr, const TimingTable& timing, isa::CoreType core) {
  const DmaTiming& t = timing.dma;
  const bool vector = core == isa::CoreType::AIV;
  const bool write = instr.dst.space == isa::Space::kGm;
  PortCost cost;
  cost.setup = t.instruction_overhead;
  if (instr.op == isa::Opcode::kFillL1) {
    cost.min_cycles = static_cast<double>(isa::moved_bytes(instr)) / t.l1_fill_bandwidth;
  }
  cost.row_min = t.row_min;
  if (write) {
    cost.bytes_per_cycle = vector ? t.aiv_write_port : t.aic_write_port;
  } else {
    cost.bytes_per_cycle = vector ? t.aiv_read_port : t.aic_read_port;
    // Rows that are converted to fractals are written to L1 in pieces of 32 bytes.
    if (std::holds_alternative<isa::Nd2NzMoveParams>(instr.params)) {
      cost.bytes_per_cycle = t.nd2nz_port;
    }
  }
  return cost;
}

namespace {

const UnitRegistration kDma("dma", {isa::Pipe::MTE2, isa::Pipe::MTE3},
                            [](const UnitContext& context) -> std::unique_ptr<UnitModel> {
                              return std::make_unique<DmaEngine>(
                                  context.timing, context.core, context.memory_port,
                                  context.requester, context.gm_base, move_cost);
                            });

}  // namespace

}  // namespace davsim::sim
