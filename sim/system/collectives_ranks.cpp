// Collective operations of kernels on dies of several processes. A process hears of the commits of
// all dies, and has the inputs of all before a round is over. Each process then carries the round
// out for its dies.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "sim/system/collectives.hpp"

namespace davsim::sim {
namespace {

/// What processes tell each other. A commit is followed by the counts and offsets of AllToAllV, an
/// input by its bytes.
struct News {
  std::uint64_t communicator = 0;
  std::uint32_t rank = 0, handle = 0;
  bool input = false;  ///< else a commit
  memory::Cycle at = 0;
  std::uint64_t number = 0;  ///< of the operation
  std::uint64_t start = 0;   ///< of the input
  isa::Collective what;
};
static_assert(std::is_trivially_copyable_v<News>);

std::string packed(const News& news) {
  return {reinterpret_cast<const char*>(&news), sizeof news};
}

void append(std::string& bytes, const std::vector<std::uint64_t>& words) {
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
}

}  // namespace

void Collectives::tell_commit(Entry& entry, std::uint64_t number, std::uint32_t rank,
                              std::uint32_t handle) {
  const RankCollective& request = entry.operations[number].ranks[rank];
  News news;
  news.communicator = entry.number;
  news.rank = rank;
  news.handle = handle;
  news.at = memory::current_cycle();
  news.number = number;
  news.what = request.what;
  news.what.send_counts = news.what.send_offsets = nullptr;
  news.what.recv_counts = news.what.recv_offsets = nullptr;
  std::string bytes = packed(news);
  append(bytes, request.send_counts);
  append(bytes, request.send_offsets);
  append(bytes, request.recv_counts);
  append(bytes, request.recv_offsets);
  fabric_->tell(entry.number << 32 | rank << 8 | handle, bytes, true);
}

void Collectives::tell_inputs(const Entry& entry, std::uint32_t round) {
  const Operation& operation = entry.operations[entry.current];
  News news;
  news.communicator = entry.number;
  news.input = true;
  std::uint64_t count = 0;
  for (std::uint32_t rank = 0; rank < operation.ranks.size(); ++rank) {
    if (!fabric_->has(entry.communicator.dies[rank])) continue;
    for (const CollectiveInput& input : inputs_of(operation.ranks, rank, round)) {
      if (input.bytes == 0) continue;
      news.start = input.start;
      std::string bytes = packed(news);
      bytes.append(reinterpret_cast<const char*>(input.start), input.bytes);
      fabric_->tell(entry.number << 32 | rank << 16 | count++ % (1 << 16), bytes, false);
    }
  }
}

void Collectives::told(const std::string& bytes) {
  News news;
  std::memcpy(&news, bytes.data(), sizeof news);
  const char* const more = bytes.data() + sizeof news;
  if (news.input) {
    std::memcpy(reinterpret_cast<void*>(news.start), more, bytes.size() - sizeof news);
    return;
  }
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
    return entry->number == news.communicator;
  });
  if (found == entries_.end()) return;
  Entry& entry = **found;
  const bool known =
      news.number < entry.operations.size() && entry.operations[news.number].prepared[news.rank];
  if (!known) {
    RankCollective request;
    request.what = news.what;
    const std::size_t words = (bytes.size() - sizeof news) / sizeof(std::uint64_t) / 4;
    std::size_t at = 0;
    for (auto* part : {&request.send_counts, &request.send_offsets, &request.recv_counts,
                       &request.recv_offsets}) {
      part->resize(words);
      std::memcpy(part->data(), more + at, words * sizeof(std::uint64_t));
      at += words * sizeof(std::uint64_t);
    }
    add_to_operation(entry, news.number, news.rank, news.handle, std::move(request), {});
  }
  committed(entry, news.number, news.rank, news.at);
}

}  // namespace davsim::sim
