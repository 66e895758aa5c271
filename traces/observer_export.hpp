// Exports that are an observer and what it writes to.
#pragma once

#include <utility>

#include "traces/background_observer.hpp"
#include "traces/exporter.hpp"

namespace davsim::traces {

/// `Writer`: an Observer that is made from what it writes to, a stream or the files of a folder.
/// Its finish() throws std::runtime_error if the output could not be written as a whole. The
/// observer runs in the thread of the simulation.
template <class Writer>
class ObserverExport : public Export {
 public:
  template <class Output>
  explicit ObserverExport(Output&& output) : writer_(std::forward<Output>(output)) {}

  Observer* observer() override { return &writer_; }
  void finish(const FinishedRun&) override { writer_.finish(); }

 private:
  Writer writer_;
};

/// The same with the observer in a thread of its own, for observers that write while the launch
/// runs.
template <class Writer>
class BackgroundExport : public Export {
 public:
  template <class Output>
  explicit BackgroundExport(Output&& output) : writer_(std::forward<Output>(output)) {}

  Observer* observer() override { return &background_; }
  void finish(const FinishedRun&) override {
    background_.finish();
    writer_.finish();
  }

 protected:
  /// Ends the thread: the writer has heard everything.
  Writer& writer() {
    background_.finish();
    return writer_;
  }

 private:
  Writer writer_;
  BackgroundObserver background_{writer_};
};

}  // namespace davsim::traces
