// What ranks ask of the communicators: operations that are prepared and committed, and writes of
// one rank alone.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "isa/core/collective_steps.hpp"
#include "isa/core/collective_sync.hpp"
#include "isa/instr/fault.hpp"
#include "sim/system/collectives.hpp"

namespace davsim::sim {
namespace {

using isa::Collective;
using isa::CollectiveKind;

const char* name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "AllReduce";
    case CollectiveKind::kAllGather:
      return "AllGather";
    case CollectiveKind::kReduceScatter:
      return "ReduceScatter";
    case CollectiveKind::kAllToAll:
      return "AlltoAll";
    case CollectiveKind::kAllToAllV:
      return "AlltoAllV";
    case CollectiveKind::kBatchWrite:
      return "BatchWrite";
    case CollectiveKind::kBroadcast:
      return "Broadcast";
    case CollectiveKind::kReduce:
      return "Reduce";
    case CollectiveKind::kScatter:
      return "Scatter";
  }
  return "?";
}

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter ||
         kind == CollectiveKind::kReduce;
}

[[noreturn]] void refuse(const Communicator& communicator, const std::string& what,
                         isa::SourceLocation where) {
  throw isa::Fault(isa::FaultClass::kParameter, "communicator '" + communicator.name + "': " + what,
                   where);
}

}  // namespace

std::string wrong_with(const Collective& operation, std::size_t ranks) {
  const std::string name = name_of(operation.kind), type = std::to_string(operation.type);
  if (bytes_of_type(operation.type) == 0) {
    return name + " has the data type " + type + ", which HcclDataType does not have";
  }
  if (reduces(operation.kind) && !can_reduce(operation.type, operation.op)) {
    return name + " cannot reduce data type " + type + " by operation " +
           std::to_string(operation.op);
  }
  if (operation.root >= ranks) {
    return name + " has root " + std::to_string(operation.root) + ", ranks are 0 to " +
           std::to_string(ranks - 1);
  }
  return "";
}

RankCollective Collectives::checked(const Entry& entry, std::uint32_t rank,
                                    const Collective& operation, isa::SourceLocation where) const {
  const Communicator& of = entry.communicator;
  RankCollective request;
  request.what = operation;
  const std::string wrong = wrong_with(operation, of.dies.size());
  if (!wrong.empty()) refuse(of, wrong, where);
  const std::string name = name_of(operation.kind);
  if (operation.kind == CollectiveKind::kAllToAllV) {
    const auto take = [&](const std::uint64_t* from) {
      if (from == nullptr) refuse(of, name + " has a null pointer for counts or offsets", where);
      return std::vector<std::uint64_t>(from, from + of.dies.size());
    };
    request.send_counts = take(operation.send_counts);
    request.send_offsets = take(operation.send_offsets);
    request.recv_counts = take(operation.recv_counts);
    request.recv_offsets = take(operation.recv_offsets);
    return request;
  }
  if (operation.kind == CollectiveKind::kBatchWrite) return request;
  const std::uint64_t block = operation.count * operation.rounds * bytes_of_type(operation.type);
  const memory::GlobalMemory& memory = memories_.of(of.dies[rank]);
  for (const std::uint64_t buffer : {operation.send, operation.recv}) {
    if (block == 0 || memory.contains(buffer, block)) continue;
    refuse(of,
           name + " of rank " + std::to_string(rank) + " needs " + std::to_string(block) +
               " bytes in each buffer; of one of them " + memory.describe(buffer, block),
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
