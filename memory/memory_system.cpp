#include "memory/memory_system.hpp"

#include <algorithm>

#include "memory/cycle.hpp"
#include "observe/whole_cycles.hpp"

namespace davsim::memory {

using observe::whole_cycles;
namespace {

/// Length of the bins in which bandwidth is sampled for traces, in cycles.
constexpr Cycle kSampleCycles = 1000;

void add(observe::L2Counters& sum, const observe::L2Counters& more) {
  sum.read_hits += more.read_hits;
  sum.read_misses += more.read_misses;
  sum.write_hits += more.write_hits;
  sum.write_misses += more.write_misses;
}

/// Sorts a handful, mostly one, for which std::stable_sort's buffer would cost more than the work.
template <class Entry>
void sort_by_order(std::vector<Entry>& entries) {
  for (auto at = entries.begin(); at != entries.end(); ++at) {
    const auto place =
        std::upper_bound(entries.begin(), at, *at,
                         [](const Entry& a, const Entry& b) { return a.order() < b.order(); });
    if (place != at) std::rotate(place, at, at + 1);
  }
}

}  // namespace

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryTiming& timing,
                           CycleClock& clock)
    : sc_module(name),
      timing_(timing),
      clock_(clock),
      hbm_("hbm_port", timing.hbm_model, timing, *this) {
  l2_ = L2Registry::find(timing.l2_model).make({timing, hbm_.wants_spans()});
  clock_.add(*this);
  port.bind(*this);
}

void MemorySystem::post(const MemoryRequest& request, MemoryClient& client) {
  posted_.push_back({request, &client});
  clock_.arbitrate_at(*this, current_cycle());
}

void MemorySystem::post_at(Cycle cycle, const MemoryRequest& request, MemoryClient& client) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(waiting_posts_.size()));
    waiting_posts_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  waiting_posts_[slot] = {request, &client};
  waiting_.push({cycle, numbers_++, slot});
  l2_->announce(request);
  clock_.arbitrate_at(*this, cycle);
}

void MemorySystem::drop_posts() {
  flush_sample(current_cycle());  // it is of the launch that ends here
  actions_.clear();
  posted_.clear();
  waiting_ = {};
  waiting_posts_.clear();
  free_slots_.clear();
  open_.drop();
}

void MemorySystem::at_arbitration(std::uint32_t order, std::function<void()> action) {
  actions_.push_back({order, std::move(action)});
  clock_.arbitrate_at(*this, current_cycle());
}

void MemorySystem::arbitrate() {
  const Cycle now = current_cycle();
  if (hbm_changed_) finish_fetches(now);
  serving_ = posted_;
  posted_.clear();
  for (; !waiting_.empty() && waiting_.top().cycle <= now; waiting_.pop()) {
    serving_.push_back(waiting_posts_[waiting_.top().slot]);
    free_slots_.push_back(waiting_.top().slot);
  }
  sort_by_order(serving_);
  for (const Posted& posted : serving_) take_up(posted, now);
  serving_.clear();

  if (!actions_.empty()) run_actions();
  if (!waiting_.empty()) clock_.arbitrate_at(*this, waiting_.top().cycle);
}

void MemorySystem::run_actions() {
  std::vector<Action> running;
  running.swap(actions_);
  sort_by_order(running);
  for (const Action& action : running) action.run();
}

void MemorySystem::take_up(const Posted& posted, Cycle now) {
  const MemoryRequest& request = posted.request;
  answer_.clear();
  chunk_.clear();
  l2_->look_up(request, now, answer_, chunk_);
  double done = std::max(answer_.done - request.earlier_hit, static_cast<double>(now));
  bool known = true;
  FetchId fetch = 0;
  if (!chunk_.empty()) {
    chunk_.requester = request.requester;
    chunk_.no_allocate = request.no_allocate;
    fetch = open_.new_fetch();
    known = hbm_.send(chunk_, fetch);
    if (known) {
      open_.known_at_once();
      l2_->fetching(static_cast<Cycle>(chunk_.first_ready));
      // L2 takes a write in as long as HBM is not too far behind with the dirty lines that had to
      // make room.
      done = std::max(done, request.write ? chunk_.written -
                                                timing_.l2_write_ahead / timing_.hbm_bytes_per_cycle
                                          : chunk_.ready);
    } else {
      l2_->fetching(kUnknownReady | fetch);
    }
  }
  count(request.requester);
  if (observer_ != nullptr) sample(now);
  // A read has to wait for its lines to come, whoever asked for them first.
  if (!request.write) done = std::max(done, static_cast<double>(answer_.ready));
  answer_.done = done;
  if (known && (answer_.awaits.empty() || request.write)) {
    posted.client->accepted(request.tag, whole_cycles(done));
  } else {
    keep_open(posted, fetch, !known);
  }
}

