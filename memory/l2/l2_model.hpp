// The interface of L2 models. A model answers a request and says what HBM has to read and write for
// it. The implementations are in impl/ and register themselves by name.
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

/// The number of a chunk that HBM has not completed and whose completion is not known. A line that
/// waits for such a chunk has kUnknownReady | number as its ready time.
using FetchId = std::uint64_t;
inline constexpr std::uint64_t kUnknownReady = std::uint64_t{1} << 63;

/// The answer of L2 to a request.
struct L2Answer {
  std::uint64_t bytes = 0;      ///< bytes between the core and L2, in whole sectors
  double done = 0;              ///< the end of L2's own work, in cycles, with its latency
  Cycle ready = 0;              ///< the ready time of lines that earlier requests fetch
  std::vector<FetchId> awaits;  ///< fetches of such lines with unknown ready time; may repeat
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
  /// A request that look_up() will get soon. A model may ask the host for what it needs then.
  virtual void announce(const MemoryRequest& /*request*/) const {}
  /// Serves a request at cycle `now`. Requests come in the order of time. `answer` and `chunk` are
  /// empty at the call. The model adds to `chunk` what HBM has to read and write.
  virtual void look_up(const MemoryRequest& request, Cycle now, L2Answer& answer,
                       HbmChunk& chunk) = 0;
  /// Sets the ready time of the lines that the last look_up() fetches. `ready` is a cycle, or
  /// kUnknownReady | the number of a fetch.
  virtual void fetching(std::uint64_t ready) = 0;
  virtual void flush() = 0;  ///< invalidates all lines, in no time
};

/// The properties of the die for a model.
struct L2Setup {
  const MemoryTiming& timing;
  bool wants_spans;  ///< whether chunks need their spans
};

struct L2Entry {
  static constexpr const char* kKind = "l2";
  std::string name, doc;
  std::function<std::unique_ptr<L2Model>(const L2Setup&)> make;
};
using L2Registry = ModelRegistry<L2Entry>;

}  // namespace davsim::memory
