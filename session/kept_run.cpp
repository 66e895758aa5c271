#include "session/kept_run.hpp"

namespace davsim::session {

KeptRun::Attached::Attached(sim::Device& device, KeptRun& run)
    : device_(device), memories_(device.memory(), run.seen_) {
  run.clear();
  observers_.add(&memories_);
  observers_.add(&run.events_);
  device.attach(&observers_);
}

KeptRun::Attached::~Attached() {
  device_.attach(nullptr);
}

void KeptRun::clear() {
  events_.clear();
  seen_.clear();
}

void KeptRun::show_to(Exports& exports) {
  exports.show(events_, seen_);
}

}  // namespace davsim::session
