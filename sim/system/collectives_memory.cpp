// How communicators come and go, and where the memories of their ranks lie.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "sim/system/collectives.hpp"
#include "sim/system/communicator_context.hpp"

namespace davsim::sim {
namespace {

/// Documented: what the server and its clients share.
constexpr std::uint64_t kWorkspaceBytes = 16 << 20;
constexpr std::uint64_t kStatusBytes = 1 << 20;
/// Assumed: buffers of communicators begin on a large page of the device. Where a row begins
/// decides into how many pieces a write of it is cut.
constexpr std::uint64_t kLargePage = 2 << 20;

std::uint64_t alignment_of(std::uint64_t bytes) {
  return bytes < kLargePage ? memory::GlobalMemory::kAlignment : kLargePage;
}

std::byte* bytes_at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

/// The parts of a rank's memory: what they are called, their sizes, whether other dies reach them.
std::vector<Collectives::MemoryPart> Collectives::memory_parts(RankMemory& of, std::uint32_t ranks,
                                                               std::uint64_t window_bytes) const {
  return {{"windows", &of.windows, 2 * window_bytes, true},
          {"window for states", &of.status, kStatusBytes, true},
          {"messages", &of.messages, kWorkspaceBytes, false},
          {"context", &of.context, context_bytes(product_, ranks), false}};
}

template <class Take>
RankMemory Collectives::take(const std::string& name, std::uint32_t die, std::uint32_t ranks,
                             std::uint64_t window_bytes, Take take) {
  RankMemory taken;
  memory::GlobalMemory& memory = memories_.of(die);
  std::vector<std::byte*> starts;
  try {
    for (const MemoryPart& part : memory_parts(taken, ranks, window_bytes)) {
      starts.push_back(take(memory, part, name + ": " + part.name));
      if (part.shared) memory.share(starts.back());
      *part.start = reinterpret_cast<std::uint64_t>(starts.back());
    }
  } catch (const std::bad_alloc&) {
    for (std::byte* const start : starts) memory.free(start);
    throw;
  }
  return taken;
}

RankMemory Collectives::reserve(const std::string& name, std::uint32_t die, std::uint32_t ranks,
                                std::uint64_t window_bytes) {
  return take(name, die, ranks, window_bytes,
              [](memory::GlobalMemory& memory, const MemoryPart& part, std::string what) {
                return memory.allocate_last(part.bytes, std::move(what), alignment_of(part.bytes));
              });
}

void Collectives::give_back(std::uint32_t die, const RankMemory& reserved) {
  for (const std::uint64_t start :
       {reserved.windows, reserved.status, reserved.messages, reserved.context}) {
    memories_.of(die).free(bytes_at(start));
  }
}

const Communicator& Collectives::create(std::string name, std::vector<std::uint32_t> dies,
                                        std::uint64_t window_bytes) {
  check(name, dies, window_bytes);
  const auto ranks = static_cast<std::uint32_t>(dies.size());
  std::vector<RankMemory> memories;
  try {
    for (const std::uint32_t die : dies) {
      memories.push_back(
          take(name, die, ranks, window_bytes,
               [](memory::GlobalMemory& memory, const MemoryPart& part, std::string what) {
                 return memory.allocate(part.bytes, std::move(what), alignment_of(part.bytes));
               }));
    }
  } catch (const std::bad_alloc&) {
    for (std::size_t rank = 0; rank < memories.size(); ++rank)
      give_back(dies[rank], memories[rank]);
    throw;
  }
  return add(std::move(name), std::move(dies), window_bytes, std::move(memories));
}

const Communicator& Collectives::create(std::string name, std::vector<std::uint32_t> dies,
                                        std::uint64_t window_bytes,
                                        const std::vector<RankMemory>& memories,
                                        const std::vector<bool>& here) {
  check(name, dies, window_bytes);
  const auto ranks = static_cast<std::uint32_t>(dies.size());
  std::uint32_t rank = 0;
  try {
    for (; rank < ranks; ++rank) {
      if (here[rank]) continue;
      RankMemory wanted = memories[rank];
      const std::vector<MemoryPart> parts = memory_parts(wanted, ranks, window_bytes);
      auto part = parts.begin();
      take(name, dies[rank], ranks, window_bytes,
           [&](memory::GlobalMemory& memory, const MemoryPart&, std::string what) {
             const MemoryPart& of = *part++;
             return memory.allocate_at(*of.start, of.bytes, std::move(what));
           });
    }
  } catch (const std::bad_alloc&) {
    while (rank-- > 0) {
      if (!here[rank]) give_back(dies[rank], memories[rank]);
    }
    throw;
  }
  return add(std::move(name), std::move(dies), window_bytes, memories);
}

void Collectives::check(const std::string& name, const std::vector<std::uint32_t>& dies,
                        std::uint64_t window_bytes) const {
  for (auto die = dies.begin(); die != dies.end(); ++die) {
    if (*die >= memories_.dies() || std::find(dies.begin(), die, *die) != die) {
      throw std::invalid_argument("communicator '" + name + "': die " + std::to_string(*die) +
                                  " is there twice or does not exist");
    }
  }
  if (dies.empty() || window_bytes == 0 || named(name) != nullptr) {
    throw std::invalid_argument("communicator '" + name +
                                "': it needs ranks, windows and a name of its own");
  }
}

const Communicator& Collectives::add(std::string name, std::vector<std::uint32_t> dies,
                                     std::uint64_t window_bytes, std::vector<RankMemory> memories) {
  auto entry = std::make_unique<Entry>();
  Communicator& made = entry->communicator;
  made.name = std::move(name);
  made.dies = std::move(dies);
  made.window_bytes = window_bytes;
  made.status_bytes = kStatusBytes;
  made.context_bytes = context_bytes(product_, static_cast<std::uint32_t>(made.dies.size()));
  for (const RankMemory& memory : memories) {
    made.windows_in.push_back(memory.windows);
    // The window for output follows the one for input.
    made.windows_out.push_back(memory.windows + made.window_bytes);
    made.windows_status.push_back(memory.status);
    made.messages.push_back(memory.messages);
    made.contexts.push_back(memory.context);
  }
  write_contexts(made);
  return keep(std::move(entry));
}

void Collectives::write_contexts(const Communicator& of) const {
  for (std::uint32_t rank = 0; rank < of.dies.size(); ++rank) {
    write_context(product_,
                  {of.name, rank, of.messages[rank], kWorkspaceBytes, of.window_bytes,
                   of.status_bytes, of.windows_in, of.windows_out, of.windows_status},
                  bytes_at(of.contexts[rank]));
  }
}

const Communicator& Collectives::keep(std::unique_ptr<Entry> entry) {
  const Communicator& of = entry->communicator;
  const auto ranks = static_cast<std::uint32_t>(of.dies.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    entry->views.push_back({rank, ranks, of.window_bytes, of.windows_in.data(),
                            of.windows_out.data(), of.messages[rank]});
  }
  entry->number = created_++;
  forget_operations(*entry);
  const std::lock_guard lock(entries_mutex_);
  // A visitor goes before what this process has at the same addresses.
  const auto place = entry->visitor ? entries_.begin() : entries_.end();
  return (*entries_.insert(place, std::move(entry)))->communicator;
}

void Collectives::add_visitor(const Communicator& of) {
  auto entry = std::make_unique<Entry>();
  entry->communicator = of;
  entry->visitor = true;
  keep(std::move(entry));
}

void Collectives::forget_visitors() {
  const std::lock_guard lock(entries_mutex_);
  std::erase_if(entries_, [](const auto& entry) { return entry->visitor; });
}

void Collectives::destroy(const std::string& name) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const auto& other) {
    return other->communicator.name == name;
  });
  if (entry == entries_.end()) {
    throw std::invalid_argument("communicator '" + name + "' does not exist");
  }
  const Communicator& of = (*entry)->communicator;
  for (std::size_t rank = 0; rank < of.dies.size(); ++rank) {
    give_back(of.dies[rank],
              {of.windows_in[rank], of.windows_status[rank], of.messages[rank], of.contexts[rank]});
  }
  const std::lock_guard lock(entries_mutex_);
  entries_.erase(entry);
}

}  // namespace davsim::sim
