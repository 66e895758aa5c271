// What ranks ask of the communicators: operations that are prepared and committed, and writes of
// one rank alone.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "isa/core/collective_steps.hpp"
#include "isa/core/collective_sync.hpp"
#include "isa/instr/fault.hpp"
#include "sim/system/collective_checks.hpp"
#include "sim/system/collectives.hpp"

namespace davsim::sim {
namespace {

using isa::Collective;
using isa::CollectiveKind;

[[noreturn]] void refuse(const Communicator& communicator, const std::string& what,
                         isa::SourceLocation where) {
  throw isa::Fault(isa::FaultClass::kParameter, "communicator '" + communicator.name + "': " + what,
                   where);
}

/// What `from` sends to `to` is what `to` receives.
void require_same_count(const Communicator& of, std::uint32_t from, const RankCollective& sent,
                        std::uint32_t to, const RankCollective& received,
                        isa::SourceLocation where) {
  const std::uint64_t sends = sent.send_counts[to], takes = received.recv_counts[from];
  if (sends == takes) return;
  refuse(of,
         std::string(name_of(sent.what.kind)) + ": rank " + std::to_string(from) + " sends " +
             std::to_string(sends) + " elements to rank " + std::to_string(to) +
             ", which receives " + std::to_string(takes),
         where);
}

/// The counts of a rank are those of the ranks that came before it.
void require_same_counts(const Communicator& of, const std::vector<RankCollective>& ranks,
                         const std::vector<bool>& prepared, std::uint32_t rank,
                         isa::SourceLocation where) {
  for (std::uint32_t other = 0; other < ranks.size(); ++other) {
    if (!prepared[other]) continue;
    require_same_count(of, rank, ranks[rank], other, ranks[other], where);
    require_same_count(of, other, ranks[other], rank, ranks[rank], where);
  }
}

}  // namespace

RankCollective Collectives::checked(const Entry& entry, std::uint32_t rank,
                                    const Collective& operation, isa::SourceLocation where) const {
  const Communicator& of = entry.communicator;
  RankCollective request;
  request.what = operation;
  const std::string wrong = wrong_with(operation, of.dies.size());
  if (!wrong.empty()) refuse(of, wrong, where);
  const std::string name = name_of(operation.kind);
  if (isa::has_counts(operation.kind)) {
    const auto take = [&](const std::uint64_t* from) {
      if (from == nullptr) refuse(of, name + " has a null pointer for counts or offsets", where);
      std::vector<std::uint64_t> words(from, from + of.dies.size());
      for (const std::uint64_t word : words) {
        if (word <= kMostElements) continue;
        refuse(of, name + " has " + std::to_string(word) + " as a count or an offset", where);
      }
      return words;
    };
    request.send_counts = take(operation.send_counts);
    request.send_offsets = take(operation.send_offsets);
    request.recv_counts = take(operation.recv_counts);
    request.recv_offsets = take(operation.recv_offsets);
  }
  const memory::GlobalMemory& memory = memories_.of(of.dies[rank]);
  for (const CollectiveBuffer& buffer : buffers_of(request, rank, of.dies.size())) {
    if (buffer.bytes == 0 || memory.contains(buffer.start, buffer.bytes)) continue;
    refuse(of,
           name + " of rank " + std::to_string(rank) + " " + buffer.use + " " +
               std::to_string(buffer.bytes) + " bytes; " +
               memory.describe(buffer.start, buffer.bytes),
           where);
  }
  return request;
}

void Collectives::prepare(std::uint64_t context, std::uint32_t handle, const Collective& operation,
                          isa::SourceLocation where) {
  std::uint32_t rank = 0;
  Entry& entry = entry_of(context, rank);
  if (handle != entry.handles[rank].size()) {
    refuse(entry.communicator,
           "a launch has two Hccl objects for it, or two cores that write "
           "messages: operation " +
               std::to_string(handle) + " comes after " +
               std::to_string(entry.handles[rank].size()),
           where);
  }
  if (operation.kind == isa::kGroupSync) return await_group(entry, rank, operation, where);
  RankCollective request = checked(entry, rank, operation, where);
  Handle& made = entry.handles[rank].emplace_back();
  if (operation.kind == CollectiveKind::kBatchWrite) {
    made.one_sided = true;
    made.writes = std::move(request);
    return;
  }
  made.number = entry.counted[rank]++;
  add_to_operation(entry, made.number, rank, handle, std::move(request), where);
  auto& after = entry.operations[made.number].after;
  after.insert(after.end(), entry.earlier[rank].begin(), entry.earlier[rank].end());
  entry.earlier[rank].clear();
}

void Collectives::await_group(Entry& entry, std::uint32_t rank, const Collective& message,
                              isa::SourceLocation where) {
  std::uint32_t other_rank = 0;
  const Entry& other = entry_of(message.send, other_rank);
  const auto& handles = other.handles[other_rank];
  if (message.count >= handles.size() || handles[message.count].one_sided) {
    refuse(entry.communicator,
           "InterHcclGroupSync waits for handle " + std::to_string(message.count) +
               " of communicator '" + other.communicator.name +
               "', which is not that of an operation of all ranks",
           where);
  }
  entry.earlier[rank].push_back({&other, handles[message.count].number});
  entry.handles[rank].emplace_back();  // it has a handle, which nobody uses
}

void Collectives::add_to_operation(Entry& entry, std::uint64_t number, std::uint32_t rank,
                                   std::uint32_t handle, RankCollective request,
                                   isa::SourceLocation where) {
  const std::size_t ranks = entry.communicator.dies.size();
  while (number >= entry.operations.size()) {
    Operation& fresh = entry.operations.emplace_back();
    fresh.ranks.resize(ranks);
    fresh.prepared.assign(ranks, false);
    fresh.committed.assign(ranks, 0);
    fresh.handles.assign(ranks, kNoHandle);
  }
  Operation& operation = entry.operations[number];
  for (std::size_t other = 0; other < ranks; ++other) {
    if (!operation.prepared[other]) continue;
    const Collective &a = operation.ranks[other].what, &b = request.what;
    if (a.kind == b.kind && a.type == b.type && a.op == b.op && a.root == b.root &&
        a.rounds == b.rounds && a.count == b.count && isa::steps_of(a) == isa::steps_of(b)) {
      break;
    }
    refuse(entry.communicator,
           "operation " + std::to_string(number) + " is " + name_of(b.kind) + " of " +
               std::to_string(b.count) + " elements on rank " + std::to_string(rank) + " and " +
               name_of(a.kind) + " of " + std::to_string(a.count) + " on rank " +
               std::to_string(other) +
               "; kind, type, count, repeat, steps and reduction must be alike",
           where);
  }
  operation.ranks[rank] = std::move(request);
  operation.prepared[rank] = true;
  if (isa::has_counts(operation.ranks[rank].what.kind)) {
    require_same_counts(entry.communicator, operation.ranks, operation.prepared, rank, where);
  }
  operation.handles[rank] = handle;
}

void Collectives::commit(std::uint64_t context, std::uint32_t handle, isa::SourceLocation where) {
  std::uint32_t rank = 0;
  Entry& entry = entry_of(context, rank);
  const Handle& of = entry.handles[rank].at(handle);
  if (of.one_sided) return write_batch(entry, rank, handle, where);
  if (is_dealt()) return tell_commit(entry, of.number, rank, handle);
  committed(entry, of.number, rank, memory::current_cycle());
}

void Collectives::run(const std::string& communicator, const std::vector<Collective>& ranks) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const auto& other) {
    return other->communicator.name == communicator;
  });
  if (entry == entries_.end() || ranks.size() != (*entry)->communicator.dies.size()) {
    throw std::invalid_argument("communicator '" + communicator +
                                "' does not exist, or has another number of ranks");
  }
  forget_operations(**entry);
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    add_to_operation(**entry, 0, rank, kNoHandle, checked(**entry, rank, ranks[rank], {}), {});
    (*entry)->operations.front().committed[rank] = isa::parts_of(ranks[rank]);
  }
  (*entry)->from_host = true;
  try_begin(**entry, memory::current_cycle());
}

