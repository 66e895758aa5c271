// The exports of calls of `davsim serve`: those that a request asks for before the call, and those
// of a call that was kept, which may be asked for afterwards.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "session/exports.hpp"
#include "session/kept_run.hpp"
#include "traces/exporter.hpp"

namespace davsim::cli {

/// The member "exports" of a request: paths by exporter. Throws UsageError.
std::vector<session::ExportRequest> exports_of(const boost::json::object& request);
/// What exports have to print, by exporter: "text" and "json".
boost::json::object printed_by(const session::Exports& exports);

/// The last call that was kept.
class KeptCall {
 public:
  /// Forgets the one before and listens to the device as long as this object lives.
  class Listening {
   public:
    Listening(sim::Device& device, KeptCall& call) : attached_(device, call.run_) {
      call.finished_.reset();
    }

   private:
    session::KeptRun::Attached attached_;
  };

  /// The call has ended well.
  void ended(traces::FinishedRun finished) { finished_ = std::move(finished); }
  /// Writes exports of it; returns what printed_by() does. Throws UsageError, io::FileError.
  boost::json::object write(const std::vector<session::ExportRequest>& requests);

 private:
  session::KeptRun run_;
  std::optional<traces::FinishedRun> finished_;
};

}  // namespace davsim::cli
