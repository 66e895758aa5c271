// L2: what it does about a request, and what it wants of HBM for it. Implementations are in impl/
// and register themselves by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/hbm/hbm_model.hpp"
#include "memory/memory_request.hpp"
#include "memory/memory_timing.hpp"
#include "memory/model_registry.hpp"
#include "observe/counters.hpp"

namespace davsim::memory {

/// Number of a chunk on its way to HBM of which nobody knows when it will be back. A line that
/// waits for one has kUnknownReady | number as its ready time.
using FetchId = std::uint64_t;
inline constexpr std::uint64_t kUnknownReady = std::uint64_t{1} << 63;

/// What L2 makes of a request.
struct L2Answer {
  std::uint64_t bytes = 0;      ///< between the cores and L2, whole sectors
  double done = 0;              ///< when L2 itself is through, in cycles, its latency included
  Cycle ready = 0;              ///< when lines that earlier requests fetch are ready
  std::vector<FetchId> awaits;  ///< of those lines, where that is not known; a fetch may be twice
  observe::L2Counters lines;

  void clear() {
    bytes = 0;
    done = 0;
    ready = 0;
    awaits.clear();
    lines = {};
  }
};

class L2Model {
 public:
  virtual ~L2Model() = default;
  /// Takes up a request at cycle `now`; requests come in order of time. `answer` and `chunk` are
  /// clear; what HBM has to do goes into the chunk.
  virtual void look_up(const MemoryRequest& request, Cycle now, L2Answer& answer,
                       HbmChunk& chunk) = 0;
  /// Gives the lines that the last look_up() fetches their ready time, a cycle or kUnknownReady |
  /// the number of a fetch.
  virtual void fetching(std::uint64_t ready) = 0;
  virtual void flush() = 0;  ///< forgets everything; costs nothing
};

/// What a model may want to know of the die.
struct L2Setup {
  const MemoryTiming& timing;
  bool wants_spans;  ///< of the chunks
};

struct L2Entry {
  static constexpr const char* kKind = "l2";
  std::string name, doc;
  std::function<std::unique_ptr<L2Model>(const L2Setup&)> make;
};
using L2Registry = ModelRegistry<L2Entry>;

}  // namespace davsim::memory