// --- BatchWrite ----------------------------------------------------------------------------------

std::vector<BatchItem> Collectives::batch_items(const RankCollective& request,
                                                isa::SourceLocation where) const {
  const bool a3 = product_ == "A3";
  const std::uint64_t item_bytes = a3 ? 64 : 32;
  const std::uint32_t die = memories_.die_of(request.what.send);
  const std::uint64_t all = request.what.count * item_bytes;
  const auto fault = [&](const std::string& what) {
    return isa::Fault(isa::FaultClass::kAddress, "Hccl::BatchWrite: " + what, where);
  };
  if (die == memories_.dies() || !memories_.of(die).contains(request.what.send, all)) {
    throw fault("the items are not in one allocation of global memory");
  }
  std::vector<BatchItem> items;
  for (std::uint64_t i = 0; i < request.what.count; ++i) {
    const std::byte* const item =
        reinterpret_cast<const std::byte*>(request.what.send) + i * item_bytes;
    const auto word = [item](std::size_t at, auto value) {
      std::memcpy(&value, item + at, sizeof value);
      return std::uint64_t{value};
    };
    BatchItem& made = items.emplace_back();
    if (a3) {
      made = {word(32, std::uint64_t{}), word(40, std::uint64_t{}), word(28, std::uint32_t{})};
    } else {
      const auto type = static_cast<std::uint32_t>(word(24, std::uint32_t{}));
      made = {word(0, std::uint64_t{}), word(8, std::uint64_t{}),
              word(16, std::uint64_t{}) * bytes_of_type(type)};
    }
    const std::uint32_t to = memories_.die_of(made.to);
    if (!memories_.reached_from(die).contains(made.from, made.bytes) || to == memories_.dies() ||
        (to != die && !memories_.of(to).contains_shared(made.to, made.bytes))) {
      throw fault("item " + std::to_string(i) + " of " + std::to_string(made.bytes) +
                  " bytes does not lie in an allocation of this rank and a window of another");
    }
  }
  return items;
}

