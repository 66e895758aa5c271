// Requests that the memory has taken up and cannot answer yet, because HBM has not said when what
// they wait for is complete.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "memory/cycle.hpp"
#include "memory/l2/l2_model.hpp"
#include "observe/whole_cycles.hpp"

namespace davsim::memory {

class OpenRequests {
 public:
  /// A request as its client knows it.
  struct Request {
    MemoryClient* client = nullptr;
    std::uint32_t tag = 0;
  };

  /// A number for a chunk that is sent to HBM; times of fetches are kept from here on.
  FetchId new_fetch() {
    times_.push_back(kNever);
    return first_ + times_.size() - 1;
  }
  /// The fetch was answered when it was sent.
  void known_at_once() { times_.pop_back(); }

  /// Keeps a request that is done at `done` as far as is known. It waits for `fetches`, or what is
  /// left of them, and to be accepted unless it is.
  void add(Request request, double done, const std::vector<FetchId>& fetches, bool accepted) {
    const std::uint64_t number = next_++;
    Open& open = open_[number];
    open = {request, done, 0, accepted};
    for (const FetchId fetch : fetches) {
      const Cycle time = time_of(fetch);
      if (time != kNever) {
        open.done = std::max(open.done, static_cast<double>(time));
      } else {
        ++open.fetches;
        waiting_[fetch].push_back(number);
      }
    }
    end(number);
  }

  /// What `fetch` brings is at the cores at `cycle`.
  void finish(FetchId fetch, Cycle cycle, Cycle now) {
    times_[fetch - first_] = cycle;
    const auto waiting = waiting_.find(fetch);
    if (waiting != waiting_.end()) {
      for (const std::uint64_t number : waiting->second) {
        const auto open = open_.find(number);
        if (open == open_.end()) continue;
        open->second.done = std::max(open->second.done, static_cast<double>(cycle));
        --open->second.fetches;
        end(number);
      }
      waiting_.erase(waiting);
    }
    while (!times_.empty() && times_.front() <= now) times_.pop_front(), ++first_;
  }

  /// HBM takes more: whoever waits to be accepted is.
  void accept_all() {
    for (auto at = open_.begin(); at != open_.end();) {
      Open& open = at->second;
      if (!open.accepted) {
        open.accepted = true;
        open.request.client->accepted(
            open.request.tag, open.fetches == 0 ? observe::whole_cycles(open.done) : kNever);
        at = open.fetches == 0 ? open_.erase(at) : std::next(at);
      } else {
        ++at;
      }
    }
  }
  bool any_to_accept() const {
    return std::any_of(open_.begin(), open_.end(),
                       [](const auto& open) { return !open.second.accepted; });
  }
  void drop() {
    open_.clear();
    waiting_.clear();
  }

 private:
  struct Open {
    Request request;
    double done = 0;
    std::uint32_t fetches = 0;  ///< whose time is not known
    bool accepted = true;
  };

  /// kNever: not known yet. What is known and over is forgotten.
  Cycle time_of(FetchId fetch) const { return fetch < first_ ? 0 : times_[fetch - first_]; }

  void end(std::uint64_t number) {
    const auto at = open_.find(number);
    if (at->second.fetches > 0 || !at->second.accepted) return;
    const Open open = at->second;
    open_.erase(at);
    open.request.client->completed(open.request.tag, observe::whole_cycles(open.done));
  }

  std::map<std::uint64_t, Open> open_;  ///< in the order in which they were taken up
  std::map<FetchId, std::vector<std::uint64_t>> waiting_;
  std::uint64_t next_ = 0;
  std::deque<Cycle> times_;  ///< of fetches from `first_` on; kNever: not known
  FetchId first_ = 0;
};

}  // namespace davsim::memory
