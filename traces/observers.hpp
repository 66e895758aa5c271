// Several observers of one run.
#pragma once

#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Hands everything on to each of them, in their order.
class Observers : public Observer {
 public:
  void add(Observer* observer) { observers_.push_back(observer); }  ///< not owned
  bool empty() const { return observers_.empty(); }

  void launch_begins(const LaunchDescription& launch) override {
    for (Observer* o : observers_) o->launch_begins(launch);
  }
  void instruction(const InstrEvent& event) override {
    for (Observer* o : observers_) o->instruction(event);
  }
  void block_begins(const BlockBegin& event) override {
    for (Observer* o : observers_) o->block_begins(event);
  }
  void block(const BlockEvent& event) override {
    for (Observer* o : observers_) o->block(event);
  }
  void memory_sample(const MemorySample& sample) override {
    for (Observer* o : observers_) o->memory_sample(sample);
  }
  void launch_ends(const LaunchReport& report) override {
    for (Observer* o : observers_) o->launch_ends(report);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace davsim::traces
