// An export whose observer writes to one stream, in a thread of its own.
#pragma once

#include <ostream>

#include "traces/background_observer.hpp"
#include "traces/exporter.hpp"

namespace davsim::traces {

/// `Writer`: an Observer that is made from a stream and has finish(), which throws
/// std::runtime_error if the stream took not everything.
template <class Writer>
class BackgroundExport : public Export {
 public:
  explicit BackgroundExport(std::ostream& stream) : writer_(stream) {}

  Observer* observer() override { return &background_; }
  void finish(const FinishedRun&) override {
    background_.finish();
    writer_.finish();
  }

 private:
  Writer writer_;
  BackgroundObserver background_{writer_};
};

}  // namespace davsim::traces
