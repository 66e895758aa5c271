// Collective operations of kernels on dies of several processes. A process hears of the commits of
// all dies, and has the inputs of all before a round is over. Each process then carries the round
// out for its dies.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "sim/system/collectives.hpp"

namespace davsim::sim {
/// What processes tell each other, with words and bytes behind it.
struct Collectives::News {
  /// A commit: counts and offsets of AllToAllV, and what the operation comes behind. An input: its
  /// bytes. A BatchWrite: its items, and all bytes that it writes.
  enum Kind : std::uint32_t { kCommit, kInput, kBatch };
  Kind kind = kCommit;
  std::uint32_t rank = 0, handle = 0;
  /// Of each list of AllToAllV, or items of BatchWrite; operations that come before.
  std::uint32_t words = 0, pairs = 0;
  std::uint64_t communicator = 0;
  memory::Cycle at = 0;
  std::uint64_t number = 0;  ///< of the operation
  std::uint64_t start = 0;   ///< of the input
  isa::Collective what;

  std::string packed() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

namespace {

void append(std::string& bytes, const std::vector<std::uint64_t>& words) {
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
}

/// Takes `count` words from `bytes`, from `at` on.
std::vector<std::uint64_t> words_from(const std::string& bytes, std::size_t& at,
                                      std::size_t count) {
  if (count == 0) return {};
  std::vector<std::uint64_t> words(count);
  std::memcpy(words.data(), bytes.data() + at, count * sizeof words[0]);
  at += count * sizeof words[0];
  return words;
}

}  // namespace

void Collectives::tell_commit(Entry& entry, std::uint64_t number, std::uint32_t rank,
                              std::uint32_t handle) {
  static_assert(std::is_trivially_copyable_v<News>);
  const Operation& operation = entry.operations[number];
  const RankCollective& request = operation.ranks[rank];
  News news;
  news.communicator = entry.number;
  news.rank = rank;
  news.handle = handle;
  news.at = memory::current_cycle();
  news.number = number;
  news.what = request.what;
  news.what.send_counts = news.what.send_offsets = nullptr;
  news.what.recv_counts = news.what.recv_offsets = nullptr;
  news.words = static_cast<std::uint32_t>(request.send_counts.size());
  news.pairs = static_cast<std::uint32_t>(operation.after.size());
  std::string bytes = news.packed();
  append(bytes, request.send_counts);
  append(bytes, request.send_offsets);
  append(bytes, request.recv_counts);
  append(bytes, request.recv_offsets);
  for (const Earlier& before : operation.after) append(bytes, {before.of->number, before.number});
  fabric_->tell(entry.number << 32 | rank << 8 | handle, bytes, true);
}

void Collectives::tell_inputs(const Entry& entry, std::uint32_t round) {
  const Operation& operation = entry.operations[entry.current];
  News news;
  news.kind = News::kInput;
  news.communicator = entry.number;
  std::uint64_t count = 0;
  for (std::uint32_t rank = 0; rank < operation.ranks.size(); ++rank) {
    if (!fabric_->has(entry.communicator.dies[rank])) continue;
    for (const CollectiveInput& input : inputs_of(operation.ranks, rank, round)) {
      if (input.bytes == 0) continue;
      news.start = input.start;
      std::string bytes = news.packed();
      bytes.append(reinterpret_cast<const char*>(input.start), input.bytes);
      fabric_->tell(entry.number << 32 | rank << 16 | count++ % (1 << 16), bytes, false);
    }
  }
}

void Collectives::tell_batch(const Entry& entry, const Batch& batch) {
  News news;
  news.kind = News::kBatch;
  news.communicator = entry.number;
  news.rank = batch.rank;
  news.handle = batch.handle;
  news.at = batch.at;
  news.words = static_cast<std::uint32_t>(batch.items.size());
  std::string bytes = news.packed();
  for (const BatchItem& item : batch.items) append(bytes, {item.from, item.to, item.bytes});
  for (const CollectiveResult::Piece& piece : batch.result.pieces) {
    bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  }
  fabric_->tell(entry.number << 32 | batch.rank << 8 | batch.handle, bytes, true);
}

void Collectives::told_batch(Entry& entry, const News& news, const std::string& more) {
  Batch batch{news.rank, news.handle, news.at, {}, {}};
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < news.words; ++i) {
    const auto words = words_from(more, at, 3);
    batch.items.push_back({words[0], words[1], words[2]});
  }
  for (const BatchItem& item : batch.items) {
    if (!values_ || item.bytes == 0) continue;
    const auto* const from = reinterpret_cast<const std::byte*>(more.data()) + at;
    batch.result.pieces.push_back({item.to, {from, from + item.bytes}});
    at += item.bytes;
  }
  begin_batch(entry, std::move(batch));
}

void Collectives::told_commit(Entry& entry, const News& news, const std::string& more) {
  RankCollective request;
  request.what = news.what;
  std::size_t at = 0;
  for (auto* part :
       {&request.send_counts, &request.send_offsets, &request.recv_counts, &request.recv_offsets}) {
    *part = words_from(more, at, news.words);
  }
  const bool known =
      news.number < entry.operations.size() && entry.operations[news.number].prepared[news.rank];
  if (!known) {
    add_to_operation(entry, news.number, news.rank, news.handle, std::move(request), {});
  }
  auto& after = entry.operations[news.number].after;
  for (std::uint32_t i = 0; i < news.pairs; ++i) {
    const auto words = words_from(more, at, 2);
    for (const auto& other : entries_) {
      if (other->number == words[0]) after.push_back({other.get(), words[1]});
    }
  }
  committed(entry, news.number, news.rank, news.at);
}

void Collectives::told(const std::string& bytes) {
  News news;
  std::memcpy(&news, bytes.data(), sizeof news);
  const std::string more = bytes.substr(sizeof news);
  if (news.kind == News::kInput) {
    std::memcpy(reinterpret_cast<void*>(news.start), more.data(), more.size());
    return;
  }
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
    return entry->number == news.communicator;
  });
  if (found == entries_.end()) return;
  news.kind == News::kBatch ? told_batch(**found, news, more) : told_commit(**found, news, more);
}

}  // namespace davsim::sim