void Collectives::write_batch(Entry& entry, std::uint32_t rank, std::uint32_t handle,
                              isa::SourceLocation where) {
  effects_.settle();
  const RankCollective& request = entry.handles[rank][handle].writes;
  Batch batch{rank, handle, 0, batch_items(request, where), {}};
  if (values_) batch.result = result_of({request}, 0, {batch.items});
  if (fabric_ != nullptr) batch.at = memory::current_cycle();
  if (is_dealt()) return tell_batch(entry, batch);
  begin_batch(entry, std::move(batch));
}

/// The rank hears of the end a step behind it, as of the ends of other operations.
void Collectives::begin_batch(Entry& entry, Batch batch) {
  const auto shared = std::make_shared<Batch>(std::move(batch));
  const auto end = [this, &entry, shared] {
    effects_.settle();
    write(shared->result);
    --under_way_;
    if (fabric_ != nullptr && !fabric_->has(entry.communicator.dies[shared->rank])) return;
    tell_over(entry, shared->rank, shared->handle,
              ++entry.handles[shared->rank][shared->handle].over);
  };
  ++under_way_;
  if (fabric_ == nullptr) return end();
  std::vector<PlannedCopy> copies;
  for (const BatchItem& item : shared->items) {
    if (item.bytes > 0) copies.push_back({0, 0, item.from, item.to, item.bytes});
  }
  const std::uint64_t order =
      kCollectiveBeginnings | entry.number << 32 | shared->rank << 8 | shared->handle;
  fabric_->call_at(shared->at + fabric_->cycles(system_.collectives().message_seconds), order,
                   [this, copies = std::move(copies), end] {
                     make_copies(copies, fabric_->cycles(system_.collectives().step_seconds), end);
                   });
}

}  // namespace davsim::sim