// --- HBM models that say later when a chunk is complete
// -------------------------------------------

void MemorySystem::keep_open(const Posted& posted, FetchId fetch, bool sent) {
  const MemoryRequest& request = posted.request;
  const bool accepted = !sent || hbm_.accepts();
  if (sent) {
    const std::uint64_t bytes = chunk_.line_bytes + chunk_.short_bytes + chunk_.written_bytes;
    hbm_backlog_ += bytes;
    hbm_bytes_[fetch] = bytes;
  }
  if (request.write) answer_.awaits.clear();
  // A write need not wait while HBM is not too far behind.
  const bool waits = sent && (!request.write || hbm_backlog_ > timing_.l2_write_ahead);
  if (waits) answer_.awaits.push_back(fetch);
  if (accepted) {
    posted.client->accepted(request.tag,
                            answer_.awaits.empty() ? whole_cycles(answer_.done) : kNever);
    if (answer_.awaits.empty()) return;
  }
  open_.add({posted.client, request.tag}, answer_.done, answer_.awaits, accepted);
}

void MemorySystem::hbm_changed() {
  hbm_changed_ = true;
  clock_.arbitrate_at(*this, current_cycle() + in_arbitration());
}

void MemorySystem::finish_fetches(Cycle now) {
  hbm_changed_ = false;
  for (const HbmPort::Finished& finished : hbm_.finished()) {
    hbm_backlog_ -= hbm_bytes_[finished.fetch];
    hbm_bytes_.erase(finished.fetch);
    // What HBM brings to L2 goes on to the core.
    open_.finish(finished.fetch, finished.cycle + whole_cycles(timing_.l2_read_latency), now);
  }
  if (hbm_.accepts()) open_.accept_all();
}

// --- counters
// -------------------------------------------------------------------------------------

void MemorySystem::count(RequesterId requester) {
  counters_.l2_bytes += answer_.bytes;
  counters_.hbm_read_bytes += chunk_.line_bytes + chunk_.short_bytes;
  counters_.hbm_write_bytes += chunk_.written_bytes;
  counters_.l2_read_hits += answer_.lines.read_hits;
  counters_.l2_read_misses += answer_.lines.read_misses;
  counters_.l2_write_hits += answer_.lines.write_hits;
  counters_.l2_write_misses += answer_.lines.write_misses;
  if (requester >= first_without_core_) return;
  if (requester >= l2_counters_.size()) l2_counters_.resize(requester + 1);
  add(l2_counters_[requester], answer_.lines);
}

observe::L2Counters MemorySystem::l2_counters(RequesterId first, std::uint32_t count) const {
  observe::L2Counters sum;
  const auto end = std::min<std::size_t>(first + count, l2_counters_.size());
  for (std::size_t requester = first; requester < end; ++requester) {
    add(sum, l2_counters_[requester]);
  }
  return sum;
}

void MemorySystem::reset_counters() {
  counters_ = {};
  std::fill(l2_counters_.begin(), l2_counters_.end(), observe::L2Counters{});
}

void MemorySystem::sample(Cycle now) {
  const Cycle bin = now / kSampleCycles * kSampleCycles;
  if (bin != sample_.start) flush_sample(bin);
  sample_.l2_bytes += answer_.bytes;
  sample_.hbm_read_bytes += chunk_.line_bytes + chunk_.short_bytes;
  sample_.hbm_write_bytes += chunk_.written_bytes;
}

void MemorySystem::flush_sample(Cycle now) {
  if (observer_ != nullptr && sample_.l2_bytes > 0) {
    sample_.span = kSampleCycles;
    observer_->memory_sample(sample_);
  }
  sample_ = {};
  sample_.start = now / kSampleCycles * kSampleCycles;
}

}  // namespace davsim::memory
